import type { Warning } from '../errors/index.js';
import { messageOf, SvcError } from '../errors/index.js';
import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import { memoryDisabled, openAgent, openMemory } from '../memory/open-memory.js';
import type { SearchMode } from '../memory/search/types.js';
import { runningMs } from '../running-ms.js';
import { chatTypeOf, citesFor } from '../scope/index.js';
import { shortHash } from '../short-hash.js';
import {
  afterTimeout,
  type BreakerState,
  breakerOf,
  breakerState,
  trying,
  withBreaker,
} from './breaker.js';
import { modelFor, type NamedModel } from './model-choice.js';
import type { OpenLane } from './open-lane.js';
import type { Recalled, RecallOutcome, RecallQuestion, RecallStatus } from './outcome.js';
import { promptStyleOf, STYLE_RULES } from './prompt-style.js';
import { searchQueryOf } from './query.js';
import { searchAndTrim } from './search-and-trim.js';
import { type CachedRecall, readRecallState, updateRecallState } from './state-file.js';
import type { RecallTurn } from './turn.js';
import { withinTime } from './within-time.js';

/** Of the time there is, kept for the words alone when the rest took too long (facts §1.5). */
const RECOVERY_MS = 500;
const RECOVERY_SHARE = 0.25;
/** For writing down and printing what came of it. */
const MARGIN_MS = 25;

/** What came of one recall, before it is told. */
interface Result {
  readonly status: Exclude<RecallStatus, 'closed'>;
  readonly recalled?: Recalled | undefined;
  readonly mode?: SearchMode | undefined;
  readonly warnings: readonly Warning[];
}

/** Recalls for a turn whose gates are open: from the cache, else by searching. Never fails the turn. */
export async function recallMemory(turn: RecallTurn, lane: OpenLane): Promise<RecallOutcome> {
  const { facts, gates, context, started, limits } = lane;
  const { config } = facts.settings;
  const { stateDir } = context.state;
  const question: RecallQuestion = {
    query: searchQueryOf(turn),
    queryMode: config.queryMode,
    promptStyle: promptStyleOf(config),
  };
  const tell = (result: Result, cached: boolean, breaker: BreakerState): RecallOutcome => ({
    status: result.status,
    agentId: facts.agent.id,
    sessionKey: facts.session.sessionKey,
    chatType: chatTypeOf(facts.session),
    gates,
    question,
    recalled: result.recalled,
    mode: result.mode,
    cached,
    breaker,
    elapsedMs: runningMs() - started,
    warnings: result.warnings,
  });
  if (question.query === '') return tell({ status: 'empty', warnings: [] }, false, 'closed');

  const model = await modelFor(config, turn.runModel, lane);
  const state = readRecallState(stateDir);
  const now = context.clock.now();
  const breakerKey = `${facts.agent.id}:${model?.name ?? 'search'}`;
  const record = breakerOf(state, breakerKey);
  const breaker = breakerState(record, now, config);
  const key = cacheKey(turn, question, model, lane);
  const cached = state.recalls.find((entry) => entry.key === key && entry.untilMs > now);
  if (cached !== undefined) return tell(fromCache(cached), true, breaker);
  if (breaker === 'half_open' && record !== undefined) {
    const tried = trying(record, now, config.timeoutMs);
    updateRecallState(stateDir, now, (current) => withBreaker(current, breakerKey, tried));
  }

  const result = await recallInTime(turn, question, model, breaker === 'open', lane, limits.leftMs);
  const after = context.clock.now();
  const entry = cacheEntry(result, key, after + config.cacheTtlMs);
  const timedOut = result.status === 'timeout' || result.status === 'timeout_partial';
  const stays = breaker === 'open' || (!timedOut && record === undefined);
  if (entry !== undefined || !stays) {
    updateRecallState(stateDir, after, (current) => {
      const { recalls } = current;
      const others = recalls.filter((other) => other.key !== key);
      const kept = entry === undefined ? current : { ...current, recalls: [...others, entry] };
      if (stays) return kept;
      const found = breakerOf(current, breakerKey);
      const next = timedOut ? afterTimeout(found, breakerKey, after, config) : undefined;
      return withBreaker(kept, breakerKey, next);
    });
  }
  return tell(result, false, breaker);
}

/** Searches within the time there is; late, by words alone; what fails is told and not thrown. */
async function recallInTime(
  turn: RecallTurn,
  question: RecallQuestion,
  model: NamedModel | undefined,
  isPaused: boolean,
  lane: OpenLane,
  leftMs: number,
): Promise<Result> {
  const { config } = lane.facts.settings;
  const { signal } = lane.limits;
  const limitMs = Math.min(config.timeoutMs, leftMs) - MARGIN_MS;
  const recoveryMs = Math.min(RECOVERY_MS, limitMs * RECOVERY_SHARE);
  let backend: MemoryBackend | undefined;
  const work = {
    turn,
    question,
    rules: STYLE_RULES[question.promptStyle],
    config,
    cites: citesFor(lane.facts.resolvedAgent.citations, lane.facts.session),
    lane,
  };
  try {
    const opening = openBackend(lane);
    const first = await withinTime(limitMs - recoveryMs, signal, async (inTime) => {
      backend = await opening;
      const options = { lexicalOnly: isPaused, model: isPaused ? undefined : model };
      return searchAndTrim(backend, { ...work, ...options, untilMs: limitMs - recoveryMs }, inTime);
    });
    if (first.done) {
      // While the breaker is open nobody is asked, so that this is less than there could be.
      return isPaused ? asPartial(first.value, PAUSED) : first.value;
    }
    const opened = backend;
    if (isPaused || opened === undefined) return { status: 'timeout', warnings: [LATE] };
    const second = await withinTime(recoveryMs, signal, (inTime) =>
      searchAndTrim(opened, { ...work, lexicalOnly: true, model: undefined, untilMs: 0 }, inTime),
    );
    return second.done ? asPartial(second.value, LATE) : { status: 'timeout', warnings: [LATE] };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 'unavailable', warnings: [failedWarning(error)] };
  } finally {
    // Whoever still uses it is late, and told so; closing it must not be waited for.
    if (backend !== undefined) lane.afterwards(backend.close());
  }
}

const LATE: Warning = {
  code: 'RECALL_TIMED_OUT',
  message: 'recalling took longer than the turn may wait',
  hint: 'raise plugins.entries.active-memory.config.timeoutMs, or see what is slow: svc memory search',
};

const PAUSED: Warning = {
  code: 'RECALL_TIMED_OUT',
  message: 'the last recalls all took too long; for a while only words are looked for',
};

function asPartial(result: Result, warning: Warning): Result {
  const status = result.recalled === undefined ? 'timeout' : 'timeout_partial';
  return { ...result, status, warnings: [warning, ...result.warnings] };
}

function failedWarning(error: unknown): Warning {
  const hint = error instanceof SvcError && error.hint !== undefined ? { hint: error.hint } : {};
  return { code: 'RECALL_FAILED', message: messageOf(error), ...hint };
}

async function openBackend({
  selection,
  loaded,
  context,
  facts,
}: OpenLane): Promise<MemoryBackend> {
  const { workspace, configFile } = selection;
  if (workspace !== undefined) {
    const opened = await openMemory(context, { kind: 'workspace', dir: workspace }, { configFile });
    return opened.backend;
  }
  const { resolvedAgent } = facts;
  if (!resolvedAgent.memorySearch.enabled) {
    throw memoryDisabled(resolvedAgent);
  }
  const { searchMode } = facts.settings.config.ext;
  const extMode = searchMode === 'inherit' ? undefined : searchMode;
  return (await openAgent(resolvedAgent, context, loaded, { extMode })).backend;
}

/** Whatever decides the answer, besides the files: those may change while an answer is kept. */
function cacheKey(
  turn: RecallTurn,
  question: RecallQuestion,
  model: NamedModel | undefined,
  { facts, selection }: OpenLane,
): string {
  const session = facts.session.sessionKey?.trim().toLowerCase() ?? facts.sessionId ?? '';
  const asked = [turn.message, question, model?.name, facts.settings.config, selection.workspace];
  return `${facts.agent.id}:${session}:${shortHash(JSON.stringify(asked))}`;
}

function cacheEntry(
  { status, recalled, warnings }: Result,
  key: string,
  untilMs: number,
): CachedRecall | undefined {
  if (status !== 'ok' && status !== 'empty') return undefined;
  // A model that failed may answer the next time.
  if (warnings.some(({ code }) => code === 'RECALL_FAILED')) return undefined;
  const { summary = '', sources = [], model = null } = recalled ?? {};
  return { key, untilMs, summary, sources, model };
}

function fromCache({ summary, sources, model }: CachedRecall): Result {
  return summary === ''
    ? { status: 'empty', warnings: [] }
    : { status: 'ok', recalled: { summary, sources, model }, warnings: [] };
}
