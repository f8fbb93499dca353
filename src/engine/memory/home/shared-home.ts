import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  describeAddress,
  openCurrentServer,
  openServer,
  type Server,
} from '../../postgres/index.js';
import type { Clock, EngineContext } from '../../support/context.js';
import { extractedFolder } from '../extract/index.js';
import { Forgotten } from '../forget/index.js';
import { currentIdentity, type IndexSettings } from '../index/index.js';
import {
  chunksByDocument,
  forgetOrigin,
  listOrigins,
  openPostgresIndex,
  otherDocuments,
  type PostgresIndex,
  preparePostgresIndex,
} from '../index/postgres/index.js';
import { fillIndex, summaryOf } from '../sync/fill-index.js';
import { type Rebuild, type RebuildRequest, rebuildNeeded, rebuildOf } from '../sync/index.js';
import { withIndexLock } from '../sync/index-lock.js';
import { cleanOthers } from './clean-others.js';
import type { IndexHome } from './index-home.js';
import { SharedForgetList } from './shared-forget-list.js';
import type { SharedPlace } from './shared-place.js';

/** What a {@link createSharedHome} consists of. */
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
export function createSharedHome({
  place,
  settings,
  context,
  indexFile,
  listFile,
}: SharedHomeOptions): IndexHome {
  const identity = currentIdentity(settings);
  let connected: Promise<Server> | undefined;
  /** What was forgotten by this process, in plain text. */
  let traces: readonly string[] = [];

  /** The server, checked once. */
  const connect = (): Promise<Server> => {
    connected ??= openCurrentServer(context, place.config).catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    return connected;
  };
  const forgetList = async (): Promise<SharedForgetList> =>
    new SharedForgetList(await connect(), place, listFile);
  const rebuildFor = async (asked: RebuildRequest): Promise<Rebuild | undefined> => {
    const index = await openPostgresIndex(await connect(), place);
    const stored = await index?.identity();
    index?.close();
    return stored === undefined
      ? rebuildOf({ state: 'missing' })
      : rebuildNeeded(stored, settings, asked);
  };
  /** Deletes forgotten text from the rows of other hosts, and all vectors that nothing uses. */
  const clean = async (
    forgets: SharedForgetList,
    index: PostgresIndex,
    clock: Clock,
  ): Promise<void> => {
    const uncleaned = await forgets.uncleaned();
    const list = uncleaned.length === 0 ? undefined : await forgets.read();
    if (list === undefined) return;
    const forgotten = new Forgotten(list.salt, list.entries);
    await cleanOthers(await connect(), place, index, forgotten, traces);
    const keepIdentities = await index.vectorIdentities();
    await index.tidyEmbeddings({ keepIdentities, cacheEntries: 0, atMs: clock.now() });
    await forgets.markCleaned(uncleaned);
    traces = [];
  };
  return {
    others: {
      place,
      documents: async () => otherDocuments(await connect(), place),
      chunksOf: async ({ origin, ...key }) => {
        const own = { agent: place.agent, origin };
        return (await chunksByDocument(await connect(), own, [key]))[0] ?? [];
      },
      list: async () => listOrigins(await connect(), place.agent),
      server: async () => describeAddress((await openServer(context, place.config)).address),
    },
    open: async () => {
      const index = await openPostgresIndex(await connect(), place);
      if (index === undefined) return { state: 'missing' };
      return { state: 'ready', index, identity: await index.identity() };
    },
    isCurrent: () => true,
    openToWrite: async () => preparePostgresIndex(await connect(), place, identity),
    mirror: async (run) => {
      const { lockWaitMs } = run.options;
      const server = await connect();
      const rebuild = await rebuildFor(run.options);
      if (rebuild !== undefined) run.onEvent({ type: 'rebuild.started', ...rebuild });
      const forgets = await forgetList();
      let force = rebuild?.reason === 'forced' || rebuild?.reason === 'damaged';
      for (;;) {
        const before = await forgets.read();
        const index = await preparePostgresIndex(server, place, identity, { force, lockWaitMs });
        try {
          const result = await fillIndex(run, index);
          if (result.stopped) return summaryOf(run, result, rebuild);
          // Another host may have forgotten something that this one has just read.
          force = !isDeepStrictEqual(await forgets.read(), before);
          if (force) continue;
          await clean(forgets, index, run.options.clock);
          return summaryOf(run, result, rebuild);
        } finally {
          index.close();
        }
      }
    },
    readForgetList: async () => (await forgetList()).read(),
    writeForgetList: async (list, forgottenNow = []) => {
      await (await forgetList()).write(list);
      traces = [...traces, ...forgottenNow];
    },
    isScrubPending: async () => (await (await forgetList()).uncleaned()).length > 0,
    reset: async (clock) => {
      const server = await connect();
      const lock = { pid: process.pid, nowMs: clock.now(), waitMs: LOCK_WAIT_MS };
      const forgotten = await withIndexLock(indexFile, lock, () => {
        rmSync(extractedFolder(indexFile), { recursive: true, force: true });
        return forgetOrigin(server, place);
      });
      return { deleted: forgotten !== undefined, bytes: 0, documents: forgotten?.documents ?? 0 };
    },
  };
}

const LOCK_WAIT_MS = 5000;
