import type { Server, Transaction } from '../../../postgres/index.js';
import { changeMemory } from './change-memory.js';
import { columnsOfKnown, type KnownChunk, pageOfChunks } from './stored-chunks.js';
import type { Target } from './write-changes.js';
import { writeTerms } from './write-terms.js';

/** With fewer, the postings of deleted chunks cost next to nothing. */
const FEWEST_DEAD = 1000;
/** Share of the chunks that may be deleted ones. */
const MOST_DEAD = 1 / 2;
/** Chunks in memory at once. */
const PAGE = 4000;

type Words = Omit<Target, 'origin'>;

/** Compacts the postings of a memory if too many are of deleted chunks. */
export async function compactIfWorthIt(server: Server, target: Words): Promise<void> {
  const [row] = await server.query<{ readonly chunks: number; readonly dead: number }>(
    'SELECT chunks, dead_chunks AS dead FROM svc.memories WHERE id = $1',
    [target.memory],
  );
  if (row === undefined || row.dead < FEWEST_DEAD || row.dead < row.chunks * MOST_DEAD) return;
  await compact(server, target);
}

/** Writes the postings again, from the texts, so that nothing is left of deleted chunks. */
export async function compact(server: Server, target: Words): Promise<void> {
  const { memory } = target;
  await changeMemory(server, target, async (transaction) => {
    await transaction.run('DELETE FROM svc.postings WHERE memory = $1', [memory]);
    await transaction.run('DELETE FROM svc.terms WHERE memory = $1', [memory]);
    for (let page = await pageOfChunks(transaction, memory, 0, PAGE); page.length > 0; ) {
      await writeWords(transaction, target, page);
      page = await pageOfChunks(transaction, memory, page.at(-1)?.id ?? 0, PAGE);
    }
    await transaction.run('UPDATE svc.memories SET dead_chunks = 0 WHERE id = $1', [memory]);
  });
}

async function writeWords(
  transaction: Transaction,
  { memory, tokenizer, words }: Words,
  chunks: readonly KnownChunk[],
): Promise<void> {
  const firstChunk = chunks[0]?.id ?? 0;
  const ids = chunks.map(({ id }) => id - firstChunk);
  const { terms } = words.read(columnsOfKnown(chunks, tokenizer), ids);
  await writeTerms(transaction, memory, { added: terms, firstChunk, removed: new Map() });
}
