import { spawn } from 'node:child_process';
import { messageOf } from '../../engine/errors/index.js';
import { shellWord } from '../../engine/support/text.js';
import { programWords } from '../context.js';
import { endOfForeground } from '../foreground.js';
import { askText } from '../prompts.js';
import type { Showing } from '../showing.js';

/** The command that sets svc up. */
export const SET_UP = ['config', 'init'];
/** Its exit code if the person quits. */
const INTERRUPTED = 130;

/** Commands that show a screen and nothing that is not in it, when they are run without a value. */
const WITH_SCREEN = ['config doctor', 'dream candidates', 'memory search', 'provider test'];

/**
 * Runs a command of svc in the normal terminal. Its output stays visible until the person goes back, except that of a
 * screen.
 */
export async function runFromHome(
  argv: readonly string[],
  { configFile, signal }: Pick<Showing, 'configFile' | 'signal'>,
): Promise<void> {
  const [command, ...script] = programWords();
  process.stdout.write(`$ svc ${argv.map(shellWord).join(' ')}\n\n`);
  const child = spawn(command, [...process.execArgv, ...script, ...argv], {
    stdio: 'inherit',
    env: configFile === undefined ? process.env : { ...process.env, SVC_CONFIG: configFile },
  });
  const end = await endOfForeground(child).catch(messageOf);
  const words = argv.filter((word) => !word.startsWith('--agent=')).join(' ');
  const code = typeof end === 'string' ? end : (end.code ?? end.signal);
  if (code === 0 && WITH_SCREEN.includes(words)) return;
  // Whoever leaves the questions is back at once.
  if (code === INTERRUPTED && words === SET_UP.join(' ')) return;
  const failure = typeof end === 'string' ? end : `exit code ${code}`;
  process.stdout.write(code === 0 ? '\n' : `\n${failure}\n`);
  await pressEnter(signal);
}

/** Waits below the output of something that ran outside of the screen. */
async function pressEnter(signal: AbortSignal): Promise<void> {
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
