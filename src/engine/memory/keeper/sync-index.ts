import { setTimeout as sleep } from 'node:timers/promises';
import { closing, NEVER } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { msSince, runningMs } from '../../support/time.js';
import { readForgotten } from '../forgotten/index.js';
import type { IndexHome } from '../home/index.js';
import { currentIdentity, identityDifferences } from '../index/index.js';
import { removeStrays, type Scan, scanSources } from '../sources/index.js';
import {
  embeddedElsewhereWarning,
  excludesEverythingWarning,
  racyForMs,
  type SyncOptions,
  type SyncSummary,
  type SyncTarget,
} from '../sync/index.js';
import { syncLock, tryIndexLock, withIndexLock, withWholeIndexLock } from '../sync/index-lock.js';
import type { SourceFile } from '../types.js';

/** An index that mirrors files, and where it is kept. */
export interface KeptIndex extends SyncTarget {
  readonly home: IndexHome;
}

/**
 * Makes the index mirror the files: reads what changed and removes what is gone; rebuilds it if it is missing,
 * unusable, built with other settings, or when forced. One process at a time; readers are not blocked.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE, INDEX_DISK_FULL, WORKSPACE_MISSING, …
 */
export async function mirrorFiles(target: KeptIndex, options: SyncOptions): Promise<SyncSummary> {
  const startedMs = runningMs();
  const onEvent = options.onEvent ?? (() => undefined);
  const mirror = async (isAlone: boolean): Promise<SyncSummary | undefined> => {
    const before = scanSources(target.sources);
    removeStrays(before, options.clock.now());
    await waitForFileTimes(before.files, options.clock);
    const scan = await archiveTranscripts(before, target, options);
    const scannedMs = options.clock.now();
    // The first of two tries has reported them.
    if (!isAlone) for (const skip of scan.skipped) onEvent({ type: 'document.skipped', ...skip });
    const run = { target, scan, scannedMs, options, onEvent, isAlone, startedMs };
    const summary = await target.home.mirror(run);
    if (summary === undefined) return undefined;
    const warning = scan.files.some(({ source }) => source === 'memory')
      ? undefined
      : excludesEverythingWarning(scan.decisions, target.sources.memory.workspaceDir);
    return warning === undefined ? summary : { ...summary, warnings: [warning] };
  };
  const lock = syncLock({ options, onEvent });
  const mirrored = await withIndexLock(target.indexFile, lock, () => mirror(false));
  if (mirrored !== undefined) return mirrored;
  const replaced = await withWholeIndexLock(target.indexFile, lock, () => mirror(true));
  if (replaced === undefined) throw new Error('an index that nobody embeds can be replaced');
  return replaced;
}

/**
 * The second half of a sync: vectors. Keyword search works as soon as the first half is done, and each vector is used
 * as soon as it is stored. Files that change meanwhile are mirrored by other syncs, of this process too.
 *
 * If another process embeds for longer than this one waits, the rest is left to that one; a search does not wait.
 */
export async function addVectors(
  summary: SyncSummary,
  target: KeptIndex,
  options: SyncOptions,
): Promise<SyncSummary> {
  const { embedding, signal = NEVER, clock, onEvent = () => undefined } = options;
  if (embedding === undefined || summary.outcome === 'stopped') return summary;
  const startedMs = runningMs();
  const finished = (): number => summary.durationMs + msSince(startedMs);
  const isSearch = embedding.atMost !== undefined;
  const waitMs = isSearch ? 0 : (options.embedWaitMs ?? options.lockWaitMs);
  const lock = { ...syncLock({ options, onEvent }), part: 'vectors', waitMs } as const;
  const add = async (): Promise<SyncSummary> => {
    const opened = await target.home.openToWrite();
    if (opened === undefined) return summary;
    using index = closing(opened);
    // While this waited, another project may have taken over the index, whose notes are not for this provider.
    const wanted = currentIdentity(target.settings);
    if (identityDifferences(await index.identity(), wanted).length > 0) return summary;
    const { embedMissing } = await import('../embedding/embed-missing.js');
    const { workspaceDir } = target.sources.memory;
    const work = { written: summary.chunks, workspaceDir, clock, signal, onEvent };
    const embedded = await embedMissing(index, { ...embedding, ...work });
    const isNews = embedded.embedded > 0 && summary.outcome === 'unchanged';
    return {
      ...summary,
      ...(isNews ? { outcome: 'updated' } : {}),
      embedding: embedded,
      durationMs: finished(),
    };
  };
  try {
    const added = await tryIndexLock(target.indexFile, lock, add);
    if (added !== undefined) return added;
  } catch (error) {
    if (!signal.aborted) throw error;
    return { ...summary, outcome: 'stopped', durationMs: finished() };
  }
  if (isSearch) return summary;
  return { ...summary, warnings: [...(summary.warnings ?? []), embeddedElsewhereWarning()] };
}

/** Archives new parts of conversations before they are indexed. Returns the scan with what is only in the archive. */
async function archiveTranscripts(
  scan: Scan,
  target: KeptIndex,
  options: SyncOptions,
): Promise<Scan> {
  const archive = target.sources.transcripts?.archive;
  const { live = [] } = scan;
  const { clock, signal, onEvent } = options;
  const nowMs = clock.now();
  if (archive?.isBehind(live, nowMs) !== true) return scan;
  const forgotten = await readForgotten(target.forget);
  const leftOf = (text: string): string => forgotten.removeFrom(text);
  const onProgress = (conversations: number, fraction: number): void =>
    onEvent?.({ type: 'archive.updated', conversations, fraction });
  const skip = await archive.update(live, { leftOf, nowMs, signal, onProgress });
  if (skip !== undefined) return { ...scan, skipped: [...scan.skipped, skip] };
  return scanSources(target.sources);
}

/**
 * Waits until recent writes are older than the timestamp resolution: read earlier, such files would count as
 * changed until the next sync.
 */
async function waitForFileTimes(files: readonly SourceFile[], clock: Clock): Promise<void> {
  const nowMs = clock.now();
  const waits = files.map(({ mtimeMs }) => racyForMs(mtimeMs, nowMs));
  const waitMs = waits.reduce((longest, ms) => Math.max(longest, ms), 0);
  if (waitMs > 0) await sleep(waitMs);
}
