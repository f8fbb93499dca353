import { createInterface } from 'node:readline/promises';
import { SvcError } from '../engine/errors/index.js';
import { anySignal } from '../engine/support/async.js';
import { safeLines } from '../ui/safe-text.js';
import { SHOW_CURSOR } from '../ui/style.js';
import { endOnSignals } from './foreground.js';

/**
 * Asks for confirmation on the terminal; anything but yes is no.
 *
 * @throws SvcError CONFIRMATION_NEEDED without a terminal; INTERRUPTED on Ctrl-C and Ctrl-D
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
  try {
    const answer = await asking(signal, async (open) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(`${safeLines(question)} [y/N] `, { signal: open });
      } finally {
        // Restores the terminal, so it must come before the end of the process.
        lines.close();
      }
    });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    // The interface closes for both keys, which aborts its question.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    // The cursor is still behind the question.
    process.stderr.write('\n');
    throw interrupted(signal);
  }
}

/** One of the answers to choose from. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** Shown next to the selected choice, and in the help. */
  readonly hint?: string;
}

/** Why an answer is not accepted, as text for people; undefined if it is. */
type Check = (answer: string) => string | undefined;

interface Asking {
  /** What `?` shows: what the question is for. */
  readonly help: string;
  readonly signal: AbortSignal;
}

/** The key that explains a menu, and the answer that explains any other question. */
const HELP = '?';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001A';

/** Without an alias, Ctrl-D would only stop the reading: the process would end with 0 and leave the cursor hidden. */
async function loadPrompts() {
  const library = await import('@clack/prompts');
  library.updateSettings({ aliases: { [CTRL_D]: 'cancel' } });
  return library;
}

/**
 * Lets the person choose with the arrow keys.
 *
 * @throws SvcError INTERRUPTED on Esc, Ctrl-C and Ctrl-D, like the other questions
 */
export async function askChoice<T>(
  message: string,
  choices: readonly Choice<T>[],
  { initial, help, signal }: Asking & { readonly initial?: T },
): Promise<T> {
  const { select } = await loadPrompts();
  const options = choices.map(({ label, hint }, at) => {
    return { value: String(at), label, ...(hint === undefined ? {} : { hint }) };
  });
  const first = initial === undefined ? 0 : choices.findIndex(({ value }) => value === initial);
  const initialValue = String(Math.max(0, first));
  const meanings = choices.map(({ label, hint }) => `  ${label}${hint ? `: ${hint}` : ''}`);
  const explained = { help: [help, ...meanings].join('\n'), signal };
  const answer = await withHelpKey(message, explained, (base) =>
    select<string>(Object.assign(base, { options, initialValue })),
  );
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
    help,
    signal,
  }: Asking & { readonly standard?: string; readonly check?: Check },
): Promise<string> {
  const { text } = await loadPrompts();
  return askLine({ help, signal }, (accepts, open) =>
    text({
      ...prompt(open),
      message,
      ...(standard === undefined ? {} : { placeholder: standard, defaultValue: standard }),
      validate: accepts((line) => check?.(line || (standard ?? ''))),
    }),
  );
}

/** Asks for a line that is not shown. */
export async function askSecret(
  message: string,
  { check, help, signal }: Asking & { readonly check: Check },
): Promise<string> {
  const { password } = await loadPrompts();
  return askLine({ help, signal }, (accepts, open) =>
    password({ ...prompt(open), message, validate: accepts(check) }),
  );
}

/** Asks a yes-or-no question. @param initial what Enter means */
export async function askYes(
  message: string,
  initial: boolean,
  { help, signal }: Asking,
): Promise<boolean> {
  const { confirm: ask } = await loadPrompts();
  const answer = await withHelpKey(message, { help, signal }, (base) =>
    ask(Object.assign(base, { initialValue: initial })),
  );
  return answered<boolean>(answer, signal);
}

/** Shows the help below the message from a `?` to the next key. A prompt reads its message for every frame. */
async function withHelpKey<T>(
  message: string,
  { help, signal }: Asking,
  ask: (base: ReturnType<typeof prompt> & { readonly message: string }) => Promise<T>,
): Promise<T> {
  let isShown = false;
  const onKey = (typed: string | undefined): void => {
    isShown = typed === HELP;
  };
  // Before the prompt listens, so that the frame it draws for a key has the right message.
  process.stdin.on('keypress', onKey);
  try {
    return await asking(signal, (open) =>
      ask({
        ...prompt(open),
        get message() {
          return isShown ? `${message}\n${help}` : message;
        },
      }),
    );
  } finally {
    process.stdin.off('keypress', onKey);
  }
}

type Validate = (typed: string | undefined) => string | undefined;

/** Asks for a line until it is not a `?`, which shows the help. */
async function askLine(
  { help, signal }: Asking,
  ask: (
    accepts: (check: Check) => Validate,
    open: AbortSignal,
  ) => Promise<string | symbol | undefined>,
): Promise<string> {
  const accepts = (check: Check): Validate => {
    return (typed = '') => (typed.trim() === HELP ? undefined : check(typed.trim()));
  };
  for (;;) {
    // The library answers Enter alone with nothing at all in some prompts.
    const typed = await asking(signal, (open) => ask(accepts, open));
    const line = (answered<string | undefined>(typed, signal) ?? '').trim();
    if (line !== HELP) return line;
    const { log } = await loadPrompts();
    log.message(help, { output: process.stderr });
  }
}

/**
 * A question takes the terminal into raw mode: a signal closes it before it ends the process. So does the loss of the
 * terminal.
 */
function asking<T>(signal: AbortSignal, ask: (open: AbortSignal) => Promise<T>): Promise<T> {
  const { stdin, stderr } = process;
  const ended = new AbortController();
  const end = (): void => {
    // Closing the question fails if the terminal is gone, and Node.js would throw that.
    for (const stream of [stdin, stderr]) {
      stream.removeAllListeners('error').on('error', () => undefined);
    }
    ended.abort();
  };
  return endOnSignals(end, async () => {
    stdin.once('end', end);
    try {
      return await askAgainAfterStop((open) => ask(anySignal([signal, ended.signal, open])));
    } finally {
      stdin.off('end', end);
    }
  });
}

/** After Ctrl-Z, the shell has written over the question, and Node.js has paused stdin: the process would end. */
async function askAgainAfterStop<T>(ask: (open: AbortSignal) => Promise<T>): Promise<T> {
  // Comes before Node.js, which stops this process for the key.
  const onKey = (typed: string | undefined): void => {
    if (typed !== CTRL_Z) return;
    // Most prompts hide the cursor, also from the shell.
    process.stderr.write(SHOW_CURSOR);
    stopJob();
  };
  process.stdin.on('keypress', onKey);
  try {
    for (;;) {
      const stopped = new AbortController();
      const onContinue = (): void => stopped.abort();
      process.on('SIGCONT', onContinue);
      try {
        const answer = await ask(stopped.signal);
        if (!stopped.signal.aborted) return answer;
      } catch (error) {
        if (!stopped.signal.aborted) throw error;
      } finally {
        process.off('SIGCONT', onContinue);
      }
    }
  } finally {
    process.stdin.off('keypress', onKey);
  }
}

/**
 * Stops the whole job, as a terminal does for Ctrl-Z: also the home screen that ran this command. All at once, since the
 * shell could otherwise continue the job between two stops.
 */
function stopJob(): void {
  if (process.platform === 'win32') return;
  process.stdin.setRawMode(false);
  process.kill(0, 'SIGTSTP');
  // It was continued. Node.js is about to stop this process for the key.
  const stay = (): void => undefined;
  process.on('SIGTSTP', stay);
  setImmediate(() => process.off('SIGTSTP', stay));
}

function prompt(signal: AbortSignal) {
  signal.throwIfAborted();
  return { signal, output: process.stderr };
}

function answered<T>(answer: T | symbol, signal: AbortSignal): T {
  if (typeof answer !== 'symbol') return answer;
  throw interrupted(signal);
}

/** The signal's reason, or that the person left the question. */
function interrupted(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new SvcError('INTERRUPTED', 'stopped');
}
