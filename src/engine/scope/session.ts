/** What kind of conversation asks: the types that active memory and scope rules know. */
export type ChatType = 'direct' | 'group' | 'channel' | 'explicit';

/** What is known of the conversation that asks. */
export interface SessionFacts {
  /** Like `agent:main:telegram:direct:42`, as the agent has it. */
  readonly sessionKey?: string | undefined;
  /** Said by the agent itself; wins over what the key tells. */
  readonly chatType?: ChatType | undefined;
  /** Where the conversation takes place, like `telegram`. */
  readonly channel?: string | undefined;
  /** What carries it; `webchat` is always a direct conversation. */
  readonly provider?: string | undefined;
}

/** How a chat type came to be known. */
export type ChatTypeReason = 'given' | 'key' | 'main' | 'webchat';

/** A chat type, and what told it. */
export interface ToldChatType {
  readonly type: ChatType;
  readonly reason: ChatTypeReason;
}

const AGENT_KEY = /^agent:(?<id>[^:]+):(?<rest>.+)$/su;
const CHAT_TOKENS: ReadonlySet<string> = new Set(['direct', 'dm', 'group', 'channel']);
const THREAD_SUFFIX = /:(?:thread|topic):.*$/su;

/**
 * The chat type; undefined when nothing tells it, which is never taken for a permission. A given type
 * wins; else the key is read by the first pattern that fits it.
 */
export function chatTypeOf(session: SessionFacts): ChatType | undefined {
  return tellChatType(session)?.type;
}

/** {@link chatTypeOf} with what told it. */
export function tellChatType(session: SessionFacts): ToldChatType | undefined {
  if (session.chatType !== undefined) return { type: session.chatType, reason: 'given' };
  const key = rawKeyOf(session);
  const fromKey = key === undefined ? undefined : typeInKey(key);
  if (fromKey !== undefined) return { type: fromKey, reason: 'key' };
  if (named(session.provider) === 'webchat') return { type: 'direct', reason: 'webchat' };
  // The one conversation an agent has with its person, wherever it takes place.
  const isMain = key?.split(':').length === 3 && key.endsWith(':main');
  return isMain && named(session.channel) !== undefined
    ? { type: 'direct', reason: 'main' }
    : undefined;
}

/** The key as it is compared: trimmed, small letters; undefined when there is none. */
export function rawKeyOf(session: SessionFacts): string | undefined {
  return named(session.sessionKey);
}

/** The key without `agent:<id>:`, in small letters; undefined when there is none. */
export function normalizedKeyOf(session: SessionFacts): string | undefined {
  const key = rawKeyOf(session);
  return key === undefined ? undefined : restOf(key);
}

/** The agent that a key like `agent:<id>:…` belongs to, in small letters. */
export function agentIdOf(sessionKey: string): string | undefined {
  return AGENT_KEY.exec(sessionKey.trim().toLowerCase())?.groups?.['id'];
}

/**
 * Who or what the conversation is with: the text after the first `direct`, `dm`, `group` or `channel`
 * of the key, without the thread in it. In small letters; undefined when the key names none.
 */
export function conversationIdOf(sessionKey: string): string | undefined {
  const parts = restOf(sessionKey.trim().toLowerCase()).split(':');
  const at = parts.findIndex((part) => CHAT_TOKENS.has(part));
  if (at === -1) return undefined;
  const id = `:${parts.slice(at + 1).join(':')}`.replace(THREAD_SUFFIX, '').slice(1);
  return id === '' ? undefined : id;
}

/** The channel: as given, else the word that a key like `telegram:group:7` begins with. */
export function channelOf(session: SessionFacts): string | undefined {
  const given = named(session.channel);
  if (given !== undefined) return given;
  const parts = normalizedKeyOf(session)?.split(':') ?? [];
  return parts.findIndex((part) => CHAT_TOKENS.has(part)) > 0 ? named(parts[0]) : undefined;
}

function typeInKey(key: string): ChatType | undefined {
  const groups = AGENT_KEY.exec(key)?.groups;
  if (groups?.['rest']?.startsWith('explicit:')) return 'explicit';
  // Without the agent: one may be called `group` or `direct`, which says nothing of the conversation.
  const told = `:${groups?.['rest'] ?? key}`;
  if (told.includes(':group:')) return 'group';
  if (told.includes(':channel:')) return 'channel';
  return told.includes(':direct:') || told.includes(':dm:') ? 'direct' : undefined;
}

function restOf(key: string): string {
  return AGENT_KEY.exec(key)?.groups?.['rest'] ?? key;
}

function named(text: string | undefined): string | undefined {
  const trimmed = text?.trim().toLowerCase();
  return trimmed === '' ? undefined : trimmed;
}
