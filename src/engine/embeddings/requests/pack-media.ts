import type { EmbeddingInput } from '../embedding-adapter.js';
import type { RequestLimits } from '../vendor.js';

/** What a pack holds, as far as media are concerned. */
interface Packed {
  readonly content: EmbeddingInput;
  readonly refusal: string | undefined;
}

/** Several pictures in one request: small enough that a lost answer costs little. */
const TARGET_BYTES = 4_000_000;
/** Of the media of all requests under way: each is in the memory three times, twice of it encoded. */
const MAX_BYTES_UNDER_WAY = 16_000_000;

/** Why an input need not be sent: the vendor cannot take it. Undefined for all that is worth a try. */
export function whyNotSent({ media }: EmbeddingInput, limits: RequestLimits): string | undefined {
  if (media === undefined) return undefined;
  if (limits.media === undefined) return 'the model takes texts alone';
  const { maxBytesPerRequest } = limits.media;
  const bytes = media.data.length;
  if (bytes <= maxBytesPerRequest) return undefined;
  return `it has ${bytes} bytes, and a request takes ${maxBytesPerRequest}`;
}

/** Whether an input may go into a request with those that are in it; texts go apart from media. */
export function fitsMedia(
  pack: readonly Packed[],
  piece: Packed,
  { media: limits }: RequestLimits,
): boolean {
  const all = [...pack, piece];
  if (all.every(({ content }) => content.media === undefined)) return true;
  if (limits === undefined || all.some(({ refusal }) => refusal !== undefined)) return false;
  return (
    all.length <= limits.maxImagesPerRequest &&
    mediaBytes(all) <= Math.min(TARGET_BYTES, limits.maxBytesPerRequest) &&
    all.every(({ content }) => isOrdinaryImage(content, limits.documented))
  );
}

/** A recording takes a request of its own, and so does whatever is likely to be refused. */
function isOrdinaryImage({ media }: EmbeddingInput, documented: ReadonlySet<string>): boolean {
  if (media === undefined || !documented.has(media.mimeType)) return false;
  return media.mimeType.startsWith('image/');
}

/** Bytes of the media of a request. */
export function mediaBytes(pack: readonly Pick<Packed, 'content'>[]): number {
  return pack.reduce((sum, { content }) => sum + (content.media?.data.length ?? 0), 0);
}

/**
 * Whether the requests under way hold all the media that may be in the memory at once.
 *
 * @param sizes bytes of media, by request
 */
export function isFull(sizes: ReadonlyMap<number, number>): boolean {
  let bytes = 0;
  for (const size of sizes.values()) bytes += size;
  return bytes >= MAX_BYTES_UNDER_WAY;
}
