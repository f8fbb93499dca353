import { CHUNKER_VERSION } from '../chunking/chunk-markdown.js';

/** The full-text tokenizers of memory search §2.11. */
export type Tokenizer = 'trigram' | 'unicode61';

/**
 * What an index was built with. Two indexes of the same files with equal identities hold the same
 * chunks; any difference calls for a full rebuild.
 */
export interface IndexIdentity {
  readonly schemaVersion: number;
  readonly chunkerVersion: number;
  readonly chunkTokens: number;
  readonly chunkOverlap: number;
  readonly tokenizer: Tokenizer;
}

/** Raised with every change of the tables; an index of another version is rebuilt. */
export const SCHEMA_VERSION = 4;

/** The settings that take part in the identity. */
export interface IndexSettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly tokenizer: Tokenizer;
}

/** The identity that an index built now, with these settings, would have. */
export function currentIdentity(settings: IndexSettings): IndexIdentity {
  return {
    schemaVersion: SCHEMA_VERSION,
    chunkerVersion: CHUNKER_VERSION,
    chunkTokens: settings.chunking.tokens,
    chunkOverlap: settings.chunking.overlap,
    tokenizer: settings.tokenizer,
  };
}

/** The fields in which an index differs from what is wanted, with both values. */
export function identityDifferences(stored: IndexIdentity, wanted: IndexIdentity): string[] {
  const differences: string[] = [];
  for (const field of IDENTITY_FIELDS) {
    if (stored[field] === wanted[field]) continue;
    differences.push(`${field}: ${String(stored[field])} → ${String(wanted[field])}`);
  }
  return differences;
}

const IDENTITY_FIELDS = [
  'schemaVersion',
  'chunkerVersion',
  'chunkTokens',
  'chunkOverlap',
  'tokenizer',
] as const satisfies readonly (keyof IndexIdentity)[];
