/**
 * `npm run bench`: builds a corpus from installed packages and times the program as whole processes, compared
 * with a baseline from the same run. `--write` puts the table into docs/performance.md.
 * `npm run bench -- PART` runs another benchmark (see CONTRIBUTING.md), and with `--help` describes it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCorpus, type Corpus } from './corpus.js';
import { median, peakMemory, type Subject, timeInTurn } from './measure.js';
import { removeDatabase } from './remove-database.js';
import { report } from './report.js';
import { type Row, timeRow } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const rawLoop = join(root, 'bench/raw-index-loop.mjs');

const CORPUS_BYTES = 16e6;
const START_ROUNDS = 25;
const INDEX_ROUNDS = 5;
/** `node -e 0` takes a third less time from Node.js 22 on. */
const SEARCH_TARGET = Number.parseInt(process.versions.node, 10) < 22 ? '1.90 ×' : '2.60 ×';
const STATUS_TARGET = '2.10 ×';
const VERSION_TARGET = '1.30 ×';
const HELP_TARGET = '1.80 ×';

function main(): void {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
    const rows = [...measureStart(corpus, dir), ...measureIndex(corpus, dir)];
    report('start', `${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB`, rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function svc(home: string, corpus: Corpus, name: string, args: readonly string[]): Subject {
  return {
    name,
    args: [program, ...args, '--workspace', corpus.dir],
    env: { SVC_HOME: join(home, 'home') },
  };
}

function measureStart(corpus: Corpus, home: string): Row[] {
  const bare: Subject = { name: 'node -e 0', args: ['-e', '0'] };
  const questions = [
    'how do I install the package',
    'timeout',
    'why does the build fail on windows',
  ];
  const searches = questions.map((question) =>
    svc(home, corpus, `svc memory search "${question}"`, ['memory', 'search', question]),
  );
  const index = svc(home, corpus, 'svc memory index, nothing changed', ['memory', 'index']);
  const status = svc(home, corpus, 'svc memory status', ['memory', 'status']);
  const start: Subject = {
    name: 'svc config path (start alone)',
    args: [program, 'config', 'path'],
  };
  const answers: readonly (readonly [words: readonly string[], target: string])[] = [
    [['--version'], VERSION_TARGET],
    [['--help'], HELP_TARGET],
    [['memory', 'search', '--help'], HELP_TARGET],
  ];
  const answered = answers.map(([words]): Subject => {
    return { name: `svc ${words.join(' ')}`, args: [program, ...words] };
  });
  timeInTurn([index], 0);
  const [bareTime, base, unchanged, statusTimes, ...rest] = timeInTurn(
    [bare, start, index, status, ...searches, ...answered],
    START_ROUNDS,
  );
  if (bareTime === undefined || base === undefined) return [];
  const baseline = bareTime.medianMs;
  const found = rest.slice(0, searches.length);
  if (unchanged === undefined || statusTimes === undefined) return [];
  const search = median(found.map((timing) => timing.medianMs));
  const memory = Math.max(...searches.map((subject) => peakMemory(subject)));
  const bareMemory = peakMemory(bare);
  return [
    ...searches.map((subject, position) =>
      timeRow(subject.name, found[position]?.medianMs, baseline, SEARCH_TARGET),
    ),
    timeRow('svc memory search, median of these', search, baseline, SEARCH_TARGET),
    {
      what: 'its peak memory',
      value: `${memory.toFixed(1)} MiB`,
      baseline: `${bareMemory.toFixed(1)} MiB`,
      target: '64 MiB',
    },
    timeRow(index.name, unchanged.medianMs, baseline, STATUS_TARGET),
    timeRow(status.name, statusTimes.medianMs, baseline, STATUS_TARGET),
    timeRow(start.name, base.medianMs, baseline),
    ...answers.map(([words, target], position) => {
      const took = rest[searches.length + position]?.medianMs;
      return timeRow(`svc ${words.join(' ')}`, took, baseline, target);
    }),
  ];
}

function measureIndex(corpus: Corpus, home: string): Row[] {
  const indexed = svc(home, corpus, 'svc memory index, everything', ['memory', 'index', '--json']);
  const summary: unknown = JSON.parse(
    execFileSync(process.execPath, [...indexed.args, '--force'], {
      encoding: 'utf8',
      env: { ...process.env, ...indexed.env },
    }),
  );
  const chunks = chunksOf(summary);
  const database = join(home, 'raw.sqlite');
  // As many pieces as svc makes; each ends at a line end, half a line later on average.
  const characters = Math.round(corpus.bytes / chunks) - 30;
  const raw: Subject = {
    name: 'raw loop',
    args: [rawLoop, corpus.dir, database, String(characters)],
    before: () => removeDatabase(database),
  };
  const fresh: Subject = {
    ...indexed,
    before: () => rmSync(join(home, 'home'), { recursive: true, force: true }),
  };
  const forced: Subject = { ...indexed, args: [...indexed.args, '--force'] };
  const [rawTime, freshTime, forcedTime] = timeInTurn([raw, fresh, forced], INDEX_ROUNDS);
  if (rawTime === undefined || freshTime === undefined || forcedTime === undefined) return [];
  return [
    timeRow(`full index, ${chunks} chunks`, freshTime.medianMs, rawTime.medianMs, '1.60 ×'),
    timeRow('the same with --force over an index', forcedTime.medianMs, rawTime.medianMs),
  ];
}

function chunksOf(summary: unknown): number {
  const text = JSON.stringify(summary);
  return Number(/"chunks":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

main();
