import { statSync } from 'node:fs';
import { SvcError } from '../errors/index.js';
import { queryHistoryFile, readQueryHistory } from '../memory/lookups/query-history.js';
import { readSearchLog, searchLogFile } from '../memory/lookups/search-log.js';
import { type LogLevel, parseLogLine } from '../serve/log/log-record.js';
import type { StatePaths } from '../support/context.js';
import { ifReadable, readPart } from '../support/files.js';
import { fileStamp } from './work.js';

/** A line of the log of `svc serve`, without its other fields. */
export interface LogGlance {
  readonly level: LogLevel;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly message: string;
}

/** A search. */
export interface QueryGlance {
  readonly query: string;
  /** Where searches are logged. */
  readonly logged: { readonly atMs: number; readonly agent: string } | undefined;
}

/** What happened last; each part is undefined if it did not change since the last call. */
export interface RecentGlance {
  /** The newest lines of the log, oldest first. */
  readonly log?: readonly LogGlance[];
  /** Of all agents with `memory.searchLog`, otherwise of the search screen; the newest first. */
  readonly queries?: readonly QueryGlance[];
}

/** As many as a tall terminal has room for. */
const MOST_LINES = 40;
const TAIL_BYTES = 32 * 1024;
const MOST_QUERIES = 12;

/** Reads the ends of logs after they changed. */
export function recentLook(
  logFile: string,
  agents: readonly string[],
  state: StatePaths,
): () => RecentGlance {
  const historyFile = queryHistoryFile(state);
  const searches = agents.map((agent) => ({ agent, file: searchLogFile(state, agent) }));
  const searchFiles = [historyFile, ...searches.map(({ file }) => file)];
  let logged = '';
  let searched = '';
  const queries = (): readonly QueryGlance[] => {
    const found = searches
      .flatMap(({ agent, file }) =>
        searchesIn(file).map(({ at, query }) => ({
          query,
          logged: { atMs: Date.parse(at), agent },
        })),
      )
      .toSorted((a, b) => b.logged.atMs - a.logged.atMs);
    return (found.length > 0 ? found : historyOf(historyFile)).slice(0, MOST_QUERIES);
  };
  return () => {
    const before = { logged, searched };
    logged = fileStamp([logFile]);
    searched = fileStamp(searchFiles);
    return {
      ...(logged === before.logged ? {} : { log: logTail(logFile) }),
      ...(searched === before.searched ? {} : { queries: queries() }),
    };
  };
}

/** A log that cannot be read is empty here: it is only for display, and the doctor reports it. */
function searchesIn(file: string): ReturnType<typeof readSearchLog> {
  try {
    return readSearchLog(file, { limit: MOST_QUERIES });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [];
  }
}

function historyOf(file: string): readonly QueryGlance[] {
  try {
    return readQueryHistory(file).map((query) => ({ query, logged: undefined }));
  } catch {
    return [];
  }
}

function logTail(file: string): readonly LogGlance[] {
  return tailOf(file)
    .split('\n')
    .flatMap((line) => {
      const record = parseLogLine(line);
      const atMs = Date.parse(record?.time ?? '');
      return record === undefined || Number.isNaN(atMs)
        ? []
        : [{ level: record.level, atMs, message: messageOf(record.msg, record.fields) }];
    })
    .slice(-MOST_LINES);
}

function messageOf(msg: string, { service }: Readonly<Record<string, unknown>>): string {
  return typeof service === 'string' ? `${service}: ${msg}` : msg;
}

function tailOf(file: string): string {
  // There is none before the first start.
  const tail = ifReadable(() =>
    readPart(file, Math.max(0, statSync(file).size - TAIL_BYTES), TAIL_BYTES).toString('utf8'),
  );
  return tail ?? '';
}
