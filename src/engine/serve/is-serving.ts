import { isProcessLockHeld } from '../process-lock.js';
import { instanceLockFile } from './instance-lock.js';
import { readStateFile, type ServeState } from './state-file.js';

/**
 * The state of the instance that runs for a state folder, or undefined when none does. What a killed
 * one left behind does not count: the lock is asked, which ends with its process.
 */
export function runningServeState(stateDir: string): ServeState | undefined {
  const state = readStateFile(stateDir);
  if (state === undefined || !isProcessLockHeld(instanceLockFile(stateDir))) return undefined;
  return state;
}
