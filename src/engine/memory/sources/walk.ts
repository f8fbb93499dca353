import { type Dirent, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import {
  handlesExhausted,
  isHandleShortage,
  messageOf,
  systemErrorCode,
} from '../../errors/index.js';
import type { DocumentKind, FileFingerprint, SkippedFile, SkipReason } from '../types.js';
import { type MediaSelection, modalityOfName } from './media-names.js';

/** A file met on a walk. */
export interface WalkedFile extends FileFingerprint {
  readonly kind: DocumentKind;
  readonly absolutePath: string;
}

/** What a walk tells of besides files. */
export interface WalkListener {
  /** `path` of the skip is absolute here. */
  onSkip(skip: SkippedFile): void;
}

/** Whether a folder of this name is passed over. */
export function isIgnoredFolder(name: string): boolean {
  return IGNORED_FOLDERS.has(name);
}

/**
 * What a file of this name is taken for; undefined when it is none of memory's.
 *
 * @param media which images and recordings belong to it; undefined for none
 */
export function kindOfName(name: string, media?: MediaSelection): DocumentKind | undefined {
  if (MARKDOWN.test(name)) return 'markdown';
  if (media === undefined) return undefined;
  const modality = modalityOfName(name);
  return modality !== undefined && media.modalities.has(modality) ? 'media' : undefined;
}

/** Folders that hold other people's files or the tools' own; never entered. */
const IGNORED_FOLDERS = new Set(['.git', 'node_modules']);
const MARKDOWN = /\.md$/i;

/**
 * All files of memory below a folder, in a stable order. Symbolic links are not followed (memory
 * search §2.6), so a loop of them cannot catch the walk. What cannot be read is reported.
 *
 * @param root absolute path without symbolic links in it
 * @param media which images and recordings are wanted besides Markdown; undefined for none
 */
export function* walkFolder(
  root: string,
  media: MediaSelection | undefined,
  listener: WalkListener,
): Generator<WalkedFile> {
  const pending = [root];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const folders: string[] = [];
    for (const entry of readFolder(dir, listener)) {
      const path = dir + sep + entry.name;
      if (entry.isDirectory() && !isIgnoredFolder(entry.name)) folders.push(path);
      const kind = kindOfName(entry.name, media);
      const file = kind === undefined ? undefined : walkedFile(entry, path, kind, media, listener);
      if (file !== undefined) yield file;
    }
    pending.push(...folders.reverse());
  }
}

function walkedFile(
  entry: Dirent,
  path: string,
  kind: DocumentKind,
  media: MediaSelection | undefined,
  listener: WalkListener,
): WalkedFile | undefined {
  if (entry.isSymbolicLink()) listener.onSkip({ path, reason: 'symlink' });
  return entry.isFile() ? statFile(path, kind, media, listener) : undefined;
}

/** One file's fingerprint; undefined, and reported, when it cannot be had or is too large. */
export function statFile(
  path: string,
  kind: DocumentKind,
  media: MediaSelection | undefined,
  listener: WalkListener,
): WalkedFile | undefined {
  try {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    if (kind === 'media' && media !== undefined && size > media.maxFileBytes) {
      listener.onSkip(mediaTooLarge(path, size, media));
      return undefined;
    }
    return { kind, absolutePath: path, size, mtimeMs, ctimeMs };
  } catch (error) {
    listener.onSkip(skipOf(path, error));
    return undefined;
  }
}

/** The skip of a media file over `multimodal.maxFileBytes`. */
export function mediaTooLarge(
  path: string,
  bytes: number,
  { maxFileBytes }: MediaSelection,
): SkippedFile {
  const detail = `${bytes} bytes, multimodal.maxFileBytes is ${maxFileBytes}`;
  return { path, reason: 'too_large', detail };
}

/**
 * The skip that a failed file operation amounts to.
 *
 * @throws SvcError HANDLES_EXHAUSTED: that says nothing of the file, and a file that is left out
 *   leaves the index too
 */
export function skipOf(path: string, error: unknown): SkippedFile {
  if (isHandleShortage(error)) throw handlesExhausted(error);
  const reason = REASONS[systemErrorCode(error) ?? ''] ?? 'unreadable';
  return reason === 'unreadable' ? { path, reason, detail: messageOf(error) } : { path, reason };
}

const REASONS: Readonly<Record<string, SkipReason>> = {
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  ELOOP: 'symlink',
  ENOENT: 'vanished',
};

function readFolder(dir: string, listener: WalkListener): Dirent[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    listener.onSkip(skipOf(dir, error));
    return [];
  }
}
