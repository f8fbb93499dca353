import { type ChildProcess, spawn } from 'node:child_process';
import type { Warning } from '../../engine/errors/index.js';
import type { SecretMask } from '../../engine/masking/index.js';
import { openMemory } from '../../engine/memory/index.js';
import type { EngineContext } from '../../engine/support/context.js';
import { programWords } from '../context.js';
import { endOfForeground } from '../foreground.js';
import { askText } from '../prompts.js';
import { shownSync } from '../shown-sync.js';
import type { TerminalSupport } from '../terminal.js';

export interface ShownHomeOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Absolute path of the package. */
  readonly root: string;
  readonly terminal: TerminalSupport;
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
}

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

/**
 * Runs `svc config init` in the normal terminal. Its output stays visible until the person goes back.
 *
 * @throws SvcError as runSetUp does
 */
export async function setUpFromHome(options: ShownHomeOptions): Promise<void> {
  const { context, configFile, terminal, mask, signal } = options;
  const say = (text: string): void => {
    process.stdout.write(text.endsWith('\n') ? mask.text(text) : `${mask.text(text)}\n`);
  };
  const { runSetUp } = await import('../set-up/run-set-up.js');
  const flags = { config: configFile, force: false, 'key-stdin': false, 'no-index': false };
  // Without a screen, the process would exit while it waits for stdin.
  process.stdin.ref();
  const opened: { close(): Promise<void> }[] = [];
  try {
    await runSetUp(flags, {
      context,
      terminal,
      asks: true,
      signal,
      mask,
      write: say,
      // No flag asks for it.
      readStdin: async () => '',
      openMemory: async (file) => {
        const memory = await openMemory(context, { kind: 'agent' }, { configFile: file });
        opened.push(memory.backend);
        return memory;
      },
      sync: (memory) =>
        shownSync(memory, {
          force: false,
          // Plain lines keep the questions above visible.
          terminal: { ...terminal, screen: false },
          homeDir: context.homeDir,
          signal,
          onInterrupt: () => undefined,
          mask,
          write: say,
        }),
      // The exit code of home does not depend on the set-up.
      fail: () => undefined,
      warn: ({ message, hint }: Warning) =>
        say(`warning: ${message}${hint === undefined ? '' : `\n   hint: ${hint}`}`),
    });
    await pressEnter(signal);
  } finally {
    for (const backend of opened) await backend.close();
    // The last prompt stops reading stdin one tick after its answer; see mount-alternate.tsx.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
