/**
 * `npm run bench -- soak [--minutes 10]`: a watcher of the built program under changes without end,
 * and what it holds of the machine meanwhile. A process that leaks shows as a column that rises.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FOLDERS = 40;
const NOTES = 2000;
/** Changes come in groups, with quiet after each; a burst of hundreds comes now and then. */
const GROUP = 8;
const CHANGE_EVERY_MS = 10;
const QUIET_MS = 300;
const ROWS = 12;

/** What a process holds; Linux only. */
interface Holding {
  readonly memoryMb: number;
  readonly handles: number;
  readonly watches: number;
}

/** Runs the soak and prints a line every few seconds; exit code 1 when the index is wrong at the end. */
export async function soak(program: string, args: readonly string[]): Promise<void> {
  const at = args.indexOf('--minutes');
  const minutes = at === -1 ? 10 : Number(args[at + 1]);
  if (!(minutes > 0)) throw new Error('usage: soak [--minutes N]');
  const dir = mkdtempSync(join(tmpdir(), 'svc-soak-'));
  try {
    await run(program, dir, minutes * 60_000);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function run(program: string, dir: string, totalMs: number): Promise<void> {
  const notes = join(dir, 'workspace', 'memory');
  makeNotes(notes);
  const debounce = { memorySearch: { sync: { watchDebounceMs: 100, intervalMinutes: 1 } } };
  writeFileSync(join(dir, 'svc.json'), JSON.stringify({ agents: { defaults: debounce } }));
  const env = { PATH: process.env['PATH'], HOME: dir, SVC_HOME: dir };
  const child = spawn(process.execPath, [program, 'memory', 'index', '--watch', '--json'], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const syncs = countSyncs(child);
  console.log(`node ${process.version}, ${NOTES} notes in ${FOLDERS} folders`);
  console.log('minute   syncs   failed   memory MB   handles   watches');
  const started = performance.now();
  let nextRowMs = 0;
  for (let n = 0; performance.now() - started < totalMs; n++) {
    change(notes, n);
    await sleep(n % GROUP === 0 ? QUIET_MS : CHANGE_EVERY_MS);
    const elapsedMs = performance.now() - started;
    if (elapsedMs < nextRowMs || child.pid === undefined) continue;
    nextRowMs += totalMs / ROWS;
    printRow(elapsedMs, syncs(), holdingOf(child.pid));
  }
  // Quiet for longer than the debounce and a sync take: everything must be in.
  await sleep(3000);
  const { stdout } = spawnSync(process.execPath, [program, 'memory', 'status', '--json'], {
    cwd: dir,
    env,
    encoding: 'utf8',
  });
  if (child.pid !== undefined) printRow(performance.now() - started, syncs(), holdingOf(child.pid));
  child.kill('SIGTERM');
  const isFresh = /"staleness": \{\s+"added": 0,\s+"changed": 0,\s+"removed": 0/.test(stdout);
  console.log(isFresh ? 'the index is up to date' : `the index is stale: ${stdout}`);
  if (!isFresh) process.exitCode = 1;
}

function makeNotes(notes: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(notes, `d${folder}`), { recursive: true });
  }
  for (let n = 0; n < NOTES; n++) {
    writeFileSync(join(notes, `d${n % FOLDERS}`, `n${n}.md`), noteText(n));
  }
}

function noteText(n: number): string {
  return `# Note ${n}\n\n${`word${n % 97} word${n % 89} word${n % 83} `.repeat(40)}\n`;
}

/** One change of the kinds that there are, the same ones in every run. */
function change(notes: string, n: number): void {
  const folder = join(notes, `d${n % FOLDERS}`);
  const note = join(folder, `n${(n * 7) % NOTES}.md`);
  mkdirSync(folder, { recursive: true });
  if (n % 1500 === 1499) {
    for (let at = 0; at < 500; at++) writeFileSync(join(folder, `n${at}.md`), noteText(n + at));
    return;
  }
  switch (n % 6) {
    case 0:
      appendFileSync(note, `line ${n}\n`);
      return;
    case 1:
      writeFileSync(`${note}.tmp`, noteText(n));
      renameSync(`${note}.tmp`, note);
      return;
    case 2:
      rmSync(note, { force: true });
      return;
    case 3:
      mkdirSync(join(folder, `deep${n % 5}`), { recursive: true });
      writeFileSync(join(folder, `deep${n % 5}`, 'x.md'), noteText(n));
      return;
    case 4:
      rmSync(join(folder, `moved${n % 3}`), { recursive: true, force: true });
      moveFirst(folder, `moved${n % 3}`);
      return;
    default:
      writeFileSync(note, noteText(n));
  }
}

function moveFirst(folder: string, to: string): void {
  const deep = readdirSync(folder).find((name) => name.startsWith('deep'));
  if (deep !== undefined) renameSync(join(folder, deep), join(folder, to));
}

function countSyncs(child: ChildProcess): () => { readonly done: number; readonly failed: number } {
  let done = 0;
  let failed = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    done += text.split('"type":"synced"').length - 1;
    failed += text.split('"type":"failed"').length - 1;
  });
  return () => ({ done, failed });
}

function holdingOf(pid: number): Holding {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const handles = readdirSync(`/proc/${pid}/fdinfo`);
  const watches = handles.map((handle) => {
    try {
      return readFileSync(`/proc/${pid}/fdinfo/${handle}`, 'utf8').split('inotify wd').length - 1;
    } catch {
      return 0;
    }
  });
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024,
    handles: handles.length,
    watches: watches.reduce((sum, count) => sum + count, 0),
  };
}

function printRow(
  elapsedMs: number,
  { done, failed }: { readonly done: number; readonly failed: number },
  { memoryMb, handles, watches }: Holding,
): void {
  const cells = [(elapsedMs / 60_000).toFixed(1), done, failed, memoryMb.toFixed(1)];
  const widths = [6, 7, 8, 11, 9, 9];
  const row = [...cells, handles, watches].map((cell, at) =>
    String(cell).padStart(widths[at] ?? 0),
  );
  console.log(row.join(' '));
}
