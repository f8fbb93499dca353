import { setTimeout as sleep } from 'node:timers/promises';
import { type ProviderPath, supersededKey } from '../../embeddings/index.js';
import type { Clock } from '../../support/context.js';
import { runningMs } from '../../support/time.js';
import type { SyncRequest } from '../backends/index.js';
import { type ForgetPlaces, readForgotten } from '../forget/index.js';
import {
  createIndex,
  currentIdentity,
  damageComplaint,
  type IndexSettings,
  isDamage,
  type MemoryIndex,
  type OpenedIndex,
  type SqliteIndex,
  type VectorSettings,
} from '../index/index.js';
import { type MemorySources, removeStrays, type Scan, scanSources } from '../sources/index.js';
import type { SourceFile } from '../types.js';
import { applyPlan } from './apply-plan.js';
import { buildFile, publishBuild, removeIndexFiles, removeStrayBuilds } from './build-file.js';
import type { SyncEvent, SyncSummary } from './events.js';
import { type LockHolder, openedAnew, type SyncConnections, withIndexLock } from './index-lock.js';
import {
  planChanges,
  type Rebuild,
  racyForMs,
  rebuildNeeded,
  rebuildOf,
  snapshotOf,
  withoutSmallGrowth,
} from './plan-changes.js';
import type { ApplyResult } from './tally.js';

/** An index and the files it mirrors. */
export interface SyncTarget {
  /** Absolute path of the database. */
  readonly indexFile: string;
  readonly settings: IndexSettings;
  readonly vectors: VectorSettings;
  readonly sources: MemorySources;
  /** What to keep out of the index. */
  readonly forget: ForgetPlaces;
}

/** How passages are embedded; see embed-missing.ts. */
export interface SyncEmbedding {
  readonly path: ProviderPath;
  /** At most this many passages; undefined for all. */
  readonly atMost: number | undefined;
  readonly cacheEntries: number;
}

export interface SyncOptions extends Omit<SyncRequest, 'embeds' | 'isUpkeep' | 'sessionStarts'> {
  readonly lockWaitMs: number;
  readonly clock: Clock;
  /** Undefined to skip embedding. */
  readonly embedding: SyncEmbedding | undefined;
  /** Connections kept between syncs; by default opened and closed each time. */
  readonly connections?: SyncConnections | undefined;
}

/**
 * Makes the index mirror the files: reads what changed and removes what is gone; rebuilds it if it is
 * missing, unusable, built with other settings, or when forced. One process at a time; readers are not
 * blocked.
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
    const scan = scanSources(target.sources);
    removeStrays(scan, options.clock.now());
    await settled(scan.files, options.clock);
    const scannedMs = options.clock.now();
    for (const skip of scan.skipped) onEvent({ type: 'document.skipped', ...skip });
    const run = { target, scan, scannedMs, options, connections, onEvent, started };
    const opened = connections.openIndex(target.indexFile, target.vectors);
    const summary = await withVectors(await mirror(run, opened), run);
    onEvent({ type: 'sync.finished', summary });
    return summary;
  });
}

/**
 * Waits until recent writes are older than the timestamp resolution: read earlier, such files would count as
 * changed until the next sync.
 */
async function settled(files: readonly SourceFile[], clock: Clock): Promise<void> {
  const nowMs = clock.now();
  const waits = files.map(({ mtimeMs }) => racyForMs(mtimeMs, nowMs));
  const waitMs = waits.reduce((longest, ms) => Math.max(longest, ms), 0);
  if (waitMs > 0) await sleep(waitMs);
}

/**
 * The second half: vectors. Keyword search works as soon as the first half is done, and each vector counts as
 * soon as it is stored.
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
  /** No file was read before this; milliseconds since the epoch. */
  readonly scannedMs: number;
  readonly options: SyncOptions;
  readonly connections: SyncConnections;
  readonly onEvent: (event: SyncEvent) => void;
  /** runningMs() at the start. */
  readonly started: number;
}

/** Updates the index in place, or rebuilds it if necessary. */
async function mirror(run: Run, opened: OpenedIndex): Promise<SyncSummary> {
  if (opened.state !== 'ready') return rebuildIndex(run, opened, rebuildOf(opened));
  const force = run.options.force ?? false;
  const rebuild = rebuildNeeded(opened.identity, run.target.settings, force);
  if (rebuild !== undefined) return rebuildIndex(run, opened, rebuild);
  try {
    return await updateIndex(run, opened.index);
  } catch (error) {
    // Some damage only shows when the index is read.
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

/** Something was forgotten since the last sync, so its bytes must not stay in the file. */
async function scrubIfAsked(run: Run, index: SqliteIndex): Promise<void> {
  const scrubber = await index.scrubber();
  if (scrubber.isRequested()) scrubber.scrub(run.options.clock.now());
}

/**
 * Builds next to the old index and replaces it atomically. An interrupted build is only published if there
 * was no usable index: the next sync continues it.
 */
async function rebuildIndex(run: Run, opened: OpenedIndex, rebuild: Rebuild): Promise<SyncSummary> {
  const { indexFile, settings } = run.target;
  const forgets = opened.state === 'ready' && (await opened.index.scrubber()).isRequested();
  if (opened.state === 'ready') run.connections.discardIndex(opened.index);
  run.onEvent({ type: 'rebuild.started', ...rebuild });
  let build: SqliteIndex | undefined;
  try {
    build = createIndex(buildFile(indexFile), currentIdentity(settings));
    // Existing vectors are paid for, so they are kept unless re-embedding was requested, even if the rest of
    // the old index is damaged.
    const rename = rebuild.reason === 'forced' && run.options.reembeds === true;
    if (opened.state !== 'missing') {
      build.copyEmbeddings(indexFile, rename ? supersededKey : undefined);
    }
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

/** Organises copied vectors before publishing, so that searches are fast at once. */
async function tidyCopied(
  build: MemoryIndex,
  { embedding, clock }: SyncOptions,
  forgets: boolean,
): Promise<void> {
  const keepIdentities = await build.vectorIdentities();
  if (keepIdentities.length === 0) return;
  // Without a provider nothing is dropped: it may only be off temporarily.
  const cacheEntries = forgets ? 0 : (embedding?.cacheEntries ?? Number.MAX_SAFE_INTEGER);
  await build.tidyEmbeddings({ keepIdentities, cacheEntries, atMs: clock.now() });
}

const REPLACES = { missing: 'nothing', ready: 'usable', unusable: 'unusable' } as const;

const NOTHING_KEPT = { added: 0, changed: 0, removed: 0, renamed: 0, unchanged: 0, chunks: 0 };

async function fill(run: Run, index: MemoryIndex): Promise<ApplyResult> {
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
    // Deferred files must be found by the next scan.
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
