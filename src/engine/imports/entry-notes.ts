import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError, systemReason } from '../errors/index.js';
import { makeFolders, PRIVATE_MODE } from '../support/files.js';
import { groupBy } from '../support/lists.js';
import { isInside, realTarget } from '../support/paths.js';
import { replaceFile } from '../support/replace-file.js';
import type { ImportedEntry } from './imported.js';

/** A note with entries that it does not have yet. */
export interface PlannedNote {
  /** Absolute path. */
  readonly file: string;
  readonly day: string;
  readonly entries: readonly ImportedEntry[];
}

/** Larger notes are not of an import. */
const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/**
 * The notes to write: one per day, with the entries that an earlier import has not written.
 *
 * @throws SvcError IMPORT_FAILED
 */
export function planNotes(
  folder: string,
  entries: readonly ImportedEntry[],
): readonly PlannedNote[] {
  const days = groupBy(entries, ({ day }) => day);
  return [...days].flatMap(([day, all]) => {
    const file = join(folder, `${day}.md`);
    const { text: written } = readNote(file);
    const missing = all.filter(({ id }) => !written.includes(markOf(id)));
    return missing.length === 0 ? [] : [{ file, day, entries: missing }];
  });
}

/**
 * Adds the entries to their notes. What is in a note stays.
 *
 * @throws SvcError IMPORT_FAILED
 */
export function writeNotes(
  workspaceDir: string,
  folder: string,
  notes: readonly PlannedNote[],
  signal: AbortSignal,
): void {
  if (notes.length === 0) return;
  makeFolder(workspaceDir, folder);
  for (const { file, day, entries } of notes) {
    signal.throwIfAborted();
    const { text: before, mode } = readNote(file);
    const end = before.endsWith('\n') ? '' : '\n';
    const start = before === '' ? `# ${day}\n` : `${before}${end}`;
    const missing = entries.filter(({ id }) => !before.includes(markOf(id)));
    const added = missing.map(({ id, text }) => `\n${text}\n\n${markOf(id)}\n`);
    try {
      replaceFile(file, start + added.join(''), mode);
    } catch (cause) {
      throw noteWriteError(file, cause);
    }
  }
}

/** A link in the workspace could lead the notes elsewhere. */
function makeFolder(workspaceDir: string, folder: string): void {
  try {
    makeFolders(workspaceDir);
    const root = realpathSync(workspaceDir);
    const target = realTarget(folder);
    if (target !== undefined && isInside(target, root)) {
      makeFolders(folder);
      return;
    }
  } catch (cause) {
    throw noteWriteError(folder, cause);
  }
  throw new SvcError('IMPORT_FAILED', `${folder} is outside the workspace`, {
    hint: 'replace the symbolic link with a folder',
  });
}

function markOf(id: string): string {
  return `<!-- claude-mem ${id} -->`;
}

function readNote(file: string): { readonly text: string; readonly mode: number } {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return { text: '', mode: PRIVATE_MODE };
    const isNote = stats.isFile() && stats.size <= MAX_NOTE_BYTES;
    const bytes = isNote ? readFileSync(file) : undefined;
    // Invalid UTF-8 would be changed by writing it back.
    if (bytes !== undefined && isUtf8(bytes)) {
      return { text: bytes.toString('utf8'), mode: stats.mode & 0o777 };
    }
  } catch (cause) {
    throw noteWriteError(file, cause);
  }
  const why = 'a link, a folder, too large or not UTF-8';
  throw new SvcError('IMPORT_FAILED', `${file} is not a note: ${why}`, {
    hint: 'move it, then import again',
  });
}

function noteWriteError(file: string, cause: unknown): SvcError {
  return new SvcError('IMPORT_FAILED', `cannot write ${file}: ${systemReason(cause)}`, {
    hint: 'check the permissions and the free space of the folder; importing again continues',
    cause,
  });
}
