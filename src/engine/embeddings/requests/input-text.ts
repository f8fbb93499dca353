import type { EmbeddingInput } from '../embedding-adapter.js';
import type { RequestLimits } from '../vendor.js';

/** UTF-8 bytes for one token, on the cautious side: tokenizers differ, and code is dense. */
export const BYTES_PER_TOKEN = 2.5;

/** How many tokens a text may have at most, about; vendors' tokenizers differ by half and more. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** An input as one text, for vendors without a field for titles. */
export function plainText({ title, text }: EmbeddingInput): string {
  return title === undefined || title === '' ? text : `${title}\n\n${text}`;
}

/**
 * Cuts an input that is longer than the vendor takes into pieces that are not, at line ends or
 * blanks where there are some. One piece, the input itself, in all ordinary cases.
 */
export function splitToFit(
  input: EmbeddingInput,
  limits: RequestLimits,
): readonly EmbeddingInput[] {
  // A picture cannot be cut.
  if (input.media !== undefined) return [input];
  const whole = plainText(input);
  const maxChars = limits.maxCharsPerInput ?? Number.POSITIVE_INFINITY;
  if (whole.length <= maxChars && estimateTokens(whole) <= limits.maxTokensPerInput) return [input];
  const maxBytes = Math.max(MIN_PIECE_BYTES, limits.maxTokensPerInput * BYTES_PER_TOKEN);
  return cut(whole, maxBytes, maxChars).map((text) => ({ text }));
}

/**
 * An input in two pieces or a few, for a vendor that found it too long in spite of our estimate;
 * undefined when it cannot be divided, or is so short that its length cannot be the reason.
 */
export function halve(input: EmbeddingInput): readonly EmbeddingInput[] | undefined {
  if (input.media !== undefined) return undefined;
  const tokens = estimateTokens(plainText(input));
  if (tokens < MIN_HALVED_TOKENS) return undefined;
  const half = Math.ceil(tokens / 2);
  const limits = { maxInputs: 1, maxTokensPerInput: half, maxTokensPerRequest: half };
  const pieces = splitToFit(input, limits);
  return pieces.length > 1 ? pieces : undefined;
}

/** No model takes less. */
const MIN_HALVED_TOKENS = 64;

/** However small a limit: a piece holds a few words. */
const MIN_PIECE_BYTES = 32;

function cut(text: string, maxBytes: number, maxChars: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let bytes = 0;
  const flush = (): void => {
    if (piece.trim() !== '') pieces.push(piece.trim());
    piece = '';
    bytes = 0;
  };
  // Words with the blanks before them; a longer run without any is cut between characters.
  for (const word of text.match(/\s*\S{1,64}/gu) ?? []) {
    const size = Buffer.byteLength(word);
    if (piece !== '' && (bytes + size > maxBytes || piece.length + word.length > maxChars)) flush();
    piece += word;
    bytes += size;
  }
  flush();
  return pieces;
}
