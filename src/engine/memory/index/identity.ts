import type { Connection } from '../../sqlite/database.js';
import { CHUNKER_VERSION } from '../chunking/index.js';
import { APPLICATION_ID } from './schema.js';

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
}

/** Increased with every schema change; an index of another version is rebuilt. */
export const SCHEMA_VERSION = 9;

/** The settings that are part of the identity. */
export interface IndexSettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly tokenizer: Tokenizer;
  /** See {@link IndexIdentity.conversationsIn}; defaults to empty. */
  readonly conversationsIn?: string | undefined;
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
  };
}

/** The fields that differ, with both values. */
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

/** A table of an index is not as it was written. */
export class DamagedMetaError extends Error {}

/** The schema version of an index; 0 for a database that is not ours. */
export function readVersion(database: Connection): number {
  const row = database
    .prepare<[], { application: number; version: number }>(
      `SELECT application_id AS application, user_version AS version
       FROM pragma_application_id, pragma_user_version`,
    )
    .get();
  return row?.application === APPLICATION_ID ? row.version : 0;
}

/** @throws DamagedMetaError, and SQLite's errors */
export function readIdentity(database: Connection): IndexIdentity {
  const rows = database.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all();
  const meta = new Map(rows);
  const number = (key: string): number => {
    const value = Number(meta.get(key) ?? Number.NaN);
    if (!Number.isFinite(value)) throw new DamagedMetaError(`no ${key} in its meta table`);
    return value;
  };
  return {
    schemaVersion: number('schemaVersion'),
    chunkerVersion: number('chunkerVersion'),
    chunkTokens: number('chunkTokens'),
    chunkOverlap: number('chunkOverlap'),
    tokenizer: tokenizerOf(meta.get('tokenizer')),
    conversationsIn: meta.get('conversationsIn') ?? '',
  };
}

/** Whether an open connection still sees the identity it was opened with. */
export function isUnchanged(database: Connection, identity: IndexIdentity): boolean {
  try {
    if (readVersion(database) !== SCHEMA_VERSION) return false;
    return JSON.stringify(readIdentity(database)) === JSON.stringify(identity);
  } catch {
    // Opening it again will report what is wrong.
    return false;
  }
}

function tokenizerOf(value: string | undefined): Tokenizer {
  if (value === 'unicode61' || value === 'trigram') return value;
  throw new DamagedMetaError('no tokenizer in its meta table');
}
