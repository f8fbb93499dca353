import type { EmbeddingAdapter } from '../../embeddings/index.js';
import type { MemoryIndex } from '../index/memory-index.js';

/** A file takes about as long as so many bytes of it count for passages. */
const BYTES_PER_PASSAGE = 32 * 1024;

/** What has no vector yet under an identity. */
export interface MissingWork {
  /** Chunks, those of media among them. */
  readonly chunks: number;
  readonly media: number;
  /** All of it, in passages of text that would take as long. */
  readonly size: number;
}

/** How much an adapter has to embed. */
export async function missingWork(
  index: MemoryIndex,
  adapter: EmbeddingAdapter,
  identity: string,
): Promise<MissingWork> {
  const chunks = await index.countMissingEmbeddings(identity);
  // Others are found to be taken by nobody, which takes no time.
  if (chunks === 0 || !adapter.embedsMedia) return { chunks, media: 0, size: chunks };
  const { files, bytes } = await index.countMissingMedia(identity);
  return { chunks, media: files, size: chunks + Math.floor(bytes / BYTES_PER_PASSAGE) };
}
