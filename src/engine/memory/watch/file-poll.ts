import { SvcError } from '../../errors/index.js';
import { type MemoryFilesOptions, scanMemoryFiles } from '../sources/memory-files.js';
import { isSameTree, snapshotOf, type TreeSnapshot } from '../sync/tree-snapshot.js';

/** What a look found; a reason in words where there was nothing to look at. */
type Look = TreeSnapshot | string | undefined;

/** Finds out by itself, without the system's watches, that a memory's files changed. */
export class FilePoll {
  private readonly files: MemoryFilesOptions;
  private readonly now: () => number;
  private last: Look;

  /** @param now milliseconds since the epoch */
  constructor(files: MemoryFilesOptions, now: () => number) {
    this.files = files;
    this.now = now;
  }

  /**
   * Whether anything changed since the last look; also when a file is so fresh that its next change
   * could go unseen. The first look says yes.
   */
  look(): boolean {
    const before = this.last;
    const now = this.snapshot();
    this.last = now;
    if (typeof before === 'string' || typeof now === 'string') return before !== now;
    return before === undefined || now === undefined || !isSameTree(before, now);
  }

  private snapshot(): Look {
    const scannedMs = this.now();
    try {
      return snapshotOf(scanMemoryFiles(this.files).files, scannedMs);
    } catch (error) {
      // No workspace at the moment, or nothing can be opened: what is the matter a sync will say.
      return error instanceof SvcError ? error.code : String(error);
    }
  }
}
