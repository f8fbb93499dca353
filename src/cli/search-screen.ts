import { dirname } from 'node:path';
import { loadConfig } from '../engine/config/index.js';
import { SvcError, skipSvcError } from '../engine/errors/index.js';
import { type OpenedMemory, openMemory } from '../engine/memory/index.js';
import {
  addToQueryHistory,
  queryHistoryFile,
  readQueryHistory,
} from '../engine/memory/lookups/query-history.js';
import { documentName, formatCitation, type SearchRequest } from '../engine/memory/search/index.js';
import { readQueryLine } from '../engine/memory/search/query-line.js';
import type { MemoryWatcher } from '../engine/memory/watch/memory-watcher.js';
import { watchTargetOf } from '../engine/memory/watch/watch-events.js';
import type { EngineContext } from '../engine/support/context.js';
import type { SearchScreenActions } from '../ui/screens/search/controller.js';
import { matchedLine } from '../ui/screens/search/passage.js';
import type { ResultItem } from '../ui/screens/search/state.js';
import { type CommandContext, withShownHint, withShownHints } from './command-context.js';
import { editorOf, fileToEdit, openInEditor, openOnDesktop } from './open-editor.js';
import { reportError } from './report-error.js';
import { screenOptions, toClipboard } from './terminal.js';

/**
 * Opens the search screen; without an editor, the location that was chosen is printed at the end.
 *
 * @param restricted what the flags of the command restrict all searches to
 */
export async function runSearchScreen(
  memory: OpenedMemory,
  command: CommandContext,
  restricted: Omit<SearchRequest, 'query'> = {},
): Promise<void> {
  const { context, signal, terminal } = command;
  const screen = await import('../ui/screens/search/run.js');
  const watcher = await watchExternal(memory, context);
  const { actions, placeOf, close } = await createSearchActions(memory, command, restricted);
  const options = { ...screenOptions(terminal), memory: memory.name, actions, signal };
  try {
    const end = await screen.runSearchScreen(options);
    if (end.type === 'open') await openInEditor(await placeOf(end.item), command);
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

/** Lines read before and after a passage, so that the preview can be scrolled. */
const PREVIEW_MARGIN = 120;
/** More than a screen shows at once; the list scrolls. */
const SCREEN_RESULTS = 30;
/** A terminal may refuse more for its clipboard. */
const MOST_COPIED_LINES = 400;

/** Creates what the search screen can do; `placeOf` is where a result is opened. */
export async function createSearchActions(
  memory: OpenedMemory,
  command: Pick<CommandContext, 'configFile' | 'context' | 'showLocation' | 'mask'> & {
    readonly view: Pick<CommandContext['view'], 'hintFor'>;
  },
  restricted: Omit<SearchRequest, 'query'> = {},
) {
  const { context, configFile, mask, view } = command;
  const memories = createMemories(memory, context, configFile);
  const keepsHistory = await isHistoryOn(context, configFile);
  const historyFile = queryHistoryFile(context.state);
  const maxResults = restricted.maxResults ?? SCREEN_RESULTS;
  const request = { ...restricted, maxResults, explain: true };
  let preparing: Promise<void> = Promise.resolve();
  /** The memory of the last answer, which its results belong to. */
  let searchedLast = memory;

  const read = async (item: ResultItem, from: number, lines: number, signal?: AbortSignal) =>
    searchedLast.backend.get(
      { target: documentName(item.result), from, lines },
      { signal, checksFiles: false },
    );
  const actions: SearchScreenActions = {
    prepare: async (signal, onEvent) => {
      // The external program updates its index itself.
      if (memory.ext !== undefined) return;
      const opening = { query: '', lexicalOnly: true, maxResults: 1 };
      const work = memory.backend.search(opening, { signal, onEvent }).then(() => undefined);
      preparing = work.catch(() => undefined);
      await work;
    },
    isSemantic:
      memory.ext === undefined
        ? memory.providers !== undefined
        : memory.ext.settings.mode !== 'search',
    search: async (line, { signal, keywordsOnly }) => {
      const {
        query,
        agent,
        restrictions: typed,
        chips,
      } = await readQueryLine(line, {
        nowMs: context.clock.now(),
        timeZone: memory.agent.userTimezone,
        isAgent: async (name) => (await memories.of(name)) !== undefined,
      });
      const searched = (agent === undefined ? undefined : await memories.of(agent)) ?? memory;
      const found = { memory: searched.name, chips: [...flagChips(restricted), ...chips] };
      if (query === '') return { ...found, response: undefined };
      const response = await searched.backend.search(
        {
          ...request,
          sources: typed.sources ?? request.sources,
          pathGlob: typed.pathGlob ?? request.pathGlob,
          filters: joined(request.filters, typed.filters),
          query,
          lexicalOnly: keywordsOnly,
          unfinished: request.exact !== true,
        },
        { signal },
      );
      if (!signal.aborted) searchedLast = searched;
      const warnings = withShownHints(response.warnings, view);
      return { ...found, response: { ...response, warnings } };
    },
    preview: async (item, signal) => {
      const { result } = item;
      const from = Math.max(1, result.startLine - PREVIEW_MARGIN);
      const lines = result.endLine + PREVIEW_MARGIN - from + 1;
      const { startLine, turns, truncated, ...got } = await read(item, from, lines, signal);
      const text = truncated ? `${got.text}…` : got.text;
      return turns === undefined
        ? { startLine, text }
        : { startLine, text, lineNumbers: turns.map((turn) => turn.line) };
    },
    copy: async (item, what) => {
      const { startLine, endLine } = item.result;
      if (what === 'citation') {
        const citation = formatCitation(item.result);
        toClipboard(citation);
        return `copied ${citation}`;
      }
      const lines = what === 'path' ? 1 : Math.min(MOST_COPIED_LINES, endLine - startLine + 1);
      const { text, absolutePath } = await read(item, startLine, lines);
      if (what === 'passage') {
        toClipboard(text);
        return `copied the passage of ${formatCitation(item.result)}`;
      }
      const path = absolutePath ?? documentName(item.result);
      toClipboard(path);
      return `copied ${path}`;
    },
    openFolder: async (item) => {
      const { file } = await placeIn(searchedLast, item);
      const folder = dirname(file);
      return (await openOnDesktop(folder, context.env))
        ? `opened ${folder}`
        : `no desktop: ${folder}`;
    },
    edit:
      editorOf(context.env) === undefined
        ? undefined
        : async (item) => openInEditor(await placeIn(searchedLast, item), command),
    history: () => (keepsHistory ? readQueryHistory(historyFile) : []),
    remember: (line) => {
      if (keepsHistory) addToQueryHistory(historyFile, line, mask.text);
    },
    explain: (error) => withShownHint(reportError(error, mask), view),
  };
  return {
    actions,
    placeOf: (item: ResultItem) => placeIn(searchedLast, item),
    close: async (): Promise<void> => {
      // Indexing that was interrupted stops in order.
      await preparing;
      await memories.close();
    },
  };
}

/** A folder that is searched without a configuration is searched with a broken one as well. */
async function isHistoryOn(
  context: EngineContext,
  configFile: string | undefined,
): Promise<boolean> {
  const loaded = await loadConfig(context, { configFile }).catch(skipSvcError);
  return loaded?.resolved.ui.history ?? false;
}

/** The memories of agents, each opened once. */
function createMemories(
  memory: OpenedMemory,
  context: EngineContext,
  configFile: string | undefined,
) {
  const opened = new Map<string, Promise<OpenedMemory | undefined>>();
  const open = (agentId: string): Promise<OpenedMemory | undefined> =>
    openMemory(context, { kind: 'agent', agentId }, { longLived: true, configFile }).catch(
      noSuchAgent,
    );
  return {
    /** Undefined if this is not an agent with a memory. */
    of: async (agentId: string) => {
      if (agentId === memory.agentId) return memory;
      const known = opened.get(agentId) ?? open(agentId);
      opened.set(agentId, known);
      known.catch(() => opened.delete(agentId));
      return known;
    },
    close: async (): Promise<void> => {
      for (const other of opened.values()) await (await other)?.backend.close();
    },
  };
}

function noSuchAgent(error: unknown): undefined {
  const isExpected =
    error instanceof SvcError && ['AGENT_UNKNOWN', 'MEMORY_DISABLED'].includes(error.code);
  if (!isExpected) throw error;
}

/** What the flags restrict searches to, as it is written in a query or on the command line. */
function flagChips({ sources, pathGlob, filters = {} }: Omit<SearchRequest, 'query'>): string[] {
  const { since, before, on, where = [], tags = [], heading, kinds = [] } = filters;
  return [
    ...(sources ?? []).map((source) => `in:${source}`),
    ...(pathGlob === undefined ? [] : [`path:${pathGlob}`]),
    ...Object.entries({ since, before, on, heading }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name} ${value}`],
    ),
    ...where.map((condition) => `--where ${condition}`),
    ...tags.map((tag) => `#${tag.replace(/^#/u, '')}`),
    ...kinds.map((kind) => `kind:${kind}`),
  ];
}

/** What was typed replaces a flag; tags add up. */
function joined(
  flags: SearchRequest['filters'],
  typed: SearchRequest['filters'],
): SearchRequest['filters'] {
  if (flags === undefined || typed === undefined) return typed ?? flags;
  return {
    ...flags,
    since: typed.since ?? flags.since,
    on: typed.on ?? flags.on,
    tags: [...(flags.tags ?? []), ...(typed.tags ?? [])],
    kinds: typed.kinds?.length ? typed.kinds : flags.kinds,
  };
}

async function placeIn(memory: OpenedMemory, { result }: ResultItem) {
  const line = matchedLine(result);
  return { file: await fileToEdit(memory, { name: documentName(result), line }), line, column: 1 };
}
