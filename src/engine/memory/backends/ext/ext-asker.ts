import { existsSync } from 'node:fs';
import type { Warning } from '../../../errors/index.js';
import { type SearchRequest, STOP_WORDS } from '../../search/index.js';
import type { WorkOptions } from '../../sync/index.js';
import { SOURCES } from '../../types.js';
import { type ExtRefresher, isRefreshRunning } from './ext-refresher.js';
import type { ExtSettings } from './ext-settings.js';
import { knownFeatures, readExtState } from './ext-state.js';
import type { KeptSession } from './session-keeper.js';
import { askProgram, type ExtMode, type ToolQuestion } from './tool/ask-program.js';
import { type Tool, ToolFailure, toolIndexFile } from './tool/open-tool.js';
import type { ToolHit } from './tool/read-answer.js';
import { msUntil, type RunOptions } from './tool/run-tool.js';

/** Ask for more than requested when hits may be dropped: filters, duplicates. */
const SPARE = 3;
/** More than an answer has room for; several hundred hits exceed the output limit. */
const MOST_HITS = 100;

/**
 * The hits of all sources, queried separately and in parallel.
 *
 * @param deadline by `performance.now()`; covers all runs of the program until it answers
 * @throws ToolFailure; the signal's reason
 */
async function askAll(
  tool: Tool,
  request: SearchRequest,
  { deadline, signal }: { readonly deadline: number } & Pick<RunOptions, 'signal'>,
  { settings, session }: Pick<FreshOptions, 'session' | 'settings'>,
): Promise<readonly ToolHit[]> {
  // The program rejects queries without a word.
  if (!hasWords(request)) return [];
  const run = (): RunOptions => ({ timeoutMs: msUntil(deadline), signal });
  /** Queries the program: through a running session if there is one, else by starting it. */
  const ask = async (question: ToolQuestion): Promise<readonly ToolHit[]> =>
    (await session?.ask(tool, question, run())) ??
    askProgram(tool, await knownFeatures(tool, settings, run()), question, run());
  const collections = settings.collections().filter(({ root }) => existsSync(root));
  const sources = new Set(request.sources ?? SOURCES);
  const limit = hitLimit(request, settings.limits.maxResults);
  const groups = [...sources]
    .map((source) => collections.filter((one) => one.source === source).map(({ name }) => name))
    .filter((names) => names.length > 0);
  const mode = modeFor(request, settings);
  const answers = await Promise.all(
    groups.map(async (names) => {
      const question = { mode, query: request.query, collections: names, limit };
      const hits = await ask(question);
      if (hits.length > 0 || mode !== 'search') return hits;
      // Lexical mode requires every word to match; if nothing matches, stop words are dropped and the query is retried.
      const query = withoutStopWords(request.query);
      return query === undefined ? hits : ask({ ...question, query });
    }),
  );
  return interleave(answers);
}

/** The mode of a query; an answer while typing never waits for models. */
export function modeFor(
  { lexicalOnly }: SearchRequest,
  { mode }: Pick<ExtSettings, 'mode'>,
): ExtMode {
  return lexicalOnly === true ? 'search' : mode;
}

/** With a filter, more hits are fetched, because it may keep few. */
function hitLimit({ maxResults, pathGlob }: SearchRequest, usual: number): number {
  return pathGlob !== undefined ? MOST_HITS : Math.min(MOST_HITS, (maxResults ?? usual) * SPARE);
}

/** The query without stop words; undefined when nothing would be left, or nothing would change. */
function withoutStopWords(query: string): string | undefined {
  const words = query.split(/\s+/u).filter((word) => word !== '');
  const topical = words.filter(
    (word) => !STOP_WORDS.has(word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')),
  );
  return topical.length === 0 || topical.length === words.length ? undefined : topical.join(' ');
}

/** The best of each source, then the second of each, and so on. */
function interleave(answers: readonly (readonly ToolHit[])[]): readonly ToolHit[] {
  const longest = Math.max(0, ...answers.map((hits) => hits.length));
  return Array.from({ length: longest }, (_, at) =>
    answers.flatMap((hits) => hits[at] ?? []),
  ).flat();
}

interface FreshOptions {
  readonly settings: ExtSettings;
  /** Undefined for short-lived processes. */
  readonly session: KeptSession | undefined;
  readonly refresher: ExtRefresher;
  /** Check for changed files before an answer (`sync.onSearch`). */
  readonly syncOnSearch: boolean;
  /** Receives a warning if hits may be outdated. */
  readonly warnings: Warning[];
}

/** How long a query waits for another process's refresh when it already has an answer. */
const PENDING_REFRESH_MS = 500;

/**
 * Queries the program for hits that reflect the current files: at once, and checks meanwhile whether its index is
 * fresh. Everything together has the time of one search (`limits.timeoutMs`).
 *
 * @throws SvcError INDEX_LOCKED when no index can answer yet; ToolFailure
 */
export async function freshHits(
  tool: Tool,
  request: SearchRequest,
  work: WorkOptions,
  options: FreshOptions,
): Promise<readonly ToolHit[]> {
  const { settings, refresher, syncOnSearch, warnings } = options;
  const { signal, checksFiles = true } = work;
  const { timeoutMs } = settings.limits;
  const deadline = performance.now() + timeoutMs;
  const ask = () => askAll(tool, request, { deadline, signal }, options);
  const state = readExtState(settings.dir);
  if (state.updated === undefined || !existsSync(toolIndexFile(settings.dir))) {
    await refresher.refresh(tool, work, { embedsNow: true, waitMs: timeoutMs, deadline });
    return ask();
  }
  // Never rejects: the query may be abandoned while the files are checked.
  const asking = Promise.allSettled([ask()]);
  const isStale = checksFiles && syncOnSearch && refresher.isStale(state);
  const [first] = await asking;
  const hasHits = first.status === 'fulfilled';
  // A collection that the program has lost is added again.
  if (!hasHits && !isLostCollection(first.reason)) throw first.reason;
  if (hasHits && !isStale) return first.value;
  try {
    const how = { embedsNow: false, waitMs: PENDING_REFRESH_MS, deadline };
    await refresher.refresh(tool, work, how);
    return await ask();
  } catch (error) {
    if (!isRefreshRunning(error) || !hasHits) throw error;
    warnings.push(refreshingWarning('newer notes may be missing'));
    return first.value;
  }
}

/** The warning while another process refreshes the program's index. */
export function refreshingWarning(consequence: string): Warning {
  return {
    code: 'INDEX_BUSY',
    message: `the index of the external search program is being refreshed; ${consequence}`,
  };
}

function isLostCollection(failure: unknown): boolean {
  return failure instanceof ToolFailure && /collection not found/iu.test(failure.message);
}

/** Whether a query contains anything the program can search for. */
export function hasWords({ query }: Pick<SearchRequest, 'query'>): boolean {
  return /[\p{L}\p{N}]/u.test(query);
}
