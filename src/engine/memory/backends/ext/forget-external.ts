import type { Forgotten } from '../../forget/forgotten.js';
import type { MemoryStore } from '../../forget/memory-store.js';
import { readDocument } from '../../sources/read-document.js';
import { type MemorySources, scanSources } from '../../sources/scan-sources.js';
import type { WorkOptions } from '../memory-backend.js';

/** How the program's index is rid of what is in no file any more. */
export interface ExternalUpkeep {
  /** Writes the conversations anew, without what is forgotten. */
  readonly exportSessions: () => Promise<unknown>;
  /** Lets the program look at its files again and drop what is in none. @throws ToolFailure */
  readonly cleanUp: (work: WorkOptions) => Promise<void>;
  /** Deletes its index; the next question makes it anew. */
  readonly removeIndex: (work: WorkOptions) => Promise<unknown>;
}

/**
 * The program's index beside the builtin engine's. It mirrors the files whatever is forgotten of them:
 * answers leave that out, and its bytes are gone once they are in no file any more.
 */
export function storeBeside(
  builtin: MemoryStore,
  sources: MemorySources,
  { exportSessions, cleanUp, removeIndex }: ExternalUpkeep,
): MemoryStore {
  return {
    follow: async (forgotten, work = {}) => {
      const below = await builtin.follow(forgotten, work);
      await exportSessions();
      try {
        await cleanUp(work);
      } catch {
        work.signal?.throwIfAborted();
        // Whatever is wrong with the program: what it cannot take out must not stay.
        await removeIndex(work);
      }
      if (!below.clean || !stands(forgotten, sources)) return below;
      return { ...below, clean: false, why: STANDS_IN_FILES };
    },
  };
}

const STANDS_IN_FILES = {
  message:
    'answers leave it out, but the external search program indexes the files, and it still stands in them',
  hint: 'forget it with --from-file, or take it out of the files and run "svc memory index"',
};

/** Whether a file that the program indexes says something that is forgotten. */
function stands(forgotten: Forgotten, { memory }: MemorySources): boolean {
  return scanSources({ memory }).files.some((file) => {
    const read = readDocument(file.absolutePath, file.path);
    if (!read.ok) return false;
    const { lines, hash } = read.document;
    return forgotten.hidesDocument(hash) || forgotten.linesIn(lines).size > 0;
  });
}
