import type { LoadedConfig, ResolvedAgent } from '../config/index.js';
import type { EngineContext } from '../context.js';
import type { GateDecision, GateFacts } from './gates.js';

/** Whose memory is meant, by which configuration. */
export interface RecallSelection {
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** The agent; that of the session key, else the default one, when none is given. */
  readonly agentId?: string | undefined;
  /** A folder to recall from instead of the agent's own memory. */
  readonly workspace?: string | undefined;
}

/** How long a recall may take, and what ends it. */
export interface RecallLimits {
  readonly signal: AbortSignal;
  /** What is left of {@link RecallLane.deadlineMs}. */
  readonly leftMs: number;
}

/** What the second half works with. */
export interface OpenLane {
  readonly selection: RecallSelection;
  readonly loaded: LoadedConfig;
  readonly context: EngineContext;
  readonly gates: GateDecision;
  readonly facts: GateFacts & { readonly resolvedAgent: ResolvedAgent };
  readonly limits: RecallLimits;
  /** runningMs() at the start. */
  readonly started: number;
  /** Takes work that the turn does not wait for, and that should not be cut off either. */
  readonly afterwards: (work: Promise<void>) => void;
}
