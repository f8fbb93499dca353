import type { Connection } from '../../../sqlite/database.js';
import { type IndexIdentity, SCHEMA_VERSION, type Tokenizer } from '../identity.js';
import { APPLICATION_ID } from './schema.js';

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
