import { existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Minder } from '../../../child/minder.js';
import type { Warning } from '../../../errors/index.js';
import { closing } from '../../../support/async.js';
import type { Clock } from '../../../support/context.js';
import { makeFolders } from '../../../support/files.js';
import { backoffMs, isWithin } from '../../../support/time.js';
import type { SyncSummary, WorkOptions } from '../../sync/index.js';
import type { SkippedFile } from '../../types.js';
import type { ExtSettings } from './ext-settings.js';
import { type ExtState, extStateFile, updateExtState } from './ext-state.js';
import {
  countFiles,
  listCollections,
  type Run,
  registerCollections,
} from './register-collections.js';
import type { ToolFeatures } from './tool/ask-program.js';
import { type Tool, ToolFailure, toolIndexFile } from './tool/open-tool.js';
import { readCounts, readPending, type UpdateCounts } from './tool/read-answer.js';
import { commandOf, msUntil, runTool, type ToolOutput } from './tool/run-tool.js';

/** What a refresh works on, and how it is done. */
export interface ExtSync extends Pick<WorkOptions, 'onEvent' | 'signal'> {
  readonly settings: ExtSettings;
  readonly tool: Tool;
  readonly features: ToolFeatures;
  readonly clock: Clock;
  /** Conversations that could not be exported. */
  readonly skipped: readonly SkippedFile[];
  /** Digest of the files; see treeOf. */
  readonly tree: string | null;
  /** The folder of the user's own models; need not exist. */
  readonly modelsDir: string;
  readonly embedsNow: boolean;
  /** Deadline, by `performance.now()`. */
  readonly deadline: number;
}

export type ExtSyncResult = Readonly<Awaited<ReturnType<typeof refresh>>>;

/** Failed embeddings are retried after a minute, then less and less often, up to an hour. */
const FIRST_EMBED_WAIT_MS = 60_000;
const LONGEST_EMBED_WAIT_MS = 60 * 60_000;

/**
 * Brings the program's index in line with the files, conversations among them: adds and removes collections, rescans
 * the others, and embeds if the mode needs it. Can be interrupted and repeated at any point. One process at a time.
 *
 * @throws ToolFailure
 */
export async function syncExt(sync: ExtSync): Promise<ExtSyncResult> {
  const { tool, signal } = sync;
  // May take minutes: if svc is killed, the program must not keep running alongside a second one.
  using minder = closing(new Minder(process.execPath));
  const run = (args: readonly string[], timeoutMs: number): Promise<ToolOutput> => {
    sync.onEvent?.({ type: 'ext.running', command: commandOf(args) });
    const limitMs = Math.min(timeoutMs, msUntil(sync.deadline));
    return runTool(tool, args, { timeoutMs: limitMs, signal, announce: minder.announce });
  };
  return await refresh(sync, run);
}

async function refresh(sync: ExtSync, run: Run) {
  const { settings, clock, skipped, tree } = sync;
  const startedMs = clock.now();
  const registered = await registerCollections(settings, sync.features, run);
  let { listed } = registered;
  let counts: UpdateCounts = readCounts(registered.stdout);
  let pending = readPending(registered.stdout);
  if (registered.hasKept) {
    const { stdout } = await run(['update'], settings.update.updateTimeoutMs);
    listed = await listCollections(run, settings);
    counts = sumOf(counts, readCounts(stdout));
    pending = readPending(stdout) ?? pending;
  }
  const updated = {
    atMs: startedMs,
    tookMs: clock.now() - startedMs,
    files: countFiles(listed, settings.collections()),
    tree,
    // Not reported when nothing is missing.
    withoutVectors: pending ?? 0,
  };
  const state = updateExtState(settings.dir, (before) => ({ ...before, updated }));
  const embedded = await embed(sync, state, run);
  return { counts, skipped, hasNewCollections: registered.hasNew, ...embedded };
}

/** A refresh that found nothing to do. */
export function unchanged(state: ExtState): ExtSyncResult {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: state.updated?.files ?? 0 };
  return { counts, skipped: [], state, hasNewCollections: false, embedFailure: undefined };
}

/** Embeds if it is due. If that fails, the index is still fresh, and `embedFailure` says why vectors are missing. */
async function embed(
  { settings, clock, modelsDir, embedsNow }: ExtSync,
  state: ExtState,
  run: Run,
) {
  const nowMs = clock.now();
  if (settings.mode === 'search' || !(embedsNow || isEmbeddingDue(state, settings, nowMs))) {
    return { state, embedFailure: undefined };
  }
  linkModels(settings.dir, modelsDir);
  const recordEmbedding = (failures: number, withoutVectors: number | undefined): ExtState =>
    updateExtState(settings.dir, ({ updated, ...before }) => ({
      ...before,
      ...(updated === undefined
        ? {}
        : { updated: { ...updated, withoutVectors: withoutVectors ?? updated.withoutVectors } }),
      embedded: { atMs: nowMs, failures },
    }));
  try {
    await run(['embed'], settings.update.embedTimeoutMs);
    return { state: recordEmbedding(0, 0), embedFailure: undefined };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return {
      state: recordEmbedding((state.embedded?.failures ?? 0) + 1, undefined),
      embedFailure: error,
    };
  }
}

/** At the interval when vectors are missing; less and less often after failures. */
function isEmbeddingDue(
  { embedded, updated }: ExtState,
  { update }: ExtSettings,
  nowMs: number,
): boolean {
  if (embedded === undefined) return true;
  const { atMs, failures } = embedded;
  if (failures > 0) {
    const waitMs = backoffMs(failures, FIRST_EMBED_WAIT_MS, LONGEST_EMBED_WAIT_MS);
    return !isWithin(atMs, nowMs, waitMs);
  }
  const isWanted = updated?.withoutVectors !== 0 && update.embedIntervalMs > 0;
  return isWanted && !isWithin(atMs, nowMs, update.embedIntervalMs);
}

/** Lets the program use the user's models instead of downloading its own. */
function linkModels(dir: string, modelsDir: string): void {
  const link = join(dir, 'cache', 'qmd', 'models');
  if (!existsSync(modelsDir) || existsSync(link)) return;
  try {
    makeFolders(join(dir, 'cache', 'qmd'));
    // A dangling link.
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link);
    symlinkSync(modelsDir, link);
  } catch {
    // Another process was first, or links are not supported: the program downloads its own models.
  }
}

/** A refresh as a sync summary. */
export function summaryOf(
  { counts, skipped, embedFailure }: ExtSyncResult,
  durationMs: number,
  isForced: boolean,
): SyncSummary {
  const { added, changed, removed, unchanged } = counts;
  return {
    outcome: added + changed + removed === 0 ? 'unchanged' : 'updated',
    ...(isForced ? { rebuild: { reason: 'forced', detail: '--force' } } : {}),
    added,
    changed,
    removed,
    renamed: 0,
    unchanged,
    skipped,
    chunks: 0,
    bytes: 0,
    durationMs,
    ...(embedFailure === undefined ? {} : { warnings: [withoutVectors(embedFailure)] }),
  };
}

function withoutVectors({ message, hint }: ToolFailure): Warning {
  return { code: 'EMBEDDINGS_PENDING', message: `some vectors are missing: ${message}`, hint };
}

function sumOf(a: UpdateCounts, b: UpdateCounts): UpdateCounts {
  return {
    added: a.added + b.added,
    changed: a.changed + b.changed,
    // Collections that were just added are not scanned twice.
    unchanged: Math.max(0, b.unchanged - a.added - a.unchanged),
    removed: a.removed + b.removed,
  };
}

/** Deletes the program's index of an agent, and its recorded state. */
export function removeExtIndex(dir: string): boolean {
  const indexFile = toolIndexFile(dir);
  const existed = existsSync(indexFile);
  for (const ending of ['', '-wal', '-shm', '-journal'])
    rmSync(indexFile + ending, { force: true });
  rmSync(join(dir, 'config', 'qmd'), { recursive: true, force: true });
  makeFolders(join(dir, 'config', 'qmd'));
  rmSync(extStateFile(dir), { force: true });
  return existed;
}
