import { closing } from '../../support/async.js';
import { forgetMark, readForgetList, writeForgetList } from '../forgotten/index.js';
import {
  isDamage,
  type MemoryIndex,
  openIndex,
  type SqliteIndex,
  statIndex,
  type VectorSettings,
} from '../index/index.js';
import type { IndexHome } from './index-home.js';

/** Where a {@link createFileHome} keeps what it consists of. */
export interface FileHomePlaces {
  /** Absolute path of the database. */
  readonly indexFile: string;
  readonly vectors: VectorSettings;
  /** Absolute path of the list of what is forgotten. */
  readonly listFile: string;
}

/** An index as a SQLite file. Code that only writers need is loaded by them. */
export function createFileHome({ indexFile, vectors, listFile }: FileHomePlaces): IndexHome {
  /** A rebuilt index may be another file at the same path. */
  const known = new WeakMap<MemoryIndex, { index: SqliteIndex; inode: number }>();
  /** Undefined without a usable index. */
  const withIndex = async <T>(mode: 'read' | 'write', use: (index: SqliteIndex) => T) => {
    const opened = openIndex(indexFile, mode, vectors);
    if (opened.state !== 'ready') return undefined;
    using index = closing(opened.index);
    return await use(index);
  };
  return {
    open: async () => {
      const inode = statIndex(indexFile)?.ino;
      const opened = openIndex(indexFile, 'read', vectors);
      if (opened.state === 'ready' && inode !== undefined) {
        known.set(opened.index, { index: opened.index, inode });
      }
      return opened;
    },
    isCurrent: (index) => {
      const own = known.get(index);
      const inode = statIndex(indexFile)?.ino;
      return own !== undefined && own.inode === inode && own.index.isCurrent();
    },
    followsForgetList: (index) =>
      known.get(index)?.index.forgetListMark() === forgetMark({ listFile }),
    openToWrite: async () => {
      const opened = openIndex(indexFile, 'write', vectors);
      return opened.state === 'ready' ? opened.index : undefined;
    },
    mirror: async (run) => {
      const { mirrorFile } = await import('./mirror-file.js');
      return mirrorFile(run, vectors);
    },
    readForgetList: () => readForgetList(listFile),
    writeForgetList: async (list, now) => {
      try {
        await withIndex('write', (index) => index.requestScrub(now?.places));
      } catch (error) {
        // The next sync follows the list, and replaces a damaged index.
        if (!isDamage(error)) throw error;
      }
      writeForgetList(listFile, list);
    },
    isScrubPending: async () =>
      (await withIndex('read', (index) => index.isScrubRequested())) ?? false,
    reset: async (clock) => {
      const { resetIndex } = await import('./build-file.js');
      return resetIndex(indexFile, clock);
    },
  };
}
