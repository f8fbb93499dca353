import { statSync } from 'node:fs';
import type { Connection } from '../../sqlite/database.js';
import { type OpenedIndex, openIndex } from '../index/open-index.js';
import type { SqliteIndex } from '../index/sqlite-index.js';
import type { VectorSettings } from '../index/vectors/vector-settings.js';
import type { LockConnections } from './index-lock.js';

/** Where a sync gets its connections from, and gives them back to. */
export interface SyncConnections extends LockConnections {
  openIndex(file: string, vectors: VectorSettings): OpenedIndex;
  /** Done with for now. */
  releaseIndex(index: SqliteIndex): void;
  /** Closes it: the file is about to be replaced, or something went wrong with it. */
  discardIndex(index: SqliteIndex): void;
}

/** Opened for one sync and closed after it. */
export const openedAnew: SyncConnections = {
  openIndex: (file, vectors) => openIndex(file, 'write', vectors),
  releaseIndex: (index) => index.close(),
  discardIndex: (index) => index.close(),
  openLock: (file, open) => open(file),
  releaseLock: (database) => database.close(),
};

interface Kept<T> {
  readonly file: string;
  readonly inode: number | undefined;
  readonly value: T;
}

/**
 * Keeps the connections of one index open from one sync to the next, for processes that sync often:
 * see keep-native-objects.ts. The lock is given up after each sync like any other.
 */
export class KeptConnections implements SyncConnections {
  private index: Kept<{ readonly index: SqliteIndex; readonly opened: OpenedIndex }> | undefined;
  private lock: Kept<Connection> | undefined;

  openIndex(file: string, vectors: VectorSettings): OpenedIndex {
    const kept = this.index;
    if (kept !== undefined && isStill(kept, file) && kept.value.index.isCurrent()) {
      return kept.value.opened;
    }
    this.closeIndex();
    const inode = inodeOf(file);
    const opened = openIndex(file, 'write', vectors);
    if (opened.state === 'ready') {
      this.index = { file, inode, value: { index: opened.index, opened } };
    }
    return opened;
  }

  releaseIndex(index: SqliteIndex): void {
    if (this.index?.value.index !== index) index.close();
  }

  discardIndex(index: SqliteIndex): void {
    if (this.index?.value.index === index) this.index = undefined;
    index.close();
  }

  openLock(file: string, open: (file: string) => Connection): Connection {
    if (this.lock !== undefined && isStill(this.lock, file)) return this.lock.value;
    this.closeLock();
    const value = open(file);
    this.lock = { file, inode: inodeOf(file), value };
    return value;
  }

  releaseLock(database: Connection): void {
    if (this.lock?.value !== database) {
      database.close();
      return;
    }
    try {
      if (database.inTransaction) database.exec('ROLLBACK');
    } catch {
      // Closing ends the transaction in any case.
      this.closeLock();
    }
  }

  close(): void {
    this.closeIndex();
    this.closeLock();
  }

  private closeIndex(): void {
    this.index?.value.index.close();
    this.index = undefined;
  }

  private closeLock(): void {
    this.lock?.value.close();
    this.lock = undefined;
  }
}

/** Whether the path still names the file that was opened. */
function isStill(kept: Kept<unknown>, file: string): boolean {
  return kept.file === file && kept.inode !== undefined && kept.inode === inodeOf(file);
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
