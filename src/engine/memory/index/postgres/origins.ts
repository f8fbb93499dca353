import { exactDouble, type Server, type Sql } from '../../../postgres/index.js';
import { closing } from '../../../support/async.js';
import { columnsOf } from '../../../support/lists.js';
import { type Chunk, type DocumentKey, READ_AGAIN_MS } from '../../types.js';
import {
  type ChunkColumns,
  chunkOf,
  type StoredDocument,
  type StoredDocumentRow,
  storedDocumentColumns,
  storedDocumentOf,
} from '../documents.js';
import type { SharedMemory } from './facts.js';
import { openPostgresIndex } from './postgres-index.js';
import { JOIN_CHUNKS } from './read-documents.js';

/** A host that indexes into a memory. */
export interface Origin {
  /** The id of the memory's agent. */
  readonly agent: string;
  readonly name: string;
  readonly documents: number;
  readonly chunks: number;
  /** When its last sync ended, by its own clock; null before the first. */
  readonly syncedMs: number | null;
  /** How long ago it wrote something, by the server's clock. */
  readonly seenMsAgo: number;
}

/** The hosts of one memory, or of all of them, by agent and name. */
export async function listOrigins(sql: Sql, agent?: string): Promise<readonly Origin[]> {
  return sql.query<Origin>(
    `SELECT agent, name, count(documents.id) AS documents,
       coalesce(sum((SELECT sum(upper(ids) - lower(ids)) FROM unnest(chunk_ids) AS ids)), 0)::bigint AS chunks,
       synced_ms AS "syncedMs",
       (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint AS "seenMsAgo"
     FROM svc.memories JOIN svc.origins ON origins.memory = memories.id
     LEFT JOIN svc.documents ON documents.origin = origins.id
     WHERE $1::text IS NULL OR agent = $1
     GROUP BY memories.id, origins.id ORDER BY agent, name`,
    [agent ?? null],
  );
}

/** A document of another origin. */
export interface OtherDocument extends StoredDocument {
  readonly origin: string;
}

/**
 * The documents of all other origins, by path and origin.
 *
 * @param names only those with one of these paths, or one of these names with their origin
 */
export async function otherDocuments(
  sql: Sql,
  { agent, origin }: SharedMemory,
  names?: readonly string[],
): Promise<readonly OtherDocument[]> {
  const rows = await sql.query<StoredDocumentRow & Pick<OtherDocument, 'origin'>>(
    `SELECT origins.name AS origin, ${storedDocumentColumns(exactDouble)}
     FROM svc.memories JOIN svc.origins ON origins.memory = memories.id
     JOIN svc.documents ON documents.memory = memories.id AND documents.origin = origins.id
     WHERE agent = $1 AND origins.name <> $2
       AND ($3::text[] IS NULL OR path = ANY ($3) OR concat(origins.name, ':', path) = ANY ($3))
     ORDER BY path, origins.name`,
    [agent, origin, names ?? null],
  );
  return rows.map(storedDocumentOf);
}

/** A chunk with its id in the memory. */
export interface StoredChunk extends Chunk {
  readonly chunkId: number;
}

/** The chunks of some documents of an origin, each in order; a document that is gone has none. */
export async function chunksByDocument(
  sql: Sql,
  { agent, origin }: SharedMemory,
  documents: readonly Pick<DocumentKey, 'path' | 'source'>[],
): Promise<readonly (readonly StoredChunk[])[]> {
  const rows = await sql.query<
    ChunkColumns & Omit<StoredChunk, keyof ChunkColumns | 'headingPath'> & { readonly at: number }
  >(
    `SELECT keys.at::int AS at, chunks.id AS "chunkId", start_line AS "startLine", end_line AS "endLine", headings, text,
       line_numbers AS "lineNumbers"
     FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS keys (source, path, at)
     JOIN svc.memories ON agent = $1
     JOIN svc.origins ON origins.memory = memories.id AND origins.name = $2
     JOIN svc.documents ON documents.memory = memories.id AND documents.origin = origins.id
       AND documents.source = keys.source AND documents.path = keys.path
     ${JOIN_CHUNKS}
     ORDER BY keys.at, chunks.id`,
    [agent, origin, ...columnsOf(documents, 'source', 'path')],
  );
  const found: StoredChunk[][] = documents.map(() => []);
  for (const { at, ...row } of rows) found[at - 1]?.push(chunkOf(row));
  return found;
}

/**
 * Deletes an origin with everything that it indexed; its host's next sync indexes it again.
 *
 * @returns how many documents it had; undefined if there is no such origin
 */
export async function forgetOrigin(server: Server, { agent, origin }: SharedMemory) {
  const known = (await listOrigins(server, agent)).find(({ name }) => name === origin);
  if (known === undefined) return undefined;
  const opened = await openPostgresIndex(server, { agent, origin });
  if (opened === undefined) return undefined;
  using index = closing(opened);
  await index.removeOrigin(origin);
  return { documents: known.documents };
}

/**
 * Makes the next sync of every host read all its files again. Only for the holder of a transaction; it waits for
 * whoever is writing the memory.
 */
export async function rereadEverything(transaction: Sql, agent: string): Promise<void> {
  const [memory] = await transaction.query<{ readonly id: number }>(
    'SELECT id FROM svc.memories WHERE agent = $1 FOR NO KEY UPDATE',
    [agent],
  );
  if (memory === undefined) return;
  await transaction.run(`UPDATE svc.documents SET ctime_ms = ${READ_AGAIN_MS} WHERE memory = $1`, [
    memory.id,
  ]);
  await transaction.run(
    'UPDATE svc.origins SET tree_paths = NULL, tree_fingerprints = NULL WHERE memory = $1',
    [memory.id],
  );
}
