import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  describeAddress,
  openCurrentServer,
  openServer,
  type Server,
} from '../../postgres/index.js';
import type { Clock, EngineContext } from '../../support/context.js';
import type { ResetResult } from '../backends/index.js';
import { extractedFolder } from '../extract/index.js';
import { type ForgetList, Forgotten } from '../forget/index.js';
import {
  currentIdentity,
  type IndexSettings,
  type MemoryIndex,
  type OpenedIndex,
} from '../index/index.js';
import {
  chunksByDocument,
  forgetOrigin,
  listOrigins,
  openPostgresIndex,
  otherDocuments,
  type PostgresIndex,
  preparePostgresIndex,
} from '../index/postgres/index.js';
import { fillIndex, type SyncRun, summaryOf } from '../sync/fill-index.js';
import { type Rebuild, rebuildNeeded, rebuildOf, type SyncSummary } from '../sync/index.js';
import { withIndexLock } from '../sync/index-lock.js';
import { cleanOthers } from './clean-others.js';
import type { IndexHome, OtherHosts, WritableIndex } from './index-home.js';
import { SharedForgetList } from './shared-forget-list.js';
import type { SharedPlace } from './shared-place.js';

/** What a {@link SharedHome} consists of. */
export interface SharedHomeOptions {
  readonly place: SharedPlace;
  readonly settings: IndexSettings;
  readonly context: Pick<EngineContext, 'env' | 'onSecret' | 'servers'>;
  /** Absolute path next to which this host's lock is. */
  readonly indexFile: string;
  /** Absolute path of this host's copy of the forget list. */
  readonly listFile: string;
}

/**
 * An index on a server, with the documents of this host and of others. Loaded only if `storage.url` is set. There is
 * no build: if the settings change, documents are replaced one by one.
 */
export class SharedHome implements IndexHome {
  private readonly options: SharedHomeOptions;
  private connected: Promise<Server> | undefined;
  /** What was forgotten by this process, in plain text. */
  private traces: readonly string[] = [];
  readonly others: OtherHosts;

  constructor(options: SharedHomeOptions) {
    this.options = options;
    const { place } = options;
    this.others = {
      place,
      documents: async () => otherDocuments(await this.server(), place),
      chunksOf: async ({ origin, ...key }) => {
        const own = { agent: place.agent, origin };
        return (await chunksByDocument(await this.server(), own, [key]))[0] ?? [];
      },
      list: async () => listOrigins(await this.server(), place.agent),
      server: async () =>
        describeAddress((await openServer(options.context, place.config)).address),
    };
  }

  async open(): Promise<OpenedIndex<MemoryIndex>> {
    const index = await openPostgresIndex(await this.server(), this.options.place);
    if (index === undefined) return { state: 'missing' };
    return { state: 'ready', index, identity: await index.identity() };
  }

  isCurrent(): boolean {
    return true;
  }

  async openToWrite(): Promise<WritableIndex> {
    const { place, settings } = this.options;
    const identity = currentIdentity(settings);
    const index = await preparePostgresIndex(await this.server(), place, identity);
    return { index, release: () => index.close() };
  }

  async mirror(run: SyncRun): Promise<SyncSummary> {
    const { place, settings } = this.options;
    const server = await this.server();
    const rebuild = await this.rebuildNeeded(server, run.options.force ?? false);
    if (rebuild !== undefined) run.onEvent({ type: 'rebuild.started', ...rebuild });
    const forgets = await this.forgetList();
    const identity = currentIdentity(settings);
    let force = rebuild?.reason === 'forced';
    for (;;) {
      const before = await forgets.read();
      const index = await preparePostgresIndex(server, place, identity, { force });
      try {
        const result = await fillIndex(run, index);
        if (result.stopped) return summaryOf(run, result, rebuild);
        // Another host may have forgotten something that this one has just read.
        force = !isDeepStrictEqual(await forgets.read(), before);
        if (force) continue;
        await this.clean(forgets, index, run.options.clock);
        return summaryOf(run, result, rebuild);
      } finally {
        index.close();
      }
    }
  }

  async readForgetList(): Promise<ForgetList | undefined> {
    return (await this.forgetList()).read();
  }

  async writeForgetList(list: ForgetList, traces: readonly string[] = []): Promise<void> {
    await (await this.forgetList()).write(list);
    this.traces = [...this.traces, ...traces];
  }

  async isScrubPending(): Promise<boolean> {
    return (await (await this.forgetList()).uncleaned()).length > 0;
  }

  async reset(clock: Clock): Promise<ResetResult> {
    const { place, indexFile } = this.options;
    const server = await this.server();
    const lock = { pid: process.pid, nowMs: clock.now(), waitMs: LOCK_WAIT_MS };
    const forgotten = await withIndexLock(indexFile, lock, () => {
      rmSync(extractedFolder(indexFile), { recursive: true, force: true });
      return forgetOrigin(server, place);
    });
    return { deleted: forgotten !== undefined, bytes: 0, documents: forgotten?.documents ?? 0 };
  }

  /** Deletes forgotten text from the rows of other hosts, and all vectors that nothing uses. */
  private async clean(
    forgets: SharedForgetList,
    index: PostgresIndex,
    clock: Clock,
  ): Promise<void> {
    const uncleaned = await forgets.uncleaned();
    const list = uncleaned.length === 0 ? undefined : await forgets.read();
    if (list === undefined) return;
    const forgotten = new Forgotten(list.salt, list.entries);
    await cleanOthers(await this.server(), this.options.place, index, forgotten, this.traces);
    const keepIdentities = await index.vectorIdentities();
    await index.tidyEmbeddings({ keepIdentities, cacheEntries: 0, atMs: clock.now() });
    await forgets.markCleaned(uncleaned);
    this.traces = [];
  }

  private async rebuildNeeded(server: Server, force: boolean): Promise<Rebuild | undefined> {
    const { place, settings } = this.options;
    const index = await openPostgresIndex(server, place);
    const identity = await index?.identity();
    index?.close();
    return identity === undefined
      ? rebuildOf({ state: 'missing' })
      : rebuildNeeded(identity, settings, force);
  }

  private async forgetList(): Promise<SharedForgetList> {
    const { place, listFile } = this.options;
    return new SharedForgetList(await this.server(), place, listFile);
  }

  /** The server, checked once. */
  private server(): Promise<Server> {
    const { context, place } = this.options;
    this.connected ??= openCurrentServer(context, place.config).catch((error: unknown) => {
      this.connected = undefined;
      throw error;
    });
    return this.connected;
  }
}

const LOCK_WAIT_MS = 5000;
