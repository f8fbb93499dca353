/**
 * `npm run bench -- vectors [--large]`: vector queries compared with sqlite-vec's exact table, their recall, and
 * writing vectors compared with a plain table. All numbers come from one run. `--large` adds a million vectors,
 * which need 4 GB of temporary space for some minutes.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import { createIndex } from '../src/engine/memory/index/sqlite/sqlite-index.js';
import { openReadyIndex, testIdentity } from '../test/support/vector-index.js';
import { median, timeInTurn } from './measure.js';
import { removeDatabase } from './remove-database.js';
import { report } from './report.js';
import type { Row } from './table.js';
import {
  fillChunks,
  fillVectors,
  nearestChunks,
  rawInsertMs,
  Truth,
  Vec0,
} from './vector-index.js';
import { SHAPES, type VectorShape, vectorsOf } from './vector-sets.js';

const DIMENSIONS = 768;
const QUERIES = 30;
const ROUNDS = 3;
const WRITTEN = 13_000;
const WRITE_ROUNDS = 3;
const COLD_ROUNDS = 11;
/** Compared with the exact table, for which the targets are set. */
const NORMAL = 100_000;
const SMALL = 20_000;
const LARGE = 1_000_000;

interface QueryTimes {
  readonly queryMs: number;
  readonly exactMs: number | undefined;
  readonly recall: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { large: { type: 'boolean', default: false }, write: { type: 'boolean' } },
    allowPositionals: true,
  });
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-vectors-'));
  try {
    const rows: Row[] = [await measureWriting(dir)];
    for (const shape of Object.values(SHAPES)) {
      rows.push(...rowsOf(shape, NORMAL, await measureQueries(dir, shape, NORMAL, true)));
    }
    const { clustered } = SHAPES;
    rows.push(...rowsOf(clustered, SMALL, await measureQueries(dir, clustered, SMALL, true)));
    const normalFile = join(dir, 'kept');
    const normal = await measureQueries(normalFile, clustered, NORMAL, false);
    rows.push(await measureProcess(normalFile));
    if (values.large) {
      const large = await measureQueries(dir, clustered, LARGE, false);
      const ratio = `${(large.queryMs / normal.queryMs).toFixed(2)} ×`;
      rows.push(
        {
          what: `${LARGE} ${clustered.name} compared with ${NORMAL}`,
          value: ms(large.queryMs),
          baseline: ms(normal.queryMs),
          ratio,
          target: '8.00 ×',
        },
        { what: '  recall@10', value: large.recall.toFixed(4), target: '0.99' },
      );
    }
    report('vectors', `${DIMENSIONS} dimensions`, rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function rowsOf(shape: VectorShape, count: number, measured: QueryTimes): Row[] {
  const exact = measured.exactMs ?? Number.NaN;
  const ratio = `1/${(exact / measured.queryMs).toFixed(1)}`;
  const name = `${count} ${shape.name} compared with vec0 exact`;
  return [
    {
      what: name,
      value: ms(measured.queryMs),
      baseline: ms(exact),
      ratio,
      target: count === NORMAL ? '1/4' : '1/0.8',
    },
    { what: '  recall@10', value: measured.recall.toFixed(4), target: '0.99' },
  ];
}

/** Queries on an index built for them, which is kept only if it has its own folder. */
async function measureQueries(
  dir: string,
  shape: VectorShape,
  count: number,
  withExact: boolean,
): Promise<QueryTimes> {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, INDEX);
  removeDatabase(file);
  await makeIndex(file, count);
  const vectors = streamOf(shape);
  const queries = Array.from({ length: QUERIES }, vectors);
  writeFileSync(join(dir, QUERY), Buffer.from((queries[0] ?? new Float32Array()).buffer));
  const truth = new Truth(queries);
  await fillVectors(file, vectors, truth);
  const exactFile = join(dir, 'vec0.sqlite');
  const exact = withExact ? new Vec0(exactFile, DIMENSIONS) : undefined;
  exact?.fill(count, streamOf(shape));
  const index = openReadyIndex(file, 'read');
  const times: number[] = [];
  const exactTimes: number[] = [];
  let recall = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, query] of queries.entries()) {
      const started = performance.now();
      const found = await nearestChunks(index, query);
      const between = performance.now();
      exact?.search(query);
      // The first round is for warming up.
      if (round > 0) times.push(between - started);
      if (round > 0) exactTimes.push(performance.now() - between);
      else recall += truth.recall(at, found) / queries.length;
    }
  }
  index.close();
  exact?.close();
  removeDatabase(exactFile);
  const exactMs = exact === undefined ? undefined : median(exactTimes);
  return { queryMs: median(times), exactMs, recall };
}

const INDEX = 'index.sqlite';
const QUERY = 'query.bin';

async function makeIndex(file: string, chunks: number): Promise<void> {
  createIndex(file, testIdentity()).seal();
  await fillChunks(file, chunks);
}

function streamOf(shape: VectorShape): () => Float32Array {
  const vectors = vectorsOf(shape, DIMENSIONS);
  return () => vectors.next().value ?? new Float32Array(DIMENSIONS);
}

/** Writes vectors, compared with writing the same bytes to a plain table. */
async function measureWriting(dir: string): Promise<Row> {
  const times: number[] = [];
  const rawTimes: number[] = [];
  const file = join(dir, INDEX);
  const rawFile = join(dir, 'raw.sqlite');
  for (let round = 0; round <= WRITE_ROUNDS; round++) {
    removeDatabase(file);
    removeDatabase(rawFile);
    await makeIndex(file, WRITTEN);
    const { putMs, tidyMs } = await fillVectors(file, streamOf(SHAPES.skewed), undefined);
    const raw = rawInsertMs(rawFile, WRITTEN, streamOf(SHAPES.skewed));
    if (round > 0) times.push(putMs + tidyMs);
    if (round > 0) rawTimes.push(raw);
  }
  const [time, raw] = [median(times), median(rawTimes)];
  const ratio = `${(time / raw).toFixed(2)} ×`;
  return {
    what: `${WRITTEN} vectors written`,
    value: ms(time),
    baseline: ms(raw),
    ratio,
    target: '2.00 ×',
  };
}

/** A whole process with one query, compared with one that does nothing; the program is bundled like svc. */
async function measureProcess(dir: string): Promise<Row> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  await build({
    input: { query: join(root, 'bench/vector-query.ts') },
    platform: 'node',
    transform: { target: 'node20' },
    external: [/\.node$/],
    logLevel: 'warn',
    output: { dir: join(dir, 'program'), format: 'cjs' },
  });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const ask = {
    name: 'query process',
    args: [join(dir, 'program/query.js'), join(dir, INDEX), join(dir, QUERY)],
  };
  const [asked, bare] = timeInTurn([ask, { name: 'node -e 0', args: ['-e', '0'] }], COLD_ROUNDS);
  const [time, baseline] = [asked?.medianMs ?? Number.NaN, bare?.medianMs ?? Number.NaN];
  const ratio = `${(time / baseline).toFixed(2)} ×`;
  return {
    what: `a process with one query (${NORMAL}) compared with node`,
    value: ms(time),
    baseline: ms(baseline),
    ratio,
  };
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

await main();
