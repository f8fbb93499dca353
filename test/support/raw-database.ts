import { type Connection, createDatabase } from '../../src/engine/sqlite/database.js';

/** A database opened behind the engine's back. */
export function rawDatabase(file: string): Connection {
  return createDatabase(file, 5000);
}
