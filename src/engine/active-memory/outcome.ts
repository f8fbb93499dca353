import { join } from 'node:path';
import type { LoadedConfig, ResolvedAgent } from '../config/index.js';
import type { Warning } from '../errors/index.js';
import type { SearchMode } from '../memory/search/index.js';
import type { ChatType } from '../scope/decide-scope.js';
import type { EngineContext } from '../support/context.js';
import { RotatingFile } from '../support/rotating-file.js';
import { iso } from '../support/time.js';
import { injectedBlock } from './block.js';
import type { ActiveMemorySettings, GateDecision, GateFacts } from './gates.js';
import type { RecallOutput } from './output-schemas.js';
import type { PromptStyle } from './prompt-style.js';
import type { BreakerState, CachedRecall } from './state-file.js';

/** How memory was searched. */
export interface RecallQuestion {
  readonly query: string;
  readonly queryMode: ActiveMemorySettings['config']['queryMode'];
  readonly promptStyle: PromptStyle;
}

/** A recall with a summary of at most `maxSummaryChars`, which is not empty. */
export type RecalledNotes = Pick<CachedRecall, 'model' | 'sources' | 'summary'>;

/** What searching memory for a turn led to. */
export interface RecallResult {
  readonly status: RecallOutput['status'];
  /** Undefined if there is nothing to add to the turn. */
  readonly recalled?: RecalledNotes | undefined;
  readonly mode?: SearchMode | undefined;
  readonly warnings: readonly Warning[];
}

/** The same with how it was reached. */
export interface Recall extends RecallResult {
  /** Undefined if a gate is closed. */
  readonly question?: RecallQuestion;
  readonly cached: boolean;
  readonly breaker: BreakerState;
}

/** Everything about the recall for one turn. */
export interface RecallOutcome extends Recall {
  readonly agentId: string;
  readonly sessionKey: string | undefined;
  readonly chatType: ChatType | undefined;
  readonly gates: GateDecision;
  readonly elapsedMs: number;
}

/** Whose memory to recall from, by which configuration. */
export interface RecallSelection {
  /** From `--config`. */
  readonly configFile?: string | undefined;
  /** Default: the agent of the session key, else the default agent. */
  readonly agentId?: string | undefined;
  /** A folder to recall from instead of the agent's memory. */
  readonly workspace?: string | undefined;
}

/** Limits of one recall. */
export interface RecallLimits {
  readonly signal: AbortSignal;
  /** Time left until `deadlineMs` of the lane. */
  readonly leftMs: number;
}

/** What a recall needs once the gates are open. */
export interface OpenLane {
  readonly selection: RecallSelection;
  readonly loaded: LoadedConfig;
  readonly context: EngineContext;
  readonly facts: GateFacts & { readonly resolvedAgent: ResolvedAgent };
  readonly limits: RecallLimits;
  readonly finishAfterTurn: (work: Promise<void>) => void;
}

/** `svc memory recall --json`. */
export function recallOutput(outcome: RecallOutcome): RecallOutput {
  const { status, agentId, sessionKey, chatType, gates, question, recalled } = outcome;
  return {
    status,
    agent: agentId,
    sessionKey: sessionKey ?? null,
    chatType: chatType ?? null,
    gates: gates.checked,
    closedBy: gates.closed?.gate ?? null,
    query: question?.query ?? null,
    queryMode: question?.queryMode ?? null,
    promptStyle: question?.promptStyle ?? null,
    mode: outcome.mode ?? null,
    summary: recalled?.summary ?? null,
    block: recalled === undefined ? null : injectedBlock(recalled.summary),
    sources: recalled?.sources ?? [],
    model: recalled?.model ?? null,
    cached: outcome.cached,
    breaker: outcome.breaker,
    elapsedMs: Math.round(outcome.elapsedMs * 10) / 10,
  };
}

const LOG_ROTATION = { maxBytes: 1024 * 1024, keep: 1 };

export function outcomeLogFile(stateDir: string): string {
  return join(stateDir, 'logs', 'active-memory.log');
}

/**
 * Logs a recall as a line of JSON (`logging`): status and sizes, never the question or the text.
 *
 * @throws nothing: it must not fail the turn
 */
export function logOutcome({ state, clock }: EngineContext, outcome: RecallOutcome): void {
  const output = recallOutput(outcome);
  const { status, agent, closedBy, mode, model, cached, breaker } = output;
  const line = {
    at: iso(clock.now()),
    status,
    agent,
    session: output.sessionKey,
    closedBy,
    elapsedMs: Math.round(outcome.elapsedMs),
    query: output.queryMode,
    mode,
    summary: output.summary?.length ?? 0,
    notes: output.sources.length,
    model,
    cached,
    breaker,
    warnings: outcome.warnings.map(({ code }) => code),
  };
  const file = new RotatingFile(outcomeLogFile(state.stateDir), LOG_ROTATION);
  file.write(`${JSON.stringify(line)}\n`);
  file.close();
}
