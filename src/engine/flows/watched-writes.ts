import { type ErrorCode, SvcError } from '../errors/index.js';
import type { FlowStore } from './flow-store.js';
import type { Work } from './work.js';

/** With these, no change can be stored until somebody or something fixes it. */
const UNSTORABLE: ReadonlySet<ErrorCode> = new Set([
  'FLOWS_DAMAGED',
  'FLOWS_PERSIST_FAILED',
  'STORAGE_FAILED',
  'STORAGE_FULL',
  'STORAGE_NEWER',
  'STORAGE_OUTDATED',
  'STORAGE_REFUSED',
  'STORAGE_UNREACHABLE',
]);

/** About as much as a change needs, so that a disk with no more room is noticed. */
const PROBE_TEXT = 'x'.repeat(16_384);
/** Not the action of anybody. */
const PROBE = { ownerKey: '', action: 'probe', key: 'probe' };

/** A store that remembers whether its last change could be stored. */
export function watchedWrites(store: FlowStore) {
  let failure: SvcError | undefined;
  const listeners = new Set<(failure: SvcError | undefined) => void>();
  const note = (next: SvcError | undefined): void => {
    if (next?.code === failure?.code) return;
    failure = next;
    for (const listener of listeners) listener(next);
  };
  const noteFailure = (error: unknown): never => {
    if (error instanceof SvcError && UNSTORABLE.has(error.code)) note(error);
    throw error;
  };
  const write: FlowStore['write'] = async (change, scope) => {
    let hasWritten = false;
    const observed = async (work: Work) => {
      const before = work.changes.length;
      const result = await change(work);
      hasWritten = work.changes.length > before;
      return result;
    };
    const result = await store.write(observed, scope).catch(noteFailure);
    // One that changed nothing needs no room on the disk.
    if (hasWritten) note(undefined);
    return result;
  };
  return {
    write,
    writes: {
      /** Why the last change could not be stored; undefined if it could. */
      failure: () => failure,
      /** Calls back when that changes. @returns unsubscribes */
      subscribe: (listener: (failure: SvcError | undefined) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      /** Makes a change that means nothing, to find out. Never rejects. */
      probe: async (): Promise<void> => {
        await store
          .write(async ({ answers, nowMs }) => {
            await answers.find(PROBE, nowMs);
            // Expired at once, so that the next cleanup deletes it.
            await answers.keep(PROBE, { bodyHash: '', answer: PROBE_TEXT }, nowMs);
          })
          .then(() => note(undefined), noteFailure)
          .catch(() => undefined);
      },
    },
  };
}
