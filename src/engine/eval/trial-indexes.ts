import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import type { MemoryStore } from '../memory/forget/index.js';
import { trialIndexFolder } from '../memory/index.js';
import { resetIndex } from '../memory/sync/build-file.js';
import type { Clock, StatePaths } from '../support/context.js';

/** Indexes kept for the next evaluation, to avoid paying for the same embeddings again. */
const KEPT = 8;
const ENDING = '.sqlite';

/** Deletes trial indexes that were not used recently. */
export async function tidyTrialIndexes(state: StatePaths, clock: Clock): Promise<void> {
  for (const file of trialIndexes(state).slice(KEPT)) await remove(file, clock);
}

/** Deletes all trial indexes when something is forgotten, since they contain text of notes. */
export function trialStore(state: StatePaths, clock: Clock): MemoryStore {
  return {
    follow: async () => {
      const files = trialIndexes(state);
      let changed = 0;
      for (const file of files) if (await remove(file, clock)) changed += 1;
      return { store: 'trial indexes', changed, clean: changed === files.length };
    },
  };
}

export function hasTrialIndexes(state: StatePaths): boolean {
  return trialIndexes(state).length > 0;
}

/** Most recently used first. */
function trialIndexes(state: StatePaths): readonly string[] {
  const folder = trialIndexFolder(state);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => join(folder, name))
    .map((file) => ({ file, usedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
    .map(({ file }) => file);
}

/** @returns false if another process is writing it */
async function remove(file: string, clock: Clock): Promise<boolean> {
  try {
    await resetIndex(file, clock);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
