import { defaultAgentId, type LoadedConfig, loadConfig, resolveAgent } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { runningMs } from '../running-ms.js';
import { agentIdOf, chatTypeOf } from '../scope/index.js';
import { decideGates, type GateDecision, type GateFacts } from './gates.js';
import type { OpenLane, RecallLimits, RecallSelection } from './open-lane.js';
import type { RecallOutcome } from './outcome.js';
import { recallMemory } from './recall-memory.js';
import { isSwitchedOff } from './session-toggles.js';
import type { RecallTurn } from './turn.js';

/** The way from a turn to what is recalled for it, under one configuration. */
export interface RecallLane {
  /** How long a turn may wait in all, from the start of the process; milliseconds. */
  readonly deadlineMs: number;
  /** The agent that a session key belongs to, or that is meant without one. */
  agentOf(sessionKey: string | undefined): string;
  /**
   * Recalls. What goes wrong on the way is in the outcome: the turn goes on.
   *
   * @throws SvcError AGENT_UNKNOWN, or the signal's reason
   */
  recall(turn: RecallTurn, limits: RecallLimits): Promise<RecallOutcome>;
  /** Settles when what recalls left to be done afterwards is done. Call it when the answer is out. */
  close(): Promise<void>;
}

/**
 * Loads what recalls are decided by. Memory itself is opened only when the gates are.
 *
 * @throws SvcError CONFIG_*
 */
export async function openRecallLane(
  context: EngineContext,
  selection: RecallSelection,
): Promise<RecallLane> {
  const loaded = await loadConfig(context, { configFile: selection.configFile });
  const { config } = loaded.resolved.plugins.entries['active-memory'];
  const afterwards: Promise<unknown>[] = [];
  return {
    deadlineMs: config.timeoutMs + config.setupGraceTimeoutMs,
    agentOf: (sessionKey) => agentFor(selection, sessionKey, loaded).id,
    recall: async (turn, limits) => {
      const started = runningMs();
      const facts = gateFacts(turn, selection, loaded, context);
      const gates = decideGates(facts);
      const outcome: RecallOutcome = gates.open
        ? await recallMemory(turn, {
            selection,
            loaded,
            context,
            gates,
            facts,
            limits,
            started,
            // The turn goes on whatever becomes of it.
            afterwards: (work) => afterwards.push(work.catch(() => undefined)),
          })
        : { ...closed(gates, facts), elapsedMs: runningMs() - started };
      if (config.logging) {
        const { logOutcome } = await import('./outcome-log.js');
        logOutcome(context, outcome);
      }
      return outcome;
    },
    close: async () => {
      await Promise.all(afterwards);
    },
  };
}

function gateFacts(
  turn: RecallTurn,
  selection: RecallSelection,
  loaded: LoadedConfig,
  context: EngineContext,
): OpenLane['facts'] {
  const { session, sessionId, trigger } = turn;
  const agent = agentFor(selection, session.sessionKey, loaded);
  const resolvedAgent = resolveAgent(loaded, agent.id, context);
  const key = session.sessionKey ?? sessionId;
  return {
    settings: loaded.resolved.plugins.entries['active-memory'],
    configFile: loaded.file,
    agent,
    session,
    sessionId,
    trigger,
    switchedOff: key !== undefined && isSwitchedOff(context.state.stateDir, agent.id, key),
    scope: resolvedAgent.scope,
    resolvedAgent,
  };
}

function agentFor(
  { agentId }: RecallSelection,
  sessionKey: string | undefined,
  loaded: LoadedConfig,
): GateFacts['agent'] {
  if (agentId !== undefined) return { id: agentId, from: 'given' };
  const named = sessionKey === undefined ? undefined : agentIdOf(sessionKey);
  return named === undefined
    ? { id: defaultAgentId(loaded.resolved), from: 'default' }
    : { id: named, from: 'session key' };
}

function closed(
  gates: GateDecision,
  { agent, session }: GateFacts,
): Omit<RecallOutcome, 'elapsedMs'> {
  return {
    status: 'closed',
    agentId: agent.id,
    sessionKey: session.sessionKey,
    chatType: chatTypeOf(session),
    gates,
    question: undefined,
    recalled: undefined,
    mode: undefined,
    cached: false,
    breaker: 'closed',
    warnings: [],
  };
}
