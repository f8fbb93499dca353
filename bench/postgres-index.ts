/** The rows of `npm run bench -- postgres` about memories; a million passages only with `--large`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '../src/engine/memory/index/documents.js';
import { currentIdentity } from '../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../src/engine/memory/index/memory-index.js';
import { preparePostgresIndex } from '../src/engine/memory/index/postgres/index.js';
import { createIndex } from '../src/engine/memory/index/sqlite/sqlite-index.js';
import { selectiveTerms } from '../src/engine/memory/search/bounds.js';
import { matchExpression, parseQuery } from '../src/engine/memory/search/query.js';
import { textLines } from '../src/engine/memory/sources/text-lines.js';
import { Server } from '../src/engine/postgres/index.js';
import { chunkMarkdown } from '../test/support/markdown.js';
import { openReadyIndex } from '../test/support/vector-index.js';
import { median } from './measure.js';
import { notesOf, questionsOf } from './notes-corpus.js';
import type { Row } from './table.js';

const CHUNKING = { tokens: 400, overlap: 80 };
const IDENTITY = currentIdentity({ chunking: CHUNKING, tokenizer: 'unicode61' });
const CANDIDATES = 24;
const QUESTIONS = 9;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Sizes of texts, and how long candidates may take. */
const SIZES = [
  { bytes: 95e6, targetMs: 30, large: false },
  { bytes: 950e6, targetMs: 150, large: true },
] as const;

/** What was measured, and what the server did for a question. */
export interface IndexBench {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

/** Keeps the last statement, to explain it. */
class RecordingServer extends Server {
  last: readonly [text: string, values: readonly unknown[]] = ['', []];

  override query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    if (text.includes('svc.postings')) this.last = [text, values];
    return super.query(text, values);
  }
}

/** Keyword search in large memories, next to SQLite with the same. @param url a server with the tables of svc */
export async function benchMemories(url: string, large: boolean): Promise<IndexBench> {
  const limits = { poolSize: 4, connectTimeoutMs: 5000, statementTimeoutMs: 300_000 };
  const server = new RecordingServer({ url, ...limits });
  const benches: IndexBench[] = [];
  try {
    for (const size of SIZES) {
      if (large || !size.large) benches.push(await benchSize(server, size));
    }
  } finally {
    await server.close();
  }
  return {
    rows: benches.flatMap(({ rows }) => rows),
    notes: benches.flatMap(({ notes }) => notes),
  };
}

async function benchSize(
  server: RecordingServer,
  { bytes, targetMs }: (typeof SIZES)[number],
): Promise<IndexBench> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-postgres-'));
  const index = await preparePostgresIndex(server, { agent: `${bytes}`, origin: 'a' }, IDENTITY);
  const file = join(dir, 'index.sqlite');
  createIndex(file, IDENTITY).seal();
  const sqlite = openReadyIndex(file);
  try {
    const before = await diskBytes(server);
    const filled = await fill([sqlite, index], bytes);
    const size = (await diskBytes(server)) - before;
    const [sqliteMs = 0, postgresMs = 0] = filled.ms;
    const questions = questionsOf(QUESTIONS);
    const baseline = await candidatesMs(sqlite, questions);
    const took = await candidatesMs(index, questions);
    const { chunks } = await index.statistics();
    const a = (value: number): string => `${Math.round(value / chunks)} bytes`;
    return {
      rows: [
        ratioRow(`candidates in ${chunks} passages, ms`, took, baseline, `${targetMs} ms`),
        ratioRow('  indexing them, s', postgresMs / 1000, sqliteMs / 1000, ''),
        ratioRow('  on disk, MB; baseline: the texts', size / 1e6, filled.bytes / 1e6, '3.00 ×'),
      ],
      notes: [
        `${chunks} passages of ${a(filled.bytes)} on average take ${a(size)} each.`,
        await queryPlan(server),
      ],
    };
  } finally {
    sqlite.close();
    index.close();
    rmSync(dir, { recursive: true, force: true });
    await server.run(
      'TRUNCATE svc.memories, svc.documents, svc.chunks, svc.terms, svc.postings, svc.chunk_lengths CASCADE',
    );
  }
}

/** Fills indexes with the same notes. @returns how long each took, and the size of the texts */
async function fill(
  indexes: readonly MemoryIndex[],
  bytes: number,
): Promise<{ readonly ms: readonly number[]; readonly bytes: number }> {
  const ms = indexes.map(() => 0);
  let stored = 0;
  let [batch, size]: [Change[], number] = [[], 0];
  const flush = async (): Promise<void> => {
    for (const [at, index] of indexes.entries()) {
      const started = performance.now();
      await index.apply({ atMs: 1, vectorsFollow: false, changes: batch });
      ms[at] = (ms[at] ?? 0) + performance.now() - started;
    }
    [batch, size] = [[], 0];
  };
  for (const { path, text } of notesOf(bytes)) {
    const chunks = chunkMarkdown(textLines(text), CHUNKING);
    for (const chunk of chunks) stored += Buffer.byteLength(chunk.text);
    const fingerprint = { size: text.length, mtimeMs: 1, ctimeMs: 1 };
    const key = { source: 'memory', kind: 'markdown', path } as const;
    batch.push({ type: 'put', document: { ...key, fingerprint, hash: path, chunks } });
    size += text.length;
    if (size >= BATCH_BYTES) await flush();
  }
  await flush();
  return { ms, bytes: stored };
}

/** The median of several questions, each asked as by a new process and the fastest of three times. */
async function candidatesMs(index: MemoryIndex, questions: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (const question of questions) {
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      // Postings that were read are kept until the index is closed.
      if ('origins' in index) index.close();
      const started = performance.now();
      await findCandidates(index, question);
      rounds.push(performance.now() - started);
    }
    times.push(Math.min(...rounds));
  }
  return median(times);
}

/** As a search does: words in too many passages say nothing. */
async function findCandidates(index: MemoryIndex, question: string): Promise<void> {
  const query = parseQuery(question, 'unicode61');
  const statistics = await index.termStatistics(query.terms.map(({ match }) => match));
  const selective = selectiveTerms(query.terms, statistics, 'unicode61');
  const match = matchExpression({
    ...query,
    terms: query.terms.filter((_, at) => selective.has(at)),
  });
  await index.lexicalCandidates(match ?? '', CANDIDATES);
}

async function diskBytes(server: Server): Promise<number> {
  const [size] = await server.query<{ readonly bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'svc'::regnamespace`,
  );
  return size?.bytes ?? 0;
}

async function queryPlan(server: RecordingServer): Promise<string> {
  const [text, values] = server.last;
  const lines = await server.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`,
    values,
  );
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

function ratioRow(what: string, value: number, baseline: number, target: string): Row {
  const ratio = `${(value / baseline).toFixed(2)} ×`;
  return { what, value: value.toFixed(1), baseline: baseline.toFixed(1), ratio, target };
}
