import type { OpenedMemory } from '../engine/memory/index.js';
import { type MemoryWatcher, watchTargetOf } from '../engine/memory/watch/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { openInEditor } from './open-editor.js';
import { screenOptions } from './screen-options.js';
import {
  createSearchActions,
  type SearchScreenTarget,
  type SearchScreenWorld,
} from './search-actions.js';
import type { TerminalSupport } from './terminal.js';

/** Opens the search screen; without an editor, the location that was chosen is printed at the end. */
export async function runSearchScreen(
  target: SearchScreenTarget,
  world: SearchScreenWorld & { readonly terminal: TerminalSupport },
): Promise<void> {
  const { context, signal } = world;
  const { memory } = target;
  const screen = await import('../ui/screens/search/run.js');
  const watcher = await watchExternal(memory, context);
  const { actions, placeOf, close } = await createSearchActions(target, world);
  const options = { ...screenOptions(world.terminal), memory: memory.name, actions, signal };
  try {
    const end = await screen.runSearchScreen(options);
    if (end.type === 'open') await openInEditor(await placeOf(end.item), context);
  } finally {
    await close();
    watcher?.close();
  }
}

/**
 * Keeps the index of an external program up to date while the screen is open (spec/memory-search §2.12, rule 5): no
 * search waits for it.
 */
async function watchExternal(
  memory: OpenedMemory,
  { clock }: EngineContext,
): Promise<MemoryWatcher | undefined> {
  if (memory.ext === undefined) return undefined;
  const { MemoryWatcher } = await import('../engine/memory/watch/memory-watcher.js');
  const target = { ...watchTargetOf(memory), syncsAtStart: false };
  const watcher = new MemoryWatcher(target, { clock, onEvent: () => undefined });
  // If a bug ends the watching, the screen stays usable.
  watcher.ended.catch(() => undefined);
  await watcher.start();
  return watcher;
}
