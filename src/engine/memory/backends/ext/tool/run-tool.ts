import { type ChildCall, ChildGroup } from '../../../../child/child-group.js';
import { systemErrorCode } from '../../../../errors/index.js';
import type { Tool } from './open-tool.js';
import { ToolFailure } from './tool-failure.js';

/** How one run of the program is bounded. */
export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told its process group, to end it should svc be killed; for what may take long. */
  readonly mind?: ((pid: number) => () => void) | undefined;
}

/** What a run that ended well wrote. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** More than this of stdout is no answer to a question; in UTF-16 units. */
const MOST_OUTPUT = 200_000;
const MOST_ERRORS = 20_000;

/**
 * Runs the program once, without a shell. A run that takes too long is ended with everything that it
 * started.
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
    // Some of the system's refusals come at once (E2BIG), others as an event.
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw notStarted(what, code, { program });
  }
}

function notStarted(what: string, code: string, { program }: Pick<Tool, 'program'>): ToolFailure {
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    `${what} cannot be started (${code})`,
    `look whether ${program} can be run, and with which interpreter`,
  );
}

/** What is run, as a person would name it (`update`, `collection list`); never a question. */
export function commandOf([command = '', verb = '']: readonly string[]): string {
  return command === 'collection' ? `${command} ${verb}` : command;
}

/** Takes a stream's text up to a bound. @returns what was taken so far */
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

/** What an interpreter says when it is not the one the program needs. */
const WRONG_INTERPRETER =
  /NODE_MODULE_VERSION|requires? (?:Node|a newer)|Unsupported engine|ERR_DLOPEN_FAILED|bun not found|node \(>=?\s*\d+\) not found|SyntaxError: Unexpected token|not supported by.*Node/iu;
/** Where Node.js shows the source instead of saying what is wrong. */
const NOISE = /^(?:\s|node:|file:|at |\^|Node\.js v|Bun v|$)/u;

function exitFailure(what: string, exitCode: number, output: string): ToolFailure {
  const said = saidIn(output);
  const why = said === undefined ? '' : `: ${said}`;
  const message = `${what} ended with exit code ${exitCode}${why}`;
  if (!WRONG_INTERPRETER.test(output)) return failed(message);
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    message,
    'it runs with another Node.js than it needs (22 or later; 0.9 needs Bun): install that, or set memory.ext.command to a program that starts it with the right one',
  );
}

/** The line of an output that says most. */
function saidIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => !NOISE.test(line));
  const line = lines.find((candidate) => /error|not found|requires/iu.test(candidate)) ?? lines[0];
  return line?.trim().slice(0, 300);
}

function failed(message: string): ToolFailure {
  const hint = 'see what it says by itself: svc memory status --deep tries it step by step';
  return new ToolFailure('BACKEND_FAILED', message, hint);
}

function timedOut(what: string, timeoutMs: number): ToolFailure {
  return new ToolFailure(
    'BACKEND_TIMEOUT',
    `${what} took longer than ${timeoutMs} ms and was ended`,
    'give it more time (memory.ext.limits.timeoutMs for searches, memory.ext.update for the rest), or choose searchMode "search"',
  );
}
