/**
 * `npm run bench`: builds a corpus from installed packages and times the program as whole
 * processes, each figure beside its floor from the same run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCorpus, type Corpus } from './corpus.js';
import { median, peakMemory, type Subject, timeInTurn } from './measure.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const rawLoop = join(root, 'bench/raw-index-loop.mjs');

const CORPUS_BYTES = 16e6;
const START_ROUNDS = 25;
const INDEX_ROUNDS = 5;

interface Row {
  readonly what: string;
  readonly value: string;
  readonly floor: string;
  readonly ratio: string;
  readonly target: string;
}

function main(): void {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
    const rows = [...measureStart(corpus, dir), ...measureIndex(corpus, dir)];
    console.log(
      `${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB, node ${process.version}`,
    );
    console.log(formatTable(rows));
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
  const empty: Subject = {
    name: 'svc memory search --bad-flag',
    args: [program, 'config', 'path'],
  };
  timeInTurn([index], 0);
  const [floor, base, unchanged, ...found] = timeInTurn(
    [bare, empty, index, ...searches],
    START_ROUNDS,
  );
  if (floor === undefined || base === undefined || unchanged === undefined) return [];
  const search = median(found.map((timing) => timing.medianMs));
  const memory = Math.max(...searches.map((subject) => peakMemory(subject)));
  const bareMemory = peakMemory(bare);
  const times = (value: number): string => `${(value / floor.medianMs).toFixed(2)} ×`;
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    ...searches.map((subject, position) => {
      const took = found[position]?.medianMs ?? Number.NaN;
      return row(subject.name, ms(took), ms(floor.medianMs), times(took), '2.00 ×');
    }),
    row(
      'svc memory search, median of these',
      ms(search),
      ms(floor.medianMs),
      times(search),
      '2.00 ×',
    ),
    row(
      'its peak memory',
      `${memory.toFixed(1)} MiB`,
      `${bareMemory.toFixed(1)} MiB`,
      '',
      '64 MiB',
    ),
    row(
      index.name,
      ms(unchanged.medianMs),
      ms(floor.medianMs),
      times(unchanged.medianMs),
      '2.50 ×',
    ),
    row(
      'svc config path (start alone)',
      ms(base.medianMs),
      ms(floor.medianMs),
      times(base.medianMs),
      '',
    ),
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
  // As many pieces as svc makes; each ends at a line, half a line later on average.
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
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const times = (value: number): string => `${(value / rawTime.medianMs).toFixed(2)} ×`;
  return [
    row(
      `full index, ${chunks} chunks`,
      ms(freshTime.medianMs),
      ms(rawTime.medianMs),
      times(freshTime.medianMs),
      '1.60 ×',
    ),
    row(
      'the same with --force over an index',
      ms(forcedTime.medianMs),
      ms(rawTime.medianMs),
      times(forcedTime.medianMs),
      '',
    ),
  ];
}

function chunksOf(summary: unknown): number {
  const text = JSON.stringify(summary);
  return Number(/"chunks":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function row(what: string, value: string, floor: string, ratio: string, target: string): Row {
  return { what, value, floor, ratio, target };
}

function formatTable(rows: readonly Row[]): string {
  const header = row('what', 'median', 'floor', 'ratio', 'target');
  const widths = { what: 50, value: 12, floor: 12, ratio: 10, target: 10 } as const;
  return [header, ...rows]
    .map((line) =>
      [
        line.what.padEnd(widths.what),
        line.value.padStart(widths.value),
        line.floor.padStart(widths.floor),
        line.ratio.padStart(widths.ratio),
        line.target.padStart(widths.target),
      ].join(''),
    )
    .join('\n');
}

main();
