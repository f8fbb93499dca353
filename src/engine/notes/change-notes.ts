import { existsSync } from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { workspaceOfMemory } from '../dreaming/dream-targets.js';
import { type OpenDreams, withLockedDreams } from '../dreaming/store/dream-database.js';
import { messageOf, SvcError } from '../errors/index.js';
import type { OpenedMemory, SkippedFile } from '../memory/index.js';
import { skipWords } from '../memory/skip-words.js';
import {
  MEMORY_FOLDER,
  type MemoryFilesOptions,
  type NotMemory,
  resolveWorkspace,
  whyNoMemory,
} from '../memory/sources/index.js';
import { type GuardedFile, MEMORY_FILE, readGuarded } from '../memory-files/guarded-file.js';
import { MEMORY_TITLE } from '../memory-files/insertion.js';
import { type ProcessLockOptions, withProcessLock } from '../sqlite/process-lock.js';
import type { EngineContext } from '../support/context.js';
import { namesIn } from '../support/files.js';
import { isInside, realTarget } from '../support/paths.js';
import { folded } from '../support/text.js';

/** What every change of notes needs. */
export interface NoteOptions extends ProcessLockOptions {
  readonly context: Pick<EngineContext, 'clock' | 'state'>;
}

/** A workspace whose notes are changed, under the lock that sweeps of dreaming hold. */
export interface NoteChanger extends Pick<OpenDreams, 'captures' | 'writes'> {
  /** The workspace's real path. */
  readonly dir: string;
  readonly files: MemoryFilesOptions;
  readonly nowMs: number;
  readonly timeZone: string | undefined;
}

/**
 * Changes notes of a memory's workspace, after completing what a killed process began.
 *
 * @throws SvcError WORKSPACE_*, DREAM_STORE_*, NOTE_*; what the work throws
 */
export async function changeNotes<T>(
  { agent, agentId, sources }: Pick<OpenedMemory, 'agent' | 'agentId' | 'sources'>,
  { context, signal, onWait }: NoteOptions,
  work: (changer: NoteChanger) => T,
): Promise<T> {
  const { clock, state } = context;
  const workspace = workspaceOfMemory({ agent, agentId }, state);
  const dir = resolveWorkspace(workspace.dir);
  return withLockedDreams(workspace, { signal, onWait }, ({ writes, captures }) => {
    const changer: NoteChanger = {
      writes,
      captures,
      dir,
      files: sources.memory,
      nowMs: clock.now(),
      timeZone: agent.dreamTimezone,
    };
    recoverWrites(changer);
    return work(changer);
  });
}

/**
 * Runs work that changes files of a memory's workspace, while no sweep and no other process changes its notes.
 *
 * @throws SvcError WORKSPACE_*; what the work throws
 */
export async function whileNotesAreLocked<T>(
  memory: Pick<OpenedMemory, 'agent' | 'agentId'>,
  { context, ...wait }: NoteOptions,
  work: () => Promise<T>,
): Promise<T> {
  return withProcessLock(workspaceOfMemory(memory, context.state).files.lock, wait, work);
}

/** Completes killed writes: one that reached its file is recorded, any other is dropped. */
function recoverWrites({ writes, dir }: NoteChanger): void {
  for (const { id, path, state, inserted } of writes.list()) {
    if (state !== 'planned') continue;
    const file = changeableNote(dir, path);
    if (file === undefined) writes.setState(id, 'left');
    else if (file.text.includes(inserted)) writes.setState(id, 'applied');
    else writes.remove(id);
  }
}

/** Undefined for a file that can no longer be changed, which must not keep others from being written. */
export function changeableNote(dir: string, path: string): GuardedFile | undefined {
  try {
    return readNote(dir, path);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'NOTE_FILE_REFUSED') return undefined;
    throw error;
  }
}

/** Reads a note before it is changed. @throws SvcError NOTE_FILE_REFUSED */
export function readNote(dir: string, path: string): GuardedFile {
  return asNoteChange(() => readGuarded(dir, path));
}

/** Reads or writes a note with the error codes of notes. @throws SvcError NOTE_FILE_REFUSED; what the work throws */
export function asNoteChange<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SvcError) || cause.code !== 'DREAM_FILE_REFUSED') throw cause;
    throw new SvcError('NOTE_FILE_REFUSED', messageOf(cause), { hint: cause.hint, cause });
  }
}

export function noteBusy(path: string): SvcError {
  return new SvcError('NOTE_BUSY', `${path} keeps changing; nothing was written`, {
    hint: 'close the program that writes it, and try again',
  });
}

/** The day's note, by a name that needs no date. */
export const TODAY = 'today';

/** Names have up to 255 bytes in most file systems, and the temporary file next to it has a longer one. */
const LONGEST_NAME_BYTES = 230;

/**
 * The file that `--file` names. An agent reads some files of its workspace as instructions, so only files of memory
 * can be written.
 *
 * @param dir the workspace's real path
 * @returns its path relative to the workspace, with forward slashes, and the heading of a new file
 * @throws SvcError NOTE_INVALID
 */
export function noteFile(
  name: string,
  day: string,
  dir: string,
  files: Pick<MemoryFilesOptions, 'exclude' | 'layout'>,
) {
  if (name === TODAY) return { path: `${MEMORY_FOLDER}/${day}.md`, title: day };
  const inside = pathInside(name, dir);
  if (inside === undefined) throw invalidFile(name, 'it is outside the workspace');
  const path = asListedIn(dir, inside);
  if (/\p{Cc}/u.test(path)) throw invalidFile(name, 'its name contains control characters');
  if (Buffer.byteLength(posix.basename(path)) > LONGEST_NAME_BYTES) {
    throw invalidFile(name, `its name is longer than ${LONGEST_NAME_BYTES} bytes`);
  }
  const skips: SkippedFile[] = [];
  const why = whyNoMemory(files, dir, path, (skip) => skips.push(skip));
  const [skip] = skips;
  if (skip !== undefined) throw invalidFile(path, `${skip.path}: ${skipWords(skip)}`);
  if (why !== undefined) throw invalidFile(path, REASONS[why]);
  const title = path === MEMORY_FILE ? MEMORY_TITLE : posix.basename(path, posix.extname(path));
  return { path, title };
}

const REASONS: Readonly<Record<NotMemory, string>> = {
  excluded: 'it is excluded from memory',
  ignored_folder: 'it is in a folder that is never indexed, such as .git or .trash',
  other_kind: 'its name must end in .md',
  outside: 'it is not a file of memory',
};

function pathInside(name: string, dir: string): string | undefined {
  if (name.includes('\0')) return undefined;
  const place = isAbsolute(name) ? realTarget(name) : undefined;
  if (isAbsolute(name) && (place === undefined || !isInside(place, dir))) return undefined;
  const relativePath = place === undefined ? name : relative(dir, place);
  const path = posix.normalize(sep === '\\' ? relativePath.replaceAll('\\', '/') : relativePath);
  return path === '..' || path.startsWith('../') || isAbsolute(path) ? undefined : path;
}

/** A path as the folders list it: some systems ignore case, and agents compose letters of names that are decomposed. */
function asListedIn(dir: string, path: string): string {
  let folder = dir;
  const named = path.split('/').map((name) => {
    const names = namesIn(folder);
    const form = existsSync(join(folder, name)) ? folded : composed;
    const found = names.includes(name) ? name : names.find((other) => form(other) === form(name));
    folder = join(folder, found ?? name);
    return found ?? name;
  });
  return named.join('/');
}

function composed(text: string): string {
  return text.normalize('NFC');
}

function invalidFile(name: string, why: string): SvcError {
  return new SvcError('NOTE_INVALID', `cannot add to ${name}: ${why}`, {
    hint: 'pass "today", MEMORY.md, or a path like memory/projects.md',
  });
}
