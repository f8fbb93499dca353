import { join, relative } from 'node:path';
import { SvcError, systemReason } from '../errors/index.js';
import { changeGuarded, type GuardedFile, readGuarded } from '../memory-files/guarded-file.js';
import { dayFormatter, daysBefore } from '../support/day.js';
import { ifThere, makeFolders, realPath } from '../support/files.js';
import { groupBy } from '../support/lists.js';
import type { ImportedEntry } from './imported.js';

/** A note with entries that it does not have yet. */
export type PlannedNote = ReturnType<typeof planNotes>[number];

/** Larger notes are not of an import. */
const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/**
 * The notes to write: one per day, with the entries that an earlier import has not written.
 *
 * @param folder of the notes, in the workspace
 * @param timeZone of the days; undefined means the host's
 * @throws SvcError IMPORT_FAILED
 */
export function planNotes(
  workspaceDir: string,
  folder: string,
  entries: readonly ImportedEntry[],
  timeZone: string | undefined,
) {
  const dir = noteAccess(workspaceDir, () => ifThere(() => realPath(workspaceDir)));
  const dayOf = dayFormatter(timeZone);
  const days = groupBy(entries, ({ atMs }) => dayOf(atMs));
  const fileOf = (day: string): string => join(folder, `${day}.md`);
  // In another time zone, an earlier import wrote some of them to the day before or after.
  const around = (day: string) => [daysBefore(day, 1), day, daysBefore(day, -1)];
  const written = new Map(
    [...new Set([...days.keys()].flatMap(around))].map((day) => [
      day,
      dir === undefined ? '' : readNote(dir, relative(workspaceDir, fileOf(day))).text,
    ]),
  );
  return [...days].flatMap(([day, all]) => {
    const notes = around(day).map((near) => written.get(near) ?? '');
    const missing = all.filter(({ id }) => !notes.some((text) => text.includes(markOf(id))));
    return missing.length === 0 ? [] : [{ file: fileOf(day), day, entries: missing }];
  });
}

/**
 * Adds the entries to their notes. What is in a note stays.
 *
 * @throws SvcError IMPORT_FAILED
 */
export function writeNotes(
  workspaceDir: string,
  notes: readonly PlannedNote[],
  signal: AbortSignal,
): void {
  if (notes.length === 0) return;
  const dir = noteAccess(workspaceDir, () => {
    makeFolders(workspaceDir);
    return realPath(workspaceDir);
  });
  for (const { file, day, entries } of notes) {
    signal.throwIfAborted();
    const read = () => readNote(dir, relative(workspaceDir, file));
    const change = ({ text: before }: GuardedFile): string => {
      const end = before.endsWith('\n') ? '' : '\n';
      const start = before === '' ? `# ${day}\n` : `${before}${end}`;
      const missing = entries.filter(({ id }) => !before.includes(markOf(id)));
      const added = missing.map(({ id, text }) => `\n${text}\n\n${markOf(id)}\n`);
      return start + added.join('');
    };
    noteAccess(file, () => changeGuarded(read, change));
  }
}

function markOf(id: string): string {
  return `<!-- claude-mem ${id} -->`;
}

function readNote(dir: string, path: string) {
  return noteAccess(join(dir, path), () => readGuarded(dir, path, MAX_NOTE_BYTES));
}

/** Reads or writes notes with the error code of imports. @throws SvcError IMPORT_FAILED */
function noteAccess<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { message, hint } =
      cause instanceof SvcError
        ? cause
        : { message: `cannot write ${file}: ${systemReason(cause)}`, hint: undefined };
    throw new SvcError('IMPORT_FAILED', message, {
      hint:
        hint ?? 'check the permissions and the free space of the folder; importing again continues',
      cause,
    });
  }
}
