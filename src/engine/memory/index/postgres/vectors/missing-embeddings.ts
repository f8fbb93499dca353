import { JOB_KEPT_MS } from '../../../../embeddings/index.js';
import { distinctContents, ofContents } from '../../content-hash.js';
import type { MissingEmbedding, MissingMedia, MissingMediaCount } from '../../embedding-records.js';
import { headingPathOf } from '../../lexical-text.js';
import type { EmbeddingClaims } from '../../memory-index.js';
import type { VectorIndex } from '../../vector-index.js';
import type { OpenMemory } from '../candidates.js';
import { findSpace, WITHOUT_VECTOR_HERE } from './spaces.js';

/** How long a content stays claimed if its host dies. */
const CLAIM = "interval '5 minutes'";

/**
 * Whether a claim still counts: it is recent, or the host waits for a job of its provider. A host that never comes back
 * does not remove its jobs.
 */
export const CLAIM_COUNTS = `(claims.expires_at > clock_timestamp() OR EXISTS (
  SELECT FROM svc.batch_jobs AS jobs WHERE jobs.identity = claims.identity AND jobs.origin = claims.origin
    AND jobs.created_ms > extract(epoch FROM clock_timestamp()) * 1000 - ${JOB_KEPT_MS}))`;

/** A claim of another host that still counts. */
const CLAIMED = `
  SELECT 1 FROM svc.embedding_claims AS claims
  WHERE claims.identity = $4 AND claims.hash = chunks.hash AND claims.origin <> $6 AND ${CLAIM_COUNTS}`;

type MissingRow = Omit<MissingEmbedding, 'headingPath'> & { readonly headings: string };

const IS_MEDIA =
  "((SELECT kind FROM svc.documents WHERE documents.id = chunks.document) = 'media')";

/** What has no vector yet, and which host embeds it. */
export function missingQueries(memory: OpenMemory) {
  const { sql, name } = memory;
  /** The values of {@link WITHOUT_VECTOR_HERE}. */
  const valuesOf = async (identity: string, after: number): Promise<readonly unknown[]> => {
    const { memory: own, origin } = memory.facts;
    const space = await findSpace(sql, own, identity);
    return [own, Math.max(after, space?.wholeTo ?? 0), space?.id ?? 0, identity, origin];
  };
  return {
    // Of any host. They are claimed for this one, so that another that embeds at the same time leaves them out.
    missingEmbeddings: async (identity, after, limit) => {
      for (;;) {
        // Another host may have made the space meanwhile.
        const values = [...(await valuesOf(identity, after)), name, limit];
        const rows = await sql.query<MissingRow>(
          `SELECT chunks.id AS "chunkId", hash, headings, text ${WITHOUT_VECTOR_HERE}
             AND NOT ${IS_MEDIA} AND (${CLAIMED}) IS NULL ORDER BY chunks.id LIMIT $7`,
          values,
        );
        if (rows.length === 0) return [];
        const missing = distinctContents(rows);
        const own = ofContents(missing, await claim(memory, identity, missing));
        // Another host was faster with all of them.
        if (own.length === 0) continue;
        return own.map(({ headings, ...row }) => ({
          ...row,
          headingPath: headingPathOf(headings),
        }));
      }
    },
    // Of this host, which has the files.
    missingMedia: async (identity, after, limit) => {
      const rows = await sql.query<MissingMedia>(
        `SELECT missing.id AS "chunkId", missing.hash, documents.path, missing.text AS label,
           mime_type AS "mimeType", documents.hash AS "contentHash", size AS bytes
         FROM (SELECT chunks.* ${WITHOUT_VECTOR_HERE} AND ${IS_MEDIA}) AS missing
         JOIN svc.documents ON documents.id = missing.document ORDER BY missing.id LIMIT $6`,
        [...(await valuesOf(identity, after)), limit],
      );
      return distinctContents(rows);
    },
    countMissingEmbeddings: async (identity, atMost) => {
      const [row] = await sql.query<{ readonly count: number }>(
        `SELECT count(*) AS count FROM (SELECT ${WITHOUT_VECTOR_HERE} LIMIT $6) AS missing`,
        [...(await valuesOf(identity, 0)), atMost ?? null],
      );
      return row?.count ?? 0;
    },
    countMissingMedia: async (identity) => {
      const [row] = await sql.query<MissingMediaCount>(
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes
         FROM (SELECT chunks.document ${WITHOUT_VECTOR_HERE} AND ${IS_MEDIA}) AS missing
         JOIN svc.documents ON documents.id = missing.document`,
        await valuesOf(identity, 0),
      );
      return row ?? { files: 0, bytes: 0 };
    },
  } satisfies Partial<VectorIndex>;
}

/** The passages that hosts are embedding. */
export function embeddingClaims({ sql, name, facts }: OpenMemory): EmbeddingClaims {
  return {
    release: async (identity) => {
      await sql.run(
        `DELETE FROM svc.embedding_claims AS claims
       WHERE identity = $1 AND origin = $2
         AND EXISTS (SELECT FROM svc.chunks WHERE memory = $3 AND chunks.hash = claims.hash)
         AND NOT EXISTS (SELECT FROM svc.batch_jobs AS jobs WHERE jobs.identity = $1 AND jobs.origin = $2)`,
        [identity, name, facts.memory],
      );
    },
    others: async (identity) => {
      const rows = await sql.query<{ readonly origin: string }>(
        `SELECT DISTINCT origin FROM svc.embedding_claims AS claims
       WHERE identity = $1 AND origin <> $2 AND ${CLAIM_COUNTS}
         AND EXISTS (SELECT FROM svc.chunks WHERE memory = $3 AND chunks.hash = claims.hash)
       ORDER BY origin`,
        [identity, name, facts.memory],
      );
      return rows.map(({ origin }) => origin);
    },
  };
}

/** @returns the contents that are claimed now */
async function claim(
  { sql, name }: OpenMemory,
  identity: string,
  contents: readonly { readonly hash: Buffer }[],
): Promise<readonly { readonly hash: Buffer }[]> {
  const hashes = contents.map(({ hash }) => hash);
  return sql.transaction(async (transaction) => {
    await transaction.run(
      `INSERT INTO svc.embedding_claims AS known (identity, hash, origin, expires_at)
       SELECT $1, hash, $2, clock_timestamp() + ${CLAIM} FROM unnest($3::bytea[]) AS hash ORDER BY hash
       ON CONFLICT (identity, hash) DO UPDATE SET origin = excluded.origin, expires_at = excluded.expires_at
         WHERE known.origin = excluded.origin OR known.expires_at <= clock_timestamp()`,
      [identity, name, hashes],
    );
    // Another host may have stored some of them, and released its claims, since they were found missing.
    await transaction.run(
      `DELETE FROM svc.embedding_claims AS claims
       WHERE identity = $1 AND origin = $2 AND hash = ANY ($3) AND EXISTS (
         SELECT FROM svc.embeddings JOIN svc.spaces ON spaces.id = space
         WHERE spaces.identity = $1 AND embeddings.hash = claims.hash)`,
      [identity, name, hashes],
    );
    return transaction.query(
      'SELECT hash FROM svc.embedding_claims WHERE identity = $1 AND origin = $2 AND hash = ANY ($3)',
      [identity, name, hashes],
    );
  });
}
