import { handlesExhausted, isHandleShortage, messageOf, SvcError } from '../../errors/index.js';
import { databaseFault } from '../../sqlite/database.js';

/** Whether something failed because the database is not what was written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SvcError) return error.code === 'INDEX_CORRUPT';
  return databaseFault(error) === 'corrupt';
}

/** Turns a failure while writing an index into the error for the person; others pass through. */
export function asIndexError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  if (isHandleShortage(error)) return handlesExhausted(error);
  const cause = { cause: error };
  switch (databaseFault(error)) {
    case 'busy':
      return new SvcError('INDEX_LOCKED', `the index ${file} is in use by another process`, {
        hint: 'wait for it to finish and try again',
        ...cause,
      });
    case 'corrupt':
      return new SvcError('INDEX_CORRUPT', `the index ${file} is damaged: ${messageOf(error)}`, {
        hint: 'build it anew with "svc memory index --force"',
        ...cause,
      });
    case 'disk_full':
      return new SvcError('INDEX_DISK_FULL', `the disk is full: ${file} could not be written`, {
        hint: 'free some space and run "svc memory index"; what was committed before is kept',
        ...cause,
      });
    case 'unwritable':
      return new SvcError(
        'INDEX_UNWRITABLE',
        `cannot write the index ${file}: ${messageOf(error)}`,
        {
          hint: 'check the permissions of its folder, or move it with memorySearch.store.path',
          ...cause,
        },
      );
    case 'other':
      return error;
  }
}
