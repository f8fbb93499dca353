import { statSync } from 'node:fs';
import type { MemoryIndex, StoredDocument } from '../index/memory-index.js';
import { mediaLabel } from '../sources/media-names.js';
import type { GetResponse } from './memory-backend.js';

/** What is known of an image or a recording, in the place of lines: its bytes are no text. */
export async function describeMedia(
  index: MemoryIndex,
  { path, source, kind, mimeType }: StoredDocument & { readonly mimeType: string },
  absolutePath: string,
): Promise<Omit<GetResponse, 'warnings'>> {
  const { size, mtimeMs } = statSync(absolutePath);
  const refusals = await index.refusedMedia();
  const refused = refusals.find((media) => media.path === path)?.why ?? null;
  const modified = new Date(mtimeMs).toISOString();
  const lines = [
    mediaLabel(mimeType, path),
    `type: ${mimeType}`,
    `size: ${size} bytes`,
    `modified: ${modified}`,
    ...(refused === null ? [] : [`found by its name alone: ${refused}`]),
  ];
  return {
    path,
    absolutePath,
    source,
    kind,
    media: { mimeType, bytes: size, modified, refused },
    startLine: 1,
    endLine: lines.length,
    text: lines.join('\n'),
    totalLines: lines.length,
    truncated: false,
  };
}
