import type { Server, Transaction } from '../../../postgres/index.js';
import { columnsOf } from '../../../support/lists.js';
import {
  type DocumentKey,
  documentKeyText,
  type NoteFacts,
  type NoteLink,
  READ_AGAIN_MS,
} from '../../types.js';
import type { Change, IndexedDocument } from '../documents.js';
import {
  type ColumnTexts,
  chunkRows,
  columnTexts,
  documentLanguage,
  type IndexedChunk,
} from '../indexed-texts.js';
import { type Language, languageByCode } from '../languages.js';
import type { ChangeSet } from '../memory-index.js';
import {
  type ChunkCounts,
  changeMemory,
  mergeChanges,
  originRemoved,
  type Target,
} from './change-memory.js';
import { appendLengths } from './chunk-lengths.js';
import { deleteChunks } from './erase.js';
import type { Place } from './facts.js';
import {
  chunksOf,
  type KnownChunk,
  type KnownDocument,
  knownDocuments,
  SELECT_OF_DOCUMENTS,
} from './stored-chunks.js';
import { addTerms } from './write-terms.js';

/** A chunk to be written; its document by its place in the change set. */
type NewChunk = IndexedChunk & { readonly written: number };

/**
 * Applies a change set of an origin in one transaction.
 *
 * @throws SvcError STORAGE_BUSY if another host writes for too long, or has removed this one
 */
export async function writeChanges(
  server: Server,
  target: Target,
  { atMs, changes }: ChangeSet,
): Promise<ChunkCounts> {
  const prepared = await prepareChanges(server, target, mergeChanges(changes));
  const { removed, written, touched } = prepared;
  const { counts } = await changeMemory(server, target, async (transaction, nextChunk) => {
    const keys = [...removed, ...written.map(({ document }) => document)];
    const [firstChunk, , known] = await Promise.all([
      nextChunk,
      touchOrigin(transaction, target),
      knownDocuments(transaction, target, keys),
    ]);
    const old = await findOld(transaction, prepared, known);
    const [, documents] = await Promise.all([
      removeOld(transaction, target, old),
      writeDocuments(transaction, target, prepared, { atMs, firstChunk }),
      touch(transaction, target, touched, atMs),
    ]);
    await Promise.all([
      writeChunks(transaction, target.memory, prepared, { documents, firstChunk }),
      rereadIfForgotten(transaction, target),
    ]);
  });
  return counts;
}

/**
 * What was read before another host has forgotten something may contain that. This host reads it again at the end of its
 * sync, or, if that is killed, in the next one.
 */
async function rereadIfForgotten(
  transaction: Transaction,
  { memory, origin, forgetNext }: Target,
): Promise<void> {
  if (forgetNext === undefined) return;
  await transaction.run(
    `UPDATE svc.documents SET ctime_ms = ${READ_AGAIN_MS} WHERE origin = $2 AND EXISTS (
       SELECT FROM svc.forgotten JOIN svc.memories USING (agent) WHERE memories.id = $1 AND number >= $3)`,
    [memory, origin, forgetNext],
  );
}

/** Records that the origin changes, which also keeps others from removing it until then. */
async function touchOrigin(transaction: Transaction, { origin }: Place): Promise<void> {
  const updatedRows = await transaction.run(
    `UPDATE svc.origins SET tree_paths = NULL, tree_fingerprints = NULL, seen_at = clock_timestamp()
     WHERE id = $1`,
    [origin],
  );
  if (updatedRows === 0) throw originRemoved();
}

type PreparedChanges = Awaited<ReturnType<typeof prepareChanges>>;

/** Divides a change set into words before its transaction, because other writers wait for that. */
async function prepareChanges(server: Server, target: Target, changes: readonly Change[]) {
  const written = changes.filter((change) => 'document' in change);
  const languages = await writtenLanguages(server, target, written);
  const chunks: NewChunk[] = [];
  const columns: ColumnTexts[] = [];
  for (const [at, { document }] of written.entries()) {
    for (const row of chunkRows(document, true)) {
      chunks.push({ ...row, written: at });
      columns.push(columnTexts(row, document, target.tokenizer, languages[at]));
    }
  }
  return {
    removed: changes.flatMap((change) => (change.type === 'remove' ? [change.key] : [])),
    touched: changes.filter((change) => change.type === 'touch'),
    written,
    languages,
    chunks,
    words: target.words.read(columns),
  };
}

/** The languages of written documents; appended text is stemmed in the language of its document. */
async function writtenLanguages(
  server: Server,
  target: Target,
  written: readonly Extract<Change, { readonly document: IndexedDocument }>[],
): Promise<(Language | undefined)[]> {
  const extended = written.flatMap(({ type, document }) => (type === 'extend' ? [document] : []));
  const known = new Map(
    (await knownDocuments(server, target, extended)).map((one) => [
      documentKeyText(one),
      one.language,
    ]),
  );
  return written.map(({ type, document }) => {
    if (type === 'put') return documentLanguage(document, target.tokenizer);
    const code = known.get(documentKeyText(document));
    if (code === undefined) throw originRemoved();
    return languageByCode(code);
  });
}

/** What a change set removes. */
interface OldParts {
  /** Ids of documents that are gone or replaced. */
  readonly documents: readonly number[];
  /** Theirs, and the last ones of documents that are extended. */
  readonly chunks: readonly KnownChunk[];
}

async function findOld(
  transaction: Transaction,
  { removed, written }: PreparedChanges,
  known: readonly KnownDocument[],
): Promise<OldParts> {
  const ids = new Map(known.map((document) => [documentKeyText(document), document.id]));
  const replaced = written.flatMap(({ type, document }) => (type === 'put' ? [document] : []));
  const documents = [...removed, ...replaced].flatMap((key) => ids.get(documentKeyText(key)) ?? []);
  const chunks = await Promise.all([
    chunksOf(transaction, documents),
    ...written.map((change) => {
      const id = ids.get(documentKeyText(change.document));
      if (change.type !== 'extend' || change.replacesLast === 0 || id === undefined) return [];
      return transaction.query<KnownChunk>(
        `${SELECT_OF_DOCUMENTS} WHERE documents.id = $1 ORDER BY chunks.id DESC LIMIT $2`,
        [id, change.replacesLast],
      );
    }),
  ]);
  return { documents, chunks: chunks.flat() };
}

async function removeOld(
  transaction: Transaction,
  target: Target,
  { documents, chunks }: OldParts,
): Promise<void> {
  await Promise.all([
    deleteChunks(transaction, target, chunks),
    transaction.run('DELETE FROM svc.documents WHERE id = ANY ($1)', [documents]),
  ]);
}

async function touch(
  transaction: Transaction,
  { memory, origin }: Place,
  touched: PreparedChanges['touched'],
  atMs: number,
): Promise<void> {
  if (touched.length === 0) return;
  const rows = touched.map(({ key, fingerprint }) => ({ ...key, ...fingerprint }));
  await transaction.run(
    `UPDATE svc.documents SET size = new.size, mtime_ms = new.mtime, ctime_ms = new.ctime, indexed_ms = $3
     FROM unnest($4::text[], $5::text[], $6::bigint[], $7::float8[], $8::float8[])
       AS new (source, path, size, mtime, ctime)
     WHERE memory = $1 AND origin = $2 AND documents.source = new.source AND documents.path = new.path`,
    [memory, origin, atMs, ...columnsOf(rows, 'source', 'path', 'size', 'mtimeMs', 'ctimeMs')],
  );
}

/** As text, which can contain what PostgreSQL would refuse in JSON. */
function jsonText(value: NoteFacts | readonly NoteLink[] | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** @returns the ids of the documents, in the order of the change set */
async function writeDocuments(
  transaction: Transaction,
  { memory, origin }: Place,
  { written, languages }: PreparedChanges,
  { atMs, firstChunk }: { readonly atMs: number; readonly firstChunk: number },
): Promise<readonly number[]> {
  if (written.length === 0) return [];
  let next = firstChunk;
  const documents = written.map(({ document }, at) => {
    const { mimeType = null, resume = null, facts, links, fingerprint, chunks } = document;
    const language = languages[at]?.code ?? null;
    // An empty range if there are none.
    const chunkIds = `{[${next},${next + chunks.length})}`;
    next += chunks.length;
    const texts = { facts: jsonText(facts), links: jsonText(links) };
    return { ...document, ...fingerprint, ...texts, mimeType, language, resume, chunkIds };
  });
  // The documents that are extended are still there.
  const rows = await transaction.query<DocumentKey & { readonly id: number }>(
    `INSERT INTO svc.documents AS known (memory, origin, source, path, kind, mime_type, language, size,
       mtime_ms, ctime_ms, hash, indexed_ms, resume, facts, links, chunk_ids)
     SELECT $1, $2, source, path, kind, mime, language, size, mtime, ctime, hash, $3, resume, facts,
       links, ids::int4multirange
     FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::float8[],
       $11::float8[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[])
       AS new (source, path, kind, mime, language, size, mtime, ctime, hash, resume, facts, links, ids)
     ON CONFLICT (memory, origin, source, path) DO UPDATE SET size = excluded.size,
       mtime_ms = excluded.mtime_ms, ctime_ms = excluded.ctime_ms, hash = excluded.hash,
       indexed_ms = excluded.indexed_ms, resume = excluded.resume,
       chunk_ids = known.chunk_ids + excluded.chunk_ids
     RETURNING id, source, path`,
    [
      ...[memory, origin, atMs],
      ...columnsOf(documents, 'source', 'path', 'kind', 'mimeType', 'language', 'size', 'mtimeMs'),
      ...columnsOf(documents, 'ctimeMs', 'hash', 'resume', 'facts', 'links', 'chunkIds'),
    ],
  );
  const ids = new Map(rows.map((row) => [documentKeyText(row), row.id]));
  return documents.map((document) => ids.get(documentKeyText(document)) ?? 0);
}

async function writeChunks(
  transaction: Transaction,
  memory: number,
  { chunks, words }: PreparedChanges,
  { documents, firstChunk }: { readonly documents: readonly number[]; readonly firstChunk: number },
): Promise<void> {
  if (chunks.length === 0) return;
  await Promise.all([
    transaction.run(
      `INSERT INTO svc.chunks (memory, id, document, start_line, end_line, hash, headings, first_day,
         last_day, text, line_numbers)
       SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::int[], $5::int[], $6::bytea[], $7::text[],
         $8::int[], $9::int[], $10::text[], $11::text[])`,
      [
        memory,
        chunks.map((_, at) => firstChunk + at),
        chunks.map(({ written }) => documents[written] ?? 0),
        ...columnsOf(chunks, 'startLine', 'endLine', 'hash', 'headings', 'firstDay', 'lastDay'),
        ...columnsOf(chunks, 'text', 'lineNumbers'),
      ],
    ),
    addTerms(transaction, memory, words.terms, firstChunk),
    appendLengths(transaction, memory, firstChunk, words.lengths),
    transaction.run(
      `UPDATE svc.memories SET next_chunk = next_chunk + $2, chunks = chunks + $2, words = words + $3
       WHERE id = $1`,
      [memory, chunks.length, words.lengths.reduce((sum, length) => sum + length, 0)],
    ),
    // Vectors that were out of use are in use again.
    transaction.run(
      `DELETE FROM svc.unused_embeddings USING svc.embeddings
       WHERE embedding = embeddings.id AND hash = ANY ($1)`,
      columnsOf(chunks, 'hash'),
    ),
  ]);
}
