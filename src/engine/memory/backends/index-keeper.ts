import type { Clock } from '../../context.js';
import { type EmbeddingAdapter, identityKey, type ProviderPath } from '../../embeddings/index.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { missingWork } from '../embedding/embedding-work.js';
import { currentIdentity, identityDifferences } from '../index/identity.js';
import { isDamage } from '../index/index-error.js';
import type { MemoryIndex } from '../index/memory-index.js';
import { damageComplaint, type OpenedIndex, openIndex } from '../index/open-index.js';
import type { SqliteIndex } from '../index/sqlite-index.js';
import { statIndex } from '../index/stat-index.js';
import { scanSources } from '../sources/scan-sources.js';
import type { SyncSummary } from '../sync/events.js';
import { pendingChanges } from '../sync/pending-changes.js';
import { isUpToDate } from '../sync/plan-changes.js';
import type { KeptConnections } from '../sync/sync-connections.js';
import type { SyncTarget } from '../sync/sync-index.js';
import { rebuiltWarning, stopIfInterrupted, updatingWarning } from './index-warnings.js';
import {
  embeddingWarnings,
  pendingWarning,
  skipWarnings,
  staleWarning,
} from './keeper-warnings.js';
import type { SyncRequest, WorkOptions } from './memory-backend.js';
import { Turns } from './turns.js';

/** A first index may take its time; whoever waits for it sees its progress. */
const FIRST_BUILD_WAIT_MS = 30 * 60 * 1000;
/** `svc memory index` waits for another writer, then finds its work done. */
const SYNC_WAIT_MS = 10 * 60 * 1000;
/** A search that needs a small update does not wait for whoever is doing a large one. */
const UPDATE_WAIT_MS = 0;
/** A search embeds up to this many passages on its way, a request or two; more are for `svc memory index`. */
const EMBED_ON_SEARCH = 256;
/** How long an answer waits for a sync that this process is doing, and how often it looks for a first index. */
const OWN_SYNC_WAIT_MS = 250;
const FIRST_INDEX_LOOK_MS = 50;

/** What a keeper is told. */
export interface IndexKeeperOptions {
  readonly target: SyncTarget;
  /** Look for changed files before handing the index out (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Do so for the first question of a session even where `syncOnSearch` is off (`sync.onSessionStart`). */
  readonly syncOnSessionStart?: boolean;
  readonly clock: Clock;
  /** Who embeds passages; undefined where nothing can. */
  readonly providers: ProviderPath | undefined;
  /** Unused vectors kept for texts that may come back (`cache`); 0 for none. */
  readonly cacheEntries: number;
  /** Keep the connections that write, too: for a process that lives long and syncs often. */
  readonly keepConnections: boolean;
}

interface OpenHandle {
  readonly index: SqliteIndex;
  readonly inode: number;
}

/**
 * Hands out one agent's index: made when there is none, brought up to date where that is wanted and
 * possible, built anew when it turns out to be unusable. Holds a connection until closed. Any number
 * of callers may ask and sync at the same time.
 */
export class IndexKeeper {
  private readonly options: IndexKeeperOptions;
  private handle: OpenHandle | undefined;
  private connections: KeptConnections | undefined;
  private readonly turns = new Turns();
  private answering = 0;
  /** Replaced while answers were under way that may still read them. */
  private readonly retired: SqliteIndex[] = [];

  constructor(options: IndexKeeperOptions) {
    this.options = options;
  }

  /**
   * Asks the fresh index; one that turns out to be damaged on the way is built anew first.
   *
   * @param warnings gets what the answer should be taken with
   * @param options `embeds`: whether to embed what is new, where that is a request or two
   */
  async answer<T>(
    work: WorkOptions,
    warnings: Warning[],
    ask: (index: MemoryIndex) => Promise<T>,
    { embeds }: { readonly embeds: boolean } = { embeds: true },
  ): Promise<T> {
    this.answering += 1;
    try {
      return await ask(await this.freshIndex(work, warnings, embeds));
    } catch (error) {
      if (!isDamage(error)) throw error;
      stopIfInterrupted(await this.sync({ ...work, force: true }));
      warnings.push(rebuiltWarning(this.options.target.indexFile, damageComplaint(error)));
      return await ask(await this.freshIndex(work, warnings, embeds));
    } finally {
      this.answering -= 1;
      if (this.answering === 0) for (const index of this.retired.splice(0)) index.close();
    }
  }

  /** Makes the index mirror the files; waits for another process that is doing so. */
  async sync(work: SyncRequest): Promise<SyncSummary> {
    if (!this.options.keepConnections) this.retire();
    return this.runSync({
      lockWaitMs: SYNC_WAIT_MS,
      ...work,
      embedAtMost: undefined,
      embeds: work.embeds ?? true,
    });
  }

  close(): void {
    this.handle?.index.close();
    this.handle = undefined;
    for (const index of this.retired.splice(0)) index.close();
    this.connections?.close();
    this.connections = undefined;
  }

  /** Lets go of the open index, once nobody reads it any more. */
  private retire(): void {
    const index = this.handle?.index;
    this.handle = undefined;
    if (index === undefined) return;
    if (this.answering === 0) index.close();
    else this.retired.push(index);
  }

  private async freshIndex(
    work: WorkOptions,
    warnings: Warning[],
    embeds: boolean,
  ): Promise<MemoryIndex> {
    const opened = this.open();
    if (opened.state === 'ready') {
      const { index } = opened;
      if (!this.looksAtFiles(work)) return index;
      const isFresh = await this.isFresh(index);
      if (isFresh && !(embeds && (await this.canEmbedNow(index, work, warnings)))) return index;
    } else if (opened.state === 'unusable') {
      warnings.push(rebuiltWarning(this.options.target.indexFile, opened.why));
    }
    const usable = opened.state === 'ready' ? opened.index : undefined;
    if (this.turns.isTaken) {
      const made = await this.madeMeanwhile(usable, work.signal, warnings);
      if (made !== undefined) return made;
    }
    try {
      const lockWaitMs = usable === undefined ? FIRST_BUILD_WAIT_MS : UPDATE_WAIT_MS;
      const embedAtMost = EMBED_ON_SEARCH;
      const summary = await this.runSync({ ...work, lockWaitMs, embedAtMost, embeds });
      stopIfInterrupted(summary);
      warnings.push(...skipWarnings(summary), ...embeddingWarnings(summary));
    } catch (error) {
      const warning = usable === undefined ? undefined : staleWarning(error);
      if (usable === undefined || warning === undefined) throw error;
      warnings.push(warning);
      return usable;
    }
    const synced = this.open();
    if (synced.state === 'ready') return synced.index;
    const { indexFile } = this.options.target;
    throw new SvcError('INDEX_CORRUPT', `the index ${indexFile} cannot be opened`, {
      hint: 'run "svc memory reset" and try again',
    });
  }

  private looksAtFiles({ sessionStarts = false }: WorkOptions): boolean {
    const { syncOnSearch, syncOnSessionStart = false } = this.options;
    return syncOnSearch || (sessionStarts && syncOnSessionStart);
  }

  /**
   * The index while this process syncs it already: a first one as soon as there is one, which is long
   * before it has all vectors; an older one when the sync takes its time.
   *
   * @returns undefined when the sync ended first
   */
  private async madeMeanwhile(
    usable: MemoryIndex | undefined,
    signal: AbortSignal | undefined,
    warnings: Warning[],
  ): Promise<MemoryIndex | undefined> {
    if (usable !== undefined) {
      await this.turns.whenFree({ waitMs: OWN_SYNC_WAIT_MS, signal });
      if (!this.turns.isTaken) return undefined;
      warnings.push(updatingWarning());
      return usable;
    }
    while (this.turns.isTaken) {
      await this.turns.whenFree({ waitMs: FIRST_INDEX_LOOK_MS, signal });
      const opened = this.open();
      if (opened.state === 'ready') return opened.index;
    }
    return undefined;
  }

  /** Whether the index mirrors the files as they are now; looks at no file's content. */
  private async isFresh(index: MemoryIndex): Promise<boolean> {
    const { target, clock } = this.options;
    const wanted = currentIdentity(target.settings);
    if (identityDifferences(await index.identity(), wanted).length > 0) return false;
    const scannedMs = clock.now();
    const { files } = scanSources(target.sources);
    return isUpToDate(await pendingChanges(index, files, scannedMs));
  }

  /**
   * Whether some passages have no vector and few enough of them that a search can see to it. More
   * are only spoken of, and so is nothing where the provider cannot be asked: the search will find out.
   */
  private async canEmbedNow(
    index: MemoryIndex,
    work: WorkOptions,
    warnings: Warning[],
  ): Promise<boolean> {
    const primary = this.options.providers?.primary;
    if (primary === undefined || primary.resting() !== undefined) return false;
    const adapter = await openedOf(primary, work.signal ?? NEVER);
    if (adapter === undefined) return false;
    const { chunks, size } = await missingWork(index, adapter, identityKey(adapter.identity));
    if (size > EMBED_ON_SEARCH) warnings.push(pendingWarning(chunks));
    return chunks > 0 && size <= EMBED_ON_SEARCH;
  }

  /** Opens the index, or keeps the open one while its path still names the same file. */
  private open():
    | Exclude<OpenedIndex, { state: 'ready' }>
    | { state: 'ready'; index: MemoryIndex } {
    const { indexFile } = this.options.target;
    const inode = statIndex(indexFile)?.ino;
    const { handle } = this;
    if (handle !== undefined && handle.inode === inode && handle.index.isCurrent()) {
      return { state: 'ready', index: handle.index };
    }
    this.retire();
    const opened = openIndex(indexFile, 'read', this.options.target.vectors);
    if (opened.state === 'ready' && inode !== undefined) {
      this.handle = { index: opened.index, inode };
    }
    return opened;
  }

  private async runSync(
    options: WorkOptions & {
      readonly lockWaitMs: number;
      readonly force?: boolean;
      readonly defersSmallGrowth?: boolean;
      readonly embedAtMost: number | undefined;
      readonly embeds: boolean;
    },
  ): Promise<SyncSummary> {
    // An answer from an index that is up to date never loads what writes one.
    const { syncIndex } = await import('../sync/sync-index.js');
    const { target, clock, providers, cacheEntries } = this.options;
    const connections = await this.keptConnections();
    const giveBack = await this.turns.take({ waitMs: options.lockWaitMs, signal: options.signal });
    if (giveBack === undefined) {
      throw new SvcError('INDEX_LOCKED', 'the index is being updated', {
        hint: 'wait for it to finish and try again',
      });
    }
    const embedding =
      providers === undefined || !options.embeds
        ? undefined
        : { path: providers, atMost: options.embedAtMost, cacheEntries };
    try {
      return await syncIndex(target, { ...options, clock, embedding, connections });
    } catch (error) {
      // Whatever it was, the next sync begins with connections of its own.
      connections?.close();
      throw error;
    } finally {
      giveBack();
    }
  }

  private async keptConnections(): Promise<KeptConnections | undefined> {
    if (!this.options.keepConnections) return undefined;
    const { KeptConnections } = await import('../sync/sync-connections.js');
    this.connections ??= new KeptConnections();
    return this.connections;
  }
}

const NEVER = new AbortController().signal;

async function openedOf(
  provider: ProviderPath['primary'],
  signal: AbortSignal,
): Promise<EmbeddingAdapter | undefined> {
  try {
    return await provider.open(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) provider.failed(error);
    return undefined;
  }
}
