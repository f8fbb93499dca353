import { type Connection, inWriteTransaction } from '../../../../sqlite/database.js';
import { queryRow, queryRows, queryValue } from '../../../../sqlite/query.js';
import { groupBy } from '../../../../support/lists.js';
import { contentHash, distinctContents } from '../../content-hash.js';
import type {
  MissingEmbedding,
  MissingMedia,
  MissingMediaCount,
  PackedEmbedding,
  PackedStore,
  RefusedMedia,
  VectorSpaceStatistics,
} from '../../embedding-records.js';
import { headingPathOf } from '../../lexical-text.js';
import { packVectors, requireDimensions, unitVector, unpackVectors } from '../../vector-bytes.js';
import type { VectorIndex } from '../../vector-index.js';
import { codeVectors } from './sign-codes.js';
import {
  allSpaces,
  ensureSpace,
  findSpace,
  raiseWholeTo,
  reviveSpace,
  type Space,
  WITHOUT_VECTOR,
} from './spaces.js';

/** The vectors of an index, stored and missing. */
export function embeddingQueries(database: Connection) {
  return {
    putEmbeddings: async (identity, entries) => {
      const [first] = entries;
      if (first === undefined) return;
      // Before the transaction: an index that is being built cannot roll back.
      const dimensions = findSpace(database, identity)?.dimensions ?? first.vectors[0]?.length ?? 0;
      for (const vector of entries.flatMap(({ vectors }) => vectors))
        requireDimensions(dimensions, vector.length);
      const rows = entries.map(({ hash, vectors }) => {
        return { hash, vector: packVectors(vectors.map(unitVector)) };
      });
      inWriteTransaction(database, () => {
        const space = ensureSpace(database, identity, dimensions);
        // A chunk may have been deleted, perhaps forgotten, while a job of the provider was running.
        const isUsed = database.prepare<[Buffer]>('SELECT 1 FROM chunks WHERE hash = ?');
        const used = rows.filter(({ hash }) => isUsed.get(hash) !== undefined);
        storePacked(database, space, used);
      });
    },
    storedEmbeddings: async (identity, { after, limit }) => {
      const space = findSpace(database, identity);
      if (space === undefined) return [];
      const rows = queryRows<Pick<PackedEmbedding, 'hash' | 'id' | 'vector'>>(
        database,
        `SELECT id, hash, vector FROM embeddings WHERE space_id = ? AND id > ? AND EXISTS (
           SELECT 1 FROM chunks JOIN documents ON documents.id = document_id
           WHERE chunks.hash = embeddings.hash AND source = 'memory'
         ) ORDER BY id LIMIT ?`,
        space.id,
        after,
        limit,
      );
      return rows.map(({ id, hash, vector }) => {
        return { id, hash, vectors: unpackVectors(vector, space.dimensions) };
      });
    },
    vectorIdentities: async () =>
      allSpaces(database).flatMap(({ identity, inUse }) => (inUse ? [identity] : [])),
    vectorSpaces: async () =>
      queryRows<VectorSpaceStatistics>(
        database,
        `SELECT identity, dimensions,
           (SELECT count(*) FROM chunks WHERE hash IN (
             SELECT hash FROM embeddings WHERE space_id = spaces.id)) AS chunks,
           (SELECT count(*) FROM embeddings WHERE space_id = spaces.id
             AND hash NOT IN (SELECT hash FROM chunks)) AS cached,
           (SELECT count(*) FROM chunks WHERE hash IN (
             SELECT hash FROM refused_contents AS refused
             WHERE refused.identity = spaces.identity)) AS refused
         FROM spaces ORDER BY id`,
      ),
    // Refused texts are ignored before the first vector: a provider that refuses everything is more likely
    // misconfigured. A media file may be the only content, and must not be sent with every sync.
    refuseEmbeddings: async (identity, refused) => {
      if (refused.length === 0) return;
      inWriteTransaction(database, () => {
        const space = findSpace(database, identity);
        const recorded = refused.filter(({ isMedia }) => isMedia || space !== undefined);
        const insert = database.prepare('INSERT OR REPLACE INTO refused_contents VALUES (?, ?, ?)');
        for (const { hash, why } of recorded) insert.run(identity, hash, why);
        if (space !== undefined) raiseWholeTo(database, space);
      });
    },
    refusedMedia: async () =>
      queryRows<RefusedMedia>(
        database,
        `SELECT identity, documents.path, mime_type AS mimeType, why FROM documents
         JOIN chunks ON chunks.document_id = documents.id
         JOIN refused_contents ON refused_contents.hash = chunks.hash
         WHERE kind = 'media' ORDER BY documents.path`,
      ),
    missingEmbeddings: async (identity, after, limit) => {
      const rows = queryRows<MissingRow>(
        database,
        `SELECT chunks.id AS chunkId, chunks.hash, heading_path AS headings, text
         ${WITHOUT_VECTOR} AND document_id NOT IN ${MEDIA} ORDER BY chunks.id LIMIT @limit`,
        { ...valuesOf(database, identity, after), limit },
      );
      return distinctContents(
        rows.map(({ chunkId, headings, text, hash }) => {
          const headingPath = headingPathOf(headings);
          return { chunkId, hash: hash ?? contentHash(headings, text), headingPath, text };
        }),
      );
    },
    missingMedia: async (identity, after, limit) =>
      distinctContents(
        queryRows<MissingMedia>(
          database,
          `SELECT missing.id AS chunkId, missing.hash, documents.path, missing.text AS label,
             mime_type AS mimeType, documents.hash AS contentHash, size AS bytes
           FROM (SELECT * ${WITHOUT_VECTOR} AND document_id IN ${MEDIA}) AS missing
           JOIN documents ON documents.id = missing.document_id
           ORDER BY missing.id LIMIT @limit`,
          { ...valuesOf(database, identity, after), limit },
        ),
      ),
    countMissingEmbeddings: async (identity, atMost = Number.MAX_SAFE_INTEGER) => {
      const sql = `SELECT count(*) FROM (SELECT 1 ${WITHOUT_VECTOR} LIMIT @atMost)`;
      const values = { ...valuesOf(database, identity, 0), atMost };
      return queryValue<number>(database, sql, values) ?? 0;
    },
    countMissingMedia: async (identity) => {
      const counted = queryRow<MissingMediaCount>(
        database,
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes
         FROM (SELECT document_id ${WITHOUT_VECTOR} AND document_id IN ${MEDIA}) AS missing
         JOIN documents ON documents.id = missing.document_id`,
        valuesOf(database, identity, 0),
      );
      return counted ?? { files: 0, bytes: 0 };
    },
  } satisfies Partial<VectorIndex>;
}

/** Stores packed vectors, without replacing any. The transaction is the caller's. */
function storePacked(
  database: Connection,
  space: Space,
  rows: readonly Pick<PackedEmbedding, 'hash' | 'vector'>[],
): number {
  if (!space.inUse) reviveSpace(database, space);
  let stored = 0;
  const insert = database.prepare(
    `INSERT INTO embeddings (space_id, hash, vector) VALUES (?, ?, ?)
       ON CONFLICT (space_id, hash) DO NOTHING`,
  );
  const last = queryValue<number | null>(database, 'SELECT max(id) FROM embeddings') ?? 0;
  for (const { hash, vector } of rows) stored += insert.run(space.id, hash, vector).changes;
  database.exec(
    `INSERT INTO uncoded SELECT space_id, id FROM embeddings WHERE id > ${last};
     INSERT OR IGNORE INTO freed_hashes SELECT hash FROM embeddings
       WHERE id > ${last} AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = embeddings.hash)`,
  );
  codeVectors(database, space);
  raiseWholeTo(database, space);
  return stored;
}

interface MissingRow extends Omit<MissingEmbedding, 'hash' | 'headingPath'> {
  /** Null while the index has no vectors at all. */
  readonly hash: Buffer | null;
  readonly headings: string;
}

const MEDIA = "(SELECT id FROM documents WHERE kind = 'media')";

function valuesOf(database: Connection, identity: string, after: number) {
  const space = findSpace(database, identity);
  return { space: space?.id ?? 0, identity, after: Math.max(after, space?.wholeTo ?? 0) };
}

const PACKED = `
  SELECT embeddings.id, identity, dimensions, embeddings.hash, vector,
    in_use AND EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = embeddings.hash) AS used
  FROM embeddings JOIN spaces ON spaces.id = space_id`;

type PackedRow = Omit<PackedEmbedding, 'used'> & { readonly used: number };

/** The vectors of an index, as they are stored. */
export function packedStore(database: Connection): PackedStore {
  return {
    count: async () => {
      return queryValue<number>(database, 'SELECT count(*) FROM embeddings') ?? 0;
    },
    page: async ({ after, limit }) =>
      queryRows<PackedRow>(
        database,
        `${PACKED} WHERE embeddings.id > ? ORDER BY embeddings.id LIMIT ?`,
        after,
        limit,
      ).map(toPacked),
    find: async (rows) => {
      const find = database.prepare<[string, Buffer], PackedRow>(
        `${PACKED} WHERE identity = ? AND embeddings.hash = ?`,
      );
      return rows.flatMap(({ identity, hash }) => find.all(identity, hash).map(toPacked));
    },
    put: async (rows) =>
      inWriteTransaction(database, () => {
        let stored = 0;
        for (const [identity, own] of groupBy(rows, (row) => row.identity)) {
          const space = ensureSpace(database, identity, own[0].dimensions);
          stored += storePacked(database, space, own);
        }
        return stored;
      }),
  };
}

function toPacked(row: PackedRow): PackedEmbedding {
  return { ...row, used: row.used !== 0 };
}
