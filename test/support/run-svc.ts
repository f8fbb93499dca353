import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TempFolder } from './temp-folder.js';
import { PATIENCE_MS } from './wait.js';

/** The package folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a run of the built program ended. */
export interface SvcRun {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The surroundings of a run. */
export interface SvcOptions {
  /** Where it keeps its state; also its home folder. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Another user to run as; see ordinary-user.ts. */
  readonly uid?: number | undefined;
  /** The package folder to run from. */
  readonly root?: string;
  readonly nodeArgs?: readonly string[];
}

/** A run in progress. */
export interface StartedSvc {
  readonly child: ChildProcess;
  readonly done: Promise<SvcRun>;
  /** Settles once the program has written a text to stderr or stdout, or ended; fails after a minute. */
  waitForText(text: string): Promise<void>;
  /** What it has written to stderr so far. */
  stderr(): string;
}

/** Runs the built program, with only PATH from the environment of this process. */
export function startSvc(args: readonly string[], options: SvcOptions): StartedSvc {
  const { root = ROOT, nodeArgs = [] } = options;
  return startProgram(process.execPath, [...nodeArgs, join(root, 'bin/run.js'), ...args], options);
}

/** Runs another program in the same surroundings, such as one that starts svc. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: SvcOptions,
): StartedSvc {
  const { home, uid } = options;
  const child = spawn(program, args, {
    cwd: options.cwd ?? home,
    env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, ...options.env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const watch of watchers) watch();
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const done = new Promise<SvcRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
      for (const watch of watchers) watch();
    });
  });
  const waitForText = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        const ended = child.exitCode !== null || child.signalCode !== null;
        if (!ended && !stderr.includes(text) && !stdout.includes(text)) return;
        watchers.delete(watch);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`never wrote "${text}", but: ${stdout}${stderr}`));
      }, PATIENCE_MS);
      watchers.add(watch);
      watch();
    });
  return { child, done, waitForText, stderr: () => stderr };
}

/** Runs the built program to its end. */
export function runSvc(args: readonly string[], options: SvcOptions): Promise<SvcRun> {
  return startSvc(args, options).done;
}

/** Puts the built program into a folder as `bin/svc`. @returns the folder for PATH */
export function installSvc(folder: TempFolder): string {
  const command = `exec '${process.execPath}' '${join(ROOT, 'bin/run.js')}' "$@"`;
  return dirname(folder.writeScript('bin/svc', command));
}
