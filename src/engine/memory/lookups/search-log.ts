import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError, systemReason } from '../../errors/index.js';
import { type Connection, databaseFault, inWriteTransaction } from '../../sqlite/database.js';
import { type FileFormat, openFormat } from '../../sqlite/format.js';
import { queryRow, queryRows, runSql } from '../../sqlite/query.js';
import { closing } from '../../support/async.js';
import type { StatePaths } from '../../support/context.js';
import { firstChars } from '../../support/text.js';
import { iso, MS_PER_HOUR, runningMs } from '../../support/time.js';
import type { MemoryStore } from '../forget/index.js';
import type { ForgetEntry } from '../forgotten/index.js';
import type { GetResponse } from '../get/index.js';
import type { LogOutput } from '../output-schemas.js';
import { documentName, type SearchResponse } from '../search/index.js';
import { type LineRange, overlaps } from '../types.js';

/** A search as it is logged; its query has secrets masked. */
export type LoggedSearch = LogOutput['searches'][number];

/** A passage that was opened, as it is stored; the path as `svc memory get` takes it. */
interface StoredPassage extends LineRange {
  readonly path: string;
  readonly atMs: number;
}

/** How many searches of an agent are kept. */
export const MOST_SEARCHES = 1000;
/** A longer text is not a question of a person. */
const MOST_QUERY_CHARS = 2000;
const MOST_HITS = 50;
const MOST_OPENED = 50;
/** A file that is opened later was not opened because of the search. */
const OPENED_WITHIN_MS = MS_PER_HOUR;

const BUSY_TIMEOUT_MS = 2000;
/** A write blocks its process, which may be serving others, only this long; it is tried again. */
const WRITE_BUSY_TIMEOUT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
const RETRY_MS = 50;
const STEPS = [
  `CREATE TABLE searches (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at_ms INTEGER NOT NULL,
     query TEXT NOT NULL,
     mode TEXT NOT NULL,
     hits TEXT NOT NULL,
     opened TEXT NOT NULL
   ) STRICT;
   CREATE INDEX searches_by_time ON searches (at_ms);`,
];

/** Without a write-ahead log, which would keep what was deleted. */
const FORMAT: FileFormat = {
  name: 'a log of searches',
  steps: STEPS,
  // "svcq".
  applicationId: 0x73766371,
  pragmas: ['secure_delete = ON'],
  refusals: { foreign: 'SEARCH_LOG_UNUSABLE', newer: 'SEARCH_LOG_UNUSABLE' },
};

/** The log of an agent's searches on this host. */
export function searchLogFile({ stateDir }: Pick<StatePaths, 'stateDir'>, agentId: string): string {
  return join(stateDir, 'searches', `${agentId}.sqlite`);
}

/**
 * Writes to the log, and tries again while another process is using it: a stalled process can keep it locked.
 *
 * @throws SvcError SEARCH_LOG_UNUSABLE
 */
export async function retryWhileBusy(write: () => void): Promise<void> {
  for (const started = runningMs(); ; await sleep(RETRY_MS)) {
    try {
      write();
      return;
    } catch (error) {
      const isBusy = error instanceof SvcError && databaseFault(error.cause) === 'busy';
      if (!isBusy || runningMs() - started > LONGEST_WAIT_MS) throw error;
    }
  }
}

/** Adds a search, and removes the oldest. @throws SvcError SEARCH_LOG_UNUSABLE */
export function logSearch(
  file: string,
  { query, mode, results }: Pick<SearchResponse, 'mode' | 'query' | 'results'>,
  { atMs, mask }: { readonly atMs: number; readonly mask: (text: string) => string },
): void {
  const hits = results.slice(0, MOST_HITS).map(({ score, startLine, endLine, ...result }) => {
    return { path: documentName(result), startLine, endLine, score };
  });
  // Masked before it is cut, since half a secret is not recognized.
  const loggedQuery = firstChars(mask(query), MOST_QUERY_CHARS);
  changeLog(file, (database) => {
    runSql(
      database,
      "INSERT INTO searches (at_ms, query, mode, hits, opened) VALUES (?, ?, ?, ?, '[]')",
      atMs,
      loggedQuery,
      mode,
      JSON.stringify(hits),
    );
    runSql(
      database,
      'DELETE FROM searches WHERE id <= (SELECT id FROM searches ORDER BY id DESC LIMIT 1 OFFSET ?)',
      MOST_SEARCHES,
    );
  });
}

/**
 * Adds what was opened to the last search that found its file; without one, there is nothing to add.
 *
 * @throws SvcError SEARCH_LOG_UNUSABLE
 */
export function logOpened(
  file: string,
  response: Pick<GetResponse, 'endLine' | 'origin' | 'path' | 'startLine'>,
  atMs: number,
): void {
  if (!existsSync(file)) return;
  const { startLine, endLine } = response;
  const path = documentName(response);
  changeLog(file, (database) => {
    const search = queryRow<{ readonly id: number; readonly opened: string }>(
      database,
      `SELECT id, opened FROM searches WHERE at_ms >= ?
         AND EXISTS (SELECT 1 FROM json_each(hits) WHERE value ->> 'path' = ?)
       ORDER BY id DESC LIMIT 1`,
      atMs - OPENED_WITHIN_MS,
      path,
    );
    if (search === undefined) return;
    const opened: readonly StoredPassage[] = JSON.parse(search.opened);
    if (opened.length >= MOST_OPENED) return;
    const added = JSON.stringify([...opened, { path, startLine, endLine, atMs }]);
    runSql(database, 'UPDATE searches SET opened = ? WHERE id = ?', added, search.id);
  });
}

/** The logged searches, the newest first. @throws SvcError SEARCH_LOG_UNUSABLE */
export function readSearchLog(
  file: string,
  { sinceMs = 0, limit }: { readonly sinceMs?: number | undefined; readonly limit: number },
): readonly LoggedSearch[] {
  if (!existsSync(file)) return [];
  return withLog(file, (database) =>
    queryRows<LogRow>(
      database,
      `SELECT at_ms AS atMs, query, mode, hits, opened FROM searches
       WHERE at_ms >= ? ORDER BY id DESC LIMIT ?`,
      sinceMs,
      limit,
    ).map(({ atMs, query, mode, hits, opened }) => ({
      at: iso(atMs),
      query,
      mode,
      hits: JSON.parse(hits),
      opened: JSON.parse(opened).map(({ atMs: openedMs, ...passage }: StoredPassage) => {
        return { ...passage, at: iso(openedMs) };
      }),
    })),
  );
}

interface LogRow extends Omit<SearchRow, 'id'> {
  readonly mode: LoggedSearch['mode'];
  readonly opened: string;
}

/**
 * Removes searches for forgotten text, and those that found it; undefined if none was logged.
 *
 * @param entries what was forgotten, and where it was
 */
export function searchLogStore(
  file: string,
  entries: () => Promise<readonly ForgetEntry[]>,
): MemoryStore | undefined {
  if (!existsSync(file)) return undefined;
  return {
    follow: async (forgotten) => {
      const places = (await entries()).map((entry) => ({ ...entry, atMs: Date.parse(entry.at) }));
      const hasFound = ({ atMs, hits }: SearchRow): boolean => {
        const found: LoggedSearch['hits'] = JSON.parse(hits);
        // What is on these lines later is something else.
        return places.some(
          (entry) =>
            atMs <= entry.atMs &&
            entry.passages.some((passage) =>
              found.some((hit) => hit.path === passage.path && overlaps(hit, passage)),
            ),
        );
      };
      return withLog(file, (database) => {
        const remove = database.prepare('DELETE FROM searches WHERE id = ?');
        const changed = inWriteTransaction(database, () => {
          const sql = 'SELECT id, at_ms AS atMs, query, hits FROM searches';
          const gone = queryRows<SearchRow>(database, sql).filter(
            (row) => forgotten.removeFrom(row.query) !== row.query || hasFound(row),
          );
          for (const { id } of gone) remove.run(id);
          return gone.length;
        });
        return { store: 'search log', changed, clean: true };
      });
    },
  };
}

interface SearchRow {
  readonly id: number;
  readonly atMs: number;
  readonly query: string;
  readonly hits: string;
}

function changeLog(file: string, change: (database: Connection) => void): void {
  const work = (database: Connection): void => inWriteTransaction(database, () => change(database));
  withLog(file, work, WRITE_BUSY_TIMEOUT_MS);
}

function withLog<T>(
  file: string,
  use: (database: Connection) => T,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
): T {
  try {
    using database = closing(openFormat(file, FORMAT, busyTimeoutMs));
    return use(database);
  } catch (error) {
    if (error instanceof SvcError || databaseFault(error) === 'other') throw error;
    throw new SvcError('SEARCH_LOG_UNUSABLE', `cannot use ${file}: ${systemReason(error)}`, {
      hint: 'check permissions and free disk space; if the file is damaged, delete it, which discards the logged searches',
      cause: error,
    });
  }
}
