import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Connection } from '../../sqlite/database.js';

const syncData = promisify(fdatasync);
const closeFile = promisify(close);

/** Makes what was committed outlast a power cut. */
export interface LogSync {
  /** Resolves when everything that was committed before the call is on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waits for the disk beside the event loop, where SQLite itself would wait in it: with
 * `synchronous = NORMAL` a commit writes the write-ahead log and leaves it to the system, and what of it
 * is on disk is all or nothing by its checksums (https://sqlite.org/wal.html). SQLite syncs the log itself
 * before it moves anything from there. There are no locks on the log, which closing a file would drop.
 *
 * @param database in WAL mode, written to at least once since it was opened
 */
export function logSync(database: Connection): LogSync {
  let descriptor: number | undefined;
  return {
    sync: async () => {
      descriptor ??= openSync(`${database.name}-wal`, 'r');
      await syncData(descriptor);
    },
    close: async () => {
      if (descriptor !== undefined) await closeFile(descriptor);
      descriptor = undefined;
    },
  };
}
