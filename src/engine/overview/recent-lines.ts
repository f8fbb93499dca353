import { statSync } from 'node:fs';
import { unlessSvcError } from '../errors/index.js';
import { queryHistoryFile, readQueryHistory } from '../memory/lookups/query-history.js';
import { readSearchLog, searchLogFile } from '../memory/lookups/search-log.js';
import { parseLogLine } from '../serve/log/log-record.js';
import type { StatePaths } from '../support/context.js';
import { readPart, unlessSystemError } from '../support/files.js';

/** A search. */
export interface RecentQuery {
  readonly query: string;
  /** Where searches are logged. */
  readonly logged: { readonly atMs: number; readonly agent: string } | undefined;
}

/** As many as a tall terminal has room for. */
const MOST_LINES = 40;
const TAIL_BYTES = 32 * 1024;
const MOST_QUERIES = 12;

/** The files with the searches of agents and of the search screen. */
export function queryFiles(agents: readonly string[], state: StatePaths): readonly string[] {
  return [queryHistoryFile(state), ...agents.map((agent) => searchLogFile(state, agent))];
}

/** The newest searches of all agents with `memory.searchLog`, otherwise of the search screen; the newest first. */
export function newestQueries(
  agents: readonly string[],
  state: StatePaths,
): readonly RecentQuery[] {
  const logged = agents
    .flatMap((agent) =>
      searchesOf(agent, state).map(({ at, query }) => ({
        query,
        logged: { atMs: Date.parse(at), agent },
      })),
    )
    .toSorted((a, b) => b.logged.atMs - a.logged.atMs);
  const queries = logged.length > 0 ? logged : historyIn(queryHistoryFile(state));
  return queries.slice(0, MOST_QUERIES);
}

/** A log that cannot be read is empty here: it is only for display, and the doctor reports it. */
function searchesOf(agent: string, state: StatePaths) {
  const file = searchLogFile(state, agent);
  return unlessSvcError(() => readSearchLog(file, { limit: MOST_QUERIES })) ?? [];
}

function historyIn(file: string): readonly RecentQuery[] {
  try {
    return readQueryHistory(file).map((query) => ({ query, logged: undefined }));
  } catch {
    return [];
  }
}

/** The newest lines of the log of `svc serve`, oldest first, without their other fields. */
export function logTail(file: string) {
  return tailOf(file)
    .split('\n')
    .flatMap((line) => {
      const record = parseLogLine(line);
      const atMs = Date.parse(record?.time ?? '');
      if (record === undefined || Number.isNaN(atMs)) return [];
      const { level, message, fields } = record;
      const service = typeof fields['service'] === 'string' ? `${fields['service']}: ` : '';
      return [{ level, atMs, message: `${service}${message}` }];
    })
    .slice(-MOST_LINES);
}

function tailOf(file: string): string {
  // There is none before the first start.
  const tail = unlessSystemError(() =>
    readPart(file, Math.max(0, statSync(file).size - TAIL_BYTES), TAIL_BYTES).toString('utf8'),
  );
  return tail ?? '';
}
