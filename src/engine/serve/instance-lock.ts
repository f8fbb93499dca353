import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import { acquireProcessLock, isProcessLockHeld, whileLocked } from '../sqlite/process-lock.js';
import { hasStateFile, readStateFile, type ServeState } from './state-file.js';

/** Long enough for an ending predecessor, short enough for a prompt error. */
const PATIENCE_MS = 300;

/** The lock file of the one instance of a state folder. */
function instanceLockFile(stateDir: string): string {
  return join(stateDir, 'serve.lock');
}

/**
 * Runs the work of the one instance that a state folder can have.
 *
 * @throws SvcError SERVE_RUNNING; the error of the file system or SQLite if the lock cannot be created
 */
export async function withInstanceLock<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquireProcessLock(instanceLockFile(stateDir), { waitMs: PATIENCE_MS });
  return whileLocked(lock, () => runsAlready(stateDir), work);
}

function runsAlready(stateDir: string): SvcError {
  const pid = readStateFile(stateDir)?.pid;
  const who = pid === undefined ? '' : ` with process id ${pid}`;
  return new SvcError(
    'SERVE_RUNNING',
    `svc serve or svc webhook serve is already running for ${stateDir}${who}`,
    {
      hint: 'stop it first, or set SVC_HOME to another state folder',
      ...(pid === undefined ? {} : { details: { pid } }),
    },
  );
}

/**
 * The state of the running instance of a state folder, or undefined. Leftovers of a killed one do not count,
 * because its lock is gone.
 */
export function runningServeState(stateDir: string): ServeState | undefined {
  const state = readStateFile(stateDir);
  if (state === undefined || !isProcessLockHeld(instanceLockFile(stateDir))) return undefined;
  return state;
}

/** Whether an instance runs and wrote its state, even if a full disk or another version made that unreadable. */
export function isInstanceRunning(stateDir: string): boolean {
  return hasStateFile(stateDir) && isProcessLockHeld(instanceLockFile(stateDir));
}
