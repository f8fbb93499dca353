/** The rows of `npm run bench -- postgres` about memories; a million passages only with `--large`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkMarkdown } from '../src/engine/memory/chunking/index.js';
import type { Change } from '../src/engine/memory/index/documents.js';
import { currentIdentity } from '../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../src/engine/memory/index/memory-index.js';
import {
  type PostgresIndex,
  preparePostgresIndex,
} from '../src/engine/memory/index/postgres/index.js';
import { createIndex, openIndex } from '../src/engine/memory/index/sqlite/open-index.js';
import { matchExpression, parseQuery } from '../src/engine/memory/search/query.js';
import { textLines } from '../src/engine/memory/sources/text-lines.js';
import type { Server } from '../src/engine/postgres/index.js';
import { median } from './measure.js';
import { notesOf, questionsOf } from './notes-corpus.js';
import { type Row, row } from './table.js';

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

/** What was measured, and what the server did for the last question. */
export interface IndexBench {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

/** Keyword search in large memories, next to SQLite with the same. */
export async function benchCandidates(server: Server, large: boolean): Promise<IndexBench> {
  const rows: Row[] = [];
  const notes: string[] = [];
  for (const { bytes, targetMs, large: isLarge } of SIZES) {
    if (isLarge && !large) continue;
    const dir = mkdtempSync(join(tmpdir(), 'svc-bench-postgres-'));
    const index = await preparePostgresIndex(server, { agent: `${bytes}`, origin: 'a' }, IDENTITY);
    const sqlite = createdIndex(join(dir, 'index.sqlite'));
    try {
      const filled = await fill([sqlite, index], bytes);
      const [sqliteMs = 0, postgresMs = 0] = filled.ms;
      const questions = questionsOf(QUESTIONS);
      const baseline = await candidatesMs(sqlite, questions);
      const took = await candidatesMs(index, questions);
      const { chunks } = await index.statistics();
      const size = await diskBytes(server);
      rows.push(
        ratioRow(`candidates in ${chunks} passages, ms`, took, baseline, `${targetMs} ms`),
        ratioRow(`index ${chunks} passages, s`, postgresMs / 1000, sqliteMs / 1000, ''),
        ratioRow(
          `on disk, MB (text ${mb(filled.bytes)})`,
          size / 1e6,
          filled.bytes / 1e6,
          '3.00 ×',
        ),
      );
      notes.push(
        `${chunks} passages: ${Math.round(size / chunks)} bytes each, of which the text is ${Math.round(filled.bytes / chunks)}.`,
        '',
      );
    } finally {
      sqlite.close();
      index.close();
      rmSync(dir, { recursive: true, force: true });
      await server.run(
        'TRUNCATE svc.memories, svc.documents, svc.chunks, svc.terms, svc.postings, svc.chunk_lengths CASCADE',
      );
    }
  }
  return { rows, notes };
}

function createdIndex(file: string): MemoryIndex {
  createIndex(file, IDENTITY).seal();
  const opened = openIndex(file, 'write');
  if (opened.state !== 'ready') throw new Error(opened.state);
  return opened.index;
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
    const match = matchExpression(parseQuery(question, 'unicode61')) ?? '';
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      // Postings that were read are kept until the index is closed.
      if ('origins' in index) index.close();
      const started = performance.now();
      await index.lexicalCandidates(match, CANDIDATES);
      rounds.push(performance.now() - started);
    }
    times.push(Math.min(...rounds));
  }
  return median(times);
}

async function diskBytes(server: Server): Promise<number> {
  const [size] = await server.query<{ readonly bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'svc'::regnamespace`,
  );
  return size?.bytes ?? 0;
}

async function explained(server: Server, index: PostgresIndex, question: string): Promise<string> {
  const lines = await server.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${index.postingsQuery(question)}`,
  );
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

function ratioRow(what: string, value: number, baseline: number, target: string): Row {
  const ratio = `${(value / baseline).toFixed(2)} ×`;
  return row(what, value.toFixed(1), baseline.toFixed(1), ratio, target);
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
