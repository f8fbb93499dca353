import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { crypto } from '../../support/crypto.js';
import { READ_NO_LINK } from '../../support/files.js';
import type { Modality } from '../types.js';

/** Which media belong to a memory (memory search §2.7). */
export interface MediaSelection {
  readonly modalities: ReadonlySet<Modality>;
  /** `multimodal.maxFileBytes`; larger files are skipped and reported. */
  readonly maxFileBytes: number;
}

export const MODALITIES: readonly Modality[] = ['image', 'audio'];

/** The lower-case extensions of memory search §2.7. */
const EXTENSIONS: Readonly<Record<Modality, readonly string[]>> = {
  image: ['.jpg', '.jpeg', '.png', '.webp', '.gif', '.heic', '.heif'],
  audio: ['.mp3', '.wav', '.ogg', '.opus', '.m4a', '.aac', '.flac'],
};

/** The modality by file name; undefined for other files. */
export function modalityOfName(name: string): Modality | undefined {
  const extension = extname(name).toLowerCase();
  return MODALITIES.find((modality) => EXTENSIONS[modality].includes(extension));
}

export function modalityOfType(mimeType: string): Modality {
  return mimeType.startsWith('image/') ? 'image' : 'audio';
}

/** The text of a media document, searched by keywords and embedded with the file. */
export function mediaLabel(mimeType: string, path: string): string {
  return modalityOfType(mimeType) === 'image' ? `Image file: ${path}` : `Audio file: ${path}`;
}

/**
 * The bytes of a media document; undefined when the file is missing, unreadable or has changed: the next sync
 * will find out.
 *
 * @param document its size and SHA-256 (hexadecimal) when it was indexed
 */
export async function readMedia(
  absolutePath: string,
  { bytes, contentHash }: { readonly bytes: number; readonly contentHash: string },
): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await promises.open(absolutePath, READ_NO_LINK);
    if ((await handle.stat()).size !== bytes) return undefined;
    const data = await handle.readFile();
    return crypto().hash('sha256', data) === contentHash ? data : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
