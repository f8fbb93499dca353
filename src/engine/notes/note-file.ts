import { isAbsolute, posix, relative, sep } from 'node:path';
import { MEMORY_FILE } from '../dreaming/promotion/change-memory.js';
import { MEMORY_TITLE } from '../dreaming/promotion/memory-file.js';
import { SvcError } from '../errors/index.js';
import { DREAM_REPORTS, MEMORY_FOLDER, ROOT_FILES } from '../memory/sources/index.js';
import { isInside, realTarget } from '../support/files.js';

/** The day's note, by a name that needs no date. */
export const TODAY = 'today';

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
 * @param layout `folder` is any folder of Markdown, in which every note is memory
 * @throws SvcError NOTE_INVALID
 */
export function noteFile(
  name: string,
  {
    dir,
    day,
    layout,
  }: { readonly dir: string; readonly day: string; readonly layout: 'agent' | 'folder' },
): NoteFile {
  if (name === TODAY) return { path: `${MEMORY_FOLDER}/${day}.md`, title: day };
  const path = pathInside(name, dir);
  if (path === undefined) throw refused(name, 'it is outside the workspace');
  if (!/\.(?:md|markdown)$/iu.test(path)) throw refused(name, 'it is not a Markdown file');
  const segments = path.split('/');
  if (segments.some((segment) => segment.startsWith('.') || /\p{Cc}/u.test(segment))) {
    throw refused(name, 'hidden files are not part of memory');
  }
  const isMemory =
    layout === 'folder' ||
    (segments[0] === MEMORY_FOLDER &&
      segments.length > 1 &&
      !path.startsWith(`${DREAM_REPORTS}/`)) ||
    ROOT_FILES.some((file) => file === path);
  if (!isMemory) throw refused(name, 'it is not a file of memory');
  const title = path === MEMORY_FILE ? MEMORY_TITLE : posix.basename(path, posix.extname(path));
  return { path, title };
}

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
