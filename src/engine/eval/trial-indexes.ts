import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, StatePaths } from '../context.js';
import { SvcError } from '../errors/index.js';
import type { MemoryStore } from '../memory/forget/memory-store.js';
import { trialIndexFolder } from '../memory/memory-trial.js';
import { resetIndex } from '../memory/sync/reset-index.js';

/** So many stay for the next evaluation: what a provider embedded need not be paid for again. */
const KEPT = 8;
const ENDING = '.sqlite';

/** Deletes the indexes of trials that were not used lately. */
export async function tidyTrialIndexes(state: StatePaths, clock: Clock): Promise<void> {
  for (const file of trialIndexes(state).slice(KEPT)) await remove(file, clock);
}

/** The indexes of trials as a place that keeps text of memory: what is forgotten goes with all of them. */
export function trialStore(state: StatePaths, clock: Clock): MemoryStore {
  return {
    follow: async () => {
      const files = trialIndexes(state);
      let changed = 0;
      for (const file of files) if (await remove(file, clock)) changed += 1;
      return { store: 'indexes of trials', changed, clean: changed === files.length };
    },
  };
}

/** Whether there is any. */
export function hasTrialIndexes(state: StatePaths): boolean {
  return trialIndexes(state).length > 0;
}

/** The last used first. */
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

/** @returns false for one that another process is writing */
async function remove(file: string, clock: Clock): Promise<boolean> {
  try {
    await resetIndex(file, clock);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
