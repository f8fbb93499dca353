import type { Key } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SvcError } from '../../engine/errors/index.js';

/** How a line is asked for. */
export interface AskOptions {
  readonly signal: AbortSignal;
  /** What is typed is not shown: a key. */
  readonly hidden?: boolean;
}

/** Long enough for the rest of an arrow key to come, short enough for a person. */
const ESCAPE_MS = 100;

/**
 * Asks for a line on the terminal. Nothing typed is kept for later questions.
 *
 * @returns the line without the blanks around it
 * @throws SvcError INTERRUPTED on Esc, Ctrl-C and the end of input
 */
export async function askLine(question: string, options: AskOptions): Promise<string> {
  const { signal, hidden = false } = options;
  signal.throwIfAborted();
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? new Nowhere() : process.stderr,
    terminal: true,
    historySize: 0,
    escapeCodeTimeout: ESCAPE_MS,
  });
  // Only now, when the terminal has stopped showing what is typed: a key may be pasted at once.
  if (hidden) process.stderr.write(question);
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(new SvcError('INTERRUPTED', 'stopped'));
  const onKey = (_text: string | undefined, key: Key): void => {
    if (key.name === 'escape') leave();
  };
  lines.on('SIGINT', leave).on('close', leave);
  process.stdin.on('keypress', onKey);
  try {
    const either = AbortSignal.any([signal, leaving.signal]);
    return (await lines.question(hidden ? '' : question, { signal: either })).trim();
  } catch (error) {
    signal.throwIfAborted();
    leaving.signal.throwIfAborted();
    throw error;
  } finally {
    process.stdin.off('keypress', onKey);
    lines.close();
    if (hidden || leaving.signal.aborted) process.stderr.write('\n');
  }
}

/** Where the echo of a key goes. */
class Nowhere extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

/**
 * Asks a question that is answered by yes or no.
 *
 * @param usual what Enter means
 * @throws SvcError INTERRUPTED
 */
export async function askYes(
  question: string,
  usual: boolean,
  options: AskOptions,
): Promise<boolean> {
  const answer = await askLine(`${question} ${usual ? '[Y/n]' : '[y/N]'} `, options);
  return answer === '' ? usual : /^y(es)?$/iu.test(answer);
}
