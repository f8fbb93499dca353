import type { OpenedMemory } from '../engine/memory/index.js';
import { documentName, formatCitation, type SearchRequest } from '../engine/memory/search/index.js';
import { type MemoryWatcher, watchTargetOf } from '../engine/memory/watch/index.js';
import type { SecretMask } from '../engine/secrets/index.js';
import type { EngineContext } from '../engine/support/context.js';
import type { SearchScreenActions } from '../ui/screens/search/controller.js';
import { createStyle } from '../ui/style.js';
import { fileToEdit, openInEditor } from './open-editor.js';
import { reportError } from './report-error.js';
import { terminalSupport } from './terminal.js';

/** Lines read before and after a passage, so that the preview can fill a tall terminal. */
const PREVIEW_MARGIN = 60;

/** Opens the search screen and, if a result was chosen, the editor on it. */
export async function runSearchScreen(
  memory: OpenedMemory,
  context: EngineContext,
  signal: AbortSignal,
  mask: SecretMask,
  restricted: Pick<SearchRequest, 'exact' | 'filters'> = {},
): Promise<void> {
  const color = terminalSupport(context.env, process, { json: false, plain: false }).color;
  const screen = await import('../ui/screens/search/run.js');
  const watcher = await watchExternal(memory, context);
  const end = await screen
    .runSearchScreen({
      stdin: process.stdin,
      stdout: process.stdout,
      style: createStyle(color),
      actions: actionsOn(memory, mask, restricted),
      signal,
    })
    .finally(() => watcher?.close());
  if (end.type !== 'open') return;
  const line = end.result.snippetLine;
  const file = await fileToEdit(memory, { name: documentName(end.result), line });
  await openInEditor({ file, line }, context);
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

function actionsOn(
  memory: OpenedMemory,
  mask: SecretMask,
  restricted: Pick<SearchRequest, 'exact' | 'filters'>,
): SearchScreenActions {
  const { backend } = memory;
  const request = { maxResults: SCREEN_RESULTS, explain: true, ...restricted };
  return {
    search: (query, signal) => backend.search({ ...request, query }, { signal }),
    ...(isInstant(memory)
      ? {}
      : {
          searchWords: (query: string, signal: AbortSignal) =>
            backend.search({ ...request, query, lexicalOnly: true }, { signal }),
        }),
    preview: async (result, signal) => {
      const from = Math.max(1, result.startLine - PREVIEW_MARGIN);
      const lines = result.endLine + PREVIEW_MARGIN - from + 1;
      const { startLine, text, turns } = await backend.get(
        { target: documentName(result), from, lines },
        { signal },
      );
      return turns === undefined
        ? { startLine, text }
        : { startLine, text, lineNumbers: turns.map((turn) => turn.line) };
    },
    copy: async (result) => {
      const citation = formatCitation(result);
      // OSC 52 reaches the clipboard of the user's terminal, also through ssh and tmux.
      process.stdout.write(`\u001B]52;c;${Buffer.from(citation).toString('base64')}\u0007`);
      return `copied ${citation}`;
    },
    explain: (error) => {
      const { message, hint } = reportError(error, mask);
      return hint === undefined ? { message } : { message, hint };
    },
  };
}

/** Whether a whole search is cheap enough for every key: it neither embeds nor reranks. */
function isInstant({ ext, providers, reranking }: OpenedMemory): boolean {
  if (ext !== undefined) return ext.settings.mode === 'search';
  return providers === undefined && reranking === undefined;
}

/** More than a screen shows at once; the list scrolls. */
const SCREEN_RESULTS = 30;
