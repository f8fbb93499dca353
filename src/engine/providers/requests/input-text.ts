import type { EmbeddingInput, RequestLimits } from '../vendor.js';

/** UTF-8 bytes per token, a conservative estimate: tokenizers differ, and code is dense. */
export const BYTES_PER_TOKEN = 2.5;

/** A rough upper bound; tokenizers differ by half and more. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The input as one text, for vendors without a title field. */
export function plainText({ title, text }: EmbeddingInput): string {
  return title === undefined || title === '' ? text : `${title}\n\n${text}`;
}

/**
 * Splits an input that is too long for the vendor, preferably at white space. Usually returns just
 * the input.
 */
export function splitToFit(
  input: EmbeddingInput,
  limits: RequestLimits,
): readonly EmbeddingInput[] {
  // Images cannot be split.
  if (input.media !== undefined) return [input];
  const whole = plainText(input);
  const maxChars = limits.maxCharsPerInput ?? Number.POSITIVE_INFINITY;
  if (whole.length <= maxChars && estimateTokens(whole) <= limits.maxTokensPerInput) return [input];
  const maxBytes = Math.max(MIN_PIECE_BYTES, limits.maxTokensPerInput * BYTES_PER_TOKEN);
  return cut(whole, maxBytes, maxChars).map((text) => ({ text }));
}

/**
 * Splits an input that the vendor found too long despite our estimate; undefined if it cannot be
 * split, or is so short that its length cannot be the reason.
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

/** The smallest context of any model. */
const MIN_HALVED_TOKENS = 64;

/** A piece has room for a few words, however small the limit. */
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
  // Words with the white space before them; long runs are split between characters.
  for (const word of text.match(/(?<!\s)\s*\S{1,64}/gu) ?? []) {
    const size = Buffer.byteLength(word);
    if (piece !== '' && (bytes + size > maxBytes || piece.length + word.length > maxChars)) flush();
    piece += word;
    bytes += size;
  }
  flush();
  return pieces;
}
