import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../../errors/index.js';
import { readCurrent, type Server, type Sql } from '../../postgres/index.js';
import { crypto } from '../../support/crypto.js';
import {
  type ForgetEntry,
  type ForgetList,
  newSalt,
  readForgetList,
  writeForgetList,
} from '../forgotten/index.js';
import { rereadEverything } from '../index/postgres/index.js';

interface Row {
  readonly key: string;
  readonly number: number;
  readonly entry: string;
  readonly undone: boolean;
}

/** The lock of whoever changes a forget list; any number that nothing else uses: "svcf". */
const LOCK_KEY = 0x73766366;

/**
 * The forget list of a shared memory. Each host keeps a copy in its own list file, which everything that reads files
 * uses, and which remains if the host leaves the server. Entries that a host had before become part of it.
 */
export function sharedForgetList(
  server: Server,
  { agent, origin }: { readonly agent: string; readonly origin: string },
  listFile: string,
) {
  const rowsOf = (sql: Sql): Promise<Row[]> =>
    sql.query<Row>(
      'SELECT key, number, entry, undone FROM svc.forgotten WHERE agent = $1 ORDER BY number',
      [agent],
    );
  const change = (work: (sql: Sql) => Promise<void>): Promise<void> =>
    server.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
      await work(transaction);
      await rereadEverything(transaction, agent);
    });

  /** @param id the id that the user was shown, if any */
  const add = async (sql: Sql, entry: ForgetEntry, salt: string, id?: string): Promise<void> => {
    const [row] = await sql.query<{ readonly last: number }>(
      'SELECT coalesce(max(number), 0)::int AS last FROM svc.forgotten WHERE agent = $1',
      [agent],
    );
    const number = (row?.last ?? 0) + 1;
    if (id !== undefined && id !== `f${number}`) {
      throw new SvcError('FORGET_OUTDATED', 'another host changed the forget list meanwhile', {
        hint: 'run the command again',
      });
    }
    const stored = { ...entry, salt: entry.salt ?? salt, origin: entry.origin ?? origin };
    await sql.run(
      'INSERT INTO svc.forgotten (agent, key, number, entry) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [agent, keyOf(entry), number, JSON.stringify(stored)],
    );
  };

  /** Reads the list and copies it to this host; undefined if nothing was ever forgotten. */
  const read = async (): Promise<ForgetList | undefined> => {
    const local = await readForgetList(listFile);
    let rows = await readCurrent(server, rowsOf);
    const known = new Set(rows.map(({ key }) => key));
    const earlier = (local?.entries ?? []).filter((entry) => !known.has(keyOf(entry)));
    if (local !== undefined && earlier.length > 0) {
      await change(async (sql) => {
        for (const entry of earlier) await add(sql, entry, local.salt);
      });
      rows = await rowsOf(server);
    }
    if (rows.length === 0 && local === undefined) return undefined;
    const list = listOf(rows, local?.salt);
    if (!isDeepStrictEqual(list, local)) writeForgetList(listFile, list);
    return list;
  };

  return {
    read,
    /**
     * Replaces what was read, and makes every host read its files again.
     *
     * @throws SvcError FORGET_OUTDATED if another host has forgotten something meanwhile
     */
    write: async (list: ForgetList): Promise<void> => {
      const kept = new Set(list.entries.map(keyOf));
      await change(async (sql) => {
        const rows = await rowsOf(sql);
        const known = new Set(rows.map(({ key }) => key));
        const undone = rows.filter(({ key }) => !kept.has(key)).map(({ key }) => key);
        await sql.run(
          'UPDATE svc.forgotten SET undone = true WHERE agent = $1 AND key = ANY ($2) AND number < $3',
          [agent, undone, list.next],
        );
        for (const entry of list.entries) {
          if (!known.has(keyOf(entry))) await add(sql, entry, list.salt, entry.id);
        }
      });
      await read();
    },
    /** Entries whose text the rows of other hosts may still have. */
    uncleaned: async (): Promise<readonly string[]> => {
      const rows = await server.query<{ readonly key: string }>(
        'SELECT key FROM svc.forgotten WHERE agent = $1 AND NOT cleaned AND NOT undone',
        [agent],
      );
      return rows.map(({ key }) => key);
    },
    markCleaned: async (keys: readonly string[]): Promise<void> => {
      await server.run(
        'UPDATE svc.forgotten SET cleaned = true WHERE agent = $1 AND key = ANY ($2)',
        [agent, keys],
      );
    },
  };
}

export type SharedForgetList = ReturnType<typeof sharedForgetList>;

function listOf(rows: readonly Row[], localSalt: string | undefined): ForgetList {
  const entries = rows.map(({ number, entry }): ForgetEntry => {
    return { ...JSON.parse(entry), id: `f${number}` };
  });
  return {
    version: 1,
    // One salt for all new entries: a text is hashed once for each.
    salt: entries[0]?.salt ?? localSalt ?? newSalt(),
    next: (rows.at(-1)?.number ?? 0) + 1,
    entries: entries.filter((_, at) => rows[at]?.undone === false),
  };
}

/** Identifies what an entry forgets, whatever its number is. */
function keyOf({ at, passages, documents, lines }: ForgetEntry): string {
  return crypto().hash('sha256', JSON.stringify([at, passages, documents, lines]), 'base64url');
}
