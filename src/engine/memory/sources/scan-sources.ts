import { type MemoryFilesOptions, type Scan, scanMemoryFiles } from './memory-files.js';

/** Everything that one agent's index mirrors. */
export interface MemorySources {
  readonly memory: MemoryFilesOptions;
}

/**
 * Finds every document of every source with one look at the file system and none into the files.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED
 */
export function scanSources({ memory }: MemorySources): Scan {
  return scanMemoryFiles(memory);
}
