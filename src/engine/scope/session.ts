/** The kinds of conversations in rules of active memory and scope. */
export type ChatType = 'direct' | 'group' | 'channel' | 'explicit';

/** What is known of a conversation. */
export interface SessionFacts {
  /** As the agent has it, such as `agent:main:telegram:direct:42`. */
  readonly sessionKey?: string | undefined;
  /** Given by the agent; overrides the type in the key. */
  readonly chatType?: ChatType | undefined;
  /** Such as `telegram`. */
  readonly channel?: string | undefined;
  /** The transport; `webchat` is always a direct conversation. */
  readonly provider?: string | undefined;
}

/** How the chat type is known. */
export type ChatTypeReason = 'given' | 'key' | 'main' | 'webchat';

interface KnownChatType {
  readonly type: ChatType;
  readonly reason: ChatTypeReason;
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
export function inferChatType(session: SessionFacts): KnownChatType | undefined {
  if (session.chatType !== undefined) return { type: session.chatType, reason: 'given' };
  const key = rawKeyOf(session);
  const fromKey = key === undefined ? undefined : typeInKey(key);
  if (fromKey !== undefined) return { type: fromKey, reason: 'key' };
  if (named(session.provider) === 'webchat') return { type: 'direct', reason: 'webchat' };
  // The main session of an agent with its user, whatever the channel.
  const isMain = key !== undefined && AGENT_KEY.exec(key)?.groups?.['rest'] === 'main';
  return isMain ? { type: 'direct', reason: 'main' } : undefined;
}

/** The key, trimmed and in lower case; undefined when there is none. */
export function rawKeyOf(session: SessionFacts): string | undefined {
  return named(session.sessionKey);
}

/** The key without `agent:<id>:`, in lower case; undefined when there is none. */
export function normalizedKeyOf(session: SessionFacts): string | undefined {
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
