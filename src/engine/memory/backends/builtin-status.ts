import { isStorageFailure, SvcError, type Warning } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import { uniqueBy } from '../../support/lists.js';
import { iso } from '../../support/time.js';
import {
  damageComplaint,
  isDamage,
  isLeftOut,
  type MemoryIndex,
  type OpenedIndex,
  SCHEMA_VERSION,
} from '../index/index.js';
import type { KeptIndex } from '../keeper/sync-index.js';
import { allSkips, type Scan, scanSources } from '../sources/index.js';
import {
  emptyMemoryWarning,
  pendingChanges,
  planChanges,
  rebuildNeeded,
  type SyncPlan,
} from '../sync/index.js';
import { readWatchRecord } from '../sync/watch-record.js';
import type {
  BackendStatus,
  IndexState,
  SharedState,
  Staleness,
  StatusOptions,
  VectorsState,
} from './memory-backend.js';

/** The state of an index and of the files it mirrors. Read-only. */
export async function builtinStatus(
  target: KeptIndex,
  clock: Clock,
  options: StatusOptions,
): Promise<BackendStatus> {
  const openFaults: Warning[] = [];
  const opened = await openOrReport(target, openFaults);
  const input = { target, clock, options, openFaults };
  try {
    return await statusOf(opened, input);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return await statusOf({ state: 'unusable', why: damageComplaint(error) }, input);
  } finally {
    if (opened.state === 'ready') opened.index.close();
  }
}

/** A server that cannot be used is part of the state. */
async function openOrReport(
  { home }: KeptIndex,
  faults: Warning[],
): Promise<OpenedIndex<MemoryIndex>> {
  try {
    return await home.open();
  } catch (error) {
    if (!isStorageFailure(error) || home.others === undefined) throw error;
    const { message, hint } = error;
    faults.push({ code: 'STORAGE_UNAVAILABLE', message, hint });
    return { state: 'unusable', why: message };
  }
}

async function sharedState(
  { home: { others } }: KeptIndex,
  isUsable: boolean,
): Promise<SharedState | undefined> {
  if (others === undefined) return undefined;
  return {
    server: await others.server(),
    origin: others.place.origin,
    origins: isUsable ? await others.list() : undefined,
  };
}

const pathOf = ({ path }: { readonly path: string }): string => path;

interface StatusInput {
  readonly target: KeptIndex;
  readonly clock: Clock;
  readonly options: StatusOptions;
  readonly openFaults: readonly Warning[];
}

async function statusOf(
  opened: OpenedIndex<MemoryIndex>,
  { target, clock, options, openFaults }: StatusInput,
): Promise<BackendStatus> {
  const faults = [...openFaults];
  const index = opened.state === 'ready' ? opened.index : undefined;
  const scannedMs = clock.now();
  const scan = await orReport(() => scanSources(target.sources), faults);
  // Without the forget list, nothing is indexed. That of a shared memory is on the server.
  if (target.home.others === undefined) await orReport(() => target.home.readForgetList(), faults);
  const hasNotes = scan?.files.some(({ source }) => source === 'memory') ?? true;
  const empty = hasNotes ? undefined : emptyMemoryWarning(target.sources.memory);
  if (empty !== undefined) faults.push(empty);
  const isCurrent = opened.state === 'ready' && opened.identity.schemaVersion === SCHEMA_VERSION;
  const remembered = (await index?.syncMark())?.skipped ?? [];
  return {
    backend: 'builtin',
    workspaceDir: target.sources.memory.workspaceDir,
    indexFile: target.indexFile,
    index: await indexState(opened, target),
    shared: await sharedState(target, opened.state !== 'unusable'),
    staleness: await stalenessOf(opened, target, scan, scannedMs),
    sources: target.sources.transcripts === undefined ? ['memory'] : ['memory', 'sessions'],
    extraPaths: target.sources.memory.extraPaths,
    // A file can be both in the workspace and in an extra path.
    excluded: uniqueBy(scan?.decisions.filter(({ excluded }) => excluded) ?? [], pathOf).length,
    tokenizer: target.settings.tokenizer,
    vectors: index && (await vectorsState(index, options)),
    refusedMedia:
      target.sources.memory.media === undefined ? [] : ((await index?.refusedMedia()) ?? []),
    frontMatter: isCurrent ? await opened.index.frontMatterFaults() : [],
    skipped: allSkips(scan?.skipped ?? [], remembered),
    watcher: readWatchRecord(target.indexFile),
    faults,
  };
}

async function vectorsState(
  index: MemoryIndex,
  { extension = false }: StatusOptions,
): Promise<VectorsState> {
  const inUse = new Set(await index.vectorIdentities());
  const spaces = (await index.vectorSpaces()).map((space) => {
    return { ...space, inUse: inUse.has(space.identity) };
  });
  const state = { spaces, batchJobs: await index.batchJobs() };
  return extension ? { ...state, extension: await index.vectorExtension() } : state;
}

/** Runs what must succeed before files are indexed. If it fails, reports why. */
async function orReport<T>(
  attempt: () => T | Promise<T>,
  faults: Warning[],
): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { message, hint } = error;
    faults.push({ code: 'INDEX_STALE', message, hint });
    return undefined;
  }
}

async function indexState(
  opened: OpenedIndex<MemoryIndex>,
  target: KeptIndex,
): Promise<IndexState> {
  if (opened.state !== 'ready') return opened;
  const { syncedMs, ...counts } = await opened.index.statistics();
  const statistics = { ...counts, lastSync: syncedMs === undefined ? null : iso(syncedMs) };
  const rebuild = rebuildNeeded(opened.identity, target.settings);
  return rebuild === undefined
    ? { state: 'ready', statistics }
    : { state: 'ready', statistics, rebuildBecause: rebuild.detail };
}

const EXAMPLES = 5;

async function stalenessOf(
  opened: OpenedIndex<MemoryIndex>,
  { home }: KeptIndex,
  scan: Scan | undefined,
  scannedMs: number,
): Promise<Staleness | undefined> {
  if (scan === undefined || opened.state === 'newer') return undefined;
  // A server that cannot be used may have indexed everything.
  if (opened.state === 'unusable' && home.others !== undefined) return undefined;
  if (opened.state !== 'ready') return countChanges(planChanges(scan.files, []));
  const { index } = opened;
  if (home.followsForgetList(index)) {
    return countChanges(await pendingChanges(index, scan.files, scannedMs));
  }
  // The next sync reads every file again.
  const documents = (await index.documents()).map((one) => {
    return { ...one, fingerprint: { ...one.fingerprint, mtimeMs: -1 } };
  });
  return countChanges(planChanges(scan.files, documents));
}

function countChanges(plan: SyncPlan): Staleness {
  // A conversation that is left out stays so, however it goes on.
  const read = plan.read.filter(({ stored }) => stored === undefined || !isLeftOut(stored));
  const removed = plan.remove.filter((document) => !isLeftOut(document));
  const added = read.filter(({ stored }) => stored === undefined).length;
  const paths = [...read.map(({ file }) => file.path), ...removed.map(({ path }) => path)];
  return {
    added,
    changed: read.length - added,
    removed: removed.length,
    examples: paths.slice(0, EXAMPLES),
  };
}
