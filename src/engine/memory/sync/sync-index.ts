import type { Clock } from '../../context.js';
import type { ProviderPath } from '../../embeddings/index.js';
import { runningMs } from '../../running-ms.js';
import { type ForgetPlaces, readForgotten } from '../forget/forget-list.js';
import { currentIdentity, type IndexSettings } from '../index/identity.js';
import { isDamage } from '../index/index-error.js';
import { createIndex, damageComplaint, type OpenedIndex } from '../index/open-index.js';
import type { SqliteIndex } from '../index/sqlite-index.js';
import type { VectorSettings } from '../index/vectors/vector-settings.js';
import type { Scan } from '../sources/memory-files.js';
import { type MemorySources, scanSources } from '../sources/scan-sources.js';
import { applyPlan } from './apply-plan.js';
import { buildFile, publishBuild, removeIndexFiles, removeStrayBuilds } from './build-file.js';
import type { SyncEvent, SyncSummary } from './events.js';
import { type LockHolder, withIndexLock } from './index-lock.js';
import { planChanges } from './plan-changes.js';
import { type Rebuild, rebuildNeeded, rebuildOf } from './rebuild-needed.js';
import { openedAnew, type SyncConnections } from './sync-connections.js';
import type { ApplyResult } from './tally.js';
import { withoutSmallGrowth } from './transcript-due.js';
import { snapshotOf } from './tree-snapshot.js';

/** An index and the files it mirrors. */
export interface SyncTarget {
  /** Absolute path of the database. */
  readonly indexFile: string;
  readonly settings: IndexSettings;
  readonly vectors: VectorSettings;
  readonly sources: MemorySources;
  /** What is to stay out of the index. */
  readonly forget: ForgetPlaces;
}

/** How passages get vectors; see embed-missing.ts. */
export interface SyncEmbedding {
  readonly path: ProviderPath;
  /** Undefined embeds all that are missing; a number leaves more than that for later. */
  readonly atMost: number | undefined;
  readonly cacheEntries: number;
}

/** How to bring an index up to date. */
export interface SyncOptions {
  /** Build anew even when nothing asks for it. */
  readonly force?: boolean;
  /** Leave transcripts for later that have grown by little (`sync.sessions`). */
  readonly defersSmallGrowth?: boolean | undefined;
  /** How long to wait for another process that writes this index; milliseconds. */
  readonly lockWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  readonly clock: Clock;
  /** Undefined where nothing can embed. */
  readonly embedding: SyncEmbedding | undefined;
  /** Kept from sync to sync by a process that syncs often; otherwise opened and closed. */
  readonly connections?: SyncConnections | undefined;
}

/**
 * Makes the index mirror the files: reads what changed, forgets what is gone; builds it anew when
 * there is none, when it is unusable or was built with other settings, or when forced. One process
 * at a time; readers are never in the way.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE, INDEX_DISK_FULL, WORKSPACE_MISSING, …
 */
export async function syncIndex(target: SyncTarget, options: SyncOptions): Promise<SyncSummary> {
  const started = runningMs();
  const onEvent = options.onEvent ?? (() => undefined);
  const connections = options.connections ?? openedAnew;
  const lock = {
    pid: process.pid,
    nowMs: options.clock.now(),
    waitMs: options.lockWaitMs,
    signal: options.signal,
    onWait: (holder: LockHolder | undefined) => onEvent({ type: 'lock.waiting', holder }),
    connections,
  };
  return withIndexLock(target.indexFile, lock, async () => {
    removeStrayBuilds(target.indexFile);
    const scannedMs = options.clock.now();
    const scan = scanSources(target.sources);
    for (const skip of scan.skipped) onEvent({ type: 'document.skipped', ...skip });
    const run = { target, scan, scannedMs, options, connections, onEvent, started };
    const opened = connections.openIndex(target.indexFile, target.vectors);
    const summary = await withVectors(await mirror(run, opened), run);
    onEvent({ type: 'sync.finished', summary });
    return summary;
  });
}

/**
 * The second half: vectors. The index answers by words from the moment the first half is done, and
 * each vector counts as soon as it is stored.
 */
async function withVectors(summary: SyncSummary, run: Run): Promise<SyncSummary> {
  const { target, connections, onEvent, started } = run;
  const { embedding, signal, clock } = run.options;
  if (embedding === undefined || summary.outcome === 'stopped') return summary;
  const opened = connections.openIndex(target.indexFile, target.vectors);
  if (opened.state !== 'ready') return summary;
  const { embedMissing } = await import('../embedding/embed-missing.js');
  const abort = signal ?? new AbortController().signal;
  try {
    const { path, atMost, cacheEntries } = embedding;
    const written = summary.chunks;
    const { workspaceDir } = target.sources.memory;
    const work = {
      path,
      atMost,
      written,
      workspaceDir,
      cacheEntries,
      clock,
      signal: abort,
      onEvent,
    };
    const embedded = await embedMissing(opened.index, work);
    const isNews = embedded.embedded > 0 && summary.outcome === 'unchanged';
    return {
      ...summary,
      ...(isNews ? { outcome: 'updated' } : {}),
      embedding: embedded,
      durationMs: runningMs() - started,
    };
  } catch (error) {
    if (!abort.aborted) throw error;
    return { ...summary, outcome: 'stopped', durationMs: runningMs() - started };
  } finally {
    connections.releaseIndex(opened.index);
  }
}

interface Run {
  readonly target: SyncTarget;
  readonly scan: Scan;
  /** When the scan began, in milliseconds since the epoch. */
  readonly scannedMs: number;
  readonly options: SyncOptions;
  readonly connections: SyncConnections;
  readonly onEvent: (event: SyncEvent) => void;
  /** runningMs() at the start. */
  readonly started: number;
}

/** Updates the index where it stands, or builds it anew where something asks for that. */
async function mirror(run: Run, opened: OpenedIndex): Promise<SyncSummary> {
  if (opened.state !== 'ready') return rebuildIndex(run, opened, rebuildOf(opened));
  const force = run.options.force ?? false;
  const rebuild = rebuildNeeded(opened.identity, run.target.settings, force);
  if (rebuild !== undefined) return rebuildIndex(run, opened, rebuild);
  try {
    return await updateIndex(run, opened.index);
  } catch (error) {
    // Damage that opening does not show comes to light when the index is read.
    if (!isDamage(error)) throw error;
    const damaged = { state: 'unusable', why: damageComplaint(error) } as const;
    return rebuildIndex(run, damaged, rebuildOf(damaged));
  }
}

async function updateIndex(run: Run, index: SqliteIndex): Promise<SyncSummary> {
  try {
    const result = await fill(run, index);
    if (!result.stopped) await scrubIfAsked(run, index);
    run.connections.releaseIndex(index);
    return summaryOf(run, result, undefined);
  } catch (error) {
    run.connections.discardIndex(index);
    throw error;
  }
}

/** Something was forgotten since the last sync: no byte of it is to stay in the file. */
async function scrubIfAsked(run: Run, index: SqliteIndex): Promise<void> {
  const scrubber = await index.scrubber();
  if (scrubber.isRequested()) scrubber.scrub(run.options.clock.now());
}

/**
 * Builds beside the old index and replaces it in one step. Stopped half way, the build becomes the
 * index only where there was no usable one: the next sync goes on from it.
 */
async function rebuildIndex(run: Run, opened: OpenedIndex, rebuild: Rebuild): Promise<SyncSummary> {
  const { indexFile, settings } = run.target;
  const forgets = opened.state === 'ready' && (await opened.index.scrubber()).isRequested();
  if (opened.state === 'ready') run.connections.discardIndex(opened.index);
  run.onEvent({ type: 'rebuild.started', ...rebuild });
  let build: SqliteIndex | undefined;
  try {
    build = createIndex(buildFile(indexFile), currentIdentity(settings));
    // What is embedded already is never paid for again; also where the rest of the old index is broken.
    if (opened.state !== 'missing') build.copyEmbeddings(indexFile);
    const result = await fill(run, build);
    if (result.stopped && opened.state === 'ready') {
      return summaryOf(run, { ...result, ...NOTHING_KEPT }, rebuild);
    }
    run.onEvent({ type: 'publish.started' });
    await tidyCopied(build, run.options, forgets);
    await publishBuild(build, indexFile, REPLACES[opened.state]);
    return summaryOf(run, result, rebuild);
  } finally {
    build?.close();
    removeIndexFiles(buildFile(indexFile));
  }
}

/** Puts copied vectors in order, so that they are found quickly from the moment of publishing. */
async function tidyCopied(
  build: SqliteIndex,
  { embedding, clock }: SyncOptions,
  forgets: boolean,
): Promise<void> {
  const keepIdentities = await build.vectorIdentities();
  if (keepIdentities.length === 0) return;
  // Where nobody embeds now, nothing is thrown away: the provider may only be switched off.
  const cacheEntries = forgets ? 0 : (embedding?.cacheEntries ?? Number.MAX_SAFE_INTEGER);
  await build.tidyEmbeddings({ keepIdentities, cacheEntries, atMs: clock.now() });
}

const REPLACES = { missing: 'nothing', ready: 'usable', unusable: 'unusable' } as const;

const NOTHING_KEPT = { added: 0, changed: 0, removed: 0, renamed: 0, unchanged: 0, chunks: 0 };

async function fill(run: Run, index: SqliteIndex): Promise<ApplyResult> {
  const changes = planChanges(run.scan.files, await index.documents());
  const growth = run.target.sources.transcripts?.growth;
  const defers = run.options.defersSmallGrowth === true && growth !== undefined;
  const plan = defers ? withoutSmallGrowth(changes, growth) : changes;
  const bytes = (files: readonly { readonly size: number }[]): number =>
    files.reduce((sum, file) => sum + file.size, 0);
  run.onEvent({
    type: 'scan.finished',
    files: run.scan.files.length,
    bytes: bytes(run.scan.files),
    filesToIndex: plan.read.length,
    bytesToIndex: bytes(plan.read.map((planned) => planned.file)),
  });
  const result = await applyPlan(index, plan, {
    chunking: run.target.settings.chunking,
    forgotten: await readForgotten(run.target.forget),
    media: run.target.sources.memory.media,
    clock: run.options.clock,
    vectorsFollow: run.options.embedding !== undefined,
    signal: run.options.signal,
    onEvent: run.onEvent,
  });
  if (!result.stopped) {
    // What was left for later is to be found by the next look at the files.
    const isWhole = plan.read.length === changes.read.length;
    const tree = isWhole ? snapshotOf(run.scan.files, run.scannedMs) : undefined;
    const { skipped } = result;
    await index.markSynced({ syncedMs: run.options.clock.now(), tree, skipped });
  }
  return result;
}

function summaryOf(run: Run, result: ApplyResult, rebuild: Rebuild | undefined): SyncSummary {
  const { stopped, ...counts } = result;
  const touched = counts.added + counts.changed + counts.removed + counts.renamed > 0;
  return {
    ...counts,
    outcome: stopped ? 'stopped' : touched || rebuild !== undefined ? 'updated' : 'unchanged',
    ...(rebuild === undefined ? {} : { rebuild }),
    skipped: [...run.scan.skipped, ...counts.skipped],
    durationMs: runningMs() - run.started,
  };
}
