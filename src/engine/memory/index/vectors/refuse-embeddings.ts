import type { Connection } from '../../../sqlite/database.js';
import type { RefusedContent, RefusedMedia } from '../media-index.js';
import { findSpace, raiseWholeTo } from './spaces.js';

/**
 * Notes contents that the provider of an identity does not take: they count as seen to. Of texts
 * nothing is noted before the first vector, when a provider that takes nothing at all is the likelier
 * cause; a file may well be the only one, and must not be sent with every sync.
 */
export function refuseEmbeddings(
  database: Connection,
  identity: string,
  refused: readonly RefusedContent[],
): void {
  const space = findSpace(database, identity);
  const noted = refused.filter(({ isMedia }) => isMedia || space !== undefined);
  if (noted.length === 0) return;
  database.transaction(() => {
    const insert = database.prepare('INSERT OR REPLACE INTO refused_contents VALUES (?, ?, ?)');
    for (const { hash, why } of noted) insert.run(identity, hash, why);
    if (space !== undefined) raiseWholeTo(database, space);
  })();
}

/** The media documents whose content was refused, under any identity; by path. */
export function refusedMedia(database: Connection): RefusedMedia[] {
  return database
    .prepare<[], RefusedMedia>(
      `SELECT identity, documents.path, mime_type AS mimeType, why FROM documents
       JOIN chunks ON chunks.document_id = documents.id
       JOIN refused_contents ON refused_contents.hash = chunks.hash
       WHERE kind = 'media' ORDER BY documents.path`,
    )
    .all();
}

/** Forgets those that no chunk holds any more, and those of identities that are gone. */
export function tidyRefused(database: Connection, keepIdentities: readonly string[]): void {
  database
    .prepare(
      `DELETE FROM refused_contents
       WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = refused_contents.hash)
         OR (identity NOT IN (SELECT identity FROM spaces)
           AND identity NOT IN (SELECT value FROM json_each(?)))`,
    )
    .run(JSON.stringify(keepIdentities));
}
