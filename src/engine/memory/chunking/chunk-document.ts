import { documentFormatOf } from '../../support/document-format.js';
import type { TextLines } from '../sources/index.js';
import type { Chunk, DocumentKind } from '../types.js';
import { type Block, splitBlocks } from './blocks.js';
import { type ChunkingOptions, chunkBlocks } from './chunk-markdown.js';
import { orgBlocks, pageBlocks, plainBlocks, rstBlocks } from './text-blocks.js';

/**
 * Splits a document that is not a conversation, by its format.
 *
 * @param lines what is read of the file, or extracted from it
 */
export function chunkDocument(
  { path, kind }: { readonly path: string; readonly kind: DocumentKind },
  lines: TextLines,
  options: ChunkingOptions,
): Chunk[] {
  const format = kind === 'markdown' ? undefined : documentFormatOf(path);
  return chunkBlocks(lines, blocksIn(format)(lines), options);
}

function blocksIn(format: ReturnType<typeof documentFormatOf>): (lines: TextLines) => Block[] {
  switch (format) {
    case 'txt':
      return plainBlocks;
    case 'org':
      return orgBlocks;
    case 'rst':
      return rstBlocks;
    case 'pdf':
      return pageBlocks;
    // Their text is extracted as Markdown.
    case 'html':
    case 'docx':
    case undefined:
      return splitBlocks;
  }
}
