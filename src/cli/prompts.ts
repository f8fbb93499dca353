import { createInterface } from 'node:readline/promises';
import { SvcError } from '../engine/errors/index.js';

/**
 * Asks for confirmation on the terminal; anything but yes is no.
 *
 * @throws SvcError CONFIRMATION_NEEDED without a terminal
 */
export async function confirm(
  question: string,
  hasTerminal: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (!hasTerminal) {
    throw new SvcError('CONFIRMATION_NEEDED', 'confirmation required, but there is no terminal', {
      hint: 'pass --yes',
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** One of the answers to choose from. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Why an answer cannot be taken, for people; undefined for one that can. */
type Check = (answer: string) => string | undefined;

/**
 * Lets the person choose with the arrow keys.
 *
 * @throws SvcError INTERRUPTED on Esc, Ctrl-C and the end of input, as all of these
 */
export async function askChoice<T>(
  message: string,
  choices: readonly Choice<T>[],
  { initial, signal }: { readonly initial?: T; readonly signal: AbortSignal },
): Promise<T> {
  const { select } = await import('@clack/prompts');
  const options = choices.map(({ label, hint }, at) => {
    return { value: String(at), label, ...(hint === undefined ? {} : { hint }) };
  });
  const first = initial === undefined ? 0 : choices.findIndex(({ value }) => value === initial);
  const initialValue = String(Math.max(0, first));
  const answer = await select<string>({ ...prompt(message, signal), options, initialValue });
  const chosen = choices[Number(answered<string>(answer, signal))];
  if (chosen === undefined) throw new SvcError('INTERRUPTED', 'stopped');
  return chosen.value;
}

/** Asks for a line; Enter alone takes the standard answer. */
export async function askText(
  message: string,
  {
    standard,
    check,
    signal,
  }: {
    readonly standard?: string;
    readonly check?: Check;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { text } = await import('@clack/prompts');
  const answer = await text({
    ...prompt(message, signal),
    ...(standard === undefined ? {} : { placeholder: standard, defaultValue: standard }),
    validate: (typed) => check?.(typed?.trim() || (standard ?? '')),
  });
  return answered<string>(answer, signal).trim();
}

/** Asks for a line that is not shown. */
export async function askSecret(
  message: string,
  { check, signal }: { readonly check: Check; readonly signal: AbortSignal },
): Promise<string> {
  const { password } = await import('@clack/prompts');
  const validate = (typed: string | undefined): string | undefined => check(typed?.trim() ?? '');
  const answer = await password({ ...prompt(message, signal), validate });
  // The library answers Enter alone with nothing at all.
  return (answered<string | undefined>(answer, signal) ?? '').trim();
}

/** Asks a yes-or-no question. @param initial what Enter means */
export async function askYes(
  message: string,
  initial: boolean,
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  const { confirm: ask } = await import('@clack/prompts');
  const answer = await ask({ ...prompt(message, signal), initialValue: initial });
  return answered<boolean>(answer, signal);
}

function prompt(message: string, signal: AbortSignal) {
  signal.throwIfAborted();
  return { message, signal, output: process.stderr };
}

function answered<T>(answer: T | symbol, signal: AbortSignal): T {
  if (typeof answer !== 'symbol') return answer;
  signal.throwIfAborted();
  throw new SvcError('INTERRUPTED', 'stopped');
}
