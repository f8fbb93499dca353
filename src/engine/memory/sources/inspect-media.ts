import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type/core';
import type { FileFingerprint, SkippedFile, SourceFile } from '../types.js';
import { type MediaSelection, modalityOfName, modalityOfType } from './media-names.js';
import { openRegular } from './open-regular.js';
import { mediaTooLarge, skipOf } from './walk.js';

/** What is known of a media file without keeping its bytes. */
export interface MediaFacts {
  /** The fingerprint taken before reading: a change during the read shows as one afterwards. */
  readonly fingerprint: FileFingerprint;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  /** What the content is, as vendors name it; never what the name claims. */
  readonly mimeType: string;
}

/** Either the facts, or why there are none. */
export type InspectOutcome =
  | { readonly ok: true; readonly media: MediaFacts }
  | { readonly ok: false; readonly skip: SkippedFile };

/** Read at a time, whatever the size of the file. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Detected types, and what vendors call them. Whatever is not here is no format of memory search §2.7.
 */
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
 * Tells what a media file is by its content, and names its content, in bounded memory. A file whose
 * content is of another kind than its name says is reported instead.
 */
export async function inspectMedia(
  { absolutePath, path }: Pick<SourceFile, 'absolutePath' | 'path'>,
  selection: MediaSelection,
): Promise<InspectOutcome> {
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(absolutePath);
    const { size, mtimeMs, ctimeMs } = await handle.stat();
    if (size > selection.maxFileBytes) {
      return { ok: false, skip: mediaTooLarge(path, size, selection) };
    }
    const read = await readThrough(handle, path, selection.maxFileBytes);
    if ('fault' in read) return { ok: false, skip: read.fault };
    return { ok: true, media: { fingerprint: { size, mtimeMs, ctimeMs }, ...read } };
  } catch (error) {
    return { ok: false, skip: { ...skipOf(absolutePath, error), path } };
  } finally {
    await handle?.close();
  }
}

async function readThrough(
  handle: FileHandle,
  path: string,
  maxBytes: number,
): Promise<Pick<MediaFacts, 'hash' | 'mimeType'> | { readonly fault: SkippedFile }> {
  const fault = (detail: string) => ({ fault: { path, reason: 'wrong_format', detail } }) as const;
  const block = Buffer.alloc(BLOCK_BYTES);
  const digest = createHash('sha256');
  let detected: Detection | undefined;
  let hasVideo = false;
  let tail = Buffer.alloc(0);
  let total = 0;
  for (;;) {
    const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, null);
    if (bytesRead === 0) break;
    const bytes = block.subarray(0, bytesRead);
    total += bytesRead;
    if (total > maxBytes) return fault('it grew while it was read');
    digest.update(bytes);
    detected ??= await detect(bytes, path);
    if (!detected.ok) return fault(detected.why);
    if (!detected.maybeVideo) continue;
    hasVideo ||= Buffer.concat([tail, bytes]).includes(VIDEO_TRACK);
    tail = Buffer.from(bytes.subarray(-VIDEO_TRACK.length));
  }
  if (detected?.ok !== true) return fault('it is empty');
  if (hasVideo) return fault('its content is a video');
  return { hash: digest.digest('hex'), mimeType: detected.mimeType };
}

type Detection =
  | { readonly ok: false; readonly why: string }
  | {
      readonly ok: true;
      readonly mimeType: string;
      /** An MP4 that does not say what it holds: only its tracks tell. */
      readonly maybeVideo: boolean;
    };

/** @param head the beginning of the file */
async function detect(head: Buffer, path: string): Promise<Detection> {
  const found = await fileTypeFromBuffer(head);
  const detected = found?.mime.split(';', 1)[0];
  if (detected === undefined) return { ok: false, why: 'its content is no format that is known' };
  // Recorders write sound into a general MP4 as well.
  if (detected === 'video/mp4' && /\.m4a$/iu.test(path)) {
    return { ok: true, mimeType: 'audio/mp4', maybeVideo: true };
  }
  const mimeType = TYPES.get(detected);
  if (mimeType === undefined || modalityOfType(mimeType) !== modalityOfName(path)) {
    return { ok: false, why: `its content is ${detected}, which its name does not say` };
  }
  return { ok: true, mimeType, maybeVideo: false };
}
