import type { ResolvedConfig } from '../config/index.js';
import type { ScopeTestOutput } from './output-schemas.js';

/** `memory.ext.scope` with defaults: which conversations may search memory, with every backend. */
export type Scope = ResolvedConfig['memory']['ext']['scope'];
type Match = NonNullable<Scope['rules'][number]['match']>;

/**
 * Decides whether a conversation may search memory: by the first matching rule, else by the default. All
 * parts of a match must apply; a rule without a match applies to every conversation. A conversation of
 * which nothing is known gets the default.
 *
 * @returns also the index of the rule in `scope.rules`, undefined for the default, and one clause for people
 */
export function decideScope(scope: Scope, session: SessionFacts) {
  const rule = scope.rules.findIndex(({ match }) => matches(match, session));
  const found = scope.rules[rule];
  if (found === undefined) {
    const reason = isUnknown(session) ? 'the session is unknown' : 'no rule matched';
    const why = `${reason}, and the default is ${scope.default}`;
    return { allowed: scope.default === 'allow', rule: undefined, why };
  }
  const why = `rule ${rule + 1} matched: ${found.action} ${describeMatch(found.match)}`;
  return { allowed: found.action === 'allow', rule, why };
}

/** Such as `chatType "direct" and channel "web"`. */
function describeMatch(match: Match | undefined): string {
  const parts = Object.entries(match ?? {}).filter(([, value]) => value !== undefined);
  if (parts.length === 0) return 'every session';
  return parts.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(' and ');
}

function matches(match: Match | undefined, session: SessionFacts): boolean {
  if (isUnknown(session)) return false;
  const { channel, chatType, keyPrefix, rawKeyPrefix } = match ?? {};
  // A prefix with an agent refers to the raw key.
  const isRaw = keyPrefix !== undefined && lower(keyPrefix).startsWith('agent:');
  const compared = isRaw ? rawKeyOf(session) : normalizedKeyOf(session);
  return (
    (channel === undefined || lower(channel) === channelOf(session)) &&
    (chatType === undefined || chatType === chatTypeOf(session)) &&
    (keyPrefix === undefined || beginsWith(compared, keyPrefix)) &&
    (rawKeyPrefix === undefined || beginsWith(rawKeyOf(session), rawKeyPrefix))
  );
}

function isUnknown(session: SessionFacts): boolean {
  return (
    rawKeyOf(session) === undefined &&
    chatTypeOf(session) === undefined &&
    channelOf(session) === undefined
  );
}

function beginsWith(key: string | undefined, prefix: string): boolean {
  return key?.startsWith(lower(prefix)) ?? false;
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}

/** How a decision was made: the facts from the session key, each rule, and the result. */
export function explainScope(
  scope: Scope,
  citations: ScopeTestOutput['citations']['mode'],
  session: SessionFacts,
): ScopeTestOutput {
  const { allowed, rule, why } = decideScope(scope, session);
  const key = rawKeyOf(session);
  const known = inferChatType(session);
  return {
    allowed,
    rule: rule === undefined ? null : rule + 1,
    why,
    session: {
      key: key ?? null,
      normalizedKey: normalizedKeyOf(session) ?? null,
      agent: agentIdOf(key ?? '') ?? null,
      chatType: known?.type ?? null,
      chatTypeFrom: known?.reason ?? null,
      channel: channelOf(session) ?? null,
      conversation: conversationIdOf(key ?? '') ?? null,
    },
    default: scope.default,
    rules: scope.rules.map(({ action, match }) => {
      return { action, match: match ?? null, matches: matches(match, session) };
    }),
    citations: { mode: citations, cites: citations !== 'off' },
  };
}

/** The kinds of conversations in rules of active memory and scope. */
export type ChatType = NonNullable<Match['chatType']>;

/** What is known of a conversation. */
export interface SessionFacts {
  /** As the agent has it, such as `agent:main:telegram:direct:42`. */
  readonly sessionKey?: string | undefined;
  /** Given by the agent; overrides the type in the key. */
  readonly chatType?: ChatType | undefined;
  /** Such as `telegram`. On `webchat`, a conversation whose key has no type is a direct one. */
  readonly channel?: string | undefined;
}

const AGENT_KEY = /^agent:(?<id>[^:]+):(?<rest>.+)$/su;
const CHAT_TOKENS: ReadonlySet<string> = new Set(['direct', 'dm', 'group', 'channel']);
const THREAD_SUFFIX = /:(?:thread|topic):.*$/su;

/**
 * The chat type; undefined when it is unknown, which never grants permission. A given type overrides the
 * key.
 */
export function chatTypeOf(session: SessionFacts): ChatType | undefined {
  return inferChatType(session)?.type;
}

/** {@link chatTypeOf} with the reason. */
function inferChatType(
  session: SessionFacts,
): { readonly type: ChatType; readonly reason: 'given' | 'key' | 'main' | 'webchat' } | undefined {
  if (session.chatType !== undefined) return { type: session.chatType, reason: 'given' };
  const key = rawKeyOf(session);
  const fromKey = key === undefined ? undefined : typeInKey(key);
  if (fromKey !== undefined) return { type: fromKey, reason: 'key' };
  // The main session of an agent with its user, whatever the channel.
  const isMain = key !== undefined && AGENT_KEY.exec(key)?.groups?.['rest'] === 'main';
  if (isMain) return { type: 'direct', reason: 'main' };
  return channelOf(session) === 'webchat' ? { type: 'direct', reason: 'webchat' } : undefined;
}

/** The key, trimmed and in lower case; undefined when there is none. */
function rawKeyOf(session: SessionFacts): string | undefined {
  return named(session.sessionKey);
}

/** The key without `agent:<id>:`, in lower case; undefined when there is none. */
function normalizedKeyOf(session: SessionFacts): string | undefined {
  const key = rawKeyOf(session);
  return key === undefined ? undefined : restOf(key);
}

/** The agent of a key such as `agent:<id>:…`, in lower case. */
export function agentIdOf(sessionKey: string): string | undefined {
  return AGENT_KEY.exec(sessionKey.trim().toLowerCase())?.groups?.['id'];
}

/**
 * The partner of the conversation: the text after the first `direct`, `dm`, `group` or `channel` of the
 * key, without the thread, in lower case; undefined when the key has none.
 */
export function conversationIdOf(sessionKey: string): string | undefined {
  const parts = restOf(sessionKey.trim().toLowerCase()).split(':');
  const at = parts.findIndex((part) => CHAT_TOKENS.has(part));
  if (at === -1) return undefined;
  const id = `:${parts.slice(at + 1).join(':')}`.replace(THREAD_SUFFIX, '').slice(1);
  return id === '' ? undefined : id;
}

/** The given channel, else the first word of a key such as `telegram:group:7`. */
export function channelOf(session: SessionFacts): string | undefined {
  const given = named(session.channel);
  if (given !== undefined) return given;
  const parts = normalizedKeyOf(session)?.split(':') ?? [];
  return parts.findIndex((part) => CHAT_TOKENS.has(part)) > 0 ? named(parts[0]) : undefined;
}

function typeInKey(key: string): ChatType | undefined {
  const groups = AGENT_KEY.exec(key)?.groups;
  if (groups?.['rest']?.startsWith('explicit:')) return 'explicit';
  // Without the agent, whose name may be `group` or `direct`.
  const rest = `:${groups?.['rest'] ?? key}`;
  if (rest.includes(':group:')) return 'group';
  if (rest.includes(':channel:')) return 'channel';
  return rest.includes(':direct:') || rest.includes(':dm:') ? 'direct' : undefined;
}

function restOf(key: string): string {
  return AGENT_KEY.exec(key)?.groups?.['rest'] ?? key;
}

function named(text: string | undefined): string | undefined {
  const trimmed = text?.trim().toLowerCase();
  return trimmed === '' ? undefined : trimmed;
}
