/**
 * Captures the pictures of the documentation, and the screen in the README, from real runs of the built
 * program in a pseudo-terminal:
 *
 *   node --import tsx scripts/capture/main.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { ScreenBuffer } from '../../test/support/terminal-buffer.js';
import { windowSvg } from './svg.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PICTURE: Size = { columns: 90, rows: 26 };
const README: Size = { columns: 80, rows: 24 };
/** Output has settled after this long without a byte. */
const QUIET_MS = 1200;

const NOTES: Readonly<Record<string, string>> = {
  'operations/backups.md': `# Backups

## Schedule

The nightly backup runs at 02:30 and takes eleven minutes. It
goes to the second disk first, then to the bucket in Frankfurt.

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

/** A daily note in addition to the folder of notes, for dreaming. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const DREAM_NOTES: Readonly<Record<string, string>> = {
  [`../.svc/workspace/memory/${DAY}.md`]: `# ${DAY}

## Operations

- The nightly backup of the storage server runs at 02:30.
- Mira owns the billing service and signs off its releases.
`,
  '../.svc/svc.json': JSON.stringify({
    gateway: { port: 0 },
    schedules: {
      nightly: {
        cron: '0 3 * * *',
        sessionKey: 'agent:main',
        set: { goal: 'Summarize the day' },
        task: { runtime: 'subagent', task: 'Write the summary' },
      },
    },
    plugins: {
      entries: {
        'memory-core': { config: { dreaming: { enabled: true } } },
        webhooks: {
          enabled: true,
          config: {
            routes: {
              ci: {
                path: '/hooks/ci',
                sessionKey: 'agent:main',
                secret: 'capture-secret-0123456789abcdef',
              },
            },
          },
        },
      },
    },
  }),
};
const QUERIES = [
  'backup time',
  'nightly job',
  'storage server',
  'backup at 02:30',
  'when does the nightly backup of the storage server run',
  'who owns billing',
];

interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface ScreenCapture {
  readonly title: string;
  /** The command as shown on the page; the one that is run may add a folder of notes. */
  readonly command: string;
  readonly args: readonly string[];
  readonly keys: readonly string[];
}

interface Scene {
  readonly file: string;
  readonly title: string;
  readonly args: readonly string[];
  /** Typed after the first frame. */
  readonly keys: readonly string[];
  /** Shown above the output, as if typed at a prompt. */
  readonly prompt: boolean;
}

const QUESTION = 'when does the backup run';
const SEARCH_SCREEN = ['memory', 'search', '-w', 'notes'];
const SEARCH_KEYS = [QUESTION, '\u001B[B', '\u001B[A'];
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
    args: SEARCH_SCREEN,
    keys: SEARCH_KEYS,
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

/** The screens of docs/screens.md. */
const SCREENS: readonly ScreenCapture[] = [
  { title: 'Home', command: 'svc', args: [], keys: [] },
  { title: 'Search', command: 'svc memory search', args: SEARCH_SCREEN, keys: SEARCH_KEYS },
  { title: 'Dreaming', command: 'svc dream candidates', args: ['dream', 'candidates'], keys: [] },
  { title: 'Flows', command: 'svc flow watch', args: ['flow', 'watch'], keys: [] },
  { title: 'Tasks', command: 'svc task watch', args: ['task', 'watch'], keys: ['\r'] },
  {
    title: 'Webhook listener',
    command: 'svc webhook serve',
    args: ['webhook', 'serve'],
    keys: [],
  },
  { title: 'Provider', command: 'svc provider test', args: ['provider', 'test'], keys: [] },
  { title: 'Doctor', command: 'svc config doctor', args: ['config', 'doctor'], keys: [] },
];
const SIZES: readonly Size[] = [README, { columns: 120, rows: 40 }];

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'svc-capture-'));
  try {
    for (const [path, text] of Object.entries({ ...NOTES, ...DREAM_NOTES })) {
      mkdirSync(dirname(join(home, 'notes', path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, 'notes', path), text, { mode: 0o600 });
    }
    prepare(home, ['memory', 'index', '-w', 'notes']);
    prepare(home, ['schedule', 'run', 'nightly']);
    for (const query of QUERIES) prepare(home, ['memory', 'search', query]);
    for (const scene of SCENES) {
      const screen = new ScreenBuffer(PICTURE.columns, PICTURE.rows);
      if (scene.prompt) screen.write(`\u001B[32m$\u001B[39m ${commandLine(scene.args)}\r\n`);
      screen.write(await run(home, scene.args, scene.keys, PICTURE));
      mkdirSync(dirname(join(ROOT, scene.file)), { recursive: true });
      const picture = windowSvg(screen.cells(), PICTURE.columns, scene.title);
      writeFileSync(join(ROOT, scene.file), picture);
      console.log(`wrote ${scene.file}`);
    }
    writeReadme(await screenOf(home, SEARCH_SCREEN, SEARCH_KEYS, README));
    await writeScreens(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Replaces the text block with which the README begins. */
function writeReadme(screen: string): void {
  const path = join(ROOT, 'README.md');
  const block = `\`\`\`text\n${screen}\n\`\`\``;
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/```text\n.*?\n```/s, () => block),
  );
  console.log('wrote README.md');
}

async function writeScreens(home: string): Promise<void> {
  const parts = [
    '# Screens\n',
    'Captured from the program at 80×24 and 120×40 by `scripts/capture`.\n',
  ];
  for (const { title, command, args, keys } of SCREENS) {
    parts.push(`## ${title}\n`, `\`${command}\`\n`);
    for (const size of SIZES) {
      parts.push(`\`\`\`text\n${await screenOf(home, args, keys, size)}\n\`\`\`\n`);
    }
  }
  writeFileSync(join(ROOT, 'docs/screens.md'), parts.join('\n'));
  console.log('wrote docs/screens.md');
}

/** The text on a screen. */
async function screenOf(
  home: string,
  args: readonly string[],
  keys: readonly string[],
  size: Size,
): Promise<string> {
  const screen = new ScreenBuffer(size.columns, size.rows);
  screen.write(await run(home, args, keys, size));
  return screen.text().join('\n').trimEnd();
}

function commandLine(args: readonly string[]): string {
  return ['svc', ...args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg))].join(' ');
}

/** Runs a command without capturing it. */
function prepare(home: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, 'bin/run.js'), ...args], {
    cwd: home,
    env: environment(home),
    stdio: 'ignore',
  });
}

function environment(home: string): NodeJS.ProcessEnv {
  const { CI: _c, NO_COLOR: _n, SVC_CONFIG: _s, ...env } = process.env;
  return {
    ...env,
    HOME: home,
    SVC_HOME: join(home, '.svc'),
    TERM: 'xterm-256color',
    COLORFGBG: '15;0',
  };
}

/** The program's terminal output until it settles; then it is stopped. */
async function run(
  home: string,
  args: readonly string[],
  keys: readonly string[],
  size: Size,
): Promise<string> {
  const terminal = spawn(process.execPath, [join(ROOT, 'bin/run.js'), ...args], {
    cols: size.columns,
    rows: size.rows,
    cwd: home,
    env: environment(home),
  });
  let output = '';
  let lastMs = performance.now();
  const ended = new Promise((resolve) => {
    terminal.onExit(resolve);
  });
  terminal.onData((data) => {
    output += data;
    lastMs = performance.now();
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
  const captured = output;
  // The listener of the next capture would refuse to start while this one runs.
  terminal.kill('SIGTERM');
  await ended;
  return captured;
}

await main();
