import { type ChildCall, ChildGroup } from '../../../../child/index.js';
import { systemErrorCode } from '../../../../errors/index.js';
import { type Tool, ToolFailure } from './open-tool.js';

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives its process group, to end it if svc is killed; for long runs. */
  readonly mind?: ((pid: number) => () => void) | undefined;
}

/** What a successful run printed. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** No answer has more than this on stdout; in UTF-16 units. */
const MOST_OUTPUT = 200_000;
const MOST_ERRORS = 20_000;

/**
 * Runs the program once, without a shell. On timeout its whole process group is ended.
 *
 * @throws ToolFailure BACKEND_TIMEOUT, BACKEND_FAILED, BACKEND_UNAVAILABLE; the signal's reason
 */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  { timeoutMs, signal, mind = () => () => undefined }: RunOptions,
): Promise<ToolOutput> {
  signal?.throwIfAborted();
  const what = `the external search program (${commandOf(args)})`;
  const child = start(tool, args, what, mind);
  child.stdin.end();
  let cut: 'output' | 'time' | undefined;
  const cutFor = (limit: 'output' | 'time'): void => {
    cut ??= limit;
    child.kill();
  };
  const timer = setTimeout(cutFor, timeoutMs, 'time');
  const abort = (): void => child.kill();
  signal?.addEventListener('abort', abort);
  const stdout = collect(child.stdout, MOST_OUTPUT, () => cutFor('output'));
  const stderr = collect(child.stderr, MOST_ERRORS, () => undefined);
  const end = await child.ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (cut === 'time') throw timedOut(what, timeoutMs);
  if (cut === 'output') {
    throw failed(`${what} wrote more than ${MOST_OUTPUT} characters`);
  }
  switch (end.kind) {
    case 'not-started':
      throw notStarted(what, end.code, tool);
    case 'signalled':
      throw failed(`${what} was ended by ${end.signal}`);
    case 'exited':
      if (end.exitCode === 0) return { stdout: stdout(), stderr: stderr() };
      throw exitFailure(what, end.exitCode, `${stderr()}\n${stdout()}`);
  }
}

function start(
  { program, env, cwd }: Tool,
  args: readonly string[],
  what: string,
  mind: ChildCall['mind'],
): ChildGroup {
  try {
    return new ChildGroup({ command: [program, ...args], env, cwd, mind });
  } catch (error) {
    // Some failures are thrown (E2BIG), others arrive as an event.
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw notStarted(what, code, { program });
  }
}

function notStarted(what: string, code: string, { program }: Pick<Tool, 'program'>): ToolFailure {
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    `${what} cannot be started (${code})`,
    `check that ${program} is executable and its interpreter is installed`,
  );
}

/** The rest of a time limit in whole milliseconds, at least one. */
export function msUntil(deadline: number): number {
  return Math.max(1, Math.round(deadline - performance.now()));
}

/** The command without its query (`update`, `collection list`). */
export function commandOf([command = '', verb = '']: readonly string[]): string {
  return command === 'collection' ? `${command} ${verb}` : command;
}

/**
 * Collects a stream's text up to a limit.
 *
 * @returns the text so far
 */
function collect(stream: NodeJS.ReadableStream, most: number, onTooMuch: () => void): () => string {
  const decoder = new TextDecoder();
  let text = '';
  stream.on('data', (part: Buffer) => {
    if (text.length > most) return;
    text += decoder.decode(part, { stream: true });
    if (text.length > most) onTooMuch();
  });
  stream.on('error', () => undefined);
  return () => text.slice(0, most);
}

/** Messages of an interpreter of the wrong version. */
const WRONG_INTERPRETER =
  /NODE_MODULE_VERSION|requires? (?:Node|a newer)|Unsupported engine|ERR_DLOPEN_FAILED|bun not found|node \(>=?\s*\d+\) not found|SyntaxError: Unexpected token|not supported by.{0,300}Node/iu;
/** Where Node.js prints the source line instead of the error. */
const NOISE = /^(?:\s|node:|file:|at |\^|Node\.js v|Bun v|$)/u;

function exitFailure(what: string, exitCode: number, output: string): ToolFailure {
  const said = saidIn(output);
  const why = said === undefined ? '' : `: ${said}`;
  const message = `${what} ended with exit code ${exitCode}${why}`;
  if (!WRONG_INTERPRETER.test(output)) return failed(message);
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    message,
    'it needs Node.js 22 or later (0.9 needs Bun): install that, or set memory.ext.command to a wrapper that starts it with the right one',
  );
}

/** The most informative line of an output. */
function saidIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => !NOISE.test(line));
  const line = lines.find((candidate) => /error|not found|requires/iu.test(candidate)) ?? lines[0];
  return line?.trim().slice(0, 300);
}

function failed(message: string): ToolFailure {
  const hint = 'run "svc memory status --deep" to test it step by step';
  return new ToolFailure('BACKEND_FAILED', message, hint);
}

function timedOut(what: string, timeoutMs: number): ToolFailure {
  return new ToolFailure(
    'BACKEND_TIMEOUT',
    `${what} timed out after ${timeoutMs} ms`,
    'raise the limit (memory.ext.limits.timeoutMs for searches, memory.ext.update otherwise), run "svc memory index" before searching, or set searchMode to "search"',
  );
}
