import Database from 'better-sqlite3';
import { keepNativeObjects } from '../../src/engine/sqlite/keep-native-objects.js';

/** A database opened behind the engine's back; on Node.js 24 kept from being collected, which ends a process. */
export function rawDatabase(file: string): Database.Database {
  const database = new Database(file);
  keepNativeObjects(database, process.versions.node);
  return database;
}
