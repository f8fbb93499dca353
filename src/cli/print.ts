import { fstatSync, writeSync } from 'node:fs';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const NO_TERMINAL = { isTTY: false } as const;

/** The standard streams, of which one that is no terminal is not opened: Node.js loads much code for each. */
export const terminalStreams = {
  get stdin() {
    return mayBeTerminal(STDIN) ? process.stdin : NO_TERMINAL;
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
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Whether the stream is in use: nothing may overtake what it has queued. */
let isStreaming = false;

/**
 * Prints text. Into a pipe or file without `process.stdout`, for which Node.js loads its streams and sockets: 3 ms of
 * every start.
 */
export function print(text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  try {
    if (!isStreaming && !mayBeTerminal(STDOUT)) {
      while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
    }
  } catch {
    // A pipe that is full and must not block, or an error: the stream knows what to do.
  }
  if (rest.length === 0) return;
  isStreaming = true;
  process.stdout.write(rest);
}
