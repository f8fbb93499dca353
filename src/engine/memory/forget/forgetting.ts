import type {
  Forgetting,
  IndexKeeper,
  IndexKeeperOptions,
  WorkOptions,
} from '../backends/index.js';
import { ExtractedTexts } from '../extract/index.js';
import type { OpenedMemory } from '../open-memory.js';
import { documentName, type SearchRequest, type SearchResponse } from '../search/index.js';
import type { DocumentKind, LineRange, Source } from '../types.js';
import { type ChangedFile, type ForgetEntry, readForgotten } from './forget-list.js';
import type { Forgotten } from './forgotten.js';
import { hide, undo } from './hide.js';
import type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';
import { planForget, remainsOf } from './plan-forget.js';

export function createForgetting(
  { target, clock }: IndexKeeperOptions,
  keeper: IndexKeeper,
  search: (request: SearchRequest, work: WorkOptions) => Promise<SearchResponse>,
): Forgetting {
  return {
    plan: async (request, work = {}) => {
      const forgotten = await readForgotten(target.forget);
      return keeper.answer(work, [], (index) =>
        planForget(request, {
          index,
          sources: target.sources,
          texts: new ExtractedTexts(target.indexFile, target.sources.memory.documents),
          forgotten,
          others: target.home.others,
          search: async (query, maxResults) => {
            const request = { query, maxResults, exact: true, keepRepeats: true };
            return (await search(request, work)).results;
          },
        }),
      );
    },
    remains: (plan, work = {}) =>
      keeper.answer(work, [], (index) => remainsOf(plan, { index, sources: target.sources })),
    hide: (plan, how, work = {}) => hide(plan, how, { target, clock, signal: work.signal }),
    undo: (id, work = {}) => undo(id, { target, clock, signal: work.signal }),
    forgotten: () => readForgotten(target.forget),
    entries: async () => (await target.home.readForgetList())?.entries ?? [],
    store: {
      follow: async (_, work = {}): Promise<StoreOutcome> => {
        // It reads the list itself, as every sync does.
        const { added, changed, removed } = await keeper.sync({ ...work, embeds: false });
        keeper.close();
        const clean = !(await target.home.isScrubPending());
        return { store: 'index', changed: added + changed + removed, clean };
      },
    },
  };
}

export interface ForgetRequest {
  /** A path, a citation, or a search query. */
  readonly target: string;
  /** How many passages a query may match; `query.maxResults` by default. */
  readonly maxResults?: number | undefined;
  /** Files are changed too, so reports written by dreaming are included. */
  readonly fromFile?: boolean | undefined;
}

/** Lines of a note, or of a dreaming report, as they were read. */
export interface ForgetPlace extends LineRange {
  readonly path: string;
  readonly absolutePath: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
}

/** Lines that would be forgotten. */
export interface ForgetPassage extends LineRange {
  readonly path: string;
  /** In a shared memory, the host that has the file; absent for this host. */
  readonly origin?: string | undefined;
  readonly absolutePath: string;
  readonly source: Source;
  readonly kind: DocumentKind;
  readonly text: string;
  /** The text in units whose lines are neighbours: a whole note, or one turn of a conversation. */
  readonly parts: readonly string[];
  /** SHA-256 of the file's bytes, hexadecimal; undefined for a transcript, which grows. */
  readonly fileHash: string | undefined;
  /** The whole file. */
  readonly whole: boolean;
}

/** What would be forgotten. */
export interface ForgetPlan {
  /** In file order, without overlaps. */
  readonly passages: readonly ForgetPassage[];
  /** Copies of the same lines elsewhere, which are removed too. */
  readonly alsoIn: readonly ForgetPlace[];
}

export interface Undone {
  readonly entry: ForgetEntry;
  /** Restored files. */
  readonly restored: readonly string[];
  /** Files that were changed since, with the paths of their backups. */
  readonly kept: readonly { readonly path: string; readonly backup: string }[];
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
   * Removes everything forgotten, from its files too. Earlier forgotten text may be gone already; text taken
   * off the list may return.
   *
   * @param forgotten everything that is forgotten now
   */
  follow(forgotten: Forgotten, options?: WorkOptions): Promise<StoreOutcome>;
}

/**
 * `svc memory forget --json`.
 *
 * @param entry undefined when the user declined
 */
export function forgetOutput(
  memory: OpenedMemory,
  plan: ForgetPlan,
  entry: ForgetEntry | undefined,
  stores: readonly StoreOutcome[],
  remains: readonly ForgetPlace[] = [],
): ForgetOutput {
  return {
    agent: memory.agentId,
    id: entry?.id ?? null,
    passages: plan.passages.map(({ origin, path, startLine, endLine, whole, text }) => {
      return { path: documentName({ origin, path }), startLine, endLine, whole, text };
    }),
    alsoIn: plan.alsoIn.map(placeOutput),
    files: (entry?.files ?? []).map(changedFileOutput),
    remains: remains.map(placeOutput),
    stores: stores.map(({ store, changed, clean }) => ({ store, changed, clean })),
  };
}

/** `svc memory forget --list --json`. */
export function forgetListOutput(
  memory: OpenedMemory,
  entries: readonly ForgetEntry[],
): ForgetListOutput {
  return {
    agent: memory.agentId,
    entries: entries.map(({ id, at, passages, files }) => {
      return { id, at, passages, files: files.map(changedFileOutput) };
    }),
  };
}

/**
 * `svc memory forget --undo --json`.
 *
 * @param undone undefined when the user declined
 */
export function forgetUndoOutput(
  memory: OpenedMemory,
  id: string,
  undone: Undone | undefined,
  stores: readonly StoreOutcome[],
): ForgetUndoOutput {
  return {
    agent: memory.agentId,
    id,
    undone: undone !== undefined,
    restored: undone?.restored ?? [],
    kept: undone?.kept ?? [],
    stores: stores.map(({ store, changed, clean }) => ({ store, changed, clean })),
  };
}

function placeOutput({ path, startLine, endLine }: ForgetPlace) {
  return { path, startLine, endLine };
}

function changedFileOutput({ path, backup, leftHash }: ChangedFile) {
  return { path, deleted: leftHash === null, backup };
}
