import { messageOf, SvcError, type Warning } from '../errors/index.js';
import type { MemoryBackend } from '../memory/backends/memory-backend.js';
import { memoryDisabled, openAgent, openMemory } from '../memory/index.js';
import { withinTime } from '../support/async.js';
import { shortHash } from '../support/text.js';
import { runningMs } from '../support/time.js';
import { modelFor, type NamedModel } from './model.js';
import type { OpenLane, Recall, RecallQuestion, RecallResult } from './outcome.js';
import { promptStyleOf } from './prompt-style.js';
import { searchQueryOf } from './query.js';
import { type RecallWork, searchAndCondense } from './search-and-condense.js';
import {
  afterTimeout,
  breakerOf,
  breakerState,
  type CachedRecall,
  readRecallState,
  recallInCache,
  updateRecallState,
  withBreaker,
  withTrial,
} from './state-file.js';
import type { RecallTurn } from './turn.js';

/** Time reserved for a keyword search if everything else is too slow (facts §1.5). */
const RECOVERY_MS = 500;
const RECOVERY_SHARE = 0.25;
/** Time reserved for storing and printing the outcome. */
const MARGIN_MS = 25;

/** A failure that took longer counts as a timeout. */
const SLOW_FAILURE_MS = 500;

const EMPTY: RecallResult = { status: 'empty', warnings: [] };

/** Recalls for a turn that passed the gates, from the cache or by searching. Never fails the turn. */
export async function recallMemory(turn: RecallTurn, lane: OpenLane): Promise<Recall> {
  const { facts, context } = lane;
  const { config } = facts.settings;
  const { stateDir } = context.state;
  const question: RecallQuestion = {
    query: searchQueryOf(turn),
    queryMode: config.queryMode,
    promptStyle: promptStyleOf(config),
  };
  if (question.query === '') return { ...EMPTY, question, cached: false, breaker: 'closed' };

  const model = await modelFor(config, turn.runModel, lane);
  const state = readRecallState(stateDir);
  const now = context.clock.now();
  const breakerKey = `${facts.agent.id}:${model?.name ?? 'search'}`;
  const record = breakerOf(state, breakerKey);
  const breaker = breakerState(record, now, config);
  const key = cacheKey(turn, question, model, lane);
  const cached = recallInCache(state, key, now, config);
  if (cached !== undefined) return { ...fromCache(cached), question, cached: true, breaker };
  if (breaker === 'half_open' && record !== undefined) {
    const tried = withTrial(record, now, config.timeoutMs);
    updateRecallState(stateDir, now, (current) => withBreaker(current, breakerKey, tried));
  }

  // Otherwise a recall that began before could store what has been forgotten since.
  const isOutdated = (current = readRecallState(stateDir)): boolean =>
    current.emptied !== state.emptied;
  const started = runningMs();
  const result =
    breaker === 'open' && record?.skipsMemory === true
      ? SKIPPED
      : await recallInTime({ turn, question, lane, isOutdated }, model, breaker === 'open');
  const after = context.clock.now();
  const entry = cacheEntry(result, key, after + config.cacheTtlMs);
  // A shared server that does not answer makes every turn wait, and so does an index that another process is building. Only
  // with all the time for keywords is that certain.
  const keptWaiting = breaker === 'open' || record?.skipsMemory === true;
  const skipsMemory =
    result.status === 'unavailable'
      ? runningMs() - started > SLOW_FAILURE_MS
      : keptWaiting && result === LATE;
  const timedOut =
    skipsMemory || result.status === 'timeout' || result.status === 'timeout_partial';
  const isBreakerUnchanged =
    (breaker === 'open' && !skipsMemory) || (!timedOut && record === undefined);
  if (entry !== undefined || !isBreakerUnchanged) {
    updateRecallState(stateDir, after, (current) => {
      const { recalls } = current;
      const others = recalls.filter((other) => other.key !== key);
      const isKept = entry !== undefined && !isOutdated(current);
      const withRecall = isKept ? { ...current, recalls: [...others, entry] } : current;
      if (isBreakerUnchanged) return withRecall;
      const found = breakerOf(current, breakerKey);
      const next = timedOut
        ? { ...afterTimeout(found, breakerKey, after, config), skipsMemory }
        : undefined;
      return withBreaker(withRecall, breakerKey, next);
    });
  }
  return { ...result, question, cached: false, breaker };
}

/**
 * Searches within the time limit; if that is too slow, by keyword only. Failures become warnings.
 *
 * @param isPaused whether the breaker is open: providers and models are skipped, so the result is partial
 */
async function recallInTime(
  request: Pick<RecallWork, 'isOutdated' | 'lane' | 'question' | 'turn'>,
  model: NamedModel | undefined,
  isPaused: boolean,
): Promise<RecallResult> {
  const { lane } = request;
  const { signal, leftMs } = lane.limits;
  const limitMs = Math.min(lane.facts.settings.config.timeoutMs, leftMs) - MARGIN_MS;
  const recoveryMs = Math.min(RECOVERY_MS, limitMs * RECOVERY_SHARE);
  let backend: MemoryBackend | undefined;
  try {
    const first = await withinTime(limitMs - recoveryMs, signal, async (inTime) => {
      backend = await openBackend(lane);
      const options = { lexicalOnly: isPaused, model: isPaused ? undefined : model };
      const work = { ...request, ...options, timeLimitMs: limitMs - recoveryMs };
      return searchAndCondense(backend, work, inTime);
    });
    if (first.done) {
      return isPaused ? asPartial(first.value, PAUSED_WARNING) : first.value;
    }
    const opened = backend;
    if (isPaused || opened === undefined) return LATE;
    const second = await withinTime(recoveryMs, signal, (inTime) =>
      searchAndCondense(
        opened,
        { ...request, lexicalOnly: true, model: undefined, timeLimitMs: 0 },
        inTime,
      ),
    );
    return second.done ? asPartial(second.value, LATE_WARNING) : LATE;
  } catch (error) {
    signal.throwIfAborted();
    const hint = error instanceof SvcError ? error.hint : undefined;
    const failed = { code: 'RECALL_FAILED', message: messageOf(error), hint } as const;
    return { status: 'unavailable', warnings: [failed] };
  } finally {
    // Do not wait: a late search may still be using it.
    if (backend !== undefined) lane.finishAfterTurn(backend.close());
  }
}

const LATE_WARNING: Warning = {
  code: 'RECALL_TIMED_OUT',
  message: 'recall timed out',
  hint: 'raise plugins.entries.active-memory.config.timeoutMs, or run "svc memory search" to see what is slow',
};

/** Not even a keyword search answered. */
const LATE: RecallResult = { status: 'timeout', warnings: [LATE_WARNING] };

const PAUSED_WARNING: Warning = {
  code: 'RECALL_TIMED_OUT',
  message: 'recent recalls timed out; using keyword search only for a while',
};

const SKIPPED: RecallResult = {
  status: 'unavailable',
  warnings: [
    {
      code: 'RECALL_FAILED',
      message: 'memory was unavailable in recent recalls; skipping it for a while',
    },
  ],
};

function asPartial(result: RecallResult, warning: Warning): RecallResult {
  const status = result.recalled === undefined ? 'timeout' : 'timeout_partial';
  return { ...result, status, warnings: [warning, ...result.warnings] };
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
  if (!resolvedAgent.memorySearch.enabled) throw await memoryDisabled(resolvedAgent, loaded);
  const { searchMode } = facts.settings.config.ext;
  const extMode = searchMode === 'inherit' ? undefined : searchMode;
  return (await openAgent(resolvedAgent, context, loaded, { extMode })).backend;
}

/** Everything that determines the answer, except the files: a cached answer may be outdated. */
function cacheKey(
  turn: RecallTurn,
  question: RecallQuestion,
  model: NamedModel | undefined,
  { facts, selection }: OpenLane,
): string {
  const session = facts.session.sessionKey?.trim().toLowerCase() ?? facts.sessionId ?? '';
  const inputs = [turn.message, question, model?.name, facts.settings.config, selection.workspace];
  return `${facts.agent.id}:${session}:${shortHash(JSON.stringify(inputs))}`;
}

function cacheEntry(
  { status, recalled, warnings }: RecallResult,
  key: string,
  untilMs: number,
): CachedRecall | undefined {
  if (status !== 'ok' && status !== 'empty') return undefined;
  // A failed model may answer next time.
  if (warnings.some(({ code }) => code === 'RECALL_FAILED')) return undefined;
  const { summary = '', sources = [], model = null } = recalled ?? {};
  return { key, untilMs, summary, sources, model };
}

function fromCache({ summary, sources, model }: CachedRecall): RecallResult {
  return summary === ''
    ? EMPTY
    : { status: 'ok', recalled: { summary, sources, model }, warnings: [] };
}
