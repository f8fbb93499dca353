import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { StatePaths } from '../context.js';
import { SvcError, systemErrorCode } from '../errors/index.js';
import { shortHash } from '../short-hash.js';

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

/** The workspace's real path, now. @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE */
export function realWorkspaceDir({ dir }: Pick<DreamWorkspace, 'dir'>): string {
  try {
    return realpathSync(dir);
  } catch (cause) {
    const system = systemErrorCode(cause) ?? 'unknown error';
    if (system === 'ENOENT') {
      throw new SvcError('WORKSPACE_MISSING', `there is no workspace at ${dir}`, {
        hint: `make it (mkdir -p ${dir}), or name another: svc config set agents.defaults.workspace DIR`,
        cause,
      });
    }
    throw new SvcError('WORKSPACE_UNREADABLE', `${dir} cannot be read (${system})`, {
      hint: 'check its permissions',
      cause,
    });
  }
}
