import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type/core';
import { crypto } from '../../support/crypto.js';
import { isOpenedAt, READ_NO_LINK, systemErrorLike } from '../../support/files.js';
import type { Forgotten } from '../forgotten/index.js';
import type { StoredDocument } from '../index/index.js';
import {
  fingerprintOf,
  type MediaSelection,
  mediaLabel,
  mediaTooLarge,
  modalityOfName,
  modalityOfType,
  skipOf,
} from '../sources/index.js';
import type { SourceFile } from '../types.js';
import { type FilePart, wholeFile } from './file-steps.js';

/**
 * Reads a media file. Its only passage is its label, which keyword search finds; its content is embedded later from the
 * file.
 */
export async function loadMedia(
  file: SourceFile,
  stored: StoredDocument | undefined,
  selection: MediaSelection,
  forgotten: Forgotten,
): Promise<FilePart> {
  const media = await inspectMedia(file, selection);
  if ('reason' in media) return { state: 'skipped', skip: media };
  const { fingerprint, mimeType } = media;
  const { hash, isForgotten } = forgotten.coverFile(media.hash);
  if (stored?.hash === hash && stored.mimeType === mimeType) {
    return { state: 'unchanged', fingerprint };
  }
  const { source, path, kind } = file;
  const text = mediaLabel(mimeType, path);
  const chunks = isForgotten ? [] : [{ startLine: 1, endLine: 1, headingPath: [], text }];
  return wholeFile({ source, path, kind, mimeType, fingerprint, hash, chunks });
}

/** Block size, for files of any size. */
const BLOCK_BYTES = 256 * 1024;

/** Detected types and their vendor names. All others are not formats of memory search §2.7. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'image/png'],
  ['image/apng', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/webp', 'image/webp'],
  ['image/gif', 'image/gif'],
  ['image/heic', 'image/heic'],
  ['image/heic-sequence', 'image/heic'],
  ['image/heif', 'image/heif'],
  ['image/heif-sequence', 'image/heif'],
  ['audio/mpeg', 'audio/mpeg'],
  ['audio/wav', 'audio/wav'],
  ['audio/ogg', 'audio/ogg'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/mp4', 'audio/mp4'],
  ['audio/aac', 'audio/aac'],
  ['audio/flac', 'audio/flac'],
]);

/** The handler of a video track: box type, version and flags, pre_defined, handler (ISO 14496-12). */
const VIDEO_TRACK = Buffer.from('hdlr\0\0\0\0\0\0\0\0vide', 'latin1');

/**
 * Detects a media file's type from its content, as vendors name it, and hashes it, in bounded memory. Files whose
 * content does not match their name are reported.
 */
export async function inspectMedia(
  { absolutePath, path }: Pick<SourceFile, 'absolutePath' | 'path'>,
  selection: MediaSelection,
) {
  let handle: FileHandle | undefined;
  try {
    handle = await promises.open(absolutePath, READ_NO_LINK);
    if (!isOpenedAt(handle.fd, absolutePath)) throw systemErrorLike('ELOOP');
    // Before reading, so that a change during the read is noticed later.
    const fingerprint = fingerprintOf(await handle.stat());
    const { size } = fingerprint;
    if (size > selection.maxFileBytes) return mediaTooLarge(path, size, selection);
    return { fingerprint, ...(await readThrough(handle, path, selection.maxFileBytes)) };
  } catch (error) {
    if (!(error instanceof WrongContent)) return { ...skipOf(absolutePath, error), path };
    return { path, reason: 'wrong_format', detail: error.message } as const;
  } finally {
    await handle?.close();
  }
}

/** The content of a file does not match its name. */
class WrongContent extends Error {}

/** @throws WrongContent; the system's error */
async function readThrough(handle: FileHandle, path: string, maxBytes: number) {
  const block = Buffer.alloc(BLOCK_BYTES);
  const digest = crypto().createHash('sha256');
  let detected: Awaited<ReturnType<typeof detect>> | undefined;
  let hasVideo = false;
  let tail = Buffer.alloc(0);
  let total = 0;
  for (;;) {
    const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, null);
    if (bytesRead === 0) break;
    const bytes = block.subarray(0, bytesRead);
    total += bytesRead;
    if (total > maxBytes) throw new WrongContent('it grew while it was being read');
    digest.update(bytes);
    detected ??= await detect(bytes, path);
    if (!detected.maybeVideo) continue;
    hasVideo ||= Buffer.concat([tail, bytes]).includes(VIDEO_TRACK);
    tail = Buffer.from(bytes.subarray(-VIDEO_TRACK.length));
  }
  if (detected === undefined) throw new WrongContent('it is empty');
  if (hasVideo) throw new WrongContent('its content is a video');
  return { hash: digest.digest('hex'), mimeType: detected.mimeType };
}

/**
 * @param head the beginning of the file
 * @returns its type, and whether it may be a video: an MP4, whose tracks have to be checked
 * @throws WrongContent
 */
async function detect(head: Buffer, path: string) {
  const found = await fileTypeFromBuffer(head);
  const detected = found?.mime.split(';', 1)[0];
  if (detected === undefined) throw new WrongContent('unknown format');
  // Recorders also write sound into a general MP4.
  if (detected === 'video/mp4' && /\.m4a$/iu.test(path)) {
    return { mimeType: 'audio/mp4', maybeVideo: true };
  }
  const mimeType = TYPES.get(detected);
  if (mimeType === undefined || modalityOfType(mimeType) !== modalityOfName(path)) {
    throw new WrongContent(`its content is ${detected}, which does not match its name`);
  }
  return { mimeType, maybeVideo: false };
}
