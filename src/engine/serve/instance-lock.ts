import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import { withProcessLock } from '../process-lock.js';
import { readStateFile } from './state-file.js';

/** Long enough for a predecessor that is just ending, short enough to be told at once. */
const PATIENCE_MS = 300;

/** The file whose lock the one instance of a state folder holds. */
export function instanceLockFile(stateDir: string): string {
  return join(stateDir, 'serve.lock');
}

/**
 * Does the work of the one instance that a state folder may have.
 *
 * @throws SvcError SERVE_RUNNING when there is one already; what the file system or SQLite throws
 *   when the lock cannot be made
 */
export async function withInstanceLock<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const onWait = (): void => {
    patience = setTimeout(() => waiting.abort(runsAlready(stateDir)), PATIENCE_MS);
  };
  const options = { signal: waiting.signal, onWait };
  return withProcessLock(instanceLockFile(stateDir), options, () => {
    clearTimeout(patience);
    return work();
  });
}

function runsAlready(stateDir: string): SvcError {
  const pid = readStateFile(stateDir)?.pid;
  const who = pid === undefined ? '' : ` with process id ${pid}`;
  return new SvcError('SERVE_RUNNING', `svc serve runs already for ${stateDir}${who}`, {
    hint: 'stop it first, or set SVC_HOME to another state folder for a second one',
    ...(pid === undefined ? {} : { details: { pid } }),
  });
}
