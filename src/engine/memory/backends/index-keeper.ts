import { statSync } from 'node:fs';
import type { Clock } from '../../context.js';
import { identityKey, type ProviderPath } from '../../embeddings/index.js';
import { SvcError, type Warning } from '../../errors/index.js';
import { isDamage } from '../index/database.js';
import { currentIdentity, identityDifferences } from '../index/identity.js';
import type { MemoryIndex } from '../index/memory-index.js';
import { damageComplaint, type OpenedIndex, openIndex } from '../index/open-index.js';
import type { SqliteIndex } from '../index/sqlite-index.js';
import { scanSources } from '../sources/scan-sources.js';
import type { SyncSummary } from '../sync/events.js';
import { pendingChanges } from '../sync/pending-changes.js';
import { isUpToDate } from '../sync/plan-changes.js';
import type { KeptConnections } from '../sync/sync-connections.js';
import type { SyncTarget } from '../sync/sync-index.js';
import {
  embeddingWarnings,
  pendingWarning,
  skipWarnings,
  staleWarning,
} from './keeper-warnings.js';
import type { SyncRequest, WorkOptions } from './memory-backend.js';

/** A first index may take its time; whoever waits for it sees its progress. */
const FIRST_BUILD_WAIT_MS = 30 * 60 * 1000;
/** `svc memory index` waits for another writer, then finds its work done. */
const SYNC_WAIT_MS = 10 * 60 * 1000;
/** A search that needs a small update does not wait for whoever is doing a large one. */
const UPDATE_WAIT_MS = 0;
/** A search embeds up to this many passages on its way, a request or two; more are for `svc memory index`. */
const EMBED_ON_SEARCH = 256;

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
 * possible, built anew when it turns out to be unusable. Holds a connection until closed.
 */
export class IndexKeeper {
  private readonly options: IndexKeeperOptions;
  private handle: OpenHandle | undefined;
  private connections: KeptConnections | undefined;

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
    try {
      return await ask(await this.freshIndex(work, warnings, embeds));
    } catch (error) {
      if (!isDamage(error)) throw error;
      stopIfInterrupted(await this.sync({ ...work, force: true }));
      warnings.push(this.rebuiltWarning(damageComplaint(error)));
      return ask(await this.freshIndex(work, warnings, embeds));
    }
  }

  /** Makes the index mirror the files; waits for another process that is doing so. */
  async sync(work: SyncRequest): Promise<SyncSummary> {
    if (!this.options.keepConnections) this.close();
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
    this.connections?.close();
    this.connections = undefined;
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
      warnings.push(this.rebuiltWarning(opened.why));
    }
    const usable = opened.state === 'ready' ? opened.index : undefined;
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
    const identity = await identityOf(primary, work.signal ?? NEVER);
    const missing = identity === undefined ? 0 : await index.countMissingEmbeddings(identity);
    if (missing > EMBED_ON_SEARCH) warnings.push(pendingWarning(missing));
    return missing > 0 && missing <= EMBED_ON_SEARCH;
  }

  /** Opens the index, or keeps the open one while its path still names the same file. */
  private open():
    | Exclude<OpenedIndex, { state: 'ready' }>
    | { state: 'ready'; index: MemoryIndex } {
    const { indexFile } = this.options.target;
    const inode = statSync(indexFile, { throwIfNoEntry: false })?.ino;
    const { handle } = this;
    if (handle !== undefined && handle.inode === inode && handle.index.isCurrent()) {
      return { state: 'ready', index: handle.index };
    }
    handle?.index.close();
    this.handle = undefined;
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
    const embedding =
      providers === undefined || !options.embeds
        ? undefined
        : { path: providers, atMost: options.embedAtMost, cacheEntries };
    const connections = await this.keptConnections();
    try {
      return await syncIndex(target, { ...options, clock, embedding, connections });
    } catch (error) {
      // Whatever it was, the next sync begins with connections of its own.
      connections?.close();
      throw error;
    }
  }

  private async keptConnections(): Promise<KeptConnections | undefined> {
    if (!this.options.keepConnections) return undefined;
    const { KeptConnections } = await import('../sync/sync-connections.js');
    this.connections ??= new KeptConnections();
    return this.connections;
  }

  private rebuiltWarning(why: string): Warning {
    const { indexFile } = this.options.target;
    return { code: 'INDEX_REBUILT', message: `the index ${indexFile} was built anew: ${why}` };
  }
}

const NEVER = new AbortController().signal;

async function identityOf(
  provider: ProviderPath['primary'],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return identityKey((await provider.open(signal)).identity);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) provider.failed(error);
    return undefined;
  }
}

function stopIfInterrupted(summary: SyncSummary): void {
  if (summary.outcome !== 'stopped') return;
  const documents = summary.added + summary.changed;
  throw new SvcError('INTERRUPTED', `stopped; ${documents} files were indexed and are kept`, {
    hint: 'run the same command again to go on from there',
  });
}
