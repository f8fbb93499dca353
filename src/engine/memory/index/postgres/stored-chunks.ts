import type { Sql } from '../../../postgres/index.js';
import { columnsOf } from '../../../support/lists.js';
import type { DocumentKey } from '../../types.js';
import type { Tokenizer } from '../identity.js';
import { type ColumnTexts, columnTexts } from '../indexed-texts.js';
import { languageByCode } from '../languages.js';
import type { Place } from './facts.js';
import { JOIN_CHUNKS } from './read-documents.js';

/** A document as the writer needs it. */
export interface KnownDocument extends Pick<DocumentKey, 'path' | 'source'> {
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

/** Chunks of any origin in the memory `$1`. */
export const SELECT_BY_ID = `
  SELECT ${COLUMNS} FROM svc.chunks JOIN svc.documents ON documents.id = chunks.document
  WHERE chunks.memory = $1`;

export const SELECT_OF_DOCUMENTS = `SELECT ${COLUMNS} FROM svc.documents ${JOIN_CHUNKS}`;

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

/** The chunks of documents, by id. @param atMost the first of them */
export async function chunksOf(
  sql: Sql,
  documents: readonly number[],
  atMost?: number,
): Promise<KnownChunk[]> {
  if (documents.length === 0) return [];
  return sql.query(
    `${SELECT_OF_DOCUMENTS} WHERE documents.id = ANY ($1) ORDER BY chunks.id LIMIT $2`,
    [documents, atMost ?? null],
  );
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
