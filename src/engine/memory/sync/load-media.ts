import type { Forgotten } from '../forget/forgotten.js';
import type { StoredDocument } from '../index/memory-index.js';
import { inspectMedia } from '../sources/inspect-media.js';
import { type MediaSelection, mediaLabel } from '../sources/media-names.js';
import type { SourceFile } from '../types.js';
import type { LoadOutcome } from './load-document.js';

/**
 * Looks at an image or a recording. Its one passage is its label: the words by which it is found
 * without vectors; what it shows is in its vector, which is made from the file later.
 *
 * @param stored what the index holds of it so far
 */
export async function loadMedia(
  file: SourceFile,
  stored: StoredDocument | undefined,
  selection: MediaSelection,
  forgotten: Forgotten,
): Promise<LoadOutcome> {
  const outcome = await inspectMedia(file, selection);
  if (!outcome.ok) return { state: 'skipped', skip: outcome.skip };
  const { fingerprint, mimeType } = outcome.media;
  const { hash, isForgotten } = forgotten.coverFile(outcome.media.hash);
  if (stored?.hash === hash && stored.mimeType === mimeType) {
    return { state: 'unchanged', fingerprint };
  }
  const { source, path, kind } = file;
  const text = mediaLabel(mimeType, path);
  const chunks = isForgotten ? [] : [{ startLine: 1, endLine: 1, headingPath: [], text }];
  return {
    state: 'changed',
    document: { source, path, kind, mimeType, fingerprint, hash, chunks },
  };
}
