import { supersededKey } from '../../embeddings/index.js';
import { closing } from '../../support/async.js';
import { forgetMark } from '../forgotten/index.js';
import {
  createIndex,
  currentIdentity,
  damageComplaint,
  isDamage,
  type MemoryIndex,
  type OpenedIndex,
  openIndex,
  type SqliteIndex,
  type VectorSettings,
} from '../index/index.js';
import { fillIndex, type SyncOptions, type SyncRun, summaryOf } from '../sync/fill-index.js';
import { type Rebuild, rebuildNeeded, rebuildOf, type SyncSummary } from '../sync/index.js';
import { tryIndexLock } from '../sync/index-lock.js';
import { buildFile, publishBuild, removeIndexFiles, removeStrayBuilds } from './build-file.js';

/**
 * Updates the index in place, or rebuilds it if necessary.
 *
 * @returns undefined if it has to be rebuilt, but another process embeds
 */
export async function mirrorFile(
  run: SyncRun,
  vectors: VectorSettings,
): Promise<SyncSummary | undefined> {
  const { indexFile } = run.target;
  removeStrayBuilds(indexFile);
  const opened = openIndex(indexFile, 'write', vectors, run.options.lockWaitMs);
  if (opened.state !== 'ready') return rebuildIndex(run, opened, rebuildOf(opened, run.options));
  try {
    using index = closing(opened.index);
    await followForgetList(run, index);
    const rebuild = rebuildNeeded(opened.identity, run.target.settings, run.options);
    if (rebuild === undefined) return await updateIndex(run, index);
    const { otherWorkspace, ...withoutOther } = rebuild;
    const hadNotes = otherWorkspace !== undefined && (await index.statistics()).documents > 0;
    return await rebuildIndex(run, opened, hadNotes ? rebuild : withoutOther);
  } catch (error) {
    // Some damage only shows when the index is read.
    if (!isDamage(error)) throw error;
    const damaged = { state: 'unusable', why: damageComplaint(error) } as const;
    return await rebuildIndex(run, damaged, rebuildOf(damaged, run.options));
  }
}

/**
 * The list may be another one than the index was made with, and not because of this index: it was on a server meanwhile,
 * its file was restored or renamed, or the index is an old copy.
 */
async function followForgetList({ target }: SyncRun, index: SqliteIndex): Promise<void> {
  const mark = forgetMark(target.forget);
  if (index.forgetListMark() === mark) return;
  await index.requestScrub();
  index.noteForgetList(mark);
}

async function updateIndex(run: SyncRun, index: SqliteIndex): Promise<SyncSummary> {
  const result = await fillIndex(run, index);
  // Something was forgotten since the last sync, so its bytes must not stay in the file.
  if (!result.stopped && index.isScrubRequested()) await index.scrub(run.options.clock.now());
  return summaryOf(run, result, undefined);
}

/** @returns undefined if another process embeds */
async function rebuildIndex(
  run: SyncRun,
  opened: OpenedIndex,
  rebuild: Rebuild,
): Promise<SyncSummary | undefined> {
  const isScrubRequested = opened.state === 'ready' && opened.index.isScrubRequested();
  if (opened.state === 'ready') opened.index.close();
  const replace = () => replaceIndex(run, { state: opened.state, isScrubRequested }, rebuild);
  if (run.isAlone) return replace();
  const lock = { part: 'vectors', nowMs: run.options.clock.now(), waitMs: 0 } as const;
  return tryIndexLock(run.target.indexFile, lock, replace);
}

/**
 * Builds next to the old index and replaces it atomically. An interrupted build is only published if there
 * was no usable index: the next sync continues it.
 */
async function replaceIndex(
  run: SyncRun,
  old: { readonly state: OpenedIndex['state']; readonly isScrubRequested: boolean },
  rebuild: Rebuild,
): Promise<SyncSummary> {
  const { indexFile, settings } = run.target;
  run.onEvent({ type: 'rebuild.started', ...rebuild });
  try {
    using build = closing(createIndex(buildFile(indexFile), currentIdentity(settings)));
    // Existing vectors are paid for, so they are kept unless re-embedding was requested, even if the rest of
    // the old index is damaged.
    if (old.state !== 'missing') {
      const isKept = rebuild.reason !== 'forced' || !reembeds(run.options);
      build.copyEmbeddings(indexFile, isKept ? undefined : supersededKey);
    }
    build.noteForgetList(forgetMark(run.target.forget));
    const result = await fillIndex(run, build);
    if (result.stopped && old.state === 'ready') {
      return summaryOf(run, { ...result, ...NOTHING_KEPT }, rebuild);
    }
    run.onEvent({ type: 'publish.started' });
    await tidyCopied(build, run.options);
    if (old.isScrubRequested) build.noteScrub();
    await publishBuild(build, indexFile, old.state);
    if (old.isScrubRequested) await scrubPublished(run);
    return summaryOf(run, result, rebuild);
  } finally {
    removeIndexFiles(buildFile(indexFile));
  }
}

async function scrubPublished({ target, options }: SyncRun): Promise<void> {
  const opened = openIndex(target.indexFile, 'write');
  if (opened.state !== 'ready') return;
  using index = closing(opened.index);
  await index.scrub(options.clock.now());
}

/** The cache is there so that unchanged text is not embedded again, even then (spec/memory-search §2.8). */
function reembeds({ reembeds = false, embedding }: SyncOptions): boolean {
  return reembeds && (embedding?.cacheEntries ?? 0) === 0;
}

/** Organises copied vectors before publishing, so that searches are fast at once. */
async function tidyCopied(build: MemoryIndex, { embedding, clock }: SyncOptions): Promise<void> {
  const keepIdentities = await build.vectorIdentities();
  if (keepIdentities.length === 0) return;
  // Without a provider nothing is dropped: it may only be off temporarily.
  const cacheEntries = embedding?.cacheEntries ?? Number.MAX_SAFE_INTEGER;
  await build.tidyEmbeddings({ keepIdentities, cacheEntries, atMs: clock.now() });
}

const NOTHING_KEPT = { added: 0, changed: 0, removed: 0, renamed: 0, unchanged: 0, chunks: 0 };
