import type { Clock } from '../../support/context.js';
import type { ResetResult } from '../backends/index.js';
import type { ForgetList } from '../forget/index.js';
import type { MemoryIndex, OpenedIndex } from '../index/index.js';
import type { SyncConnections, SyncRun, SyncSummary } from '../sync/index.js';

/** An index that is open for writing. */
export interface WritableIndex {
  readonly index: MemoryIndex;
  release(): void;
}

/**
 * Where the index of a memory is kept: in a file of this host, or on a server that several hosts share. What writes is
 * for the holder of this host's lock (sync/index-lock.ts).
 */
export interface IndexHome {
  /**
   * Opens the index to read it. The caller closes it.
   *
   * @throws SvcError INDEX_*, STORAGE_*
   */
  open(): Promise<OpenedIndex<MemoryIndex>>;
  /** Whether an index that was opened to read is still the one that is here. */
  isCurrent(index: MemoryIndex): boolean;
  /** Opens the index to write it; undefined if there is none. */
  openToWrite(connections: SyncConnections): Promise<WritableIndex | undefined>;
  /** Makes the index mirror the scanned files, without vectors. */
  mirror(run: SyncRun): Promise<SyncSummary>;
  /** What is kept out of memory; undefined if nothing ever was. @throws SvcError FORGET_LIST_INVALID */
  readForgetList(): Promise<ForgetList | undefined>;
  /** Replaces the list, and makes the next sync read every file again. @throws SvcError FORGET_FAILED */
  writeForgetList(list: ForgetList): Promise<void>;
  /** Whether forgotten content may still be in the index. */
  isScrubPending(): Promise<boolean>;
  /** Deletes what this host indexed, never a file of the user's. Takes the lock itself. */
  reset(clock: Clock): Promise<ResetResult>;
}
