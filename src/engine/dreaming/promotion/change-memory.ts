import { hash } from 'node:crypto';
import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import {
  changeGuarded,
  type GuardedFile,
  MEMORY_FILE,
  MOST_TRIES,
  readGuarded,
  removeGuarded,
  requireWritable,
  writeGuarded,
} from '../../memory-files/guarded-file.js';
import { lineEndAfter } from '../../memory-files/insertion.js';
import { inWriteTransaction } from '../../sqlite/database.js';
import { makeFolders, PRIVATE_MODE } from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { eolOf } from '../../support/text.js';
import type { ClaimKey } from '../claims/claim-words.js';
import type { RecallEntry } from '../scoring/recall-entry.js';
import type { OpenDreams } from '../store/dream-database.js';
import { type SweepRecord, UNCHANGED, unknownSweep } from '../store/sweep-records.js';
import { contains, knownMemory } from './compare.js';
import {
  blockOf,
  type EditedMemory,
  type KeptOperation,
  type MemoryOperation,
  promotedEntries,
  type RetiredEntry,
  undoEdits,
} from './memory-file.js';

/** What changing `MEMORY.md` needs. */
export interface MemoryChanger extends Pick<OpenDreams, 'database' | 'entries' | 'sweeps'> {
  /** The workspace's real path. */
  readonly dir: string;
  readonly backupDir: string;
  readonly nowMs: number;
  /** Plan everything and write nothing. */
  readonly dryRun: boolean;
}

/** Edits to `MEMORY.md` and the claims they settle. */
export interface PlannedChange extends EditedMemory {
  readonly decided: readonly ClaimKey[];
}

/**
 * Changes `MEMORY.md` so that after a crash at any point the file has either its old or its new text, and
 * the next sweep knows which: the plan is recorded first, then the file replaced, then the claims marked.
 * Entries that leave it are in the archive before; if the file is then not replaced, they are removed from there.
 *
 * @param plan makes the change for the current text; called again if the file changes meanwhile
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
    const isEmpty = change.decided.length === 0 && change.operations.length === 0;
    if (isEmpty || changer.dryRun) return sweep;
    // Before a plan is recorded, which would be completed later.
    requireWritable(file);
    const archive = readGuarded(changer.dir, archivePath(sweep.day));
    const archived = appendRetired(archive.text, change.retired, sweep.day);
    const operations = [...change.operations, ...archived.operations];
    const planned = recordPlan(changer, sweep, file, { ...change, operations });
    const isArchived = archived.text === archive.text || writeGuarded(archive, archived.text);
    if (isArchived && writeGuarded(file, change.text)) return markApplied(changer, planned);
    undoArchived(changer.dir, operations);
  }
  changer.sweeps.put({ ...sweep, ...UNCHANGED });
  throw busy('run');
}

/** The text that a file of the workspace would have. */
export interface PlannedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly text: string;
}

/** The files that a change would write; none if it changes nothing. @param day of the sweep, `YYYY-MM-DD` */
export function plannedFiles(
  dir: string,
  change: EditedMemory,
  day: string,
): readonly PlannedFile[] {
  if (change.operations.length === 0) return [];
  const path = archivePath(day);
  const { text, operations } = appendRetired(readGuarded(dir, path).text, change.retired, day);
  const archive = operations.length === 0 ? [] : [{ path, text }];
  return [{ path: MEMORY_FILE, text: change.text }, ...archive];
}

function recordPlan(
  { sweeps, backupDir }: MemoryChanger,
  sweep: SweepRecord,
  file: GuardedFile,
  change: PlannedChange,
): SweepRecord {
  const backupFile = file.exists ? join(backupDir, `${sweep.id}.md`) : null;
  if (backupFile !== null) {
    makeFolders(backupDir);
    replaceFile(backupFile, file.text, PRIVATE_MODE);
  }
  const planned: SweepRecord = {
    ...sweep,
    memoryState: 'planned',
    beforeDigest: hash('sha256', file.text),
    afterDigest: hash('sha256', change.text),
    backupFile,
    operations: change.operations,
    promoted: change.decided,
  };
  sweeps.put(planned);
  return planned;
}

function markApplied(
  { database, entries, sweeps, nowMs }: MemoryChanger,
  sweep: SweepRecord,
): SweepRecord {
  const applied: SweepRecord = { ...sweep, memoryState: 'applied' };
  inWriteTransaction(database, () => {
    for (const key of sweep.promoted) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      // One that was there already is still the work of the sweep that wrote it.
      const wroteNothing = sweep.operations.length === 0;
      if (wroteNothing && entry.fate === 'promoted') continue;
      entries.put({ ...entry, fate: 'promoted', fateMs: nowMs, fateSweep: sweep.id });
    }
    sweeps.put(applied);
  });
  return applied;
}

/** Completes killed sweeps: a change that reached the file is recorded, any other is dropped. */
export function recoverChanges(changer: MemoryChanger): void {
  for (const sweep of changer.sweeps.planned()) {
    if (isApplied(readGuarded(changer.dir, MEMORY_FILE).text, sweep)) {
      markApplied(changer, sweep);
      continue;
    }
    if (!changer.dryRun) undoArchived(changer.dir, sweep.operations);
    changer.sweeps.put({ ...sweep, ...UNCHANGED });
  }
}

/** Whether a planned change reached the file, which a person may have edited since. */
function isApplied(text: string, sweep: SweepRecord): boolean {
  const digest = hash('sha256', text);
  if (digest === sweep.afterDigest) return true;
  if (digest === sweep.beforeDigest) return false;
  const retired = sweep.operations.filter((operation) => operation.kind === 'retire');
  return (
    promotedEntries(text).some(({ sweepId }) => sweepId === sweep.id) ||
    (retired.length > 0 && retired.every(({ before }) => !text.includes(before)))
  );
}

/** The result of undoing a sweep. */
export type UndoResult = ReturnType<typeof undoRecordedSweep>;

/**
 * Undoes what a sweep wrote to `MEMORY.md`, and deletes the file if the sweep created it and nothing else is
 * in it. Its claims are then rejected, so that the next sweep does not promote them again. A sweep of which only
 * edited entries are left stays applied. An undo that was killed is completed by running it again.
 *
 * @throws SvcError DREAM_SWEEP_UNKNOWN if the sweep wrote nothing, DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY
 */
export function undoRecordedSweep(changer: MemoryChanger, sweep: SweepRecord) {
  const { database, entries, sweeps, nowMs } = changer;
  if (sweep.memoryState !== 'applied') {
    const why = isUndone(sweep) ? 'was already undone' : 'changed nothing';
    throw unknownSweep(`sweep ${sweep.id} ${why}`);
  }
  const kept = undoOperations(changer, sweep);
  const written = sweep.operations.filter((operation) => archiveOf(operation) === undefined);
  const changes = written.filter(({ kind }) => kind !== 'frame').length;
  const undone = changes - kept.length;
  const edited = new Set(kept.filter(({ why }) => why === 'edited').map(({ key }) => key));
  const memoryState = edited.size === 0 ? 'undone' : undone > 0 ? 'partly_undone' : 'applied';
  const after: SweepRecord = { ...sweep, memoryState };
  const removed = knownMemory(written.map(writtenBlock).join('\n'));
  const left = knownMemory(readGuarded(changer.dir, MEMORY_FILE).text);
  const isNowMissing = ({ text }: RecallEntry): boolean =>
    contains(removed, text) && !contains(left, text);
  const own = new Set(written.flatMap((one) => (one.kind === 'frame' ? [] : [one.key])));
  inWriteTransaction(database, () => {
    for (const entry of entries.since(0)) {
      // Also other wordings of a removed entry, which sweeps did not write because that entry covered them.
      const isSettled = entry.fate === 'promoted' || own.has(entry.key);
      if (!isSettled || !isNowMissing(entry)) continue;
      entries.put({ ...entry, fate: 'rejected', fateMs: nowMs, fateSweep: null });
    }
    sweeps.put(after);
  });
  return {
    sweep: after,
    /** Operations that were not undone because a person changed the entry. */
    kept,
    /** Number of entries undone. */
    undone,
  };
}

/** What an operation added to `MEMORY.md`. */
export function writtenBlock(operation: MemoryOperation): string {
  if (operation.kind === 'add') return operation.inserted;
  return operation.kind === 'replace' ? operation.after : '';
}

/** @returns the operations that could not be undone */
function undoOperations(
  { dir, sweeps }: MemoryChanger,
  sweep: SweepRecord,
): readonly KeptOperation[] {
  const { operations: all, backupFile, afterDigest } = sweep;
  const operations = all.filter((operation) => archiveOf(operation) === undefined);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = readGuarded(dir, MEMORY_FILE);
    const { text: restored, kept } = undoEdits(file.text, operations);
    const text = withoutUndone(restored, file.text, sweeps);
    // What is missing from a file that nobody else has changed was removed by an undo that was killed.
    const isOwn = hash('sha256', file.text) === afterDigest;
    if (text !== file.text) {
      requireWritable(file);
      sweeps.put({ ...sweep, memoryState: 'applied', afterDigest: hash('sha256', text) });
    }
    if (text === '' && (backupFile === null || !file.exists)) {
      if (!removeGuarded(file)) continue;
    } else if (!writeGuarded(file, text)) continue;
    // Last, so that a retired entry is in one of the files at any time. It does not come back if the entry that
    // replaced it was edited or deleted.
    const restoredKeys = new Set(promotedEntries(restored).map(({ key }) => key));
    undoArchived(
      dir,
      all.filter((operation) => operation.kind !== 'archive' || restoredKeys.has(operation.key)),
    );
    return isOwn ? kept.filter(({ why }) => why === 'edited') : kept;
  }
  throw busy('undo');
}

/** Removes restored entries whose own sweep was undone while a later entry was in their place. */
function withoutUndone(
  restored: string,
  before: string,
  sweeps: Pick<MemoryChanger['sweeps'], 'get'>,
): string {
  const known = new Set(promotedEntries(before).map(({ key }) => key));
  return promotedEntries(restored).reduce((text, { key, sweepId }) => {
    const sweep = sweeps.get(sweepId);
    if (known.has(key) || sweep === undefined || !isUndone(sweep)) return text;
    const own = sweep.operations.filter((operation) => archiveOf(operation) === undefined);
    return undoEdits(text, own).text;
  }, restored);
}

export function isUndone({ memoryState }: SweepRecord): boolean {
  return memoryState === 'undone' || memoryState === 'partly_undone';
}

/** Removes a sweep's entries from the archive; those that a person edited stay. */
function undoArchived(dir: string, all: readonly MemoryOperation[]): void {
  for (const path of new Set(all.flatMap((operation) => archiveOf(operation) ?? []))) {
    const own = all.filter((operation) => archiveOf(operation) === path);
    changeGuarded(
      () => readGuarded(dir, path),
      ({ text }) => undoEdits(text, own).text || undefined,
    );
  }
}

/** The archive that an operation changed; undefined for `MEMORY.md`. */
function archiveOf(operation: MemoryOperation): string | undefined {
  return 'path' in operation ? operation.path : undefined;
}

function busy(command: string): SvcError {
  return new SvcError('DREAM_MEMORY_BUSY', 'MEMORY.md keeps changing; nothing was written', {
    hint: `run "svc dream ${command}" again`,
  });
}

/** Where a month's retired entries are, relative to the workspace; an ordinary note for search. */
function archivePath(day: string): string {
  return `memory/archive/${day.slice(0, 7)}.md`;
}

/**
 * Appends retired entries to a month's archive, with where they came from and why they were retired. What was
 * superseded says until when it was true, so that nobody takes it for current.
 *
 * @param day of the sweep, `YYYY-MM-DD`
 */
function appendRetired(text: string, retired: readonly RetiredEntry[], day: string) {
  const path = archivePath(day);
  const end = eolOf(text);
  const operations: MemoryOperation[] = [];
  let edited = text;
  const append = (inserted: string): string => {
    edited += inserted;
    return inserted;
  };
  if (text.trim() === '' && retired.length > 0) {
    const title = `# Retired From Long-Term Memory (${day.slice(0, 7)})${end}${end}`;
    operations.push({ kind: 'frame', inserted: append(title), path });
  }
  for (const { entry, because } of retired) {
    const until = because.why === 'superseded' ? `Until ${because.until}: ` : '';
    const gap = lineEndAfter(edited, end);
    const block = blockOf({ entry, text: until + entry.text }, end, { ...because, on: day });
    operations.push({ kind: 'archive', key: entry.key, inserted: append(gap + block), path });
  }
  return { text: edited, operations };
}
