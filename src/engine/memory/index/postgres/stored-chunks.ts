import type { Sql } from '../../../postgres/index.js';
import { columnsOf } from '../../../support/lists.js';
import type { DocumentKey } from '../../types.js';
import type { Tokenizer } from '../identity.js';
import { type ColumnTexts, columnTexts } from '../indexed-texts.js';
import { languageByCode } from '../languages.js';
import type { Place } from './facts.js';
import { JOIN_CHUNKS } from './read-documents.js';

/** A document as the writer needs it. */
interface KnownDocument extends Pick<DocumentKey, 'path' | 'source'> {
  readonly id: number;
  readonly language: string | null;
}

/** A stored chunk with what its words depend on; the id is its own. */
export interface KnownChunk extends KnownDocument {
  readonly document: number;
  readonly hash: Buffer;
  readonly headings: string;
  readonly text: string;
}

const COLUMNS =
  'chunks.id, documents.id AS document, source, path, language, chunks.hash, headings, text';

const SELECT_BY_ID = `
  SELECT ${COLUMNS} FROM svc.chunks JOIN svc.documents ON documents.id = chunks.document
  WHERE chunks.memory = $1`;

const SELECT_CHUNKS = `SELECT ${COLUMNS} FROM svc.documents ${JOIN_CHUNKS}`;

/** The origin's documents under some keys. */
export async function knownDocuments(
  sql: Sql,
  { memory, origin }: Place,
  keys: readonly DocumentKey[],
): Promise<KnownDocument[]> {
  if (keys.length === 0) return [];
  return sql.query(
    `SELECT id, source, path, language FROM unnest($3::text[], $4::text[]) AS keys (source, path)
     JOIN svc.documents USING (source, path) WHERE memory = $1 AND origin = $2`,
    [memory, origin, ...columnsOf(keys, 'source', 'path')],
  );
}

/** The chunks of documents, by id. */
export async function chunksOf(sql: Sql, documents: readonly number[]): Promise<KnownChunk[]> {
  if (documents.length === 0) return [];
  return sql.query(`${SELECT_CHUNKS} WHERE documents.id = ANY ($1) ORDER BY chunks.id`, [
    documents,
  ]);
}

/** The last chunks of a document. */
export async function lastChunksOf(
  sql: Sql,
  document: number,
  count: number,
): Promise<KnownChunk[]> {
  if (count === 0) return [];
  return sql.query(`${SELECT_CHUNKS} WHERE documents.id = $1 ORDER BY chunks.id DESC LIMIT $2`, [
    document,
    count,
  ]);
}

/** Chunks of any origin. */
export async function chunksById(
  sql: Sql,
  memory: number,
  ids: readonly number[],
): Promise<KnownChunk[]> {
  return sql.query(`${SELECT_BY_ID} AND chunks.id = ANY ($2) ORDER BY chunks.id`, [memory, ids]);
}

/** The next chunks after an id. */
export async function pageOfChunks(
  sql: Sql,
  memory: number,
  after: number,
  limit: number,
): Promise<KnownChunk[]> {
  return sql.query(`${SELECT_BY_ID} AND chunks.id > $2 ORDER BY chunks.id LIMIT $3`, [
    ...[memory, after, limit],
  ]);
}

/** The full-text columns of stored chunks, as they were written. */
export function columnsOfKnown(
  chunks: readonly KnownChunk[],
  tokenizer: Tokenizer,
): readonly ColumnTexts[] {
  return chunks.map((chunk) =>
    columnTexts(chunk, chunk, tokenizer, languageByCode(chunk.language)),
  );
}
