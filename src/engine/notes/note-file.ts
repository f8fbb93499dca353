import { isAbsolute, posix, relative, sep } from 'node:path';
import { MEMORY_FILE } from '../dreaming/promotion/change-memory.js';
import { MEMORY_TITLE } from '../dreaming/promotion/memory-file.js';
import { SvcError } from '../errors/index.js';
import {
  MEMORY_FOLDER,
  type MemoryFilesOptions,
  type NotMemory,
  whyNoMemory,
} from '../memory/sources/index.js';
import { isInside, realTarget } from '../support/files.js';

/** The day's note, by a name that needs no date. */
export const TODAY = 'today';

/** Names have up to 255 bytes in most file systems, and the temporary file next to it has a longer one. */
const LONGEST_NAME_BYTES = 230;

/** A file of a workspace to write to. */
export interface NoteFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  /** The heading of a new file. */
  readonly title: string;
}

/**
 * The file that `--file` names. An agent reads some files of its workspace as instructions, so only files of memory
 * can be written.
 *
 * @param dir the workspace's real path
 * @throws SvcError NOTE_INVALID
 */
export function noteFile(
  name: string,
  {
    dir,
    day,
    files,
  }: {
    readonly dir: string;
    readonly day: string;
    readonly files: Pick<MemoryFilesOptions, 'exclude' | 'layout'>;
  },
): NoteFile {
  if (name === TODAY) return { path: `${MEMORY_FOLDER}/${day}.md`, title: day };
  const path = pathInside(name, dir);
  if (path === undefined) throw refused(name, 'it is outside the workspace');
  if (/\p{Cc}/u.test(path)) throw refused(name, 'its name contains control characters');
  if (Buffer.byteLength(posix.basename(path)) > LONGEST_NAME_BYTES) {
    throw refused(name, `its name is longer than ${LONGEST_NAME_BYTES} bytes`);
  }
  const why = whyNoMemory(files, dir, path);
  if (why !== undefined) throw refused(name, REASONS[why]);
  const title = path === MEMORY_FILE ? MEMORY_TITLE : posix.basename(path, posix.extname(path));
  return { path, title };
}

const REASONS: Readonly<Record<NotMemory, string>> = {
  excluded: 'memory excludes it',
  ignored_folder: 'folders named .git and node_modules are not part of memory',
  other_kind: 'its name must end in .md',
  outside: 'it is not a file of memory',
};

function pathInside(name: string, dir: string): string | undefined {
  if (name.includes('\0')) return undefined;
  const place = isAbsolute(name) ? realTarget(name) : undefined;
  if (isAbsolute(name) && (place === undefined || !isInside(place, dir))) return undefined;
  const given = place === undefined ? name : relative(dir, place);
  const path = posix.normalize(sep === '\\' ? given.replaceAll('\\', '/') : given);
  return path === '..' || path.startsWith('../') || isAbsolute(path) ? undefined : path;
}

function refused(name: string, why: string): SvcError {
  return new SvcError('NOTE_INVALID', `cannot add to ${name}: ${why}`, {
    hint: 'pass "today", MEMORY.md, or a path like memory/projects.md',
  });
}
