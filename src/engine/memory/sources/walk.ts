import { type Dirent, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { handlesExhausted, isHandleShortage } from '../../errors/index.js';
import {
  type DocumentFormat,
  documentFormatOf,
  isExtracted,
} from '../../support/document-format.js';
import { pushAll } from '../../support/lists.js';
import { isInside } from '../../support/paths.js';
import { isTemporaryName } from '../../support/replace-file.js';
import type { DocumentKind, FileFingerprint, SkippedFile } from '../types.js';
import type { FolderRules } from './exclude.js';
import { type MediaSelection, modalityOfName } from './media.js';
import type { ExcludeDecision } from './pattern-list.js';
import { mediaTooLarge, notAFile, skipOf } from './skips.js';

export interface WalkedFile extends FileFingerprint {
  readonly kind: DocumentKind;
  readonly absolutePath: string;
}

/** What a walk reports besides files. */
export interface WalkListener {
  /** `path` of the skip is absolute here. */
  onSkip(skip: SkippedFile): void;
  /** A temporary file of svc, by its absolute path; another process may be writing it. */
  onTemporary?(path: string): void;
  /** A pattern matches a file or folder. */
  onDecision?(decision: ExcludeDecision): void;
}

/** Which files belong to a memory besides Markdown. */
export interface KindSelection {
  /** Undefined for none. */
  readonly media?: MediaSelection | undefined;
  /** By default none. */
  readonly documents?: readonly DocumentFormat[] | undefined;
}

/** What a walk takes of a folder. */
export interface WalkOptions extends KindSelection {
  /** Absolute path of a folder that is only checked for temporary files. */
  readonly except?: string | undefined;
  /** The rules around the folder; undefined where everything counts. */
  readonly rules?: FolderRules | undefined;
}

/** Whether a folder is never entered. @param path with its parent's name at least */
export function isIgnoredFolder(path: string): boolean {
  return IGNORED_FOLDER.test(path);
}

/** The first folder of a relative path that is never entered; undefined for none. */
export function ignoredFolderIn(path: string): string | undefined {
  return IN_IGNORED_FOLDER.exec(path)?.[1];
}

/** The document kind by file name; undefined for other files. */
export function kindOfName(
  name: string,
  { media, documents = [] }: KindSelection,
): DocumentKind | undefined {
  if (COMPANION.test(name)) return undefined;
  if (MARKDOWN.test(name)) return 'markdown';
  const format = documents.length === 0 ? undefined : documentFormatOf(name);
  if (format !== undefined && documents.includes(format)) {
    return isExtracted(format) ? 'extracted' : 'text';
  }
  if (media === undefined) return undefined;
  const modality = modalityOfName(name);
  return modality !== undefined && media.modalities.has(modality) ? 'media' : undefined;
}

/**
 * Folders that are never entered: files of tools and of third parties, notes that were deleted in Obsidian or Logseq, and
 * earlier versions that Syncthing and Logseq keep.
 */
const IGNORED = String.raw`(?:^|[\\/])(\.git|node_modules|\.trash|\.stversions|logseq[\\/](?:bak|\.recycle|version-files))`;
const IGNORED_FOLDER = new RegExp(`${IGNORED}$`, 'u');
const IN_IGNORED_FOLDER = new RegExp(String.raw`${IGNORED}(?:[\\/]|$)`, 'u');
const MARKDOWN = /\.md$/i;
/**
 * What macOS writes next to a file on a foreign disk, and Emacs and Word next to one that is being edited: none has its
 * text.
 */
const COMPANION = /(?:^|[\\/])(?:\._|\.#|~\$)[^\\/]*$/;

/**
 * All memory files below a folder, in a stable order. Symbolic links are not followed (memory search §2.6),
 * so loops are harmless. Unreadable entries are reported.
 *
 * @param root absolute path without symbolic links in it
 */
export function* walkFolder(
  root: string,
  listener: WalkListener,
  options: WalkOptions = {},
): Generator<WalkedFile> {
  const pending: FolderToWalk[] = [{ dir: root, around: options.rules }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { files, folders } = readEntries(next, listener, options);
    yield* files;
    pushAll(pending, folders.reverse());
  }
}

interface FolderToWalk {
  readonly dir: string;
  readonly around: FolderRules | undefined;
}

/** The files in a folder, and the folders to walk. */
function readEntries(
  { dir, around }: FolderToWalk,
  listener: WalkListener,
  { except, ...selection }: WalkOptions,
): { readonly files: readonly WalkedFile[]; readonly folders: FolderToWalk[] } {
  const isMemory = except === undefined || !isInside(dir, except);
  const entries = readFolder(dir, isMemory ? listener : undefined);
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  const inside = isMemory ? around?.enter(dir, has) : undefined;
  const files: WalkedFile[] = [];
  const folders: FolderToWalk[] = [];
  // An ignore file in it cannot be used.
  if (isMemory && around !== undefined && inside === undefined) return { files, folders };
  // The root of a disk ends with a separator.
  const start = dir.endsWith(sep) ? dir : dir + sep;
  for (const entry of entries) {
    const path = start + entry.name;
    reportTemporary(entry, path, listener);
    const kind = isMemory || entry.isDirectory() ? kindOfEntry(entry, path, selection) : undefined;
    const isFolder = kind === 'folder' || kind === 'linked_folder';
    if (kind === undefined || isExcluded(path, isFolder, inside, listener)) continue;
    if (kind === 'folder') folders.push({ dir: path, around: inside });
    else if (kind === 'linked_folder' || !entry.isFile()) listener.onSkip(notAFile(path, entry));
    else files.push(...statFile(path, kind, selection.media, listener));
  }
  return { files, folders };
}

/** Undefined for an entry that no memory has. */
function kindOfEntry(
  entry: Dirent,
  path: string,
  selection: KindSelection,
): DocumentKind | 'folder' | 'linked_folder' | undefined {
  if (entry.isDirectory()) return isIgnoredFolder(path) ? undefined : 'folder';
  const kind = kindOfName(entry.name, selection);
  if (kind !== undefined || isIgnoredFolder(path)) return kind;
  return isLinkedFolder(entry, path) ? 'linked_folder' : undefined;
}

/** Whether an entry is a link to a folder. One that leads nowhere has nothing to miss. */
function isLinkedFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isHandleShortage(error)) throw handlesExhausted(error);
    return false;
  }
}

/** Whether the rules leave out an entry; reports what they decide. */
export function isExcluded(
  path: string,
  isFolder: boolean,
  rules: FolderRules | undefined,
  listener: WalkListener,
): boolean {
  const decision = rules?.decide(path, isFolder);
  if (decision !== undefined) listener.onDecision?.(decision);
  return decision?.excluded === true;
}

/** Calls `onTemporary` for a temporary file of svc. */
export function reportTemporary(entry: Dirent, path: string, listener: WalkListener): void {
  if (entry.isFile() && isTemporaryName(entry.name)) listener.onTemporary?.(path);
}

/** The furthest from the epoch that a `Date` can be, in milliseconds. */
const MOST_DATE_MS = 8.64e15;

/** The attributes of a file that show whether it changed. Some files and databases have times that no date can be. */
export function fingerprintOf({ size, mtimeMs, ctimeMs }: FileFingerprint): FileFingerprint {
  const clampedMs = Math.max(-MOST_DATE_MS, Math.min(mtimeMs, MOST_DATE_MS));
  return { size, mtimeMs: clampedMs, ctimeMs };
}

/** A file with its fingerprint; none, and reported, when it is unavailable or too large. */
export function statFile(
  path: string,
  kind: DocumentKind,
  media: MediaSelection | undefined,
  listener: WalkListener,
): readonly WalkedFile[] {
  try {
    const { size, mtimeMs, ctimeMs } = fingerprintOf(statSync(path));
    if (kind === 'media' && media !== undefined && size > media.maxFileBytes) {
      listener.onSkip(mediaTooLarge(path, size, media));
      return [];
    }
    return [{ kind, absolutePath: path, size, mtimeMs, ctimeMs }];
  } catch (error) {
    listener.onSkip(skipOf(path, error));
    return [];
  }
}

function readFolder(dir: string, listener: WalkListener | undefined): Dirent[] {
  try {
    return sortedEntries(dir);
  } catch (error) {
    listener?.onSkip(skipOf(dir, error));
    return [];
  }
}

/** The entries of a folder by name. @throws the system's error */
export function sortedEntries(dir: string): Dirent[] {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
