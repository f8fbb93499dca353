import type { Connection } from '../../../sqlite/database.js';
import type { EmbeddingEntry } from '../memory-index.js';
import { codeVectors } from './code-vectors.js';
import { reviveSpace } from './revive.js';
import { ensureSpace, findSpace, raiseWholeTo, requireDimensions } from './spaces.js';
import { bytesOf, unitVector } from './vector-bytes.js';

/**
 * Keeps vectors under an identity, in one transaction.
 *
 * @throws SvcError PROVIDER_ANSWER_INVALID when one has another length than the others there
 */
export function putEmbeddings(
  database: Connection,
  identity: string,
  entries: readonly EmbeddingEntry[],
): void {
  const [first] = entries;
  if (first === undefined) return;
  // Before the transaction: an index that is being built cannot take anything back.
  const dimensions = findSpace(database, identity)?.dimensions ?? first.vector.length;
  for (const { vector } of entries) requireDimensions(dimensions, vector.length);
  database.transaction(() => {
    const space = ensureSpace(database, identity, dimensions);
    if (!space.inUse) reviveSpace(database, space);
    const insert = database.prepare(
      `INSERT INTO embeddings (space_id, hash, vector) VALUES (?, ?, ?)
       ON CONFLICT (space_id, hash) DO NOTHING`,
    );
    const enqueue = database.prepare('INSERT INTO uncoded VALUES (?, ?)');
    // Its chunk may have gone while the vector was on its way.
    const noteUnused = database.prepare(
      `INSERT OR IGNORE INTO freed_hashes
       SELECT @hash WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE hash = @hash)`,
    );
    for (const { hash, vector } of entries) {
      const { changes, lastInsertRowid } = insert.run(space.id, hash, bytesOf(unitVector(vector)));
      if (changes === 0) continue;
      enqueue.run(space.id, lastInsertRowid);
      noteUnused.run({ hash });
    }
    codeVectors(database, space, 'more are coming');
    raiseWholeTo(database, space);
  })();
}
