import type { Warning } from '../../engine/errors/index.js';
import { openMemory } from '../../engine/memory/index.js';
import { runSetUp } from '../set-up/run-set-up.js';
import { shownSync } from '../shown-sync.js';
import type { ShownHomeOptions } from './home-options.js';
import { pressEnter } from './run-command.js';

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
