import { join } from 'node:path';
import type { StatePaths } from '../support/context.js';
import { shortHash } from '../support/text.js';

/** A folder of notes that dreaming consolidates, and its state files. */
export interface DreamWorkspace {
  /** Absolute real path. */
  readonly dir: string;
  readonly files: DreamFiles;
}

/** Absolute paths of one workspace's state, below `dreaming/` in the state folder. */
export type DreamFiles = Readonly<ReturnType<typeof dreamFiles>>;

/** @param dir absolute real path; agents sharing a folder share this state */
export function dreamWorkspace(dir: string, state: Pick<StatePaths, 'stateDir'>): DreamWorkspace {
  return { dir, files: dreamFiles(shortHash(dir), state) };
}

/** @param name short hash of the workspace's path */
export function dreamFiles(name: string, state: Pick<StatePaths, 'stateDir'>) {
  const root = join(state.stateDir, 'dreaming');
  return {
    database: join(root, `${name}.sqlite`),
    /** Claims recalled by searches since the last sweep. */
    recallLog: join(root, `${name}.recalls.jsonl`),
    /** Earlier ones: a long log is moved here, and ingested once more. */
    rotatedLog: join(root, `${name}.recalls.jsonl.old`),
    /** Held by a running sweep. */
    lock: join(root, `${name}.lock`),
    /** Copies of `MEMORY.md` from before each change. */
    backupDir: join(root, 'backups', name),
    /** Which workspace and agents this belongs to; see carryOverDreams. */
    origin: join(root, `${name}.origin.json`),
  };
}
