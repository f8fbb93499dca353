/* Removes text from memory. Loaded by name: output-schemas.ts, for tests and docs. */

import type { ResolvedAgent } from '../../config/index.js';
import type { Warning } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { realOrGiven } from '../../support/paths.js';
import { ExtractedTexts } from '../extract/index.js';
import {
  type ChangedFile,
  type ForgetEntry,
  type Forgotten,
  forgetPlaces,
  readForgotten,
} from '../forgotten/index.js';
import type { IndexKeeper, IndexKeeperOptions } from '../keeper/index-keeper.js';
import { documentName, type SearchRequest, type SearchResponse } from '../search/index.js';
import {
  memorySourcesOf,
  scanTranscripts,
  searchedSources,
  withArchive,
} from '../sources/index.js';
import { readableTurns } from '../sources/transcripts/read-conversation.js';
import type { WorkOptions } from '../sync/index.js';
import type { AgentMemory } from '../types.js';
import { hide } from './hide.js';
import type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';
import { type ForgetPlan, type ForgetRequest, planForget } from './plan-forget.js';
import type { ForgetPassage, ForgetPlace } from './read-passages.js';
import { remainsOf } from './same-lines.js';
import { type UndoResult, undo } from './undo.js';

export type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';
export type { ForgetPlan } from './plan-forget.js';
export type { ForgetPassage, ForgetPlace, ReadConversation } from './read-passages.js';
export type { UndoResult } from './undo.js';

/** Permanently removes passages from memory. */
export type Forgetting = ReturnType<typeof createForgetting>;

export function createForgetting(
  { target, clock }: IndexKeeperOptions,
  keeper: IndexKeeper,
  search: (request: SearchRequest, options: WorkOptions) => Promise<SearchResponse>,
) {
  return {
    /** Finds what would be forgotten. @throws SvcError DOCUMENT_NOT_INDEXED, RANGE_INVALID, FORGET_NOTHING */
    plan: async (request: ForgetRequest, options: WorkOptions = {}) => {
      const forgotten = await readForgotten(target.forget);
      return keeper.answer(options, (index) =>
        planForget(request, {
          index,
          sources: target.sources,
          texts: new ExtractedTexts(target),
          forgotten,
          others: target.home.others,
          signal: options.signal,
          search: async (query, maxResults) => {
            const request = { query, maxResults, exact: true, keepRepeats: true };
            const { results, warnings } = await search(request, options);
            // Without vectors, fewer passages are found than the person may mean.
            for (const warning of warnings) options.onWarning?.(warning);
            return results;
          },
        }),
      );
    },
    /** Where the current files still contain planned text. */
    remains: (plan: ForgetPlan, options: WorkOptions = {}) =>
      keeper.answer(options, (index) => {
        return remainsOf(plan, { index, sources: target.sources, signal: options.signal });
      }),
    /** Hides a plan; stores are cleaned afterwards. See {@link hide}. */
    hide: (plan: ForgetPlan, how: { readonly fromFile: boolean }, { signal }: WorkOptions = {}) =>
      hide(plan, how, { target, clock, signal }),
    undo: (id: string, { signal }: WorkOptions = {}) => undo(id, { target, clock, signal }),
    forgotten: () => readForgotten(target.forget),
    entries: async () => (await target.home.readForgetList())?.entries ?? [],
    /** The index and its cache of vectors. */
    store: {
      follow: async (_: Forgotten, options: WorkOptions = {}): Promise<StoreOutcome> => {
        // It reads the list itself, as every sync does.
        const { added, changed, removed } = await keeper.sync({ ...options, embeds: false });
        keeper.close();
        const clean = !(await target.home.isScrubPending());
        return { store: 'index', changed: added + changed + removed, clean };
      },
    },
  };
}

type StoreOutput = ForgetOutput['stores'][number];

/** The result for one store. */
export interface StoreOutcome extends StoreOutput {
  /** Why it is not clean, unless another process is the reason. */
  readonly why?: { readonly message: string; readonly hint: string };
}

/** A store, besides the files, of memory text or of data derived from it. */
export interface MemoryStore {
  /**
   * Removes everything forgotten, from its files too. Earlier forgotten text may be gone already; text taken off the
   * list may return.
   */
  follow(forgotten: Forgotten, options?: WorkOptions): Promise<StoreOutcome>;
}

/** `svc memory forget --json`. @param entry undefined when the user declined */
export function forgetOutput(
  { agentId }: AgentMemory,
  plan: ForgetPlan,
  entry: ForgetEntry | undefined,
  stores: readonly StoreOutcome[],
  remains: readonly ForgetPlace[] = [],
): ForgetOutput {
  return {
    agent: agentId,
    id: entry?.id ?? null,
    passages: plan.passages.map(({ origin, path, startLine, endLine, whole, text }) => {
      return { path: documentName({ origin, path }), startLine, endLine, whole, text };
    }),
    alsoIn: plan.alsoIn.map(placeOutput),
    files: (entry?.files ?? []).map(changedFileOutput),
    remains: remains.map(placeOutput),
    stores: stores.map(storeOutput),
  };
}

/** `svc memory forget --list --json`. */
export function forgetListOutput(
  { agentId }: AgentMemory,
  entries: readonly ForgetEntry[],
): ForgetListOutput {
  return {
    agent: agentId,
    entries: entries.map(({ id, at, passages, files }) => {
      return { id, at, passages, files: files.map(changedFileOutput) };
    }),
  };
}

/** `svc memory forget --undo --json`. @param undone undefined when the user declined */
export function forgetUndoOutput(
  { agentId }: AgentMemory,
  id: string,
  undone: UndoResult | undefined,
  stores: readonly StoreOutcome[],
): ForgetUndoOutput {
  return {
    agent: agentId,
    id,
    undone: undone !== undefined,
    stillIn: undone?.stillIn ?? [],
    restored: undone?.restored ?? [],
    kept: undone?.kept ?? [],
    stores: stores.map(storeOutput),
  };
}

function storeOutput({ store, changed, clean }: StoreOutcome): StoreOutput {
  return { store, changed, clean };
}

function placeOutput({ path, startLine, endLine }: ForgetPlace) {
  return { path, startLine, endLine };
}

function changedFileOutput({ path, backup, leftHash }: ChangedFile) {
  return { path, deleted: leftHash === null, backup };
}

/**
 * Warns of agents that still find what was forgotten, in the same workspace or in conversations that they search, too:
 * each has a list of its own.
 */
export async function otherAgentsWarnings(
  { passages }: ForgetPlan,
  memory: AgentMemory & { readonly agent: ResolvedAgent },
  agents: readonly ResolvedAgent[],
  context: EngineContext,
): Promise<readonly Warning[]> {
  const folder = realOrGiven(memory.agent.workspaceDir);
  const warnings: Warning[] = [];
  for (const agent of agents.filter(({ id }) => id !== memory.agentId)) {
    const { id, workspaceDir } = agent;
    const hasWorkspace =
      realOrGiven(workspaceDir) === folder && searchedSources(agent, 'agent').includes('memory');
    const talks = await searchedOf(passages, agent, context);
    const shared = passages.filter(({ source, path }) =>
      source === 'sessions' ? talks.has(path) : hasWorkspace,
    );
    // The list of an agent that shares nothing may be damaged.
    if (shared.length === 0) continue;
    const forgotten = await readForgotten(forgetPlaces(context.state, id));
    const left = shared.filter(
      ({ text, fileHash = '' }) =>
        !forgotten.hidesDocument(fileHash) && forgotten.removeFrom(text) === text,
    );
    if (left.length === 0) continue;
    const inNotes = left.some(({ source }) => source !== 'sessions');
    const why = inNotes ? 'has the same workspace' : 'searches the same conversations';
    warnings.push({
      code: 'FORGOTTEN_BY_ONE_AGENT',
      message: `agent ${id} ${why} and still finds it`,
      hint: `forget it there, too, with --agent ${id}`,
    });
  }
  return warnings;
}

/** The paths of the conversations among some passages that an agent searches. */
async function searchedOf(
  passages: readonly ForgetPassage[],
  agent: ResolvedAgent,
  context: EngineContext,
): Promise<ReadonlySet<string>> {
  const { transcripts } = memorySourcesOf(agent, 'agent', context);
  const wanted = new Set(
    passages.filter(({ source }) => source === 'sessions').map(({ path }) => path),
  );
  if (wanted.size === 0 || transcripts === undefined) return new Set();
  const { files } = scanTranscripts(await withArchive(transcripts, agent, context));
  const searched = files.filter((file) => {
    if (!wanted.has(file.path)) return false;
    // Those of other projects have none.
    const [first] = readableTurns(file);
    return first !== undefined;
  });
  return new Set(searched.map(({ path }) => path));
}
