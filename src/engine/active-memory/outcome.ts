import type { Warning } from '../errors/index.js';
import type { SearchMode } from '../memory/search/types.js';
import type { ChatType } from '../scope/index.js';
import type { BreakerState } from './breaker.js';
import type { ActiveMemorySettings, GateDecision } from './gates.js';
import type { PromptStyle } from './prompt-style.js';
import type { RecalledSource } from './select.js';

/**
 * How a recall ended. `closed`: a gate did not hold. `timeout_partial`: too late for all of it, and
 * what there was by then is used. `unavailable`: memory could not be searched.
 */
export type RecallStatus =
  | 'closed'
  | 'empty'
  | 'ok'
  | 'timeout'
  | 'timeout_partial'
  | 'unavailable';

/** What memory was asked. */
export interface RecallQuestion {
  readonly query: string;
  readonly queryMode: ActiveMemorySettings['config']['queryMode'];
  readonly promptStyle: PromptStyle;
}

/** What was recalled. */
export interface Recalled {
  /** Plain text of at most `maxSummaryChars`; never empty. */
  readonly summary: string;
  readonly sources: readonly RecalledSource[];
  /** The model that condensed it; null for none. */
  readonly model: string | null;
}

/** Everything about the recall for one turn. */
export interface RecallOutcome {
  readonly status: RecallStatus;
  readonly agentId: string;
  readonly sessionKey: string | undefined;
  readonly chatType: ChatType | undefined;
  readonly gates: GateDecision;
  /** Undefined when a gate was closed. */
  readonly question: RecallQuestion | undefined;
  /** Undefined when there is nothing to add to the turn. */
  readonly recalled: Recalled | undefined;
  /** Undefined when nothing was searched. */
  readonly mode: SearchMode | undefined;
  readonly cached: boolean;
  readonly breaker: BreakerState;
  /** Milliseconds. */
  readonly elapsedMs: number;
  readonly warnings: readonly Warning[];
}
