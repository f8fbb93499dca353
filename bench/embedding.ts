/**
 * `npm run bench -- embedding`: the overhead of embedding with a provider that answers at once, for indexing and
 * for a search, and how long a search waits while another process indexes. Whole processes, one run.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openReadyIndex } from '../test/support/vector-index.js';
import { buildCorpus, type Corpus } from './corpus.js';
import { median, type Subject, timeInTurn } from './measure.js';
import { removeDatabase } from './remove-database.js';
import { report } from './report.js';
import { type Provider, startProvider } from './start-provider.js';
import { type Row, timeRow, wholeMs } from './table.js';
import { rawInsertMs } from './vector-index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');

const CORPUS_BYTES = 16e6;
const DIMENSIONS = 768;
const INDEX_ROUNDS = 3;
const SEARCH_ROUNDS = 25;
const QUESTION = 'why does the build fail on windows';

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-embedding-'));
  const provider = await startProvider(DIMENSIONS);
  try {
    const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
    const keyword = subjectOf(dir, corpus, { provider: 'none' }, 'keyword');
    const remote = { baseUrl: provider.url };
    const hybrid = subjectOf(dir, corpus, { provider: 'openai', remote }, 'hybrid');
    const rows = [
      ...(await measureIndexing(dir, keyword, hybrid)),
      ...measureSearch(keyword, hybrid),
      ...(await measureWaiting(hybrid, provider)),
    ];
    report('embedding', `${corpus.files} files, ${DIMENSIONS} dimensions`, rows);
  } finally {
    provider.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Setup {
  readonly home: string;
  readonly indexFile: string;
  readonly svc: (...args: readonly string[]) => Subject;
}

/** svc with its own home and configuration. */
function subjectOf(
  dir: string,
  corpus: Corpus,
  memorySearch: Readonly<Record<string, unknown>>,
  name: string,
): Setup {
  const home = join(dir, name);
  const indexFile = join(dir, `${name}.sqlite`);
  const config = join(dir, `${name}.json`);
  const defaults = {
    workspace: corpus.dir,
    memorySearch: { ...memorySearch, extraPaths: [corpus.dir], store: { path: indexFile } },
  };
  writeFileSync(config, JSON.stringify({ agents: { defaults } }));
  return {
    home,
    indexFile,
    svc: (...args) => ({
      name: args.join(' '),
      args: [program, ...args, '--config', config],
      env: { SVC_HOME: home },
    }),
  };
}

async function measureIndexing(dir: string, keyword: Setup, hybrid: Setup): Promise<Row[]> {
  const fresh = (setup: Setup): Subject => ({
    ...setup.svc('memory', 'index', '--json'),
    before: () => removeDatabase(setup.indexFile),
  });
  const [keywordTiming, hybridTiming] = timeInTurn([fresh(keyword), fresh(hybrid)], INDEX_ROUNDS);
  const chunks = await chunksIn(hybrid.indexFile);
  const rawMs = median(
    [1, 2, 3].map((round) => {
      const vector = new Float32Array(DIMENSIONS).fill(0.1);
      return rawInsertMs(join(dir, `raw-${round}.sqlite`), chunks, () => vector);
    }),
  );
  const keywordMs = keywordTiming?.medianMs ?? Number.NaN;
  const hybridMs = hybridTiming?.medianMs ?? Number.NaN;
  return [
    { what: `keyword index, ${chunks} chunks`, value: wholeMs(keywordMs) },
    { what: 'writing their vectors, raw loop', value: wholeMs(rawMs) },
    timeRow(
      'index with vectors / (1.5 × keyword + raw)',
      hybridMs,
      1.5 * keywordMs + rawMs,
      '1.10 ×',
    ),
  ];
}

function measureSearch(keyword: Setup, hybrid: Setup): Row[] {
  const bare: Subject = { name: 'node -e 0', args: ['-e', '0'] };
  const search = (setup: Setup): Subject => setup.svc('memory', 'search', QUESTION);
  const [baseline, keywordTiming, hybridTiming] = timeInTurn(
    [bare, search(keyword), search(hybrid)],
    SEARCH_ROUNDS,
  );
  const baselineMs = baseline?.medianMs ?? Number.NaN;
  return [
    timeRow('keyword search, with a svc.json', keywordTiming?.medianMs, baselineMs, '2.00 ×'),
    timeRow('hybrid search', hybridTiming?.medianMs, baselineMs, '2.60 ×'),
  ];
}

/** Searches while another process re-embeds everything, compared with as many undisturbed ones. */
async function measureWaiting(hybrid: Setup, provider: Provider): Promise<Row[]> {
  // A provider is another machine, and here it shares processors.
  setPriority(provider.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const search = hybrid.svc('memory', 'search', QUESTION);
  const searchMs = (): number => timeInTurn([search], 1)[0]?.medianMs ?? Number.NaN;
  const { args, env } = hybrid.svc('memory', 'index', '--force', '--json');
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const disturbed: number[] = [];
  while (child.exitCode === null) {
    disturbed.push(searchMs());
    // Lets this process notice that the other one exited.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  const alone = Array.from(disturbed, searchMs);
  const differenceRow = (what: string, value: number, baseline: number, target: string): Row => ({
    what,
    value: wholeMs(value),
    baseline: wholeMs(baseline),
    ratio: `${value < baseline ? '' : '+'}${wholeMs(value - baseline)}`,
    target,
  });
  return [
    differenceRow('search while another process indexes', median(disturbed), median(alone), ''),
    differenceRow(
      '  the slowest compared with the slowest',
      Math.max(...disturbed),
      Math.max(...alone),
      '',
    ),
    differenceRow(
      '  the slowest compared with the median',
      Math.max(...disturbed),
      median(alone),
      '+50 ms',
    ),
  ];
}

async function chunksIn(indexFile: string): Promise<number> {
  const index = openReadyIndex(indexFile, 'read');
  const { chunks } = await index.statistics();
  index.close();
  return chunks;
}

await main();
