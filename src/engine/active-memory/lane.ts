import { defaultAgentId, type LoadedConfig, loadConfig, resolveAgent } from '../config/index.js';
import { agentIdOf, chatTypeOf } from '../scope/decide-scope.js';
import type { EngineContext } from '../support/context.js';
import { runningMs } from '../support/time.js';
import { decideGates, type GateDecision, type GateFacts } from './gates.js';
import {
  logOutcome,
  type OpenLane,
  type Recall,
  type RecallLimits,
  type RecallOutcome,
  type RecallSelection,
} from './outcome.js';
import { recallMemory } from './recall-memory.js';
import { isSwitchedOff } from './session-toggles.js';
import { type HookAgent, type RecallTurn, sessionKeyOf } from './turn.js';

/**
 * Loads the configuration for recalls. Memory is opened only for a turn that passes the gates.
 *
 * @throws SvcError CONFIG_*
 */
export async function openRecallLane(context: EngineContext, selection: RecallSelection) {
  const loaded = await loadConfig(context, { configFile: selection.configFile });
  const { config } = loaded.resolved.plugins.entries['active-memory'];
  const afterwards: Promise<unknown>[] = [];
  return {
    /** How long a turn may wait in total, from the start of the process; milliseconds. */
    deadlineMs: config.timeoutMs + config.setupGraceTimeoutMs,
    agentOf: (sessionKey: string | undefined): string => agentFor(selection, sessionKey, loaded).id,
    /**
     * Recalls for a turn. Failures are reported in the outcome.
     *
     * @throws SvcError AGENT_UNKNOWN; the signal's reason
     */
    recall: async (turn: RecallTurn, limits: RecallLimits): Promise<RecallOutcome> => {
      const started = runningMs();
      const facts = gateFacts(turn, selection, loaded, context);
      const gates = decideGates(facts);
      const recall: Recall =
        gates.closed === undefined
          ? await recallMemory(turn, {
              selection,
              loaded,
              context,
              facts,
              limits,
              // A failure here does not affect the turn.
              finishAfterTurn: (work) => afterwards.push(work.catch(() => undefined)),
            })
          : { status: 'closed', cached: false, breaker: 'closed', warnings: [] };
      const outcome: RecallOutcome = {
        ...recall,
        agentId: facts.agent.id,
        sessionKey: facts.session.sessionKey,
        chatType: chatTypeOf(facts.session),
        gates,
        elapsedMs: runningMs() - started,
      };
      if (config.logging) logOutcome(context, outcome);
      return outcome;
    },
    /** Waits for work that recalls left behind. Call it after printing the answer. */
    close: async (): Promise<void> => {
      await Promise.all(afterwards);
    },
  };
}

/** Checks the gates for a new conversation through a coding agent's hook. @throws SvcError CONFIG_*, AGENT_UNKNOWN */
export async function decideHookGates(
  context: EngineContext,
  selection: RecallSelection,
  host: HookAgent,
): Promise<GateDecision> {
  const loaded = await loadConfig(context, { configFile: selection.configFile });
  const { id } = agentFor(selection, undefined, loaded);
  const sessionKey = sessionKeyOf(id, host, 'new');
  const session = { sessionKey, chatType: 'direct', channel: host } as const;
  return decideGates(gateFacts({ session, trigger: 'user' }, selection, loaded, context));
}

function gateFacts(
  turn: Pick<RecallTurn, 'session' | 'sessionId' | 'trigger'>,
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
