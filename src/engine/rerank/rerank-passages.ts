import type { ResolvedMemorySearch } from '../config/index.js';
import { type ProviderWorld, recentFailures } from '../embeddings/index.js';
import type { SvcError, Warning } from '../errors/index.js';
import { broken } from '../providers/read-vectors.js';
import { anySignal, NEVER, SharedOpening } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { crypto } from '../support/crypto.js';
import { formatCountOf, formatModel } from '../support/format.js';
import { firstChars } from '../support/text.js';
import { msSince, runningMs } from '../support/time.js';
import { chooseReranker, type RerankProvider } from './choose-reranker.js';
import { openReranker } from './open-reranker.js';
import { asRerankError, type RankedDocument, type RerankCost, type Reranker } from './reranker.js';
import { openScoreCache, type RerankUse, type ScoreCache } from './score-cache.js';

export interface RerankOptions {
  readonly settings: Pick<ResolvedMemorySearch, 'local' | 'query'>;
  readonly world: ProviderWorld;
  readonly clock: Clock;
  /** Absolute path of the cache. */
  readonly cacheFile: string;
}

/** Enough for any question; vendors limit it too. */
const MAX_QUERY_CHARS = 2000;
const KEY_BYTES = 16;

export type PassageReranker = ReturnType<typeof passageReranker>;

/** Scores passages with the configured reranker, within its time limit and budget. */
export function passageReranker(provider: RerankProvider, options: RerankOptions) {
  const { settings, world, clock, cacheFile } = options;
  const choice = chooseReranker(provider, settings, world);
  const { charsPerSearch, searchesPerDay } = settings.query.rerank.budget;
  const newOpening = () => new SharedOpening((signal) => openReranker(choice, options, signal));
  const failures = recentFailures(clock);
  let opening = newOpening();
  let openedCache: ScoreCache | undefined;
  /** Without a usable database, everything is sent again. */
  const withCache = <T>(use: (cache: ScoreCache) => T): T | undefined => {
    try {
      openedCache ??= openScoreCache(cacheFile);
      return use(openedCache);
    } catch {
      return undefined;
    }
  };
  const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);
  /** Counts a search. @throws BudgetSpent */
  const countSearch = (day: string): void => {
    const allowed = withCache((cache) => cache.countSearch(day, provider, searchesPerDay));
    if (searchesPerDay === undefined || allowed === true) return;
    if (allowed === false) {
      throw new BudgetSpent(
        `the budget of ${formatCountOf(searchesPerDay, 'search', 'searches')} per day is spent`,
        'raise memorySearch.query.rerank.budget.searchesPerDay, or wait until tomorrow (UTC)',
      );
    }
    throw new BudgetSpent(
      `the budget per day cannot be checked: ${cacheFile} is unusable`,
      'check its permissions and the free space, or remove it',
    );
  };
  /** @returns the scores by position, without passages that were not sent or not rated, and the report of the search */
  const scorePassages = async (query: string, passages: readonly string[], signal: AbortSignal) => {
    const started = runningMs();
    const reranker = await opening.get(signal);
    const within = withinBudget(query, passages, reranker, charsPerSearch);
    const sendable = withKeys(reranker, query, within);
    const keys = sendable.map(({ key }) => key);
    const known = withCache((cache) => cache.scoresOf(keys)) ?? [];
    const scores = new Map<number, number>();
    for (const [at, { position }] of sendable.entries()) {
      const score = known[at];
      if (score !== undefined) scores.set(position, score);
    }
    const cached = scores.size;
    const missing = sendable.filter(({ position }) => !scores.has(position));
    let cost: RerankCost = {};
    // A listwise reranker that left some out has rated the whole list.
    if (missing.length > 0 && !(reranker.listwise && cached > 0)) {
      // Also for what the answer costs, which may come after midnight.
      const day = today();
      countSearch(day);
      const documents = missing.map(({ text }) => text);
      const answer = await reranker.rank({ query, documents, signal });
      cost = answer.cost;
      withCache((cache) => cache.addCost(day, provider, cost));
      const rated = checkedScores(answer.ranked, documents.length);
      const fresh = missing.flatMap(({ position, key }, at) => {
        const score = rated.get(at);
        return score === undefined ? [] : [{ position, key, score }];
      });
      for (const { position, score } of fresh) scores.set(position, score);
      withCache((cache) => cache.storeScores(fresh));
    }
    const { model = null } = choice;
    const report = { provider, model, passages: scores.size, cached, ms: msSince(started) };
    return { scores, report: { ...report, ...cost } };
  };
  return {
    choice,
    /** `cohere/rerank-v3.5`, for messages. */
    name: formatModel(provider, choice.model),
    /**
     * Undefined if the reranker failed or its budget is spent: then the earlier order is kept.
     *
     * @param passages best first
     * @param warnings receives the reason
     * @throws only the signal's reason
     */
    rerank: async (
      query: string,
      passages: readonly string[],
      warnings: Warning[],
      signal: AbortSignal = NEVER,
    ) => {
      const recentFailure = failures.recent();
      if (recentFailure !== undefined) {
        warnings.push(failureWarning(recentFailure));
        return undefined;
      }
      // Includes opening: reading a key or loading a model may hang as well.
      const limit = anySignal([signal, AbortSignal.timeout(choice.timeoutMs)]);
      try {
        return await scorePassages(firstChars(query, MAX_QUERY_CHARS), passages, limit);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BudgetSpent) {
          warnings.push(error.warning);
          return undefined;
        }
        const known = asRerankError(error, choice);
        failures.record(known);
        // The key may have been replaced where it is stored: it is read again.
        if (known.code === 'PROVIDER_AUTH') opening = newOpening();
        warnings.push(failureWarning(known));
        return undefined;
      }
    },
    /**
     * Sends a tiny request, past the cache and the budget.
     *
     * @throws SvcError, or the signal's reason
     */
    probe: async (signal: AbortSignal): Promise<{ readonly ms: number }> => {
      const limit = anySignal([signal, AbortSignal.timeout(choice.timeoutMs)]);
      const started = runningMs();
      try {
        const reranker = await opening.get(limit);
        const documents = ['a ping is answered by a pong', 'bread is baked at night'];
        const { ranked, cost } = await reranker.rank({ query: 'ping', documents, signal: limit });
        withCache((cache) => {
          cache.countSearch(today(), provider, undefined);
          cache.addCost(today(), provider, cost);
        });
        checkedScores(ranked, documents.length);
        return { ms: msSince(started) };
      } catch (error) {
        signal.throwIfAborted();
        throw asRerankError(error, choice);
      }
    },
    /** What was sent to this provider today (UTC), by all agents; undefined if that is unknown. */
    usedToday: (): RerankUse | undefined => withCache((cache) => cache.usedOn(today(), provider)),
    close: async (): Promise<void> => {
      openedCache?.close();
      openedCache = undefined;
      await (await opening.end())?.close();
    },
  };
}

/** The best passages that may be sent, cut to the model's limit. */
function withinBudget(
  query: string,
  passages: readonly string[],
  { maxDocumentChars }: Reranker,
  charsPerSearch: number,
): readonly Sendable[] {
  let left = charsPerSearch;
  const sendable: Sendable[] = [];
  for (const [position, passage] of passages.entries()) {
    const text = firstChars(passage.trim(), maxDocumentChars);
    if (text === '') continue;
    left -= query.length + text.length;
    if (left < 0) break;
    sendable.push({ position, text });
  }
  return sendable;
}

interface Sendable {
  /** In the passages of the request. */
  readonly position: number;
  readonly text: string;
}

class BudgetSpent extends Error {
  readonly warning: Warning;

  constructor(why: string, hint: string) {
    super(why);
    this.warning = { code: 'RERANK_BUDGET_SPENT', message: `not reranked: ${why}`, hint };
  }
}

/** Adds the keys of the cache. A listwise score belongs to the whole list, so its key does too. */
function withKeys({ identity, listwise }: Reranker, query: string, sendable: readonly Sendable[]) {
  const hash = (...parts: readonly string[]): Buffer =>
    crypto().createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, KEY_BYTES);
  const list = listwise ? hash(...sendable.map(({ text }) => text)).toString('hex') : '';
  return sendable.map((one) => ({ ...one, key: hash(identity, list, query, one.text) }));
}

/** @throws VendorFault unless each index is valid and occurs once, with a finite score */
function checkedScores(
  ranked: readonly RankedDocument[],
  count: number,
): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const { index, score } of ranked) {
    const isValid = Number.isInteger(index) && index >= 0 && index < count;
    if (!isValid) throw broken(`it has the index ${index} for ${count} documents`);
    if (scores.has(index)) throw broken(`it has the index ${index} twice`);
    if (!Number.isFinite(score)) throw broken('a score is not a number');
    scores.set(index, score);
  }
  if (scores.size === 0) throw broken('it rates no document');
  return scores;
}

function failureWarning({ message, hint }: SvcError): Warning {
  return { code: 'RERANK_FAILED', message: `not reranked: ${message}`, hint };
}
