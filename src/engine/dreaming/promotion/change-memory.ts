import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import type { Connection } from '../../sqlite/database.js';
import type { ClaimKey } from '../claims/claim-words.js';
import type { RecallEntries } from '../store/recall-entries.js';
import type { MemoryChangeRecord, SweepRecord, SweepRecords } from '../store/sweep-records.js';
import { type GuardedFile, readGuarded, removeGuarded, writeGuarded } from './guarded-file.js';
import {
  type EditedMemory,
  type KeptOperation,
  promotedEntries,
  undoEdits,
} from './memory-file.js';

/** The long-term memory of a workspace. */
export const MEMORY_FILE = 'MEMORY.md';

/** What changing `MEMORY.md` works with. */
export interface MemoryChanger {
  readonly dir: string;
  readonly backupDir: string;
  readonly database: Connection;
  readonly entries: RecallEntries;
  readonly sweeps: SweepRecords;
  readonly nowMs: number;
  /** Everything is worked out and nothing is written. */
  readonly dryRun: boolean;
}

/** What a plan for a text of `MEMORY.md` comes to. */
export interface PlannedChange extends EditedMemory {
  readonly decided: readonly ClaimKey[];
}

/** A person may save the file in the very moment; then the plan is made anew, so many times. */
const MOST_TRIES = 3;

/**
 * Changes `MEMORY.md` and records it, so that a crash at any point leaves the file as it was or as it was
 * to be, and the next sweep knows which: the plan is recorded first, then the file is replaced, then the
 * claims are marked.
 *
 * @param plan makes the change for the present text; called again when the file changes meanwhile
 * @throws SvcError DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY
 */
export function changeMemory(
  changer: MemoryChanger,
  sweep: SweepRecord,
  plan: (text: string) => PlannedChange,
): SweepRecord {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = readGuarded(changer.dir, MEMORY_FILE);
    const change = plan(file.text);
    const isNothing = change.decided.length === 0 && change.operations.length === 0;
    if (isNothing || changer.dryRun) return sweep;
    const planned = recordPlan(changer, sweep, file, change);
    if (readGuarded(changer.dir, MEMORY_FILE).text !== file.text) continue;
    if (change.text !== file.text) writeGuarded(file, change.text);
    return settle(changer, planned);
  }
  changer.sweeps.put({ ...sweep, memory: { state: 'untouched' } });
  throw busy('run');
}

type PlannedSweep = SweepRecord & { readonly memory: MemoryChangeRecord };

function recordPlan(
  { sweeps, backupDir }: MemoryChanger,
  sweep: SweepRecord,
  file: GuardedFile,
  change: PlannedChange,
): PlannedSweep {
  const backupFile = file.exists ? join(backupDir, `${sweep.id}.md`) : undefined;
  if (backupFile !== undefined) {
    mkdirSync(backupDir, { recursive: true, mode: 0o700 });
    replaceFile(backupFile, file.text, PRIVATE_MODE);
  }
  const { operations, decided } = change;
  const memory = {
    state: 'planned',
    beforeDigest: digestOf(file.text),
    afterDigest: digestOf(change.text),
    backupFile,
    operations,
    decided,
  } as const;
  const planned = { ...sweep, memory };
  sweeps.put(planned);
  return planned;
}

/** Marks what was written: the claims are promoted, the change is applied. */
function settle(
  { database, entries, sweeps, nowMs }: MemoryChanger,
  sweep: PlannedSweep,
): SweepRecord {
  const applied: SweepRecord = { ...sweep, memory: { ...sweep.memory, state: 'applied' } };
  const run = database.transaction(() => {
    for (const key of sweep.memory.decided) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      entries.put({ ...entry, state: { fate: 'promoted', atMs: nowMs, sweepId: sweep.id } });
    }
    sweeps.put(applied);
  });
  run.immediate();
  return applied;
}

/** Ends what killed sweeps began: a change that reached the file is recorded, one that did not is dropped. */
export function recoverChanges(changer: MemoryChanger): void {
  for (const sweep of changer.sweeps.planned()) {
    const { memory } = sweep;
    if (memory.state !== 'planned') continue;
    const { text } = readGuarded(changer.dir, MEMORY_FILE);
    const isThere =
      digestOf(text) === memory.afterDigest ||
      promotedEntries(text).some(({ sweepId }) => sweepId === sweep.id);
    if (isThere) settle(changer, { ...sweep, memory });
    else changer.sweeps.put({ ...sweep, memory: { state: 'untouched' } });
  }
}

/** What taking a sweep back came to. */
export interface UndoResult {
  readonly sweep: SweepRecord;
  /** What a person changed since, and what therefore stays. */
  readonly kept: readonly KeptOperation[];
  /** Entries taken back. */
  readonly undone: number;
}

/**
 * Takes back what a sweep wrote into `MEMORY.md`, and the file itself when the sweep made it and nothing
 * else is in it. The claims count as rejected from then on: who takes back an entry does not want it again
 * the next night. Killed on the way, the same undo ends it.
 *
 * @throws SvcError DREAM_SWEEP_UNKNOWN when the sweep wrote nothing, DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY
 */
export function undoSweep(changer: MemoryChanger, sweep: SweepRecord): UndoResult {
  const { database, entries, sweeps, nowMs } = changer;
  const { memory } = sweep;
  if (memory.state !== 'applied') {
    const why = memory.state === 'undone' ? 'was taken back already' : 'wrote nothing';
    throw new SvcError('DREAM_SWEEP_UNKNOWN', `the sweep ${sweep.id} ${why}`, {
      hint: 'svc dream list shows the sweeps that ran',
    });
  }
  const kept = takeBack(changer.dir, memory);
  const undoneSweep: SweepRecord = { ...sweep, memory: { ...memory, state: 'undone' } };
  const keptKeys = new Set(kept.filter(({ why }) => why === 'edited').map(({ key }) => key));
  const run = database.transaction(() => {
    for (const operation of memory.operations) {
      if (operation.kind === 'frame' || operation.kind === 'retire') continue;
      const entry = entries.get(operation.key);
      if (entry === undefined || keptKeys.has(operation.key)) continue;
      entries.put({ ...entry, state: { fate: 'rejected', atMs: nowMs } });
    }
    sweeps.put(undoneSweep);
  });
  run.immediate();
  const written = memory.operations.filter(({ kind }) => kind !== 'frame').length;
  return { sweep: undoneSweep, kept, undone: written - kept.length };
}

/** @returns what stays */
function takeBack(
  dir: string,
  { operations, backupFile }: MemoryChangeRecord,
): readonly KeptOperation[] {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = readGuarded(dir, MEMORY_FILE);
    const { text, kept } = undoEdits(file.text, operations);
    if (readGuarded(dir, MEMORY_FILE).text !== file.text) continue;
    if (text === '' && (backupFile === undefined || !file.exists)) removeGuarded(file);
    else writeGuarded(file, text);
    return kept;
  }
  throw busy('undo');
}

function busy(command: string): SvcError {
  return new SvcError('DREAM_MEMORY_BUSY', 'MEMORY.md kept changing; nothing was written', {
    hint: `run "svc dream ${command}" again`,
  });
}

function digestOf(text: string): string {
  return hash('sha256', text);
}
