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
  /** Where conversations of other agents have to be held to be taken in; empty when nothing is sorted out. */
  readonly conversationsIn: string;
}

/** Raised with every change of the tables; an index of another version is rebuilt. */
export const SCHEMA_VERSION = 5;

/** The settings that take part in the identity. */
export interface IndexSettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly tokenizer: Tokenizer;
  /** See {@link IndexIdentity.conversationsIn}; absent is empty. */
  readonly conversationsIn?: string | undefined;
}

/** The identity that an index built now, with these settings, would have. */
export function currentIdentity(settings: IndexSettings): IndexIdentity {
  return {
    schemaVersion: SCHEMA_VERSION,
    chunkerVersion: CHUNKER_VERSION,
    chunkTokens: settings.chunking.tokens,
    chunkOverlap: settings.chunking.overlap,
    tokenizer: settings.tokenizer,
    conversationsIn: settings.conversationsIn ?? '',
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
  'conversationsIn',
] as const satisfies readonly (keyof IndexIdentity)[];
