import { systemErrorCode } from '../errors/index.js';
import { type ChildCall, type ChildEnd, ChildGroup } from './child-group.js';

/** A program that runs once, within limits. */
export interface ProgramCall extends ChildCall {
  /** What it reads from stdin. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** How long it may print nothing. */
  readonly silenceMs?: number;
  /** Of stdout, and of stderr unless that is kept. */
  readonly maxOutputBytes: number;
  /** How much of the end of stderr is kept. By default nothing, since it may quote secrets. */
  readonly stderrBytes?: number;
  /** Whether it is asked to end before it is killed. */
  readonly endsGracefully?: boolean;
  readonly signal: AbortSignal | undefined;
}

type ProgramLimit = 'maxOutputBytes' | 'silenceMs' | 'timeoutMs';

/** How a run ended, and what it printed. */
export type ProgramEnd = (
  | ChildEnd
  /** By svc, because it went beyond a limit. */
  | { readonly kind: 'killed'; readonly limit: ProgramLimit }
) & { readonly stdout: Buffer; readonly stderr: Buffer };

/**
 * Runs a program without a shell. Beyond a limit it is ended with all its children.
 *
 * @throws the signal's reason, after the program has ended
 */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const { input, timeoutMs, silenceMs, maxOutputBytes, stderrBytes, endsGracefully, signal } = call;
  signal?.throwIfAborted();
  const child = start(call);
  if (!(child instanceof ChildGroup)) return { ...child, ...NO_OUTPUT };
  let limit: ProgramLimit | undefined;
  const end = (): void => {
    if (endsGracefully === true) child.stop();
    else child.kill();
  };
  const endAtLimit = (exceeded: ProgramLimit): void => {
    limit ??= exceeded;
    end();
  };
  const timer = timerFor('timeoutMs', timeoutMs, endAtLimit);
  const silence = timerFor('silenceMs', silenceMs, endAtLimit);
  signal?.addEventListener('abort', end);

  const stdout: Buffer[] = [];
  let stderr: Buffer = NO_OUTPUT.stderr;
  let bytes = 0;
  const count = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > maxOutputBytes) endAtLimit('maxOutputBytes');
  };
  child.stdout.on('data', (part: Buffer) => {
    silence?.refresh();
    count(part);
    if (bytes <= maxOutputBytes) stdout.push(part);
  });
  child.stderr.on('data', (part: Buffer) => {
    silence?.refresh();
    if (stderrBytes === undefined) count(part);
    else stderr = Buffer.concat([stderr, part]).subarray(-stderrBytes);
  });
  child.stdin.end(input);
  const ended = await child.ended;
  clearTimeout(timer);
  clearTimeout(silence);
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  const printed = { stdout: Buffer.concat(stdout), stderr };
  return limit === undefined ? { ...ended, ...printed } : { kind: 'killed', limit, ...printed };
}

const NO_OUTPUT = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };

function start(call: ProgramCall): ChildEnd | ChildGroup {
  try {
    return new ChildGroup(call);
  } catch (error) {
    // Some failures are thrown (E2BIG), others arrive as an event.
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return { kind: 'not-started', code };
  }
}

function timerFor(
  limit: ProgramLimit,
  ms: number | undefined,
  endAtLimit: (limit: ProgramLimit) => void,
): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setTimeout(endAtLimit, ms, limit);
}
