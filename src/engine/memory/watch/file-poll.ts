import { SvcError } from '../../errors/index.js';
import { type MemorySources, scanSources } from '../sources/scan-sources.js';
import { isSameTree, snapshotOf, type TreeSnapshot } from '../sync/tree-snapshot.js';

/** What a look found; a reason in words where there was nothing to look at. */
type Look = TreeSnapshot | string | undefined;

/** Finds out by itself, without the system's watches, that a memory's files changed. */
export class FilePoll {
  private readonly sources: MemorySources;
  private readonly now: () => number;
  private last: Look;

  /** @param now milliseconds since the epoch */
  constructor(sources: MemorySources, now: () => number) {
    this.sources = sources;
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
      return snapshotOf(scanSources(this.sources).files, scannedMs);
    } catch (error) {
      // No workspace at the moment, or nothing can be opened: what is the matter a sync will say.
      return error instanceof SvcError ? error.code : String(error);
    }
  }
}
