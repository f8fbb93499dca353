import { SvcError, type Warning } from '../../errors/index.js';
import type { SyncSummary } from '../sync/events.js';

/** The index file was not usable, and is a new one now. */
export function rebuiltWarning(indexFile: string, why: string): Warning {
  return { code: 'INDEX_REBUILT', message: `the index ${indexFile} was built anew: ${why}` };
}

/** This process itself is at work on the index for longer than an answer waits. */
export function updatingWarning(): Warning {
  return {
    code: 'INDEX_BUSY',
    message: 'the index is being updated; this answer may miss the newest changes',
  };
}

/** @throws SvcError INTERRUPTED for a sync that was stopped half way */
export function stopIfInterrupted(summary: SyncSummary): void {
  if (summary.outcome !== 'stopped') return;
  const documents = summary.added + summary.changed;
  throw new SvcError('INTERRUPTED', `stopped; ${documents} files were indexed and are kept`, {
    hint: 'run the same command again to go on from there',
  });
}
