import { type Dirent, lstatSync, opendirSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import {
  handlesExhausted,
  isHandleShortage,
  privacyHint,
  SvcError,
  systemErrorCode,
  systemReason,
} from '../../errors/index.js';
import { documentFormatOf, isExtracted } from '../../support/document-format.js';
import { realPath, unlessSystemError } from '../../support/files.js';
import { formatCount } from '../../support/format.js';
import { isGlob } from '../../support/glob.js';
import { pathBelow } from '../../support/paths.js';
import { removeStrayTemporary } from '../../support/replace-file.js';
import { shellWord } from '../../support/text.js';
import type { SkippedFile, SourceFile } from '../types.js';
import { type ExcludeSettings, Exclusions, type FolderRules } from './exclude.js';
import { modalityOfName } from './media.js';
import type { ExcludeDecision } from './pattern-list.js';
import { DREAM_REPORTS } from './read-document.js';
import { notAFile, skipOf } from './skips.js';
import type { TranscriptFile } from './transcripts/transcript-reader.js';
import {
  ignoredFolderIn,
  isExcluded,
  type KindSelection,
  kindOfName,
  reportTemporary,
  statFile,
  type WalkedFile,
  type WalkListener,
  walkFolder,
} from './walk.js';

/** Which part of a workspace is memory. */
export type WorkspaceLayout =
  /** An agent's workspace: `MEMORY.md`, `USER.md` and `memory/` (memory search §2.6). */
  | 'agent'
  /** Any folder (`--workspace DIR`): every Markdown file in it. */
  | 'folder';

export interface MemoryFilesOptions extends KindSelection {
  /** Absolute path; may be a symbolic link. */
  readonly workspaceDir: string;
  readonly layout: WorkspaceLayout;
  /** Additional files or folders, absolute or relative to the workspace. */
  readonly extraPaths: readonly string[];
  /** What is left out; by default nothing, and no ignore file is read. */
  readonly exclude?: ExcludeSettings | undefined;
  /** Filters files by absolute path; all by default. */
  readonly takes?: ((file: string) => boolean) | undefined;
}

export interface Scan {
  readonly files: readonly SourceFile[];
  /** The transcripts that agents still have, if sessions are searched. */
  readonly live?: readonly TranscriptFile[];
  readonly skipped: readonly SkippedFile[];
  /** Temporary files of svc, by absolute path; a killed process leaves one behind. */
  readonly temporaries: readonly string[];
  /** What patterns decided, in the order of the walk. */
  readonly decisions: readonly ExcludeDecision[];
}

export const ROOT_FILES = ['MEMORY.md', 'USER.md'] as const;
export const MEMORY_FOLDER = 'memory';

/** In bytes of UTF-8: PostgreSQL cannot index 2,700 bytes. */
export const LONGEST_PATH = 2500;

/**
 * Lists every file of the memory source without reading any. A file reachable by two paths is listed once,
 * under the first, and one that is skipped is reported once.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED
 */
export function scanMemoryFiles(options: MemoryFilesOptions): Scan {
  const workspaceDir = resolveWorkspace(options.workspaceDir);
  const { takes } = options;
  const files = new Map<string, SourceFile>();
  const skipped = new Map<string, SkippedFile>();
  const temporaries: string[] = [];
  const decisions: ExcludeDecision[] = [];
  const listener: WalkListener = {
    onSkip: (skip) =>
      skipped.set(skip.path, { ...skip, path: displayPath(workspaceDir, skip.path) }),
    onTemporary: (path) => temporaries.push(path),
    onDecision: (decision) => decisions.push(decision),
  };
  for (const file of walkAll(workspaceDir, options, listener)) {
    if (files.has(file.absolutePath) || takes?.(file.absolutePath) === false) continue;
    const path = displayPath(workspaceDir, file.absolutePath);
    if (Buffer.byteLength(path) > LONGEST_PATH) {
      const detail = `its path is longer than ${formatCount(LONGEST_PATH)} bytes`;
      listener.onSkip({ path: file.absolutePath, reason: 'unreadable', detail });
      continue;
    }
    files.set(file.absolutePath, { source: 'memory', path, ...file });
  }
  return { files: [...files.values()], skipped: [...skipped.values()], temporaries, decisions };
}

/** Upper limit of the count, so that a home folder as a workspace is not slow. */
const MOST_OUTSIDE = 10_000;

/**
 * How many Markdown files a workspace with an empty memory has: in a folder of notes used as an agent's
 * workspace, all of them are outside `memory/`. 0 if any are where memory is.
 */
export function countNotesOutside(options: MemoryFilesOptions): number {
  if (options.layout === 'folder') return 0;
  // Notes that the external backend leaves out are not outside.
  if (scanMemoryFiles({ ...options, takes: undefined }).files.length > 0) return 0;
  const ignored: WalkListener = { onSkip: () => undefined };
  const workspaceDir = resolveWorkspace(options.workspaceDir);
  const rules = new Exclusions(workspaceDir, options.exclude).around(workspaceDir, 'workspace');
  // Reports that svc wrote are not notes.
  const except = join(workspaceDir, DREAM_REPORTS);
  let count = 0;
  for (const _ of walkFolder(workspaceDir, ignored, { rules, except })) {
    count += 1;
    if (count === MOST_OUTSIDE) break;
  }
  return count;
}

/** Why a file of a workspace is not memory. */
export type NotMemory = 'excluded' | 'ignored_folder' | 'other_kind' | 'outside';

/**
 * Why a note would not be indexed; undefined if it would be. The file need not exist.
 *
 * @param workspaceDir its real path
 * @param onSkip called with ignore files that cannot be used: what is below their folders counts as excluded
 */
export function whyNoMemory(
  { layout, exclude }: Pick<MemoryFilesOptions, 'exclude' | 'layout'>,
  workspaceDir: string,
  path: string,
  onSkip?: (skip: SkippedFile) => void,
): NotMemory | undefined {
  if (layout === 'agent') {
    // Agents load these as a whole, indexed or not.
    if (ROOT_FILES.some((file) => file === path)) return undefined;
    if (!path.startsWith(`${MEMORY_FOLDER}/`) || path.startsWith(`${DREAM_REPORTS}/`)) {
      return 'outside';
    }
  }
  if (ignoredFolderIn(path) !== undefined) return 'ignored_folder';
  if (kindOfName(path, {}) !== 'markdown') return 'other_kind';
  const exclusions = new Exclusions(workspaceDir, exclude, onSkip);
  return exclusions.excludes(workspaceDir, join(workspaceDir, path), false)
    ? 'excluded'
    : undefined;
}

/** Removes temporary files of killed processes, which may contain forgotten text. */
export function removeStrays({ temporaries }: Pick<Scan, 'temporaries'>, nowMs: number): void {
  // A read-only workspace can still be indexed; svc doctor reports the file.
  for (const path of temporaries) unlessSystemError(() => removeStrayTemporary(path, nowMs));
}

/** The workspace can be from the configuration, from a flag, or the default one. */
const OTHER_WORKSPACES =
  'choose another with "svc config init", or search any folder with "svc search --workspace DIR"';

/** The workspace's real path. @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED */
export function resolveWorkspace(workspaceDir: string): string {
  try {
    const real = realPath(workspaceDir);
    // Opening it checks that it is a readable folder.
    opendirSync(real).closeSync();
    return real;
  } catch (error) {
    if (isHandleShortage(error)) throw handlesExhausted(error);
    const code = systemErrorCode(error);
    if (code === 'ENOENT') {
      const message = `there is no workspace at ${workspaceDir}`;
      const hint = `create it (mkdir -p ${shellWord(workspaceDir)}), ${OTHER_WORKSPACES}`;
      throw new SvcError('WORKSPACE_MISSING', message, { hint, cause: error });
    }
    const why = code === 'ENOTDIR' ? 'it is a file, not a folder' : systemReason(error);
    const message = `cannot read the workspace ${workspaceDir}: ${why}`;
    const hint = privacyHint(error) ?? `check the path and its permissions, ${OTHER_WORKSPACES}`;
    throw new SvcError('WORKSPACE_UNREADABLE', message, { hint, cause: error });
  }
}

interface Walk extends MemoryFilesOptions {
  readonly exclusions: Exclusions;
}

function* walkAll(
  workspaceDir: string,
  options: MemoryFilesOptions,
  listener: WalkListener,
): Generator<WalkedFile> {
  const exclusions = new Exclusions(workspaceDir, options.exclude, listener.onSkip);
  const walk = { ...options, workspaceDir, exclusions };
  const { layout, media, documents } = options;
  const rules = exclusions.around(workspaceDir, 'workspace');
  if (rules !== undefined && layout === 'folder') {
    yield* walkFolder(workspaceDir, listener, { media, documents, rules });
  } else if (rules !== undefined) yield* walkAgentWorkspace(walk, rules, listener);
  for (const extra of options.extraPaths) {
    yield* walkExtra(resolve(workspaceDir, extra), walk, listener);
  }
}

function* walkAgentWorkspace(
  { workspaceDir: dir, media, documents }: Walk,
  around: FolderRules,
  listener: WalkListener,
): Generator<WalkedFile> {
  // Reads the listing, because a case-insensitive file system would find memory.md too.
  const entries = new Map(readdirSync(dir, { withFileTypes: true }).map((e) => [e.name, e]));
  for (const entry of entries.values()) reportTemporary(entry, join(dir, entry.name), listener);
  const rules = around.enter(dir, (name) => entries.has(name));
  if (rules === undefined) return;
  for (const name of ROOT_FILES) {
    const entry = entries.get(name);
    const path = join(dir, name);
    if (entry === undefined || isExcluded(path, false, rules, listener)) continue;
    if (entry.isFile()) yield* statFile(path, 'markdown', undefined, listener);
    else listener.onSkip(skippedMemory(path, entry));
  }
  const memory = entries.get(MEMORY_FOLDER);
  const path = join(dir, MEMORY_FOLDER);
  if (memory === undefined || memory.isFile()) return;
  if (isExcluded(path, true, rules, listener)) return;
  const except = join(dir, DREAM_REPORTS);
  if (memory.isDirectory()) yield* walkFolder(path, listener, { media, documents, except, rules });
  else listener.onSkip(skippedMemory(path, memory));
}

/** Unlike other links, one in place of the memory itself is reported, because nothing in it is indexed. */
function skippedMemory(path: string, entry: Dirent): SkippedFile {
  const skip = notAFile(path, entry);
  return skip.reason === 'symlink' ? { ...skip, detail: LINKED_MEMORY } : skip;
}

const LINKED_MEMORY = 'links are not followed; add its target to memorySearch.extraPaths';

const NO_PATTERNS = 'extraPaths takes files and folders, not patterns';

/** A configured file may have any name; of a folder, its memory files count. */
function* walkExtra(
  path: string,
  { media, documents, exclusions, workspaceDir }: Walk,
  listener: WalkListener,
): Generator<WalkedFile> {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) {
      listener.onSkip({ path, reason: 'symlink', detail: 'configured in extraPaths' });
      return;
    }
    const real = realPath(path);
    const isFolder = stats.isDirectory();
    const rules = exclusions.around(real, isFolder ? 'folder' : 'file');
    if (rules === undefined || isExcluded(real, isFolder, rules, listener)) return;
    if (isFolder) {
      const except = join(workspaceDir, DREAM_REPORTS);
      yield* walkFolder(real, listener, { media, documents, except, rules });
      return;
    }
    if (!stats.isFile()) {
      listener.onSkip(notAFile(path, stats));
      return;
    }
    const kind = kindOfName(real, { media, documents });
    const unwanted = kind === undefined ? unwantedFormat(real) : undefined;
    if (unwanted !== undefined) {
      listener.onSkip({ path, reason: 'wrong_format', detail: `not included in ${unwanted}` });
      return;
    }
    yield* statFile(real, kind ?? 'markdown', media, listener);
  } catch (error) {
    const skip = skipOf(path, error);
    const detail = isGlob(displayPath(workspaceDir, path))
      ? NO_PATTERNS
      : 'configured in extraPaths';
    listener.onSkip(skip.reason === 'vanished' ? { path, reason: 'missing', detail } : skip);
  }
}

/** The setting that does not include a file that cannot be read as text. */
function unwantedFormat(path: string): 'documents' | 'multimodal' | undefined {
  if (modalityOfName(path) !== undefined) return 'multimodal';
  const format = documentFormatOf(path);
  return format !== undefined && format !== 'html' && isExtracted(format) ? 'documents' : undefined;
}

/**
 * A file's displayed path: relative to the workspace, with forward slashes; with `..` outside it, absolute
 * only on another drive.
 */
export function displayPath(workspaceDir: string, absolutePath: string): string {
  const path = pathBelow(absolutePath, workspaceDir) ?? relative(workspaceDir, absolutePath);
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The inverse of {@link displayPath}. */
export function absoluteFromDisplay(workspaceDir: string, path: string): string {
  return isAbsolute(path) ? path : join(workspaceDir, path);
}
