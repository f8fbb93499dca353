import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ROOT, runSvc, type SvcOptions, type SvcRun } from './run-svc.js';
import { PATIENCE_MS } from './wait.js';

const PROGRAM = fileURLToPath(new URL('svc-session.mjs', import.meta.url));
/** What the session prints after stdout and stderr of a command. */
const END = { stdout: /\0(\d+)\0$/, stderr: /\0$/ } as const;

/** Commands that limit the time of their process from its start, or end it a while after their work. */
const OWN_PROCESS: readonly string[] = ['mcp', 'recall', 'serve'];

/** What can differ between command lines of one process. */
export type SessionOptions = Pick<SvcOptions, 'home' | 'env' | 'cwd'> &
  Partial<Record<Exclude<keyof SvcOptions, 'home' | 'env' | 'cwd'>, never>>;

/** What starts commands: svc itself, or oclif with its manifest and plugins. */
type Starter = 'svc' | 'oclif';

/**
 * Runs the built program as runSvc does, but all command lines of a test file in one process, one after the other: most
 * of a start is spent on loading. For commands that print and end; those that are interrupted, read stdin, or that a
 * test times need processes of their own, which SVC_TEST_SESSIONS=0 gives to all.
 */
export function runInSession(
  words: readonly string[],
  { home, env = {}, cwd = home }: SessionOptions,
): Promise<SvcRun> {
  return needsProcess(words)
    ? runSvc(words, { home, env, cwd })
    : svcSession(words, { home, env, cwd });
}

/** Whether a command must not share a process. */
export function needsProcess(words: readonly string[]): boolean {
  return (
    process.env['SVC_TEST_SESSIONS'] === '0' || words.some((word) => OWN_PROCESS.includes(word))
  );
}

/** A process for command lines, one after the other; it starts with the first, and again after one that ended it. */
function newSession(
  starter: Starter,
): (words: readonly string[], options: SessionOptions) => Promise<SvcRun> {
  let session: ChildProcess | undefined;
  let lastRun: Promise<unknown> = Promise.resolve();
  const next = (line: object): Promise<SvcRun> => {
    if (session === undefined) {
      session = startSession(starter);
      session.once('exit', () => {
        session = undefined;
      });
    }
    return runLine(session, line);
  };
  return (words, { home, env = {}, cwd = home }) => {
    const fullEnv = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, ...env };
    const run = lastRun.then(() => next({ words, env: fullEnv, cwd }));
    lastRun = run.catch(() => undefined);
    return run;
  };
}

const svcSession = newSession('svc');
/** Runs a command as oclif starts it, in one process with others, which {@link needsProcess} must allow. */
export const runInOclifSession = newSession('oclif');

function runLine(child: ChildProcess, line: object): Promise<SvcRun> {
  const text = { stdout: '', stderr: '' };
  return new Promise((resolve, reject) => {
    // Everything else of a session is unreferenced: this keeps the process of the tests alive meanwhile.
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

function startSession(starter: Starter): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ROOT, starter], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
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
