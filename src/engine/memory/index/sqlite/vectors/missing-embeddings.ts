import type { Connection } from '../../../../sqlite/database.js';
import { contentHash, distinctContents } from '../../content-hash.js';
import type { MissingEmbedding, MissingMedia, MissingMediaCount } from '../../embedding-records.js';
import { headingPathOf } from '../../lexical-text.js';
import { findSpace, WITHOUT_VECTOR } from './spaces.js';

interface MissingRow {
  readonly chunkId: number;
  /** Null while the index has no vectors at all. */
  readonly hash: Buffer | null;
  readonly headings: string;
  readonly text: string;
}

const MEDIA = "(SELECT id FROM documents WHERE kind = 'media')";

/** Text chunks after an id without a vector; of equal contents only the first. */
export function missingEmbeddings(
  database: Connection,
  identity: string,
  after: number,
  limit: number,
): MissingEmbedding[] {
  const values = { ...valuesOf(database, identity, after), limit };
  const rows = database
    .prepare<[typeof values], MissingRow>(
      `SELECT chunks.id AS chunkId, chunks.hash, heading_path AS headings, text
       ${WITHOUT_VECTOR} AND document_id NOT IN ${MEDIA} ORDER BY chunks.id LIMIT @limit`,
    )
    .all(values);
  return distinctContents(
    rows.map(({ chunkId, headings, text, hash }) => {
      const headingPath = headingPathOf(headings);
      return { chunkId, hash: hash ?? contentHash(headings, text), headingPath, text };
    }),
  );
}

export function missingMedia(
  database: Connection,
  identity: string,
  after: number,
  limit: number,
): MissingMedia[] {
  const values = { ...valuesOf(database, identity, after), limit };
  const rows = database
    .prepare<[typeof values], MissingMedia>(
      `SELECT missing.id AS chunkId, missing.hash, documents.path, missing.text AS label,
         mime_type AS mimeType, documents.hash AS contentHash, size AS bytes
       FROM (SELECT * ${WITHOUT_VECTOR} AND document_id IN ${MEDIA}) AS missing
       JOIN documents ON documents.id = missing.document_id
       ORDER BY missing.id LIMIT @limit`,
    )
    .all(values);
  return distinctContents(rows);
}

export function countMissingEmbeddings(
  database: Connection,
  identity: string,
  atMost = Number.MAX_SAFE_INTEGER,
): number {
  const values = { ...valuesOf(database, identity, 0), atMost };
  const count = database.prepare<[typeof values], number>(
    `SELECT count(*) FROM (SELECT 1 ${WITHOUT_VECTOR} LIMIT @atMost)`,
  );
  return count.pluck().get(values) ?? 0;
}

export function countMissingMedia(database: Connection, identity: string): MissingMediaCount {
  const values = valuesOf(database, identity, 0);
  const counted = database
    .prepare<[typeof values], MissingMediaCount>(
      `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes
       FROM (SELECT document_id ${WITHOUT_VECTOR} AND document_id IN ${MEDIA}) AS missing
       JOIN documents ON documents.id = missing.document_id`,
    )
    .get(values);
  return counted ?? { files: 0, bytes: 0 };
}

function valuesOf(database: Connection, identity: string, after: number) {
  const space = findSpace(database, identity);
  return { space: space?.id ?? 0, identity, after: Math.max(after, space?.wholeTo ?? 0) };
}
