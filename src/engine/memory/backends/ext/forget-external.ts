import type { MemoryStore } from '../../forget/memory-store.js';
import { readDocument } from '../../sources/read-document.js';
import { type MemorySources, scanSources } from '../../sources/scan-sources.js';
import type { WorkOptions } from '../memory-backend.js';

/**
 * The program's index beside the builtin engine's. It mirrors the files whatever is forgotten of them:
 * answers leave that out, and its bytes are gone once they are in no file any more.
 *
 * @param cleanUp lets the program look at its files again and drop what is in none
 */
export function storeBeside(
  builtin: MemoryStore,
  sources: MemorySources,
  cleanUp: (work: WorkOptions) => Promise<void>,
): MemoryStore {
  return {
    follow: async (forgotten, work = {}) => {
      const below = await builtin.follow(forgotten, work);
      await cleanUp(work);
      const stands = scanSources({ memory: sources.memory }).files.some((file) => {
        const read = readDocument(file.absolutePath, file.path);
        if (!read.ok) return false;
        const { lines, hash } = read.document;
        return forgotten.hidesDocument(hash) || forgotten.linesIn(lines).size > 0;
      });
      return { ...below, clean: below.clean && !stands };
    },
  };
}
