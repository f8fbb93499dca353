import { SvcError } from '../../../errors/index.js';
import type { Server, Transaction } from '../../../postgres/index.js';
import { afterFirst } from '../../../support/async.js';
import { documentKeyText } from '../../types.js';
import type { Change } from '../documents.js';
import type { Tokenizer } from '../identity.js';
import type { Place } from './facts.js';
import type { WordReader } from './tokenize.js';

/** A memory that is written, and how its words are read. */
export interface Target extends Place {
  readonly tokenizer: Tokenizer;
  readonly words: WordReader;
  /** How long to wait for other writers, in milliseconds; as long as a statement may take when undefined. */
  readonly lockWaitMs: number | undefined;
  /** As in PrepareOptions. */
  readonly forgetNext: number | undefined;
}

/** How many chunks a memory has, and of how many more the postings still are. */
export interface ChunkCounts {
  readonly chunks: number;
  readonly dead: number;
}

/**
 * Changes a memory in one transaction, one writer at a time. Searches read the memory again after it.
 *
 * @param work gets the id of the memory's next chunk; its statements run once the memory is locked
 * @throws SvcError STORAGE_BUSY when another writer does not finish in time
 */
export async function changeMemory<T>(
  server: Server,
  { memory, lockWaitMs }: Target,
  work: (transaction: Transaction, nextChunk: Promise<number>) => Promise<T>,
): Promise<{ readonly result: T; readonly counts: ChunkCounts }> {
  const change = async (transaction: Transaction) => {
    const locking = transaction.query<{ readonly next: number }>(
      'SELECT next_chunk AS next FROM svc.memories WHERE id = $1 FOR NO KEY UPDATE',
      [memory],
    );
    const nextChunk = locking.then(([row]) => {
      if (row === undefined) throw new Error('the memory was deleted meanwhile');
      return row.next;
    });
    const [, result] = await afterFirst(nextChunk, work(transaction, nextChunk));
    return { result, counts: await recordChange(transaction, memory) };
  };
  return server.transaction(change, { lockWaitMs });
}

/** Records that searches have to read the memory again, and facts that they need not look up. */
async function recordChange(transaction: Transaction, memory: number): Promise<ChunkCounts> {
  const [counts = { chunks: 0, dead: 0 }] = await transaction.query<ChunkCounts>(
    `UPDATE svc.memories SET revision = revision + 1, languages = coalesce(found.languages, ''),
       sources = coalesce(found.sources, ''), has_media = coalesce(found.media, false)
     FROM (
       SELECT string_agg(DISTINCT language, ' ') AS languages, string_agg(DISTINCT source, ' ') AS sources,
         bool_or(kind = 'media') AS media FROM svc.documents WHERE memory = $1
     ) AS found WHERE id = $1 RETURNING chunks, dead_chunks AS dead`,
    [memory],
  );
  return counts;
}

/** Somebody ran `svc storage origins --forget` for a host that is indexing. */
export function originRemoved(): SvcError {
  return new SvcError('STORAGE_BUSY', 'this host was removed from the shared memory meanwhile', {
    hint: 'run "svc memory index", which indexes its files again',
  });
}

/** A change set with at most one change of each document, to the same effect. */
export function mergeChanges(changes: Iterable<Change>): readonly Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const key = documentKeyText('document' in change ? change.document : change.key);
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? change : mergeChange(earlier, change));
  }
  return [...merged.values()];
}

function mergeChange(earlier: Change, later: Change): Change {
  if (!('document' in earlier) || later.type === 'put' || later.type === 'remove') return later;
  if (later.type === 'touch') {
    const { fingerprint } = later;
    return { ...earlier, document: { ...earlier.document, fingerprint } };
  }
  const { document, replacesLast } = later;
  const known = earlier.document.chunks;
  const chunks = [...known.slice(0, Math.max(0, known.length - replacesLast)), ...document.chunks];
  const whole = { ...document, chunks };
  if (earlier.type === 'put') return { type: 'put', document: whole };
  const further = Math.max(0, replacesLast - known.length);
  return { type: 'extend', document: whole, replacesLast: earlier.replacesLast + further };
}
