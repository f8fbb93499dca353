import type { Clock } from '../../support/context.js';
import type { ResetResult } from '../backends/index.js';
import { type ForgetList, readForgetList, writeForgetList } from '../forget/index.js';
import {
  type MemoryIndex,
  type OpenedIndex,
  openIndex,
  type SqliteIndex,
  statIndex,
  type VectorSettings,
} from '../index/index.js';
import type { SyncConnections, SyncRun, SyncSummary } from '../sync/index.js';
import type { IndexHome, WritableIndex } from './index-home.js';

/** What a {@link FileHome} consists of. */
export interface FileHomePlaces {
  /** Absolute path of the database. */
  readonly indexFile: string;
  readonly vectors: VectorSettings;
  /** Absolute path of the list of what is forgotten. */
  readonly listFile: string;
}

/** An index as a SQLite file. Code that only writers need is loaded by them. */
export class FileHome implements IndexHome {
  private readonly places: FileHomePlaces;
  /** A rebuilt index may be another file at the same path. */
  private readonly opened = new WeakMap<MemoryIndex, { index: SqliteIndex; inode: number }>();

  constructor(places: FileHomePlaces) {
    this.places = places;
  }

  async open(): Promise<OpenedIndex> {
    const { indexFile, vectors } = this.places;
    const inode = statIndex(indexFile)?.ino;
    const opened = openIndex(indexFile, 'read', vectors);
    if (opened.state === 'ready' && inode !== undefined) {
      this.opened.set(opened.index, { index: opened.index, inode });
    }
    return opened;
  }

  isCurrent(index: MemoryIndex): boolean {
    const own = this.opened.get(index);
    const inode = statIndex(this.places.indexFile)?.ino;
    return own !== undefined && own.inode === inode && own.index.isCurrent();
  }

  async openToWrite(connections: SyncConnections): Promise<WritableIndex | undefined> {
    const opened = connections.openIndex(this.places.indexFile, this.places.vectors);
    if (opened.state !== 'ready') return undefined;
    const { index } = opened;
    return { index, release: () => connections.releaseIndex(index) };
  }

  async mirror(run: SyncRun): Promise<SyncSummary> {
    const { mirrorFile } = await import('./mirror-file.js');
    return mirrorFile(run, this.places);
  }

  readForgetList(): Promise<ForgetList | undefined> {
    return readForgetList(this.places.listFile);
  }

  async writeForgetList(list: ForgetList): Promise<void> {
    const { indexFile, vectors, listFile } = this.places;
    const opened = openIndex(indexFile, 'write', vectors);
    if (opened.state === 'ready') {
      try {
        (await opened.index.scrubber()).request();
      } finally {
        opened.index.close();
      }
    }
    writeForgetList(listFile, list);
  }

  async isScrubPending(): Promise<boolean> {
    const opened = openIndex(this.places.indexFile, 'read');
    if (opened.state !== 'ready') return false;
    try {
      return (await opened.index.scrubber()).isRequested();
    } finally {
      opened.index.close();
    }
  }

  async reset(clock: Clock): Promise<ResetResult> {
    const { resetIndex } = await import('../sync/build-file.js');
    return resetIndex(this.places.indexFile, clock);
  }
}
