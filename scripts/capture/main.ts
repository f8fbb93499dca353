/**
 * Takes the pictures of the documentation from real runs of the built program in a real terminal:
 *
 *   node --import tsx scripts/capture/main.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { Grid } from './grid.js';
import { windowSvg } from './svg.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COLUMNS = 90;
const ROWS = 26;
/** So long without a byte means that the picture is finished. */
const QUIET_MS = 400;

const NOTES: Readonly<Record<string, string>> = {
  'operations/backups.md': `# Backups

## Schedule

The nightly backup runs at 02:30 and takes eleven minutes. It goes to the
second disk first, then to the bucket in Frankfurt.

## Restore drills

Rehearsed on the first Monday of the month. The last took 14 minutes.
`,
  'journal/2026-02-03.md': `# 3 February 2026

- Moved the backup to run before the reports, so that each has the disk.
- Staging was deployed twice; production follows on Thursday.
`,
  'people.md': `# People

## Ada

Runs the night shift. Ask her first when a job did not run.
`,
  'billing.md': `# Billing

Invoices go out on the first working day of the month.
`,
};

/** A day's note beside the folder of notes: what dreaming goes by. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const DREAM_NOTES: Readonly<Record<string, string>> = {
  [`../.svc/workspace/memory/${DAY}.md`]: `# ${DAY}

## Operations

- The nightly backup of the storage server runs at 02:30.
- Mira owns the billing service and signs off its releases.
`,
  '../.svc/svc.json':
    '{ "plugins": { "entries": { "memory-core": { "config": { "dreaming": { "enabled": true } } } } } }',
};
const ASKED = [
  'backup time',
  'nightly job',
  'storage server',
  'backup at 02:30',
  'when does the nightly backup of the storage server run',
  'who owns billing',
];

interface Scene {
  readonly file: string;
  readonly title: string;
  readonly args: readonly string[];
  /** Typed when the program has drawn its first frame. */
  readonly keys: readonly string[];
  /** Shown above the output, as if typed at a prompt. */
  readonly prompt: boolean;
}

const QUESTION = 'when does the backup run';
const SCENES: readonly Scene[] = [
  {
    file: 'docs/pictures/search.svg',
    title: `svc memory search "${QUESTION}"`,
    args: ['memory', 'search', QUESTION, '-w', 'notes', '-n', '2'],
    keys: [],
    prompt: true,
  },
  {
    file: 'docs/pictures/search-screen.svg',
    title: 'The search screen of svc',
    args: ['memory', 'search', '-w', 'notes'],
    keys: [QUESTION, '\u001B[B', '\u001B[A'],
    prompt: false,
  },
  {
    file: 'docs/pictures/dreaming.svg',
    title: 'svc dream run',
    args: ['dream', 'run'],
    keys: [],
    prompt: true,
  },
];

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'svc-capture-'));
  try {
    for (const [path, text] of Object.entries({ ...NOTES, ...DREAM_NOTES })) {
      mkdirSync(dirname(join(home, 'notes', path)), { recursive: true });
      writeFileSync(join(home, 'notes', path), text);
    }
    prepare(home, ['memory', 'index', '-w', 'notes']);
    for (const question of ASKED) prepare(home, ['memory', 'search', question]);
    for (const scene of SCENES) {
      const grid = new Grid();
      if (scene.prompt) grid.write(`\u001B[32m$\u001B[39m ${commandLine(scene.args)}\r\n`);
      grid.write(await run(home, scene.args, scene.keys));
      mkdirSync(dirname(join(ROOT, scene.file)), { recursive: true });
      writeFileSync(join(ROOT, scene.file), windowSvg(grid.runs(), COLUMNS, scene.title));
      console.log(`wrote ${scene.file}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function commandLine(args: readonly string[]): string {
  return ['svc', ...args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg))].join(' ');
}

/** A run to its end that nobody sees. */
function prepare(home: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, 'bin/run.js'), ...args], {
    cwd: home,
    env: environment(home),
    stdio: 'ignore',
  });
}

function environment(home: string): NodeJS.ProcessEnv {
  const { CI: _c, NO_COLOR: _n, SVC_CONFIG: _s, ...env } = process.env;
  return { ...env, HOME: home, SVC_HOME: join(home, '.svc'), TERM: 'xterm-256color' };
}

/** What the program writes to its terminal until it falls quiet; then it is ended. */
async function run(
  home: string,
  args: readonly string[],
  keys: readonly string[],
): Promise<string> {
  const terminal = spawn(process.execPath, [join(ROOT, 'bin/run.js'), ...args], {
    cols: COLUMNS,
    rows: ROWS,
    cwd: home,
    env: environment(home),
  });
  let output = '';
  let lastMs = performance.now();
  let ended = false;
  terminal.onData((data) => {
    output += data;
    lastMs = performance.now();
  });
  terminal.onExit(() => {
    ended = true;
  });
  const settle = async (): Promise<void> => {
    while (output === '' || performance.now() - lastMs < QUIET_MS) await sleep(20);
  };
  await settle();
  for (const key of keys) {
    terminal.write(key);
    lastMs = performance.now();
    await settle();
  }
  const shown = output;
  if (!ended) terminal.kill();
  return shown;
}

await main();
