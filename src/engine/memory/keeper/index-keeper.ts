import { existsSync } from 'node:fs';
import { identityKey, type ProviderPath, providerErrorOf } from '../../embeddings/index.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { isProviderFailure } from '../../providers/provider-error.js';
import {
  anySignal,
  deferred,
  letOthersRun,
  letOthersWork,
  NEVER,
  withinTime,
} from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { pushAll } from '../../support/lists.js';
import { LONGEST_TIMER_MS, runningMs } from '../../support/time.js';
import { isForJobs, missingWork } from '../embedding/passages.js';
import type { IndexHome } from '../home/index.js';
import {
  currentIdentity,
  damageComplaint,
  identityDifferences,
  isDamage,
  type MemoryIndex,
  newerIndex,
} from '../index/index.js';
import { scanSources } from '../sources/index.js';
import {
  INDEX_LOCK_WAIT_MS,
  mirrors,
  placeWarnings,
  rebuiltWarning,
  type SyncEvent,
  type SyncRequest,
  type SyncSummary,
  staleWarning,
  stopIfInterrupted,
  syncWarnings,
  updatingWarning,
  type WorkOptions,
} from '../sync/index.js';
import type { KeptIndex } from './sync-index.js';

/** Building a first index may take long; its progress is shown. */
const FIRST_BUILD_WAIT_MS = 30 * 60 * 1000;
/**
 * A search that needs a small update waits for another writer's small update, so that an agent finds what it
 * has just written, but not for a large one. It does not wait when only vectors are missing: the other writer is
 * probably adding them, and keywords find the passages.
 */
const UPDATE_WAIT_MS = 300;
/** A search embeds at most this many passages; the rest is left to the next one. */
const EMBED_ON_SEARCH = 256;
/** How long an answer waits for this process's own sync, and how often it checks for a first index. */
const OWN_SYNC_WAIT_MS = 250;
const FIRST_INDEX_POLL_MS = 50;

/** How often a query is repeated because another process replaced the index during it. */
const MAX_RETRIES = 3;

export interface IndexKeeperOptions {
  readonly target: KeptIndex;
  /** Check for changed files before returning the index (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  readonly clock: Clock;
  /** Undefined when no provider is available. */
  readonly providers: ProviderPath | undefined;
  /** How many unused vectors to keep (`cache`); 0 for none. */
  readonly cacheEntries: number;
}

/**
 * Provides one agent's index: creates it if missing, updates it when configured, rebuilds it when unusable.
 * Keeps a connection open until closed. Calls may overlap.
 */
export class IndexKeeper {
  private readonly options: IndexKeeperOptions;
  private index: MemoryIndex | undefined;
  private opening: ReturnType<IndexHome['open']> | undefined;
  /** Until it is over: one sync at a time within this process. The lock on disk only separates processes. */
  private syncing: Promise<unknown> | undefined;
  /** When the last one that was completed began. */
  private syncedFromMs = 0;
  /** Pending while a sync of this process adds vectors to a few passages. */
  private embedding: Promise<unknown> | undefined;
  /** The check of {@link isFresh} that has not begun yet. */
  private nextCheck:
    | { readonly index: MemoryIndex; readonly result: Promise<FileCheck> }
    | undefined;
  private answering = 0;
  /** Replaced while running queries may still read them. */
  private readonly retired: MemoryIndex[] = [];

  constructor(options: IndexKeeperOptions) {
    this.options = options;
  }

  /**
   * Queries the fresh index; if it turns out to be damaged, rebuilds it first.
   *
   * @param options `embeds`: whether to embed new passages if that takes few requests
   */
  async answer<T>(
    work: WorkOptions,
    ask: (index: MemoryIndex) => Promise<T>,
    { embeds = false }: { readonly embeds?: boolean } = {},
  ): Promise<T> {
    const answerFresh = async (): Promise<T> => {
      for (let retriesLeft = MAX_RETRIES; ; retriesLeft--) {
        const index = await this.freshIndex(work, embeds);
        // A few new passages have their vectors in a moment.
        if (embeds) await waitAtMost(OWN_SYNC_WAIT_MS, work.signal, this.embedding);
        const answer = await ask(index);
        // Otherwise, another process has replaced the index meanwhile, possibly with one of other notes.
        if (this.options.target.home.isCurrent(index)) return answer;
        if (retriesLeft === 0) throw keepsBeingReplaced(this.options.target.indexFile);
      }
    };
    this.answering += 1;
    try {
      return await answerFresh();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const damage = damageComplaint(error);
      stopIfInterrupted(await this.sync({ ...work, damage }));
      work.onWarning?.(rebuiltWarning(this.options.target.indexFile, damage));
      return await answerFresh();
    } finally {
      this.answering -= 1;
      if (this.answering === 0) for (const index of this.retired.splice(0)) index.close();
    }
  }

  /** Makes the index mirror the files; waits for another process that is doing so. */
  async sync(work: SyncRequest): Promise<SyncSummary> {
    return this.runSync({
      lockWaitMs: INDEX_LOCK_WAIT_MS,
      ...work,
      embedAtMost: undefined,
      embeds: work.embeds ?? true,
    });
  }

  close(): void {
    this.index?.close();
    this.index = undefined;
    for (const index of this.retired.splice(0)) index.close();
  }

  private async freshIndex(
    work: WorkOptions,
    embeds: boolean,
    askedMs = runningMs(),
  ): Promise<MemoryIndex> {
    const usable = await this.open((why) => {
      work.onWarning?.(rebuiltWarning(this.options.target.indexFile, why));
    });
    let lacksOnlyVectors = false;
    if (usable !== undefined) {
      const checksFiles = work.checksFiles !== false && this.options.syncOnSearch;
      // Forgotten text is never shown, whatever else may be out of date.
      if (!checksFiles && this.options.target.home.followsForgetList(usable)) return usable;
      const missing = this.missingWorkspaceWarning();
      if (missing !== undefined) {
        work.onWarning?.(missing);
        return usable;
      }
      const places: Warning[] = [];
      lacksOnlyVectors = await this.isFresh(usable, places);
      if (lacksOnlyVectors && !(embeds && (await this.canEmbedMore(usable, work)))) {
        warn(work, places);
        return usable;
      }
    }
    if (this.syncing !== undefined) {
      const current = await this.indexDuringSync(usable, work, askedMs);
      // Most often, it has indexed what all that waited for it need.
      return current ?? this.freshIndex(work, embeds, askedMs);
    }
    try {
      const updateWaitMs = lacksOnlyVectors ? 0 : UPDATE_WAIT_MS;
      const lockWaitMs = usable === undefined ? FIRST_BUILD_WAIT_MS : updateWaitMs;
      const embedAtMost = EMBED_ON_SEARCH;
      const summary = await this.runSync({ ...work, lockWaitMs, embedAtMost, embeds });
      stopIfInterrupted(summary);
      warn(work, syncWarnings(summary));
    } catch (error) {
      return this.indexAfterFailure(error, usable, work, lacksOnlyVectors);
    }
    const synced = await this.open();
    if (synced !== undefined) return synced;
    throw keepsBeingReplaced(this.options.target.indexFile);
  }

  /** The index to use after a failed sync. @throws the failure when there is none */
  private async indexAfterFailure(
    error: unknown,
    usable: MemoryIndex | undefined,
    { onWarning }: WorkOptions,
    wasFresh: boolean,
  ): Promise<MemoryIndex> {
    const warning = staleWarning(error);
    if (usable === undefined || warning === undefined) throw error;
    // The other writer may have indexed the same changes.
    if (!wasFresh && !(await this.isFresh(usable))) onWarning?.(warning);
    return usable;
  }

  /** With a shared index, a host without a workspace still searches the files of other hosts. */
  private missingWorkspaceWarning(): Warning | undefined {
    const { home, sources } = this.options.target;
    const { workspaceDir } = sources.memory;
    if (home.others === undefined || existsSync(workspaceDir)) return undefined;
    return {
      code: 'INDEX_STALE',
      message: `only other hosts were searched: there is no workspace at ${workspaceDir}`,
    };
  }

  /**
   * The index while this process is syncing it: a first one as soon as it exists, long before it has all
   * vectors; an existing one when the sync takes long, or has indexed everything that changed before it was asked for.
   *
   * @returns undefined when another sync finished first
   */
  private async indexDuringSync(
    usable: MemoryIndex | undefined,
    { signal, onWarning }: WorkOptions,
    askedMs: number,
  ): Promise<MemoryIndex | undefined> {
    if (usable !== undefined) {
      await waitAtMost(OWN_SYNC_WAIT_MS, signal, this.syncing);
      if (this.syncing === undefined) {
        return this.syncedFromMs > askedMs ? this.open() : undefined;
      }
      if (!(await this.isFresh(usable))) onWarning?.(updatingWarning());
      return usable;
    }
    while (this.syncing !== undefined) {
      await waitAtMost(FIRST_INDEX_POLL_MS, signal, this.syncing);
      const first = await this.open();
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /**
   * Whether the index mirrors the files, without reading their content. Answers of many clients come faster than
   * tens of thousands of files can be checked for each, so those that wait for a check share it.
   *
   * @param places receives warnings about links in place of memory, and about missing paths
   */
  private async isFresh(index: MemoryIndex, places: Warning[] = []): Promise<boolean> {
    if (this.nextCheck?.index !== index) {
      // Without others, there is nothing to wait for.
      const others = this.answering > 1 ? letOthersWork(0) : letOthersRun();
      const result = others.then(() => {
        this.nextCheck = undefined;
        return this.checkFiles(index);
      });
      this.nextCheck = { index, result };
    }
    const { isFresh, warnings } = await this.nextCheck.result;
    pushAll(places, warnings);
    return isFresh;
  }

  private async checkFiles(index: MemoryIndex): Promise<FileCheck> {
    const { target, clock } = this.options;
    const wanted = currentIdentity(target.settings);
    const isOther = identityDifferences(await index.identity(), wanted).length > 0;
    if (isOther || !target.home.followsForgetList(index)) return { isFresh: false, warnings: [] };
    const scannedMs = clock.now();
    const { files, live = [], skipped } = scanSources(target.sources);
    const warnings = placeWarnings(skipped);
    const isBehind = target.sources.transcripts?.archive?.isBehind(live, scannedMs) === true;
    const isFresh = !isBehind && (await mirrors(index, files, scannedMs));
    return { isFresh, warnings };
  }

  /** Whether passages need a vector from the provider, or from its fallback while the provider is backing off. */
  private async canEmbedMore(
    index: MemoryIndex,
    { signal = NEVER }: WorkOptions,
  ): Promise<boolean> {
    const { primary, fallback } = this.options.providers ?? {};
    const provider = primary?.recentFailure() === undefined ? primary : fallback;
    if (provider === undefined || provider.recentFailure() !== undefined) return false;
    const limit = anySignal([signal, AbortSignal.timeout(provider.queryTimeoutMs)]);
    try {
      const adapter = await provider.open(limit);
      const identity = identityKey(adapter.identity);
      // Another process may be adding vectors to many thousands, which take long to count.
      const missing = await missingWork(index, adapter, identity, EMBED_ON_SEARCH + 1);
      if (missing.chunks > 0) {
        if (isForJobs(adapter, missing, EMBED_ON_SEARCH)) return false;
        const { isBeingEmbedded } = await import('../sync/index-lock.js');
        return !isBeingEmbedded(this.options.target.indexFile);
      }
      // Vectors from before a settings change exist but are not in use.
      const identities = await index.vectorIdentities();
      return identities.length > 0 && !identities.includes(identity);
    } catch (error) {
      signal.throwIfAborted();
      if (isDamage(error)) throw error;
      const failure = providerErrorOf(error, provider);
      if (!isProviderFailure(failure)) throw error;
      provider.recordFailure(failure);
      return false;
    }
  }

  /**
   * Opens the index, or reuses the open one while it is current.
   *
   * @param onUnusable called with what is wrong with it
   * @returns undefined if there is none that can be used
   * @throws SvcError INDEX_NEWER
   */
  private async open(
    onUnusable: (why: string) => void = () => undefined,
  ): Promise<MemoryIndex | undefined> {
    const { index } = this;
    if (index !== undefined && this.options.target.home.isCurrent(index)) return index;
    // Answers may overlap.
    this.opening ??= this.reopen().finally(() => {
      this.opening = undefined;
    });
    const opened = await this.opening;
    if (opened.state === 'unusable') onUnusable(opened.why);
    return opened.state === 'ready' ? opened.index : undefined;
  }

  private async reopen(): ReturnType<IndexHome['open']> {
    // Closed once no query reads it.
    if (this.answering === 0) this.index?.close();
    else if (this.index !== undefined) this.retired.push(this.index);
    this.index = undefined;
    const { home, settings } = this.options.target;
    const opened = await home.open();
    if (opened.state === 'newer') throw newerIndex(opened.why);
    if (opened.state !== 'ready') return opened;
    if (opened.identity.workspace !== currentIdentity(settings).workspace) {
      opened.index.close();
      return { state: 'missing' };
    }
    this.index = opened.index;
    return opened;
  }

  private async runSync(
    options: SyncRequest & {
      readonly lockWaitMs: number;
      readonly embedAtMost: number | undefined;
    },
  ): Promise<SyncSummary> {
    const { target, clock, providers, cacheEntries } = this.options;
    const deadline = runningMs() + options.lockWaitMs;
    while (this.syncing !== undefined) {
      const waitMs = deadline - runningMs();
      if (waitMs <= 0) {
        throw new SvcError('INDEX_LOCKED', 'the index is being updated', {
          hint: 'wait for it to finish and try again',
        });
      }
      await waitAtMost(waitMs, options.signal, this.syncing);
    }
    const embedding =
      providers === undefined || !options.embeds
        ? undefined
        : {
            path: providers,
            atMost: options.embedAtMost,
            waitsForJobs: options.waitsForJobs ?? true,
            cacheEntries,
          };
    const sync = { ...options, clock, embedding };
    // An up-to-date index never needs the writer, so it is loaded here.
    const writer = import('./sync-index.js');
    const begunMs = runningMs();
    const mirroring = writer
      .then(({ mirrorFiles }) => mirrorFiles(target, sync))
      .then((summary) => {
        if (summary.outcome !== 'stopped') this.syncedFromMs = begunMs;
        return summary;
      })
      .finally(() => {
        this.syncing = undefined;
      });
    // Its failure is its caller's.
    this.syncing = mirroring.catch(() => undefined);
    const mirrored = await mirroring;
    const { addVectors } = await writer;
    const adding = deferred<void>();
    this.embedding = Promise.all([this.embedding, adding.promise]).then(() => undefined);
    const onEvent = (event: SyncEvent): void => {
      // Another process may embed for hours, and so may this one.
      const isLong = event.type === 'embed.started' && event.passages > EMBED_ON_SEARCH;
      if (isLong || event.type === 'lock.waiting') adding.resolve();
      options.onEvent?.(event);
    };
    try {
      const summary = await addVectors(mirrored, target, { ...sync, onEvent });
      options.onEvent?.({ type: 'sync.finished', summary });
      return summary;
    } finally {
      adding.resolve();
    }
  }
}

interface FileCheck {
  readonly isFresh: boolean;
  readonly warnings: readonly Warning[];
}

/** Waits until work is over that never fails, up to a limit. @throws SvcError INTERRUPTED */
async function waitAtMost(
  waitMs: number,
  signal: AbortSignal | undefined,
  work: Promise<unknown> | undefined,
): Promise<void> {
  if (work === undefined) return;
  try {
    await withinTime(Math.min(waitMs, LONGEST_TIMER_MS), signal, () => work);
  } catch (error) {
    throw new SvcError('INTERRUPTED', 'stopped waiting', { cause: error });
  }
}

function warn({ onWarning }: WorkOptions, warnings: readonly Warning[]): void {
  for (const warning of warnings) onWarning?.(warning);
}

function keepsBeingReplaced(indexFile: string): SvcError {
  return new SvcError('INDEX_LOCKED', `another process keeps replacing the index ${indexFile}`, {
    hint: 'try again; if agents of the same name have different workspaces, set memorySearch.store.path for one',
  });
}
