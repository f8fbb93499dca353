import type { Warning } from '../../engine/errors/index.js';
import { openMemory } from '../../engine/memory/open-memory.js';
import { askLine } from '../set-up/ask-line.js';
import { runSetUp } from '../set-up/run-set-up.js';
import { shownSync } from '../shown-sync.js';
import type { ShownHomeOptions } from './home-options.js';

/**
 * The questions of `svc config init`, asked in the ordinary terminal; what they came to stays there, and
 * is left on sight until the person goes back.
 *
 * @throws SvcError as runSetUp does
 */
export async function setUpFromHome(options: ShownHomeOptions): Promise<void> {
  const { context, configFile, terminal, mask, signal } = options;
  const say = (text: string): void => {
    process.stdout.write(text.endsWith('\n') ? mask.text(text) : `${mask.text(text)}\n`);
  };
  const flags = { config: configFile, force: false, 'key-stdin': false, 'no-index': false };
  // A screen that is taken off lets the process end while stdin is waited for.
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
          // Lines: what was asked before stays in sight above them.
          terminal: { ...terminal, screen: false },
          quiet: false,
          verbose: false,
          json: false,
          homeDir: context.homeDir,
          signal,
          onInterrupt: () => undefined,
          mask,
          write: say,
        }),
      // The exit code of home is not that of the set-up, which has told what is wrong.
      fail: () => undefined,
      warn: ({ message, hint }: Warning) =>
        say(`warning: ${message}${hint === undefined ? '' : `\n   mend: ${hint}`}`),
    });
    await askLine('\nEnter goes back: ', { signal });
  } finally {
    for (const backend of opened) await backend.close();
    // The last question stops the reading of stdin a tick after it was answered: see mount.ts.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
