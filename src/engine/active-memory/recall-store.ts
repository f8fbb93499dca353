import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MemoryStore } from '../memory/forget/index.js';
import { emptyRecalls, recallStateFile } from './state-file.js';
import { removeTranscripts } from './transcripts.js';

/**
 * Removes all cached recalls and stored transcripts: notes are shortened and reworded in them, so what
 * contains forgotten text cannot be recognized. Undefined if nothing was ever recalled.
 */
export function recallStore(stateDir: string): MemoryStore | undefined {
  if (!existsSync(dirname(recallStateFile(stateDir)))) return undefined;
  return {
    follow: async () => {
      const changed = emptyRecalls(stateDir) + removeTranscripts(stateDir);
      return { store: 'active memory', changed, clean: true };
    },
  };
}
