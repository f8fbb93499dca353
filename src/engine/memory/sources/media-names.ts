import { extname } from 'node:path';
import type { Modality } from '../types.js';

/** Which images and recordings belong to a memory (memory search §2.7). */
export interface MediaSelection {
  readonly modalities: ReadonlySet<Modality>;
  /** `multimodal.maxFileBytes`; larger files are reported instead. */
  readonly maxFileBytes: number;
}

/** Every modality there is. */
export const MODALITIES: readonly Modality[] = ['image', 'audio'];

/** The formats of memory search §2.7 by the ends of their names, lower case. */
const EXTENSIONS: Readonly<Record<string, Modality>> = {
  '.jpg': 'image',
  '.jpeg': 'image',
  '.png': 'image',
  '.webp': 'image',
  '.gif': 'image',
  '.heic': 'image',
  '.heif': 'image',
  '.mp3': 'audio',
  '.wav': 'audio',
  '.ogg': 'audio',
  '.opus': 'audio',
  '.m4a': 'audio',
  '.aac': 'audio',
  '.flac': 'audio',
};

/** What a file claims to be by its name; undefined when that is no medium. */
export function modalityOfName(name: string): Modality | undefined {
  const extension = extname(name).toLowerCase();
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** What a MIME type of a media document says. */
export function modalityOfType(mimeType: string): Modality {
  return mimeType.startsWith('image/') ? 'image' : 'audio';
}

/** The one passage of a media document: what its words are searched in, and embedded before it. */
export function mediaLabel(mimeType: string, path: string): string {
  return modalityOfType(mimeType) === 'image' ? `Image file: ${path}` : `Audio file: ${path}`;
}
