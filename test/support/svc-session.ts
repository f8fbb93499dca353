import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ROOT, runSvc, type SvcOptions, type SvcRun } from './run-svc.js';
import { PATIENCE_MS } from './wait.js';

const PROGRAM = fileURLToPath(new URL('svc-session.mjs', import.meta.url));
/** What follows stdout and stderr of a command. */
const END = { stdout: /\0(\d+)\0$/, stderr: /\0$/ } as const;

/** Commands that limit the time of their process from its start, or end it a while after their work. */
const OWN_PROCESS: readonly string[] = ['mcp', 'recall', 'serve'];

/** What can differ between command lines of one process. */
export type SessionOptions = Pick<SvcOptions, 'home' | 'env' | 'cwd'> &
  Partial<Record<Exclude<keyof SvcOptions, 'home' | 'env' | 'cwd'>, never>>;

let session: ChildProcess | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs the built program as runSvc does, but all command lines of a test file in one process, one after the other: most
 * of a start is spent on loading. For commands that print and end; those that are interrupted, read stdin, or that a
 * test times need processes of their own, which SVC_TEST_SESSIONS=0 gives to all.
 */
export function runInSession(
  words: readonly string[],
  { home, env = {}, cwd = home }: SessionOptions,
): Promise<SvcRun> {
  const needsProcess = words.some((word) => OWN_PROCESS.includes(word));
  if (needsProcess || process.env['SVC_TEST_SESSIONS'] === '0')
    return runSvc(words, { home, env, cwd });
  const fullEnv = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, ...env };
  const run = lastRun.then(() => runNext({ words, env: fullEnv, cwd }));
  lastRun = run.catch(() => undefined);
  return run;
}

function runNext(line: object): Promise<SvcRun> {
  session ??= startSession();
  const child = session;
  const text = { stdout: '', stderr: '' };
  return new Promise((resolve, reject) => {
    // Nothing else of a session keeps this process alive.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`does not end: ${JSON.stringify({ line, ...text })}`));
    }, PATIENCE_MS);
    const end = ({ code, signal }: Pick<SvcRun, 'code' | 'signal'>): void => {
      clearTimeout(timer);
      for (const stream of [child.stdout, child.stderr]) stream?.removeAllListeners('data');
      child.removeAllListeners('error').removeAllListeners('close');
      const stdout = text.stdout.replace(END.stdout, '');
      const stderr = text.stderr.replace(END.stderr, '');
      resolve({ code, signal, stdout, stderr });
    };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (part: string) => {
        text[name] += part;
        const code = END.stdout.exec(text.stdout)?.[1];
        if (code !== undefined && END.stderr.test(text.stderr))
          end({ code: Number(code), signal: null });
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => end({ code, signal }));
    child.send(line);
  });
}

function startSession(): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ROOT], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // A command may end the process; the next one then gets another.
  child.once('exit', () => {
    session = undefined;
  });
  child.stdin?.end();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    if (stream instanceof Socket) stream.unref();
  }
  child.unref();
  child.channel?.unref();
  return child;
}
