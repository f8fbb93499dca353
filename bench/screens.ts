/**
 * `npm run bench -- screens [--write]`: typing into the search screen over 16,000 chunks: time from a key to the frame
 * that shows it, and from the last key of a query to its results; and the time to the first frame of the home screen.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { z } from 'zod';
import { buildCorpus } from './corpus.js';
import { median, timeInTurn } from './measure.js';
import { report } from './report.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
/** About 16,000 chunks. */
const CORPUS_BYTES = 14e6;
const STARTS = 11;
/** Between two keys, as people type; nobody waits for the frame. */
const PAUSES_MS = [110, 70, 150, 90, 240, 130, 60, 180];
/** Without output for this time, the screen is at rest. */
const REST_MS = 700;
const PROMPT = '› ';
/** Where the input begins, after the margin. */
const INPUT_COLUMN = 4;
const CLEAR = '\u0015';
const ESC = '\u001B';
/** What ink begins a frame with. */
const ERASES = `${ESC}[2K`;
/** Where ink leaves the cursor after a frame. */
const CURSOR_COLUMN = new RegExp(`^[^]*${ESC}\\[(\\d+)G`, 'u');
const DURATION = / *· \d+(?:\.\d+)? m?s| {2,}/gu;
const QUERIES = [
  'timeout of the connection',
  'install a package',
  'windows build fails',
  'how to configure',
  'brwoser compatibility',
  'error: cannot find module',
  'performance of large files',
  'custom types in typescript',
];

const Status = z.object({
  agents: z.tuple([
    z.object({ index: z.object({ statistics: z.object({ chunks: z.number() }) }) }),
  ]),
});

const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
try {
  const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
  const { CI: _, ...inherited } = process.env;
  const env = { ...inherited, SVC_HOME: join(dir, 'home'), TERM: 'xterm-256color' };
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [program, 'memory', ...args, '--workspace', corpus.dir], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const open = (args: readonly string[]): IPty =>
    spawn(process.execPath, [program, ...args], { cols: 120, rows: 40, cwd: dir, env });
  run('index');
  const {
    agents: [{ index }],
  } = Status.parse(JSON.parse(run('status', '--json')));
  const { keys, results } = await typingTimes(
    open(['memory', 'search', '--workspace', corpus.dir]),
  );
  const starts: number[] = [];
  const bares: number[] = [];
  for (let at = 0; at < STARTS; at += 1) {
    starts.push(await firstFrame(open([])));
    const [node] = timeInTurn([{ name: 'node', args: ['-e', '0'] }], 1);
    bares.push(node?.medianMs ?? Number.NaN);
  }
  const home = median(starts);
  const bare = median(bares);
  const rows = [
    { what: 'key to frame, median', value: ms(quantile(keys, 0.5)), target: '50 ms' },
    { what: 'key to frame, 99 of 100', value: ms(quantile(keys, 0.99)), target: '120 ms' },
    { what: 'last key to results, median', value: ms(median(results)) },
    { what: 'last key to results, slowest', value: ms(Math.max(...results)) },
    {
      what: 'first frame of home, with the start',
      value: ms(home),
      baseline: ms(bare),
      ratio: `${(home / bare).toFixed(2)} ×`,
      target: '2.00 ×',
    },
  ];
  const what = `${index.statistics.chunks} chunks in ${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB`;
  report('screens', `${what}, ${keys.length} keys`, rows);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

interface TypingTimes {
  /** From a key to the first frame that shows it in the input. */
  readonly keys: readonly number[];
  /** From the last key of a query to the frame after which only the duration changes. */
  readonly results: readonly number[];
}

async function typingTimes(terminal: IPty): Promise<TypingTimes> {
  const keys: number[] = [];
  const results: number[] = [];
  let frames: { readonly text: string; readonly atMs: number }[] = [];
  let waiting: { readonly text: string; readonly atMs: number }[] = [];
  let frame = '';
  terminal.onData((data) => {
    const atMs = performance.now();
    frame += data;
    frame = frame.slice(Math.max(0, frame.lastIndexOf(ERASES)));
    const shown = shownInput(frame);
    if (shown === undefined) return;
    frames.push({ text: stripVTControlCharacters(frame).replace(DURATION, ''), atMs });
    const isShown = (text: string): boolean =>
      text === shown || (text !== '' && shown.startsWith(text));
    keys.push(...waiting.filter(({ text }) => isShown(text)).map((key) => atMs - key.atMs));
    waiting = waiting.filter(({ text }) => !isShown(text));
  });
  const atRest = async (): Promise<void> => {
    let count: number;
    do {
      count = frames.length;
      await sleep(REST_MS);
    } while (count !== frames.length || count === 0 || waiting.length > 0);
  };
  const press = (key: string, text: string): number => {
    const atMs = performance.now();
    frames = [];
    waiting.push({ text, atMs });
    terminal.write(key);
    return atMs;
  };
  await atRest();
  for (const query of QUERIES) {
    let lastMs = 0;
    for (const [at, key] of [...query].entries()) {
      await sleep(PAUSES_MS[at % PAUSES_MS.length]);
      lastMs = press(key, query.slice(0, at + 1));
    }
    await atRest();
    const last = frames.at(-1)?.text;
    const from = frames.findLastIndex(({ text }) => text !== last) + 1;
    results.push((frames[from]?.atMs ?? Number.NaN) - lastMs);
    press(CLEAR, '');
    await atRest();
  }
  terminal.kill();
  return { keys, results };
}

/** The input up to the cursor; undefined while a frame is being written. */
function shownInput(frame: string): string | undefined {
  const column = Number(frame.match(CURSOR_COLUMN)?.[1]);
  const line = stripVTControlCharacters(frame)
    .split(/\r?\n/u)
    .find((text) => text.includes(PROMPT));
  return Number.isNaN(column)
    ? undefined
    : line
        ?.slice(line.indexOf(PROMPT) + PROMPT.length)
        .padEnd(column)
        .slice(0, column - 1 - INPUT_COLUMN);
}

/** A frame is more than the switch to the screen. */
async function firstFrame(terminal: IPty): Promise<number> {
  const started = performance.now();
  await new Promise<void>((resolve) => {
    terminal.onData((data) => {
      if (data.includes('\n')) resolve();
    });
  });
  const time = performance.now() - started;
  // A screen that is left keeps its compiled code for the next one.
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  terminal.write('q');
  await ended;
  await sleep(REST_MS);
  return time;
}

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}
