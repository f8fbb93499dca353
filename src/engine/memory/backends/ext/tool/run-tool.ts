import type { AnnounceProgram } from '../../../../child/child-group.js';
import { runProgram } from '../../../../child/run-program.js';
import { type Tool, ToolFailure } from './open-tool.js';

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** For long runs. */
  readonly announce?: AnnounceProgram | undefined;
}

/** What a successful run printed. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** No answer has more than this on stdout. */
const MOST_OUTPUT_BYTES = 600_000;
const MOST_ERROR_BYTES = 20_000;

/**
 * Runs the program once, without a shell. On timeout its whole process group is ended.
 *
 * @throws ToolFailure BACKEND_TIMEOUT, BACKEND_FAILED, BACKEND_UNAVAILABLE; the signal's reason
 */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  { timeoutMs, signal, announce }: RunOptions,
): Promise<ToolOutput> {
  const { program, env, cwd } = tool;
  const what = `the external search program (${commandOf(args)})`;
  const end = await runProgram({
    command: [program, ...args],
    env,
    cwd,
    timeoutMs,
    maxOutputBytes: MOST_OUTPUT_BYTES,
    stderrBytes: MOST_ERROR_BYTES,
    signal,
    announce,
  });
  const [stdout, stderr] = [end.stdout.toString(), end.stderr.toString()];
  switch (end.kind) {
    case 'killed':
      if (end.limit === 'timeoutMs') throw timedOut(what, timeoutMs, args);
      throw failure(`${what} wrote more than ${MOST_OUTPUT_BYTES} bytes`);
    case 'not-started':
      throw notStarted(what, end.code, tool);
    case 'signalled':
      throw failure(`${what} was ended by ${end.signal}`);
    case 'exited':
      if (end.exitCode === 0) return { stdout, stderr };
      throw exitFailure(what, end.exitCode, `${stderr}\n${stdout}`);
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

/** Messages of an interpreter of the wrong version. */
const WRONG_INTERPRETER =
  /NODE_MODULE_VERSION|requires? (?:Node|a newer)|Unsupported engine|ERR_DLOPEN_FAILED|bun not found|node \(>=?\s*\d+\) not found|SyntaxError: Unexpected token|not supported by.{0,300}Node/iu;
/** Where Node.js prints the source line instead of the error. */
const NOISE = /^(?:\s|node:|file:|at |\^|Node\.js v|Bun v|$)/u;

function exitFailure(what: string, exitCode: number, output: string): ToolFailure {
  const message = messageIn(output);
  const why = message === undefined ? '' : `: ${message}`;
  const text = `${what} ended with exit code ${exitCode}${why}`;
  if (!WRONG_INTERPRETER.test(output)) return failure(text);
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    text,
    'it needs Node.js 22 or later (0.9 needs Bun): install that, or set memory.ext.command to a wrapper that starts it with the right one',
  );
}

/** The most informative line of an output. */
function messageIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => !NOISE.test(line));
  const line = lines.find((candidate) => /error|not found|requires/iu.test(candidate)) ?? lines[0];
  return line?.trim().slice(0, 300);
}

function failure(message: string): ToolFailure {
  return new ToolFailure('BACKEND_FAILED', message, TEST_STEPS);
}

/** The hint of failures that only the program can explain. */
export const TEST_STEPS = 'run "svc memory status --deep" to test it step by step';

/** Commands that run models, which the search mode "search" does without. */
const MODEL_COMMANDS = ['embed', 'query', 'vsearch'];

function timedOut(what: string, timeoutMs: number, [command = '']: readonly string[]): ToolFailure {
  const ways = [
    'raise the limit (memory.ext.limits.timeoutMs for searches, memory.ext.update otherwise)',
    'run "svc memory index" before searching',
    ...(MODEL_COMMANDS.includes(command) ? ['set memory.ext.searchMode to "search"'] : []),
  ];
  return new ToolFailure(
    'BACKEND_TIMEOUT',
    `${what} timed out after ${timeoutMs} ms`,
    ways.join(', or '),
  );
}
