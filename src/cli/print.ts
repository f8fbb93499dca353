import { once } from 'node:events';
import { closeSync, fstatSync, readFileSync, type Stats, statSync, writeSync } from 'node:fs';
import { asSvcError, messageOf, SvcError, systemErrorCode } from '../engine/errors/index.js';
import { safeJson } from '../ui/safe-text.js';
import { exitCodeOf, formatErrorText, reportError } from './report-error.js';
import { writeStderr } from './stderr.js';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const NO_TERMINAL = { isTTY: false } as const;

/** The standard streams. One that is not a terminal is not opened: Node.js loads much code for each. */
export const terminalStreams = {
  get stdin() {
    return mayBeTerminal(STDIN) && !isInBackground() ? process.stdin : NO_TERMINAL;
  },
  get stdout(): { readonly isTTY: boolean; readonly columns?: number } {
    return mayBeTerminal(STDOUT) ? process.stdout : NO_TERMINAL;
  },
  get stderr() {
    return mayBeTerminal(STDERR) ? process.stderr : NO_TERMINAL;
  },
};

function mayBeTerminal(descriptor: number): boolean {
  // Windows has more kinds of terminals.
  if (process.platform === 'win32') return true;
  try {
    return isDevice(fstatSync(descriptor));
  } catch {
    return true;
  }
}

/** Whether this is a terminal or something like it; not `/dev/null`, which is common. */
function isDevice(status: Stats): boolean {
  return status.isCharacterDevice() && status.rdev !== statSync('/dev/null').rdev;
}

/**
 * Whether this is a background job of a shell, such as `svc serve &`: the system stops one that reads keys. Known on
 * Linux only.
 */
function isInBackground(): boolean {
  try {
    // After the name of the program: its state, parent, group, session, terminal, and the group in the foreground there.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [, , group, , , foreground] = fields;
    return foreground !== '-1' && foreground !== group;
  } catch {
    return false;
  }
}

/** Node.js resets the modes of its terminal when it exits, and aborts if that one is gone. */
export function closeLostTerminals(): void {
  for (const descriptor of [STDIN, STDOUT, STDERR]) {
    try {
      if (isLostTerminal(descriptor)) closeSync(descriptor);
    } catch {
      // It was closed before.
    }
  }
}

function isLostTerminal(descriptor: number): boolean {
  if (process.platform === 'win32' || !isDevice(fstatSync(descriptor))) return false;
  // Loading node:tty takes 2 ms.
  return !process.getBuiltinModule('node:tty').isatty(descriptor);
}

const lost = new AbortController();

/** Aborts when stdout can no longer be written: the reader of the pipe is gone, or the disk is full. */
export const stdoutLost: AbortSignal = lost.signal;

/** Whether `process.stdout` is in use: later text must not overtake what it has queued. */
let isStreaming = false;

/**
 * Prints text. Into a pipe or file without `process.stdout`, for which Node.js loads its streams and sockets: 3 ms of
 * every start. A failure does not stop what prints: it is reported on stderr, and the process exits with its code.
 */
export function print(text: string): void {
  if (lost.signal.aborted) return;
  let rest: Uint8Array = Buffer.from(text);
  try {
    if (!isStreaming && !terminalStreams.stdout.isTTY) {
      while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
    }
  } catch (error) {
    // A pipe that is full and must not block: the stream waits for its reader.
    if (systemErrorCode(error) !== 'EAGAIN') {
      lose(error);
      return;
    }
  }
  if (rest.length === 0) return;
  if (!isStreaming) process.stdout.on('error', lose);
  isStreaming = true;
  process.stdout.write(rest);
}

/** Prints JSON, or what was selected from it: as it is into a pipe or file, escaped on a terminal. */
export function printJson(text: string): void {
  print(terminalStreams.stdout.isTTY ? safeJson(text) : text);
}

/** Prints text and waits for a slow reader, so that no long output is collected in memory. */
export async function printInTurn(text: string): Promise<void> {
  print(text);
  if (lost.signal.aborted || !isStreaming || !process.stdout.writableNeedDrain) return;
  try {
    await once(process.stdout, 'drain');
  } catch (error) {
    lose(error);
  }
}

function lose(error: unknown): void {
  if (lost.signal.aborted) return;
  lost.abort(error);
  // The reader closed the pipe, as head does.
  if (systemErrorCode(error) === 'EPIPE') return;
  const known = asSvcError(error);
  const report = reportError(
    new SvcError('SYSTEM_REFUSED', `cannot write to stdout: ${messageOf(error)}`, {
      hint: known?.hint ?? 'check where the output goes',
      cause: error,
    }),
  );
  process.exitCode = exitCodeOf(report);
  writeStderr(formatErrorText(report));
}
