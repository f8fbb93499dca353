import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Minder } from '../../../child/minder.js';
import type { Clock } from '../../../context.js';
import type { Warning } from '../../../errors/index.js';
import type { SyncEvent, SyncSummary } from '../../sync/events.js';
import type { SkippedFile } from '../../types.js';
import type { ExtSettings } from './ext-settings.js';
import { type ExtState, type LastUpdate, updateExtState } from './ext-state.js';
import { listCollections, type Run, tellCollections } from './tell-collections.js';
import type { ToolFeatures } from './tool/features.js';
import { type Tool, toolPlaces } from './tool/open-tool.js';
import { readCounts, readPending, type UpdateCounts } from './tool/read-answer.js';
import { commandOf, runTool, type ToolOutput } from './tool/run-tool.js';
import { ToolFailure } from './tool/tool-failure.js';

/** What a refresh of the program's index works with. */
export interface ExtSyncTarget {
  readonly settings: ExtSettings;
  readonly tool: Tool;
  readonly features: ToolFeatures;
  readonly clock: Clock;
  /** Writes conversations as Markdown. */
  readonly exportSessions: () => Promise<readonly SkippedFile[]>;
  /** What the files look like; see treeOf. */
  readonly tree: () => string | null;
  /** Where a person's own models lie; undefined where there are none. */
  readonly modelsDir: string | undefined;
}

/** How a refresh is done. */
export interface ExtSyncOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  /** Make vectors now, whenever that was last done. */
  readonly embedsNow: boolean;
}

/** What a refresh did. */
export interface ExtSyncResult {
  readonly counts: UpdateCounts;
  readonly skipped: readonly SkippedFile[];
  readonly state: ExtState;
  /** Whether the program was told of collections that it did not have. */
  readonly hasNewCollections: boolean;
  /** Why there are not all vectors although the mode wants them. */
  readonly embedFailure: ToolFailure | undefined;
}

/** Vectors that could not be made are tried again after a minute, then less often, up to an hour. */
const FIRST_EMBED_WAIT_MS = 60_000;
const LONGEST_EMBED_WAIT_MS = 60 * 60_000;

/**
 * Brings the program's index in line with the files: exports conversations, tells it of collections that
 * came or went, lets it look at all others, makes vectors where the mode needs them. May be ended at any
 * point and begun again. Only one process may do so at a time.
 *
 * @throws ToolFailure; the signal's reason
 */
export async function syncExt(
  target: ExtSyncTarget,
  options: ExtSyncOptions,
): Promise<ExtSyncResult> {
  const startedMs = target.clock.now();
  const skipped = await target.exportSessions();
  const tree = target.tree();
  // What it does here may take minutes: killed, svc would leave it behind, and begin the same anew.
  const minder = new Minder(process.execPath);
  const run = (args: readonly string[], timeoutMs: number): Promise<ToolOutput> => {
    options.onEvent?.({ type: 'ext.running', command: commandOf(args) });
    return runTool(target.tool, args, { timeoutMs, signal: options.signal, mind: minder.mind });
  };
  try {
    return await refresh(target, options.embedsNow, { skipped, startedMs, tree }, run);
  } finally {
    minder.close();
  }
}

/** What was found out before the program is run. */
interface Beginning {
  readonly skipped: readonly SkippedFile[];
  readonly startedMs: number;
  readonly tree: string | null;
}

async function refresh(
  target: ExtSyncTarget,
  embedsNow: boolean,
  { skipped, startedMs, tree }: Beginning,
  run: Run,
): Promise<ExtSyncResult> {
  const { settings, clock } = target;
  const told = await tellCollections(settings, target.features, run);
  const update = told.kept
    ? await run(['update'], settings.update.updateTimeoutMs)
    : { stdout: told.stdout, stderr: '' };
  const listed = told.kept ? await listCollections(run, settings) : told.listed;
  const names = new Set(settings.collections().map(({ name }) => name));
  const files = listed
    .filter(({ name }) => names.has(name))
    .reduce((sum, collection) => sum + (collection.files ?? 0), 0);
  const updated: LastUpdate = {
    atMs: startedMs,
    tookMs: clock.now() - startedMs,
    files,
    tree,
    // It says nothing of them where nothing is missing.
    withoutVectors: readPending(update.stdout) ?? readPending(told.stdout) ?? 0,
  };
  const state = updateExtState(settings.dir, (before) => ({ ...before, updated }));
  const counts = told.kept
    ? sumOf(readCounts(told.stdout), readCounts(update.stdout))
    : readCounts(told.stdout);
  const embedded = await embed(target, state, embedsNow, run);
  return { counts, skipped, hasNewCollections: told.hasNew, ...embedded };
}

/** What came of a refresh that found nothing to do. */
export function unchanged(state: ExtState): ExtSyncResult {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: state.updated?.files ?? 0 };
  return { counts, skipped: [], state, hasNewCollections: false, embedFailure: undefined };
}

/** Vectors are upkeep of their own: what fails there leaves a fresh index. */
async function embed(
  target: ExtSyncTarget,
  state: ExtState,
  embedsNow: boolean,
  run: Run,
): Promise<Pick<ExtSyncResult, 'embedFailure' | 'state'>> {
  const { settings, clock, modelsDir } = target;
  const nowMs = clock.now();
  if (settings.mode === 'search' || !(embedsNow || isEmbeddingDue(state, settings, nowMs))) {
    return { state, embedFailure: undefined };
  }
  linkModels(settings.dir, modelsDir);
  const keep = (failures: number, withoutVectors: number | undefined): ExtState =>
    updateExtState(settings.dir, ({ updated, ...before }) => ({
      ...before,
      ...(updated === undefined
        ? {}
        : { updated: { ...updated, withoutVectors: withoutVectors ?? updated.withoutVectors } }),
      embedded: { atMs: nowMs, failures },
    }));
  try {
    await run(['embed'], settings.update.embedTimeoutMs);
    return { state: keep(0, 0), embedFailure: undefined };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { state: keep((state.embedded?.failures ?? 0) + 1, undefined), embedFailure: error };
  }
}

/** At its interval where something has no vector; after failures less and less often. */
function isEmbeddingDue(
  { embedded, updated }: ExtState,
  { update }: ExtSettings,
  nowMs: number,
): boolean {
  if (embedded === undefined) return true;
  const sinceMs = nowMs - embedded.atMs;
  if (embedded.failures > 0) {
    return (
      sinceMs >= Math.min(LONGEST_EMBED_WAIT_MS, FIRST_EMBED_WAIT_MS * 2 ** (embedded.failures - 1))
    );
  }
  const isWanted = updated?.withoutVectors !== 0 && update.embedIntervalMs > 0;
  return isWanted && sinceMs >= update.embedIntervalMs;
}

/** Lets the program use the models that the person has, instead of fetching its own. */
function linkModels(dir: string, modelsDir: string | undefined): void {
  const link = join(dir, 'cache', 'qmd', 'models');
  if (modelsDir === undefined || !existsSync(modelsDir) || existsSync(link)) return;
  try {
    mkdirSync(join(dir, 'cache', 'qmd'), { recursive: true, mode: 0o700 });
    // One that leads nowhere any more.
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link);
    symlinkSync(modelsDir, link);
  } catch {
    // Another process was first, or links cannot be made: then the program fetches its own.
  }
}

/** A refresh as every sync is told. */
export function summaryOf(
  { counts, skipped, embedFailure }: ExtSyncResult,
  durationMs: number,
  isForced: boolean,
): SyncSummary {
  const { added, changed, removed, unchanged } = counts;
  return {
    outcome: added + changed + removed === 0 ? 'unchanged' : 'updated',
    ...(isForced ? { rebuild: { reason: 'forced', detail: 'asked for' } } : {}),
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
  return { code: 'EMBEDDINGS_PENDING', message: `not all vectors were made: ${message}`, hint };
}

function sumOf(a: UpdateCounts, b: UpdateCounts): UpdateCounts {
  return {
    added: a.added + b.added,
    changed: a.changed + b.changed,
    // What was just added is looked at again.
    unchanged: Math.max(0, b.unchanged - a.added - a.unchanged),
    removed: a.removed + b.removed,
  };
}

/** Deletes the program's index of an agent, and all that is remembered of it. */
export function removeExtIndex(dir: string): boolean {
  const { indexFile } = toolPlaces(dir);
  const was = existsSync(indexFile);
  for (const ending of ['', '-wal', '-shm', '-journal'])
    rmSync(indexFile + ending, { force: true });
  rmSync(join(dir, 'config', 'qmd'), { recursive: true, force: true });
  mkdirSync(join(dir, 'config', 'qmd'), { recursive: true, mode: 0o700 });
  rmSync(join(dir, 'state.json'), { force: true });
  return was;
}
