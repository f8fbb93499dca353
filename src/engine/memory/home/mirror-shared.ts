import { isDeepStrictEqual } from 'node:util';
import type { Server } from '../../postgres/index.js';
import type { Clock } from '../../support/context.js';
import { Forgotten } from '../forget/index.js';
import { currentIdentity } from '../index/index.js';
import {
  openPostgresIndex,
  type PostgresIndex,
  preparePostgresIndex,
} from '../index/postgres/index.js';
import { fillIndex, type SyncRun, summaryOf } from '../sync/fill-index.js';
import { type Rebuild, rebuildNeeded, rebuildOf, type SyncSummary } from '../sync/index.js';
import { cleanOthers } from './clean-others.js';
import type { SharedForgetList } from './shared-forget-list.js';
import type { SharedPlace } from './shared-place.js';

/** A shared memory, as a host mirrors its files into it. */
export interface SharedMirror {
  readonly server: Server;
  readonly place: SharedPlace;
  readonly forgets: SharedForgetList;
  /** Lines that this process has forgotten, in plain text. */
  readonly traces: readonly string[];
}

/** Makes the documents of this host mirror its files, and deletes what was forgotten from those of all hosts. */
export async function mirrorShared(run: SyncRun, shared: SharedMirror): Promise<SyncSummary> {
  const { server, place, forgets } = shared;
  const { clock, lockWaitMs } = run.options;
  const identity = currentIdentity(run.target.settings);
  const rebuild = await rebuildFor(run, shared);
  if (rebuild !== undefined) run.onEvent({ type: 'rebuild.started', ...rebuild });
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
      await clean(shared, index, clock);
      return summaryOf(run, result, rebuild);
    } finally {
      index.close();
    }
  }
}

async function rebuildFor(
  { target, options }: SyncRun,
  { server, place }: SharedMirror,
): Promise<Rebuild | undefined> {
  const index = await openPostgresIndex(server, place);
  const stored = await index?.identity();
  index?.close();
  return stored === undefined
    ? rebuildOf({ state: 'missing' })
    : rebuildNeeded(stored, target.settings, options);
}

/** Deletes forgotten text from the rows of other hosts, and all vectors that nothing uses. */
async function clean(
  { server, place, forgets, traces }: SharedMirror,
  index: PostgresIndex,
  clock: Clock,
): Promise<void> {
  const uncleaned = await forgets.uncleaned();
  const list = uncleaned.length === 0 ? undefined : await forgets.read();
  if (list === undefined) return;
  const forgotten = new Forgotten(list.salt, list.entries);
  await cleanOthers(server, place, index, forgotten, traces);
  const keepIdentities = await index.vectorIdentities();
  await index.tidyEmbeddings({ keepIdentities, cacheEntries: 0, atMs: clock.now() });
  await forgets.markCleaned(uncleaned);
}
