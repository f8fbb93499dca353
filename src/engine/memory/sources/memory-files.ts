import { lstatSync, opendirSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  handlesExhausted,
  isHandleShortage,
  SvcError,
  systemErrorCode,
} from '../../errors/index.js';
import type { SkippedFile, SourceFile } from '../types.js';
import { type MediaSelection, modalityOfName } from './media-names.js';
import { DREAM_REPORTS } from './own-writing.js';
import { displayPath } from './paths.js';
import {
  kindOfName,
  skipOf,
  statFile,
  type WalkedFile,
  type WalkListener,
  walkFolder,
} from './walk.js';

/** Which part of a workspace holds the memory. */
export type WorkspaceLayout =
  /** An agent's workspace: `MEMORY.md`, `USER.md` and `memory/` (memory search §2.6). */
  | 'agent'
  /** Any folder (`--workspace DIR`): every Markdown file below it. */
  | 'folder';

/** What the memory source reads. */
export interface MemoryFilesOptions {
  /** Absolute path; may itself be a symbolic link. */
  readonly workspaceDir: string;
  readonly layout: WorkspaceLayout;
  /** Further files or folders, absolute or relative to the workspace. */
  readonly extraPaths: readonly string[];
  /** Images and recordings that belong to it; none when left out (memory search §2.7). */
  readonly media?: MediaSelection | undefined;
  /** Which of the files that are found belong to it, by absolute path; all when left out. */
  readonly takes?: ((file: string) => boolean) | undefined;
}

/** What a look at the disk found. */
export interface Scan {
  readonly files: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
}

/** The files of an agent's workspace that are its memory. */
export const ROOT_FILES = ['MEMORY.md', 'USER.md'] as const;
/** And the folder. */
export const MEMORY_FOLDER = 'memory';

/**
 * Finds every file of the memory source with one look at the file system and none into the files.
 * A file reached by two paths is listed once, under the first.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED
 */
export function scanMemoryFiles(options: MemoryFilesOptions): Scan {
  const workspaceDir = resolveWorkspace(options.workspaceDir);
  const { takes } = options;
  const files = new Map<string, SourceFile>();
  const skipped: SkippedFile[] = [];
  const listener: WalkListener = {
    onSkip: (skip) => skipped.push({ ...skip, path: displayPath(workspaceDir, skip.path) }),
  };
  for (const file of walkAll(workspaceDir, options, listener)) {
    if (files.has(file.absolutePath) || takes?.(file.absolutePath) === false) continue;
    const path = displayPath(workspaceDir, file.absolutePath);
    files.set(file.absolutePath, { source: 'memory', path, ...file });
  }
  return { files: [...files.values()], skipped };
}

/** The workspace's real path. */
export function resolveWorkspace(workspaceDir: string): string {
  try {
    const real = realpathSync(workspaceDir);
    // Opening it tells a folder from a file, and a readable one from a closed one.
    opendirSync(real).closeSync();
    return real;
  } catch (error) {
    if (isHandleShortage(error)) throw handlesExhausted(error);
    const code = systemErrorCode(error);
    if (code === 'ENOENT') {
      throw new SvcError('WORKSPACE_MISSING', `there is no workspace at ${workspaceDir}`, {
        hint: `make it (mkdir -p ${workspaceDir}), let svc config init set one up, or name any folder with --workspace DIR`,
        cause: error,
      });
    }
    const why = code === 'ENOTDIR' ? 'it is a file, not a folder' : (code ?? 'unknown reason');
    throw new SvcError(
      'WORKSPACE_UNREADABLE',
      `cannot read the workspace ${workspaceDir}: ${why}`,
      {
        hint: 'name a folder that you may read',
        cause: error,
      },
    );
  }
}

function* walkAll(
  workspaceDir: string,
  options: MemoryFilesOptions,
  listener: WalkListener,
): Generator<WalkedFile> {
  const { media } = options;
  if (options.layout === 'folder') yield* walkFolder(workspaceDir, media, listener);
  else yield* walkAgentWorkspace(workspaceDir, media, listener);
  for (const extra of options.extraPaths) {
    yield* walkExtra(resolve(workspaceDir, extra), media, listener);
  }
}

function* walkAgentWorkspace(
  dir: string,
  media: MediaSelection | undefined,
  listener: WalkListener,
): Generator<WalkedFile> {
  // The folder's own listing, because a file system that ignores case would find memory.md too.
  const entries = new Map(readdirSync(dir, { withFileTypes: true }).map((e) => [e.name, e]));
  for (const name of ROOT_FILES) {
    const entry = entries.get(name);
    const path = join(dir, name);
    if (entry?.isSymbolicLink() === true) listener.onSkip({ path, reason: 'symlink' });
    const file =
      entry?.isFile() === true ? statFile(path, 'markdown', undefined, listener) : undefined;
    if (file !== undefined) yield file;
  }
  const memory = entries.get(MEMORY_FOLDER);
  const path = join(dir, MEMORY_FOLDER);
  const reports = join(dir, DREAM_REPORTS);
  if (memory?.isDirectory() === true) yield* walkFolder(path, media, listener, reports);
  else if (memory?.isSymbolicLink() === true) listener.onSkip({ path, reason: 'symlink' });
}

/** A configured file may have any name; a folder gives its files of memory. */
function* walkExtra(
  path: string,
  media: MediaSelection | undefined,
  listener: WalkListener,
): Generator<WalkedFile> {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) {
      listener.onSkip({ path, reason: 'symlink', detail: 'configured in extraPaths' });
      return;
    }
    const real = realpathSync(path);
    if (stats.isDirectory()) {
      yield* walkFolder(real, media, listener);
      return;
    }
    const kind = kindOfName(real, media);
    if (kind === undefined && modalityOfName(real) !== undefined) {
      listener.onSkip({ path, reason: 'wrong_format', detail: 'multimodal does not include it' });
      return;
    }
    const file = statFile(real, kind ?? 'markdown', media, listener);
    if (file !== undefined) yield file;
  } catch (error) {
    const skip = skipOf(path, error);
    listener.onSkip(
      skip.reason === 'vanished'
        ? { path, reason: 'missing', detail: 'configured in extraPaths' }
        : skip,
    );
  }
}
