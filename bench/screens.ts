/**
 * `npm run bench -- screens [--write]`: time from a key to the next frame of the search screen in 16,000 chunks, and to
 * the first frame of the home screen.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { buildCorpus } from './corpus.js';
import { report } from './report.js';
import { row } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const CORPUS_BYTES = 22e6;
const STARTS = 7;
/** What a person types between two keys; the frame of a key is not the one of the key before. */
const PAUSE_MS = 250;
const WORDS = [
  'timeout of the connection',
  'install a package',
  'windows build fails',
  'how to configure',
];

const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
try {
  const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
  const { CI: _, ...inherited } = process.env;
  const env = { ...inherited, SVC_HOME: join(dir, 'home'), TERM: 'xterm-256color' };
  const place = ['--workspace', corpus.dir];
  execFileSync(process.execPath, [program, 'memory', 'index', ...place], { env, stdio: 'ignore' });
  const open = (args: readonly string[]): IPty =>
    spawn(process.execPath, [program, ...args], { cols: 120, rows: 40, cwd: dir, env });
  const keys = await keyTimes(open(['memory', 'search', ...place]));
  const starts: number[] = [];
  for (let at = 0; at < STARTS; at += 1) starts.push(await firstFrame(open([])));
  const rows = [
    row('key to frame, median', ms(quantile(keys, 0.5)), '–', '–', '50 ms'),
    row('key to frame, 99 of 100', ms(quantile(keys, 0.99)), '–', '–', '120 ms'),
    row('first frame of home, with the start', ms(quantile(starts, 0.5)), '–', '–', '–'),
  ];
  report(
    'screens',
    `${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB, ${keys.length} keys`,
    rows,
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function keyTimes(terminal: IPty): Promise<readonly number[]> {
  const frames = framesOf(terminal);
  await frames.next('');
  await sleep(3000);
  const times: number[] = [];
  for (const words of WORDS) {
    for (const key of [...words, '\u0015']) {
      times.push(await frames.next(key));
      await sleep(PAUSE_MS);
    }
  }
  terminal.kill();
  return times;
}

async function firstFrame(terminal: IPty): Promise<number> {
  const time = await framesOf(terminal).next('');
  terminal.kill();
  await sleep(PAUSE_MS);
  return time;
}

/** A frame is more than the switch to the screen. */
function framesOf(terminal: IPty): { readonly next: (key: string) => Promise<number> } {
  let onFrame: () => void = () => undefined;
  terminal.onData((data) => {
    if (data.includes('\n')) onFrame();
  });
  return {
    next: (key) =>
      new Promise((resolve) => {
        const started = performance.now();
        onFrame = () => {
          onFrame = () => undefined;
          resolve(performance.now() - started);
        };
        if (key !== '') terminal.write(key);
      }),
  };
}

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}
