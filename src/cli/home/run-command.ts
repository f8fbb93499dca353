import { type ChildProcess, spawn } from 'node:child_process';
import { programWords } from '../context.js';
import { endOfForeground } from '../foreground.js';
import { askText } from '../prompts.js';

/** Commands that show a screen and nothing that is not in it, when they are run without a value. */
const WITH_SCREEN = ['config doctor', 'dream candidates', 'memory search', 'provider test'];

/**
 * Runs a command of svc in the normal terminal. Its output stays visible until the person goes back, except that of a
 * screen.
 */
export async function runFromHome(
  argv: readonly string[],
  { configFile, signal }: { readonly configFile: string | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const [command, ...script] = programWords();
  process.stdout.write(`$ svc ${argv.map(shown).join(' ')}\n\n`);
  const child = spawn(command, [...process.execArgv, ...script, ...argv], {
    stdio: 'inherit',
    env: configFile === undefined ? process.env : { ...process.env, SVC_CONFIG: configFile },
  });
  const failure = await outcome(child);
  const words = argv.filter((word) => !word.startsWith('--agent='));
  if (failure === '' && WITH_SCREEN.includes(words.join(' '))) return;
  process.stdout.write(`\n${failure}`);
  await pressEnter(signal);
}

/** Nothing for success. */
async function outcome(child: ChildProcess): Promise<string> {
  try {
    const { code, signal } = await endOfForeground(child);
    return code === 0 ? '' : `exit code ${code ?? signal}\n`;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
}

function shown(word: string): string {
  return /^[\w.,:@%+=/-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Waits below the output of something that ran outside of the screen. */
export async function pressEnter(signal: AbortSignal): Promise<void> {
  // Without a screen, the process would exit while it waits for stdin.
  process.stdin.ref();
  try {
    const help = 'Enter returns to the home screen.';
    await askText('Press Enter to go back', { standard: ' ', help, signal });
  } finally {
    // The last prompt stops reading stdin one tick after its answer; see terminal/session.ts.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
