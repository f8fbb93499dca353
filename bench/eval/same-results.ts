/**
 * `npm run eval -- --same FOLDER`: whether PostgreSQL gives the results of SQLite: the share of questions on a set of
 * conversations (or, with `--pooled`, on all of them at once) of which the best ten passages are the same ones in the
 * same order. On the server of SVC_TEST_POSTGRES_URL, or one of its own.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEMORY_SEARCH_DEFAULTS } from '../../src/engine/config/index.js';
import { parseQuestions } from '../../src/engine/eval/question-file.js';
import type { QueryVector } from '../../src/engine/memory/embedding/query-embedder.js';
import type { Change } from '../../src/engine/memory/index/documents.js';
import { currentIdentity } from '../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../src/engine/memory/index/memory-index.js';
import { preparePostgresIndex } from '../../src/engine/memory/index/postgres/index.js';
import { createIndex } from '../../src/engine/memory/index/sqlite/sqlite-index.js';
import { searchIndex } from '../../src/engine/memory/search/index.js';
import { textLines } from '../../src/engine/memory/sources/text-lines.js';
import { meaningOf } from '../../test/fakes/meaning.js';
import { chunkMarkdown } from '../../test/support/markdown.js';
import { migratedServer, realServer } from '../../test/support/postgres.js';
import { embedMissing, openReadyIndex } from '../../test/support/vector-index.js';
import { chatQuestions, pooledQuestions } from './chat-questions.js';

const DIMENSIONS = 256;
const IDENTITY = 'meaning';
const RESULTS = 10;
/** Share of questions that must have the same results. */
const TARGET = 0.99;
const { chunking, query } = MEMORY_SEARCH_DEFAULTS;

/** @returns the exit code */
export async function sameResults(folder: string, isPooled: boolean): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-same-results-'));
  const postgres = await realServer();
  if (postgres === undefined) throw new Error('PostgreSQL is not installed');
  const server = await migratedServer(postgres);
  try {
    const chats = chatQuestions(folder);
    const lines = isPooled ? pooledQuestions(chats, join(dir, 'pooled')) : chats;
    const questions = parseQuestions(lines, 'questions.jsonl');
    const counts = { keyword: 0, hybrid: 0 };
    const workspaces = new Set(questions.map(({ workspace = '' }) => workspace));
    for (const [at, workspace] of [...workspaces].entries()) {
      const settings = { chunking, tokenizer: 'unicode61' } as const;
      const identity = currentIdentity(settings);
      const file = join(dir, `${at}.sqlite`);
      createIndex(file, identity).seal();
      const sqlite = openReadyIndex(file);
      const shared = await preparePostgresIndex(
        server,
        { agent: workspace, origin: 'a' },
        identity,
      );
      for (const index of [sqlite, shared]) await fill(index, workspace);
      for (const { question } of questions.filter((one) => one.workspace === workspace)) {
        for (const mode of ['keyword', 'hybrid'] as const) {
          const [ours, theirs] = [
            await best(sqlite, question, mode),
            await best(shared, question, mode),
          ];
          if (ours === theirs) counts[mode] += 1;
        }
      }
      sqlite.close();
      shared.close();
    }
    const shares = Object.entries(counts).map(
      ([mode, same]) => [mode, same / questions.length] as const,
    );
    for (const [mode, share] of shares) {
      console.log(
        `${mode}: ${(share * 100).toFixed(2)} % of ${questions.length} questions have the same results`,
      );
    }
    return shares.every(([, share]) => share >= TARGET) ? 0 : 1;
  } finally {
    await server.close();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Indexes the notes of a workspace, with vectors. */
async function fill(index: MemoryIndex, workspace: string): Promise<void> {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' });
  const changes = names
    .filter((name) => name.endsWith('.md'))
    .map((path): Change => {
      const text = readFileSync(join(workspace, path), 'utf8');
      const chunks = chunkMarkdown(textLines(text), chunking);
      const fingerprint = { size: text.length, mtimeMs: 1, ctimeMs: 1 };
      const key = { source: 'memory', kind: 'markdown', path } as const;
      return { type: 'put', document: { ...key, fingerprint, hash: path, chunks } };
    });
  await index.apply({ atMs: 1, vectorsFollow: true, changes });
  await embedMissing(index, IDENTITY, (text) => meaningOf(text, DIMENSIONS));
}

async function best(
  index: MemoryIndex,
  question: string,
  mode: 'hybrid' | 'keyword',
): Promise<string> {
  const embed = async (text: string): Promise<QueryVector> => {
    const vector = meaningOf(text, DIMENSIONS);
    return { identity: IDENTITY, vector, provider: 'fake', model: 'meaning' };
  };
  const { hybrid, maxResults: _, ...rest } = query;
  const { results } = await searchIndex(
    index,
    { query: question },
    {
      ...{ snippetChars: rest.snippetChars, minScore: 0, maxResults: RESULTS },
      ...{ citations: 'off', candidateMultiplier: hybrid.candidateMultiplier, hybrid: true },
      shares: { text: hybrid.textWeight, vector: hybrid.vectorWeight },
      ...{ halfLifeDays: undefined, mmrLambda: undefined, nowMs: Date.now(), warnings: [] },
      embedder: mode === 'hybrid' ? { embed, reject: () => undefined } : undefined,
    },
  );
  return JSON.stringify(
    results.map(({ path, startLine, endLine, score }) => [path, startLine, endLine, score]),
  );
}
