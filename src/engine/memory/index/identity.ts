import { CHUNKER_VERSION } from '../chunking/chunk-markdown.js';

/** The full-text tokenizers of memory search §2.11. */
export type Tokenizer = 'trigram' | 'unicode61';

/**
 * What an index was built with. Indexes of the same files with equal identities have the same chunks; any
 * difference requires a rebuild.
 */
export interface IndexIdentity {
  readonly schemaVersion: number;
  readonly chunkerVersion: number;
  readonly chunkTokens: number;
  readonly chunkOverlap: number;
  readonly tokenizer: Tokenizer;
  /** Folders that conversations of other agents must belong to; empty when all are indexed. */
  readonly conversationsIn: string;
  /**
   * The folder whose notes it has; empty in a shared memory. Agents of the same name in different projects use the same
   * file, and none must be answered from the notes of another.
   */
  readonly workspace: string;
}

/** Increased with every schema change; an index of another version is rebuilt. */
export const SCHEMA_VERSION = 13;

/** The settings that are part of the identity. */
export interface IndexSettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly tokenizer: Tokenizer;
  /** See {@link IndexIdentity.conversationsIn}; defaults to empty. */
  readonly conversationsIn?: string | undefined;
  /** See {@link IndexIdentity.workspace}; defaults to empty. */
  readonly workspace?: string | undefined;
}

/** The identity of an index built now with these settings. */
export function currentIdentity(settings: IndexSettings): IndexIdentity {
  return {
    schemaVersion: SCHEMA_VERSION,
    chunkerVersion: CHUNKER_VERSION,
    chunkTokens: settings.chunking.tokens,
    chunkOverlap: settings.chunking.overlap,
    tokenizer: settings.tokenizer,
    conversationsIn: settings.conversationsIn ?? '',
    workspace: settings.workspace ?? '',
  };
}

/** The names of the fields for people. */
const FIELDS: readonly (readonly [keyof IndexIdentity, string])[] = [
  ['schemaVersion', 'version of the tables'],
  ['chunkerVersion', 'version of the chunking rules'],
  ['chunkTokens', 'chunking.tokens'],
  ['chunkOverlap', 'chunking.overlap'],
  ['tokenizer', 'tokenizer'],
  ['conversationsIn', 'folders of conversations'],
  ['workspace', 'workspace'],
];

/** The fields that differ, with both values, as text. */
export function identityDifferences(stored: IndexIdentity, wanted: IndexIdentity): string[] {
  const shown = (value: number | string): string => (value === '' ? 'any' : String(value));
  return FIELDS.flatMap(([field, name]) => {
    const [before, now] = [stored[field], wanted[field]];
    return before === now ? [] : [`${name}: ${shown(before)} → ${shown(now)}`];
  });
}
