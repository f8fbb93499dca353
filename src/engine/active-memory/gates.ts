import type { ResolvedConfig } from '../config/index.js';
import {
  chatTypeOf,
  conversationIdOf,
  decideScope,
  type Scope,
  type SessionFacts,
} from '../scope/decide-scope.js';

/** The effective `plugins.entries.active-memory`. */
export type ActiveMemorySettings = ResolvedConfig['plugins']['entries']['active-memory'];

/** What is checked before recalling, in this order (facts §1.2); `scope` is facts §8.3. */
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

export type Gate = (typeof GATES)[number];

interface CheckedGate {
  readonly gate: Gate;
  readonly open: boolean;
  /** A short explanation for people. */
  readonly why: string;
  /** How to open it; undefined if it is open, or closed on purpose. */
  readonly hint?: string;
}

/** Whether to recall for a turn; a closed gate is not an error. */
export type GateDecision = ReturnType<typeof decideGates>;

/** What the gates check. */
export interface GateFacts {
  readonly settings: ActiveMemorySettings;
  /** Absolute path of the configuration file; undefined if there is none. */
  readonly configFile: string | undefined;
  readonly agent: { readonly id: string; readonly from: 'default' | 'given' | 'session key' };
  readonly session: SessionFacts;
  readonly sessionId: string | undefined;
  readonly trigger: string;
  readonly switchedOff: boolean;
  readonly scope: Scope;
}

type Verdict = Omit<CheckedGate, 'gate'>;

/**
 * Decides whether to recall: every gate must be open. The two gates of spec/memory-search §1 are `plugin`
 * (active memory is enabled for this agent) and `interactive` (a persistent conversation with a person).
 */
export function decideGates(facts: GateFacts) {
  /** In order, up to the first closed one. */
  const checked: CheckedGate[] = [];
  for (const gate of GATES) {
    const found = { gate, ...CHECKS[gate](facts) };
    checked.push(found);
    if (!found.open) break;
  }
  return { checked, closed: checked.find(({ open }) => !open) };
}

const CHECKS: Readonly<Record<Gate, (facts: GateFacts) => Verdict>> = {
  config: ({ configFile }) => pass(configFile ?? 'no file, using defaults'),
  agent: ({ agent }) => pass(`${agent.id} (${FROM[agent.from]})`),
  session: ({ session, sessionId }) => pass(session.sessionKey ?? sessionId ?? 'unknown'),
  toggle: ({ switchedOff }) =>
    switchedOff
      ? fail('recalls are off for this conversation', 'turn them on with --switch on')
      : pass('on for this conversation'),
  plugin: checkPlugin,
  interactive: checkInteractive,
  chat_type: checkChatType,
  chat_id: checkChatId,
  scope: ({ scope, session }) => {
    const { allowed, why } = decideScope(scope, session);
    return allowed ? pass(why) : fail(why, 'see memory.ext.scope');
  },
};

const FROM: Readonly<Record<GateFacts['agent']['from'], string>> = {
  default: 'default agent',
  given: 'from --agent',
  'session key': 'from the session key',
};

const PLUGIN = 'plugins.entries.active-memory';

function checkPlugin({ settings, agent }: GateFacts): Verdict {
  const { config } = settings;
  if (!settings.enabled) {
    return fail('active memory is not enabled', `run "svc config set ${PLUGIN}.enabled true"`);
  }
  if (!config.enabled) {
    return fail(
      'active memory is disabled for all conversations',
      `run "svc config set ${PLUGIN}.config.enabled true"`,
    );
  }
  if (!config.agents.includes(agent.id)) {
    const hint = `add ${agent.id} to ${PLUGIN}.config.agents`;
    return fail(`active memory is not enabled for agent ${agent.id}`, hint);
  }
  return pass(`active memory is enabled for agent ${agent.id}`);
}

const INTERACTIVE_TRIGGER = 'user';

function checkInteractive({ trigger, session, sessionId }: GateFacts): Verdict {
  if (trigger !== INTERACTIVE_TRIGGER) {
    return fail(`the turn was triggered by ${JSON.stringify(trigger)}, not by a person`);
  }
  if (isBlank(session.sessionKey) && isBlank(sessionId)) {
    return fail('no session key or session ID', 'pass --session-key');
  }
  if (isBlank(session.channel)) return fail('unknown channel', 'pass --channel');
  return pass('a persistent conversation with a person');
}

function checkChatType({ settings, session }: GateFacts): Verdict {
  const type = chatTypeOf(session);
  const allowed = settings.config.allowedChatTypes;
  if (type === undefined) return fail('unknown chat type', 'pass --chat-type');
  return allowed.includes(type)
    ? pass(`${type} conversations are allowed`)
    : fail(
        `${type} conversations are not allowed`,
        `${PLUGIN}.config.allowedChatTypes allows ${allowed.join(', ') || 'none'}`,
      );
}

function checkChatId({ settings, session }: GateFacts): Verdict {
  const allowed = settings.config.allowedChatIds.map(normalized).filter((id) => id !== '');
  const denied = settings.config.deniedChatIds.map(normalized).filter((id) => id !== '');
  const id = session.sessionKey === undefined ? undefined : conversationIdOf(session.sessionKey);
  if (allowed.length > 0 && id === undefined) {
    return fail('allowedChatIds is set, and the session key contains no conversation ID');
  }
  if (allowed.length > 0 && id !== undefined && !allowed.includes(id)) {
    return fail(`conversation ${id} is not in allowedChatIds`);
  }
  if (id !== undefined && denied.includes(id)) {
    return fail(`conversation ${id} is in deniedChatIds`);
  }
  return pass(id === undefined ? 'no restrictions' : `conversation ${id} is allowed`);
}

function pass(why: string): Verdict {
  return { open: true, why };
}

function fail(why: string, hint?: string): Verdict {
  return { open: false, why, ...(hint !== undefined && { hint }) };
}

function normalized(text: string): string {
  return text.trim().toLowerCase();
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
