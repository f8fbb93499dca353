import { existsSync } from 'node:fs';
import { resolveWorkspace } from '../memory/sources/index.js';
import { inRolledBackTransaction } from '../sqlite/database.js';
import type { ProcessLockOptions } from '../sqlite/process-lock.js';
import { anySignal } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { dayFormatter } from '../support/day.js';
import type { ClaimKey } from './claims/claim-words.js';
import type { DreamTarget } from './dream-targets.js';
import type { DreamWorkspace } from './dream-workspace.js';
import { type MemoryChanger, recoverChanges } from './promotion/change-memory.js';
import { ingestRecalls } from './recall-log/ingest-recalls.js';
import type { SharedRecalls } from './recall-log/shared-recalls.js';
import type { Moment } from './scoring/score.js';
import { type OpenDreams, withDreams, withLockedDreams } from './store/dream-database.js';
import { nextPromotions } from './sweep/deep-phase.js';
import { openSources, type PhaseContext, type SharedMemories } from './sweep/dream-sources.js';
import { gatherStatements, lightPhase, recentMessages } from './sweep/light-phase.js';
import { remPhase } from './sweep/rem-phase.js';

/**
 * Reads what is recorded about a workspace, including searches since the last sweep. While a sweep runs, it
 * does not wait: the sweep ingests those searches itself.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE; what `read` throws
 */
export async function withCurrentDreams<T>(
  target: DreamTarget,
  signal: AbortSignal,
  read: (dreams: OpenDreams) => T | Promise<T>,
): Promise<T> {
  await ingestNew(target, signal);
  return withDreams(target.workspace, read);
}

/**
 * Reads what the next sweep will have when it starts promoting, and which claims it would write to `MEMORY.md`: new
 * searches and statements are recorded, and the score boosts of its earlier phases apply while `read` runs. While a
 * sweep runs, or without a workspace, this reads the same as withCurrentDreams.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE, DREAM_FILE_REFUSED, FORGET_LIST_INVALID; what `read` throws
 */
export async function withNextSweep<T>(
  target: DreamTarget,
  { nowMs, signal }: Moment,
  read: (dreams: Pick<OpenDreams, 'entries'>, next: ReadonlySet<ClaimKey>) => T | Promise<T>,
): Promise<T> {
  const { workspace, settings, timeZone } = target;
  if (!existsSync(workspace.dir)) {
    return withCurrentDreams(target, signal, (dreams) => read(dreams, new Set()));
  }
  await ingestNew(target, signal);
  const sources = await openSources(target);
  const dayOf = dayFormatter(timeZone);
  const { phases } = settings;
  const moment = { nowMs, day: dayOf(nowMs), dayOf, dayStartMs: nowMs, signal };
  const shared = { dir: resolveWorkspace(workspace.dir), sources, phases, ...moment };
  const readNow = async (dreams: OpenDreams): Promise<T> =>
    read(dreams, await nextPromotions({ ...dreams, ...shared }));
  const found = await withIdleDreams(workspace, signal, async (dreams) => {
    const { database } = dreams;
    const context: PhaseContext = { ...dreams, ...shared };
    const messages = phases.light.enabled ? await recentMessages(context) : [];
    // Statements are recorded so that a person can decide on them; scores change only in a sweep.
    if (phases.light.enabled) gatherStatements(context, messages);
    return inRolledBackTransaction(database, () => {
      if (phases.light.enabled) lightPhase(context, messages);
      if (phases.rem.enabled) remPhase(context);
      return readNow(dreams);
    });
  });
  return found === undefined ? withCurrentDreams(target, signal, readNow) : found.result;
}

/** Works on what is recorded about a workspace, or not at all while another process does: a sweep takes minutes. */
async function withIdleDreams<T>(
  workspace: DreamWorkspace,
  signal: AbortSignal,
  work: (dreams: OpenDreams) => T | Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const busy = new AbortController();
  const once = { signal: anySignal([signal, busy.signal]), onWait: () => busy.abort() };
  try {
    return { result: await withLockedDreams(workspace, once, work) };
  } catch (error) {
    if (busy.signal.aborted && error === busy.signal.reason) return undefined;
    throw error;
  }
}

async function ingestNew(
  { workspace, timeZone, agentSources }: DreamTarget,
  signal: AbortSignal,
): Promise<void> {
  const { shared } = agentSources;
  if (!existsSync(workspace.files.recallLog) && shared === undefined) return;
  await withIdleDreams(workspace, signal, async (dreams) => {
    const logs = shared === undefined ? [] : await openLogs(shared);
    const dayOf = dayFormatter(timeZone);
    await ingestRecalls({ ...dreams, workspace, logs, dayOf, rotates: true });
  });
}

async function openLogs({ places, context }: SharedMemories): Promise<readonly SharedRecalls[]> {
  const { SharedRecalls } = await import('./recall-log/shared-recalls.js');
  return Promise.all(places.map((place) => SharedRecalls.open(place, context)));
}

/** What every change made by hand needs. */
export interface ManualChangeOptions extends ProcessLockOptions {
  readonly clock: Clock;
}

/**
 * Changes what is recorded about a workspace, under the lock that sweeps hold and after cleaning up behind
 * killed sweeps.
 *
 * @throws SvcError DREAM_STORE_*; what the work throws
 */
export async function changeDreams<T>(
  { workspace }: DreamTarget,
  { clock, signal, onWait }: ManualChangeOptions,
  work: (changer: MemoryChanger) => T | Promise<T>,
): Promise<T> {
  return withLockedDreams(workspace, { signal, onWait }, (dreams) => {
    const changer: MemoryChanger = {
      ...dreams,
      dir: resolveWorkspace(workspace.dir),
      backupDir: workspace.files.backupDir,
      nowMs: clock.now(),
      dryRun: false,
    };
    recoverChanges(changer);
    return work(changer);
  });
}
