import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import type { StatePaths } from '../support/context.js';
import { shellWord, shortHash } from '../support/text.js';

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

/** The workspace's current real path. @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE */
export function realWorkspaceDir({ dir }: Pick<DreamWorkspace, 'dir'>): string {
  try {
    return realpathSync(dir);
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') {
      throw new SvcError('WORKSPACE_MISSING', `there is no workspace at ${dir}`, {
        hint: `create it with "mkdir -p ${shellWord(dir)}", or run "svc config set agents.defaults.workspace DIR"`,
        cause,
      });
    }
    throw new SvcError('WORKSPACE_UNREADABLE', `cannot read ${dir}: ${systemReason(cause)}`, {
      hint: 'check its permissions',
      cause,
    });
  }
}
