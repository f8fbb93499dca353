import type { Connection } from '../database.js';
import { findSpace, raiseWholeTo } from './spaces.js';

/**
 * Notes contents that the provider of an identity does not take: they count as seen to. Nothing is
 * noted before the first vector, when a provider that takes nothing at all is the likelier cause.
 */
export function refuseEmbeddings(
  database: Connection,
  identity: string,
  hashes: readonly Buffer[],
): void {
  const space = findSpace(database, identity);
  if (space === undefined || hashes.length === 0) return;
  database.transaction(() => {
    const insert = database.prepare('INSERT OR IGNORE INTO refused_contents VALUES (?, ?)');
    for (const hash of hashes) insert.run(space.id, hash);
    raiseWholeTo(database, space);
  })();
}

/** Forgets those that no chunk holds any more, and those of spaces that are gone. */
export function tidyRefused(database: Connection): void {
  database.exec(
    `DELETE FROM refused_contents WHERE space_id NOT IN (SELECT id FROM spaces)
       OR NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = refused_contents.hash)`,
  );
}
