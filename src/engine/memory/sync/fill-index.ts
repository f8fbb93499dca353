import type { Clock } from '../../support/context.js';
import { msSince } from '../../support/time.js';
import type { EmbeddingWork } from '../embedding/embed-missing.js';
import { ExtractedTexts } from '../extract/index.js';
import { type ForgetPlaces, readForgotten } from '../forgotten/index.js';
import type { IndexSettings, MemoryIndex } from '../index/index.js';
import type { MemorySources, Scan } from '../sources/index.js';
import { applyPlan } from './apply-plan.js';
import type { Rebuild, SyncEvent, SyncRequest, SyncSummary } from './events.js';
import { type ApplyResult, Tally } from './file-steps.js';
import {
  countsParts,
  pendingChanges,
  planChanges,
  type SyncPlan,
  snapshotOf,
  withoutSmallGrowth,
  workOf,
} from './plan-changes.js';

/** An index and the files it mirrors. */
export interface SyncTarget {
  /** Absolute path of the database, next to which its lock is; of a shared index there is only the lock. */
  readonly indexFile: string;
  readonly settings: IndexSettings;
  readonly sources: MemorySources;
  /** Absolute path of the folder of libraries that svc installs on request. */
  readonly librariesDir: string;
  /** What to keep out of the index. */
  readonly forget: ForgetPlaces;
}

export interface SyncOptions extends Omit<SyncRequest, 'embeds' | 'isUpkeep' | 'waitsForJobs'> {
  readonly lockWaitMs: number;
  readonly clock: Clock;
  /** Undefined to skip embedding. */
  readonly embedding: EmbeddingWork | undefined;
}

/** A sync in progress. */
export interface SyncRun {
  readonly target: SyncTarget;
  readonly scan: Scan;
  /** No file was read before this. */
  readonly scannedMs: number;
  readonly options: SyncOptions;
  readonly onEvent: (event: SyncEvent) => void;
  /** Nobody else embeds until it is over, so the index can be replaced. */
  readonly isAlone: boolean;
  /** runningMs() at the start. */
  readonly startedMs: number;
}

/** Reads what changed into an index, and removes what is gone. */
export async function fillIndex(run: SyncRun, index: MemoryIndex): Promise<ApplyResult> {
  const changes = await changesOf(run, index);
  const growth = run.target.sources.transcripts?.growth;
  const defers = run.options.defersSmallGrowth === true && growth !== undefined;
  const plan = defers ? withoutSmallGrowth(changes, growth) : changes;
  run.onEvent({
    type: 'scan.finished',
    files: run.scan.files.length,
    bytes: run.scan.files.reduce((sum, file) => sum + (countsParts(file) ? 0 : file.size), 0),
    filesToIndex: plan.read.length,
    workToIndex: plan.read.reduce((sum, { file }) => sum + workOf(file), 0),
  });
  const texts = new ExtractedTexts(run.target, { retries: run.options.force === true });
  const result = await applyPlan(index, plan, {
    texts,
    chunking: run.target.settings.chunking,
    forgotten: await readForgotten(run.target.forget),
    media: run.target.sources.memory.media,
    clock: run.options.clock,
    vectorsFollow: run.options.embedding !== undefined,
    signal: run.options.signal,
    onEvent: run.onEvent,
  });
  if (!result.stopped) {
    await texts.prune(async () => (await index.documents()).map(({ hash }) => hash));
    // Deferred files must be found by the next scan.
    const isWhole = plan.read.length === changes.read.length;
    const tree = isWhole ? snapshotOf(run.scan.files, run.scannedMs) : undefined;
    const { skipped } = result;
    await index.markSynced({ syncedMs: run.options.clock.now(), skipped }, tree);
  }
  return result;
}

/** Interrupted before any file was read. */
export const NOTHING_READ = new Tally({ read: [], remove: [], unchanged: 0 }).result(true);

/** What has changed since the last sync; what that one could not read is tried again. */
async function changesOf({ scan, scannedMs }: SyncRun, index: MemoryIndex): Promise<SyncPlan> {
  const { skipped } = await index.syncMark();
  if (skipped.length === 0) return pendingChanges(index, scan.files, scannedMs);
  return planChanges(scan.files, await index.documents());
}

export function summaryOf(
  run: SyncRun,
  result: ApplyResult,
  rebuild: Rebuild | undefined,
): SyncSummary {
  const { stopped, ...counts } = result;
  const touched = counts.added + counts.changed + counts.removed + counts.renamed > 0;
  return {
    ...counts,
    outcome: stopped ? 'stopped' : touched || rebuild !== undefined ? 'updated' : 'unchanged',
    ...(rebuild === undefined ? {} : { rebuild }),
    skipped: [...run.scan.skipped, ...counts.skipped],
    durationMs: msSince(run.startedMs),
  };
}
