import { messageOf } from '../../errors/index.js';
import { databaseFault, openDatabase } from '../../sqlite/database.js';

const BUSY_TIMEOUT_MS = 1000;
const MOST_COMPLAINTS = 3;

/**
 * What SQLite itself finds wrong with a database file, some of it; empty for a sound one. Reads the
 * whole file, about a second for a few hundred megabytes, and does not let the event loop turn.
 *
 * @throws SvcError SQLITE_UNUSABLE; what the file system says
 */
export function integrityComplaints(file: string): readonly string[] {
  try {
    const database = openDatabase(file, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      const rows = database
        .prepare<[], string>(`PRAGMA quick_check(${MOST_COMPLAINTS})`)
        .pluck()
        .all();
      return rows.filter((row) => row !== 'ok');
    } finally {
      database.close();
    }
  } catch (error) {
    if (databaseFault(error) === 'corrupt') return [messageOf(error)];
    throw error;
  }
}
