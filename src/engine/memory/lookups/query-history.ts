import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StatePaths } from '../../support/context.js';
import { makeFolders, PRIVATE_MODE, readRegularFile } from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { parsedJson } from '../../support/text.js';
import type { MemoryStore } from '../forget/index.js';

/** How many queries of the search screen are kept. */
const MOST_QUERIES = 500;
/** A longer text was pasted; no one searches for it again. */
const MOST_CHARS = 500;

/** The queries of the search screen on this host, of all agents: a line of JSON each, the newest last. */
export function queryHistoryFile({ stateDir }: Pick<StatePaths, 'stateDir'>): string {
  return join(stateDir, 'query-history.jsonl');
}

/** The queries, the newest first. Lines that are no query are left out. @throws the system's error */
export function readQueryHistory(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return readRegularFile(file).toString('utf8').split('\n').flatMap(queryIn).toReversed();
}

function queryIn(line: string): readonly string[] {
  const query = parsedJson(line);
  return typeof query === 'string' ? [query] : [];
}

/**
 * Adds a query as the newest one, instead of the same query before. Two processes that write at the same moment can
 * lose one of their queries, and nothing else.
 *
 * @throws the system's error
 */
export function addToQueryHistory(
  file: string,
  query: string,
  mask: (text: string) => string,
): void {
  const added = mask(query.trim());
  if (added === '' || added.length > MOST_CHARS) return;
  const before = readQueryHistory(file);
  if (before[0] === added) return;
  const others = before.filter((one) => one !== added);
  makeFolders(dirname(file));
  write(file, [added, ...others]);
}

function write(file: string, newestFirst: readonly string[]): void {
  const lines = newestFirst.slice(0, MOST_QUERIES).map((query) => `${JSON.stringify(query)}\n`);
  replaceFile(file, lines.toReversed().join(''), PRIVATE_MODE);
}

/** Removes queries that contain forgotten text; undefined if there are none at all. */
export function queryHistoryStore(file: string): MemoryStore | undefined {
  if (!existsSync(file)) return undefined;
  return {
    follow: async (forgotten) => {
      const all = readQueryHistory(file);
      const kept = all.filter((query) => forgotten.removeFrom(query) === query);
      const changed = all.length - kept.length;
      if (changed > 0) write(file, kept);
      return { store: 'query history', changed, clean: true };
    },
  };
}
