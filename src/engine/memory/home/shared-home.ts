import { rmSync } from 'node:fs';
import {
  describeAddress,
  openServer,
  type Server,
  type ServerContext,
} from '../../postgres/index.js';
import {
  currentIdentity,
  type IndexSettings,
  newerComplaint,
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
import type { IndexHome, SharedPlace } from './index-home.js';
import { sharedForgetList } from './shared-forget-list.js';

/** What a {@link createSharedHome} consists of. */
export interface SharedHomeOptions {
  readonly place: SharedPlace;
  readonly settings: IndexSettings;
  readonly context: ServerContext;
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
  const connect = (): Promise<Server> => openServer(context, place.config);
  /** What was forgotten by this process, in plain text. */
  let traces: readonly string[] = [];

  const open = async (): Promise<OpenedIndex<PostgresIndex>> => {
    const index = await openPostgresIndex(await connect(), place);
    if (index === undefined) return { state: 'missing' };
    const stored = await index.identity();
    const newer = newerComplaint(stored);
    if (newer === undefined) return { state: 'ready', index, identity: stored };
    index.close();
    return { state: 'newer', why: newer };
  };
  const forgetList = async () => sharedForgetList(await connect(), place, listFile);
  return {
    others: {
      place,
      documents: async (names) => otherDocuments(await connect(), place, names),
      chunksOf: async ({ origin, ...key }) => {
        const own = { agent: place.agent, origin };
        return (await chunksByDocument(await connect(), own, [key]))[0] ?? [];
      },
      list: async () => listOrigins(await connect(), place.agent),
      onReconnected: async (callback) => (await connect()).onReconnected(callback),
      server: async () => describeAddress((await connect()).address),
    },
    open,
    isCurrent: () => true,
    // Each change of the list makes every host read its files again; see shared-forget-list.ts.
    followsForgetList: () => true,
    openToWrite: async () => preparePostgresIndex(await connect(), place, identity),
    mirror: async (run) => {
      const { mirrorShared } = await import('./mirror-shared.js');
      const shared = {
        server: await connect(),
        place,
        forgetList: await forgetList(),
        open,
        traces,
      };
      const summary = await mirrorShared(run, shared);
      if (summary.outcome !== 'stopped') traces = [];
      return summary;
    },
    readForgetList: async () => (await forgetList()).read(),
    writeForgetList: async (list, now) => {
      await (await forgetList()).write(list);
      traces = [...traces, ...(now?.traces ?? [])];
    },
    isScrubPending: async () => (await (await forgetList()).uncleaned()).length > 0,
    reset: async (clock) => {
      const { withWholeIndexLock } = await import('../sync/index-lock.js');
      const { extractedFolder } = await import('../extract/index.js');
      const server = await connect();
      const lock = { nowMs: clock.now(), waitMs: LOCK_WAIT_MS };
      const forgotten = await withWholeIndexLock(indexFile, lock, () => {
        rmSync(extractedFolder(indexFile), { recursive: true, force: true });
        return forgetOrigin(server, place);
      });
      return { deleted: forgotten !== undefined, bytes: 0, documents: forgotten?.documents ?? 0 };
    },
  };
}

const LOCK_WAIT_MS = 5000;
