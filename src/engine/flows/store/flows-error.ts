import { handlesExhausted, isHandleShortage, messageOf, SvcError } from '../../errors/index.js';
import { databaseFault } from '../../sqlite/database.js';

/** Turns a failure of the database of flows into the error for the person; others pass through. */
export function asFlowsError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  if (isHandleShortage(error)) return handlesExhausted(error);
  const cause = { cause: error };
  switch (databaseFault(error)) {
    case 'busy':
      return new SvcError('FLOWS_BUSY', `${file} is being written by another process`, {
        hint: 'try again; nothing was done',
        ...cause,
      });
    case 'corrupt':
      return new SvcError('FLOWS_DAMAGED', `${file} is damaged: ${messageOf(error)}`, {
        hint: 'put back a copy of it, or move it away to begin anew',
        ...cause,
      });
    case 'disk_full':
      return new SvcError('FLOWS_PERSIST_FAILED', `the disk is full: ${file} cannot be written`, {
        hint: 'free some space and try again; nothing was done',
        ...cause,
      });
    case 'unwritable':
      return new SvcError(
        'FLOWS_PERSIST_FAILED',
        `${file} cannot be written: ${messageOf(error)}`,
        { hint: 'check the permissions of the file and its folder; nothing was done', ...cause },
      );
    case 'other':
      return error;
  }
}

/**
 * What is told when a change was made and could not be synced: it may be there or not after a power cut,
 * and is there until then.
 */
export function asSyncError(error: unknown, file: string): SvcError {
  return new SvcError(
    'FLOWS_PERSIST_FAILED',
    `the change was made, but ${file} could not be synced to the disk: ${messageOf(error)}`,
    { hint: 'look at the disk; a request with an idempotency key may be sent again', cause: error },
  );
}
