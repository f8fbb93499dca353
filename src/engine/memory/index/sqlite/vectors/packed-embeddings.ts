import type { Connection } from '../../../../sqlite/database.js';
import { groupBy } from '../../../../support/lists.js';
import type { PackedEmbedding, PackedStore } from '../../embedding-records.js';
import { storePacked } from './embeddings.js';

const PACKED = `
  SELECT embeddings.id, identity, dimensions, embeddings.hash, vector,
    in_use AND EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = embeddings.hash) AS used
  FROM embeddings JOIN spaces ON spaces.id = space_id`;

/** An index of an earlier version has vectors of whole passages, in another format. */
const IS_PACKED = 'length(vector) % (4 + dimensions) = 0';

type PackedRow = Omit<PackedEmbedding, 'used'> & { readonly used: number };

/** The vectors of an index, as they are stored. */
export function packedStore(database: Connection): PackedStore {
  return {
    count: async () => {
      const select = 'SELECT count(*) FROM embeddings JOIN spaces ON spaces.id = space_id';
      return database.prepare<[], number>(`${select} WHERE ${IS_PACKED}`).pluck().get() ?? 0;
    },
    page: async ({ after, limit }) =>
      database
        .prepare<[number, number], PackedRow>(
          `${PACKED} WHERE embeddings.id > ? AND ${IS_PACKED} ORDER BY embeddings.id LIMIT ?`,
        )
        .all(after, limit)
        .map(toPacked),
    find: async (rows) => {
      const find = database.prepare<[string, Buffer], PackedRow>(
        `${PACKED} WHERE identity = ? AND embeddings.hash = ?`,
      );
      return rows.flatMap(({ identity, hash }) => find.all(identity, hash).map(toPacked));
    },
    put: async (rows) =>
      database.transaction(() => {
        let stored = 0;
        for (const [identity, own] of groupBy(rows, (row) => row.identity)) {
          stored += storePacked(database, identity, own[0]?.dimensions ?? 0, own);
        }
        return stored;
      })(),
  };
}

function toPacked(row: PackedRow): PackedEmbedding {
  return { ...row, used: row.used !== 0 };
}
