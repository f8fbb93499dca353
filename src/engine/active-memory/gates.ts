import type { ResolvedConfig } from '../config/index.js';
import {
  chatTypeOf,
  conversationIdOf,
  decideScope,
  type Scope,
  type SessionFacts,
} from '../scope/index.js';

/** `plugins.entries.active-memory`, filled. */
export type ActiveMemorySettings = ResolvedConfig['plugins']['entries']['active-memory'];

/** What is checked before memory is recalled, in this order (facts §1.2); `scope` is facts §8.3. */
export const GATES = [
  'config',
  'agent',
  'session',
  'toggle',
  'plugin',
  'interactive',
  'chat_type',
  'chat_id',
  'scope',
] as const;

/** The name of a check. */
export type Gate = (typeof GATES)[number];

/** A check that passed, and what it saw. */
export interface PassedGate {
  readonly gate: Gate;
  /** One clause for people. */
  readonly why: string;
}

/** Whether memory is recalled for a turn; a closed gate is no error. */
export type GateDecision =
  | { readonly open: true; readonly passed: readonly PassedGate[] }
  | {
      readonly open: false;
      readonly closedBy: Gate;
      readonly why: string;
      /** What to change for it to open; undefined where nothing should be. */
      readonly mend?: string;
      /** The checks before it. */
      readonly passed: readonly PassedGate[];
    };

/** Everything that the checks look at. */
export interface GateFacts {
  readonly settings: ActiveMemorySettings;
  /** Absolute path of the configuration in use; undefined when the defaults hold. */
  readonly configFile: string | undefined;
  readonly agent: { readonly id: string; readonly from: 'default' | 'given' | 'session key' };
  readonly session: SessionFacts;
  readonly sessionId: string | undefined;
  readonly trigger: string;
  /** Whether the person switched recalls off for this conversation. */
  readonly switchedOff: boolean;
  readonly scope: Scope;
}

type Verdict =
  | { readonly ok: true; readonly why: string }
  | { readonly ok: false; readonly why: string; readonly mend?: string };

/**
 * Decides whether memory is recalled: the first check that fails closes the way. Pure. Two gates must
 * hold (spec/memory-search §1): `plugin`, the plugin is on and meant for this agent, and
 * `interactive`, the turn is of a conversation with a person that lasts. The others narrow that down.
 */
export function decideGates(facts: GateFacts): GateDecision {
  const passed: PassedGate[] = [];
  for (const gate of GATES) {
    const { ok, ...verdict } = CHECKS[gate](facts);
    if (!ok) return { open: false, closedBy: gate, ...verdict, passed };
    passed.push({ gate, why: verdict.why });
  }
  return { open: true, passed };
}

const CHECKS: Readonly<Record<Gate, (facts: GateFacts) => Verdict>> = {
  config: ({ configFile }) => pass(configFile ?? 'no file, the defaults hold'),
  agent: ({ agent }) => pass(`${agent.id} (${FROM[agent.from]})`),
  session: ({ session, sessionId }) => pass(session.sessionKey ?? sessionId ?? 'none is known'),
  toggle: ({ switchedOff }) =>
    switchedOff
      ? fail('recalls are switched off for this conversation', 'switch it on with --switch on')
      : pass('not switched off for this conversation'),
  plugin: checkPlugin,
  interactive: checkInteractive,
  chat_type: checkChatType,
  chat_id: checkChatId,
  scope: ({ scope, session }) => {
    const { allowed, why } = decideScope(scope, session);
    return allowed ? pass(why) : fail(why, 'memory.ext.scope says which sessions may search');
  },
};

const FROM: Readonly<Record<GateFacts['agent']['from'], string>> = {
  default: 'the default agent',
  given: 'as given',
  'session key': 'from the session key',
};

const PLUGIN = 'plugins.entries.active-memory';

function checkPlugin({ settings, agent }: GateFacts): Verdict {
  const { config } = settings;
  if (!settings.enabled) {
    return fail('active memory is not switched on', `svc config set ${PLUGIN}.enabled true`);
  }
  if (!config.enabled) {
    return fail(
      'active memory is switched off for all conversations',
      `svc config set ${PLUGIN}.config.enabled true`,
    );
  }
  if (!config.agents.includes(agent.id)) {
    const why = config.agents.length === 0 ? 'no agent is' : `agent ${agent.id} is not`;
    return fail(`${why} among those it is for`, `name ${agent.id} in ${PLUGIN}.config.agents`);
  }
  return pass(`active memory is on for agent ${agent.id}`);
}

const INTERACTIVE_TRIGGER = 'user';
/** The one provider whose conversations take place nowhere else. */
const WITHOUT_CHANNEL = 'webchat';

function checkInteractive({ trigger, session, sessionId }: GateFacts): Verdict {
  if (trigger !== INTERACTIVE_TRIGGER) {
    return fail(`the turn was not begun by a person but by ${JSON.stringify(trigger)}`);
  }
  if (blank(session.sessionKey) && blank(sessionId)) {
    return fail('there is neither a session key nor a session id', 'give --session-key');
  }
  if (lower(session.provider ?? '') !== WITHOUT_CHANNEL && blank(session.channel)) {
    return fail('it is not known in which channel the conversation is', 'give --channel');
  }
  return pass('a conversation with a person, which lasts');
}

function checkChatType({ settings, session }: GateFacts): Verdict {
  const type = chatTypeOf(session);
  const allowed = settings.config.allowedChatTypes;
  if (type === undefined) return fail('the chat type cannot be told', 'give --chat-type');
  return allowed.includes(type)
    ? pass(`${type} conversations are allowed`)
    : fail(
        `${type} conversations are not allowed`,
        `${PLUGIN}.config.allowedChatTypes allows ${allowed.join(', ') || 'none'}`,
      );
}

function checkChatId({ settings, session }: GateFacts): Verdict {
  const allowed = settings.config.allowedChatIds.map(lower).filter((id) => id !== '');
  const denied = settings.config.deniedChatIds.map(lower).filter((id) => id !== '');
  const id = session.sessionKey === undefined ? undefined : conversationIdOf(session.sessionKey);
  if (allowed.length > 0 && id === undefined) {
    return fail('only some conversations are allowed, and the key does not tell which this is');
  }
  if (allowed.length > 0 && id !== undefined && !allowed.includes(id)) {
    return fail(`conversation ${id} is not in allowedChatIds`);
  }
  if (id !== undefined && denied.includes(id)) {
    return fail(`conversation ${id} is in deniedChatIds`);
  }
  return pass(
    id === undefined ? 'no conversation is singled out' : `conversation ${id} is allowed`,
  );
}

function pass(why: string): Verdict {
  return { ok: true, why };
}

function fail(why: string, mend?: string): Verdict {
  return { ok: false, why, ...(mend === undefined ? {} : { mend }) };
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}

function blank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
