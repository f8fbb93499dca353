import type { SessionFacts } from '../scope/index.js';

/** One thing that was said, before the message that memory is recalled for. */
export interface ConversationTurn {
  readonly role: 'assistant' | 'user';
  readonly text: string;
}

/** A turn of a conversation that is about to be answered. */
export interface RecallTurn {
  /** What the person wrote. */
  readonly message: string;
  /** The conversation so far, oldest first, without the message itself; read when it is needed. */
  readonly earlier: () => readonly ConversationTurn[];
  /** What is known of the conversation; the key as the caller has it. */
  readonly session: SessionFacts;
  /** The conversation's id at the agent, where there is one apart from the key. */
  readonly sessionId?: string | undefined;
  /** What made the agent run; `user` when a person wrote. */
  readonly trigger: string;
  /** `provider/model` that answers the turn, where the caller knows it. */
  readonly runModel?: string | undefined;
}

const MAX_ID = 128;

/**
 * The session key of a conversation that is known by an id of the agent that holds it: a direct one,
 * since coding agents talk to one person. Undefined when the id cannot stand in a key.
 *
 * @param host who holds the conversation, as `claude-code`
 */
export function sessionKeyOf(agentId: string, host: string, sessionId: string): string | undefined {
  const id = sessionId.trim();
  if (id.length > MAX_ID || !/^[\w.-]+$/u.test(id)) return undefined;
  return `agent:${agentId}:${host}:direct:${id}`;
}
