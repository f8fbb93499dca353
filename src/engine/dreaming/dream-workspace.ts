import { join } from 'node:path';
import type { StatePaths } from '../context.js';
import { shortHash } from '../memory/short-hash.js';

/** A folder of notes that dreaming consolidates, and where it keeps what it knows of it. */
export interface DreamWorkspace {
  /** Absolute real path. */
  readonly dir: string;
  readonly files: DreamFiles;
}

/** Absolute paths of one workspace's state, below `dreaming/` of the state folder. */
export interface DreamFiles {
  readonly database: string;
  /** What searches recalled, since the last sweep. */
  readonly recallLog: string;
  /** Held by the one sweep that runs. */
  readonly lock: string;
  /** `MEMORY.md` as it was before each sweep that changed it. */
  readonly backupDir: string;
}

/** @param dir absolute real path: agents that share a folder share its dreams */
export function dreamWorkspace(dir: string, state: Pick<StatePaths, 'stateDir'>): DreamWorkspace {
  const root = join(state.stateDir, 'dreaming');
  const name = shortHash(dir);
  return {
    dir,
    files: {
      database: join(root, `${name}.sqlite`),
      recallLog: join(root, `${name}.recalls.jsonl`),
      lock: join(root, `${name}.lock`),
      backupDir: join(root, 'backups', name),
    },
  };
}
