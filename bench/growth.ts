/**
 * `npm run bench -- growth [--megabytes N] [--write]`: time, memory and disk for 4 and 16 times the notes and
 * vectors, and whether anything grows faster than they do; then the memory for indexing 64 times the notes.
 * Notes and vectors are synthetic, from a provider that answers at once but fails like real ones.
 * `--write` puts the table into docs/performance.md and the plot into docs/pictures/growth.svg.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openMemory } from '../src/engine/memory/index.js';
import { contextOf } from '../test/support/context.js';
import { peakOf, type Run, timeRun } from './child.js';
import { exponentOf, type Growth, plotOf } from './growth-plot.js';
import { median } from './measure.js';
import { questionsOf, writeNotes } from './notes-corpus.js';
import { markdownTable, plainTable, takenOn, writeSection } from './page-tables.js';
import { removeDatabase } from './remove-database.js';
import { startProvider } from './start-provider.js';
import { SHAPES } from './vector-sets.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const PICTURE = join(root, 'docs/pictures/growth.svg');
const DIMENSIONS = 768;
/** Multiples of the corpus, and how often each is indexed; the fastest run counts. */
const SIZES = [
  { times: 1, rounds: 4 },
  { times: 4, rounds: 3 },
  { times: 16, rounds: 2 },
] as const;
/** Memory only. */
const LARGEST = 64;
const QUESTIONS = 40;
const SEARCH_ROUNDS = 3;
const PROCESS_ROUNDS = 7;
/** Tolerance for noise in an exponent of 1. */
const LINEAR_AT_MOST = 1.1;

type Kind = 'keyword' | 'hybrid';

interface Setup {
  readonly home: string;
  readonly indexFile: string;
  readonly config: string;
  readonly run: (...args: readonly string[]) => Run;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      megabytes: { type: 'string', default: '2' },
      write: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const bytes = Number(values.megabytes) * 1e6;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-growth-')));
  const provider = await startProvider(DIMENSIONS, SHAPES.skewed.name);
  try {
    const measured = new Map<string, Growth>();
    const note = (what: string, unit: string, times: number, value: number): void => {
      const { points = [] } = measured.get(what) ?? {};
      measured.set(what, { what, unit, points: [...points, { times, value }] });
    };
    const sizes: string[] = [];
    for (const { times, rounds } of SIZES) {
      const folder = join(dir, `at-${times}`);
      const { files } = writeNotes(join(folder, 'workspace/memory'), bytes * times);
      const keyword = setupOf(folder, 'keyword', { provider: 'none' });
      const remote = { baseUrl: provider.url, apiKey: 'none' };
      const hybrid = setupOf(folder, 'hybrid', { provider: 'openai', remote });
      for (const [kind, setup] of [['keyword', keyword] as const, ['hybrid', hybrid] as const]) {
        const add = (what: string, unit: string, value: number): void =>
          note(`${what}, ${kind}`, unit, times, value);
        await measureOne(setup, kind === 'keyword' ? rounds : Math.ceil(rounds / 2), add);
      }
      sizes.push(
        `${times} ×: ${files} files, ${Number(((bytes * times) / 1e6).toPrecision(2))} MB`,
      );
      rmSync(folder, { recursive: true, force: true });
    }
    const folder = join(dir, 'largest');
    writeNotes(join(folder, 'workspace/memory'), bytes * LARGEST);
    const largest = setupOf(folder, 'keyword', { provider: 'none' });
    await measurePeaks(largest, (what, unit, value) =>
      note(`${what}, keyword`, unit, LARGEST, value),
    );
    report([...measured.values()], sizes, values.write);
  } finally {
    provider.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

type Add = (what: string, unit: string, value: number) => void;

/** Indexes and searches one corpus in one mode. */
async function measureOne(setup: Setup, rounds: number, add: Add): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    removeIndex(setup);
    times.push(await timeRun(indexing(setup)));
  }
  add('index', 's', Math.min(...times) / 1000);
  add('database', 'MB', statSync(setup.indexFile).size / 1e6);
  add('search in a warm process', 'ms', await searchMs(setup));
  const search = setup.run('memory', 'search', questionsOf(1)[0] ?? '');
  const whole: number[] = [];
  for (let round = 0; round < PROCESS_ROUNDS; round++) whole.push(await timeRun(search));
  add('svc memory search', 'ms', Math.min(...whole));
  await measurePeaks(setup, add);
}

/** Without it, V8 lets the memory for new objects grow to 32 MB in any process that runs for a few seconds. */
const SMALL_YOUNG = '--max-semi-space-size=1';

async function measurePeaks(setup: Setup, add: Add): Promise<void> {
  const run = indexing(setup);
  removeIndex(setup);
  add('peak memory of indexing', 'MiB', await peakOf(run));
  removeIndex(setup);
  const small = { ...run, args: [SMALL_YOUNG, ...run.args] };
  add(`peak memory with ${SMALL_YOUNG}`, 'MiB', await peakOf(small));
}

function indexing(setup: Setup): Run {
  return setup.run('memory', 'index', '--json');
}

function removeIndex({ indexFile }: Setup): void {
  removeDatabase(indexFile);
}

/** Median time of many queries on an open memory. */
async function searchMs({ home, config }: Setup): Promise<number> {
  const { backend } = await openMemory(
    contextOf(home),
    { kind: 'agent', agentId: undefined },
    { configFile: config, longLived: true },
  );
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round <= SEARCH_ROUNDS; round++) {
    for (const query of questionsOf(QUESTIONS)) {
      const started = performance.now();
      const { results } = await backend.search({ query });
      if (round > 0) times.push(performance.now() - started);
      found += results.length;
    }
  }
  await backend.close();
  if (found === 0) throw new Error('the questions find nothing');
  return median(times);
}

/** svc on a folder of notes, with its own home and configuration. */
function setupOf(folder: string, kind: Kind, search: Readonly<Record<string, unknown>>): Setup {
  const home = join(folder, kind);
  const indexFile = join(home, 'index.sqlite');
  const config = join(home, 'svc.json');
  const memorySearch = { ...search, store: { path: indexFile } };
  const defaults = { workspace: join(folder, 'workspace'), memorySearch };
  mkdirSync(home, { recursive: true });
  writeFileSync(config, JSON.stringify({ agents: { defaults } }));
  const env = { HOME: home, SVC_HOME: home };
  return {
    home,
    indexFile,
    config,
    run: (...args) => ({
      ...{ name: args.join(' '), env, cwd: home },
      args: [program, ...args, '--config', config],
    }),
  };
}

function report(growths: readonly Growth[], sizes: readonly string[], write: boolean): void {
  const head = ['what', ...SIZES.map(({ times }) => `${times} ×`), `${LARGEST} ×`, 'grows as'];
  const body = growths.map((growth) => {
    const exponent = exponentOf(growth.points);
    const verdict = exponent > LINEAR_AT_MOST ? ', worse than linear' : '';
    return [
      `${growth.what} (${growth.unit})`,
      ...[...SIZES, { times: LARGEST }].map(({ times }) => valueAt(growth, times)),
      `n^${exponent.toFixed(2)}${verdict}`,
    ];
  });
  const caption = `${sizes.join('; ')}. Vectors have ${DIMENSIONS} dimensions. ${takenOn()}.`;
  console.log(`${caption}\n\n${plainTable([head, ...body])}`);
  if (!write) return;
  writeSection('growth', `${caption}\n\n${markdownTable([head, ...body])}`);
  writeFileSync(PICTURE, plotOf(growths.filter(({ what }) => !what.includes(SMALL_YOUNG))));
}

function valueAt({ points }: Growth, times: number): string {
  const value = points.find((point) => point.times === times)?.value;
  if (value === undefined) return '';
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

await main();
