import type { SessionFacts } from '../scope/index.js';
import type { SecretMask } from '../secrets/mask/secret-mask.js';
import type { LiveMemory } from './live-memory.js';
import type { McpLog } from './mcp-log.js';

/** What the tools and resources of a server work with; one for all its connections. */
export interface McpWorld {
  readonly memory: LiveMemory;
  /** The conversation that this server is for. */
  readonly session: SessionFacts;
  /** Errors and warnings go through it; what stands in the person's files does not. */
  readonly mask: Pick<SecretMask, 'data' | 'text'>;
  readonly log: McpLog;
  /** Of this program. */
  readonly version: string;
}

/** What is told of a conversation when a server is started for it. */
export type GivenSession = Pick<SessionFacts, 'channel' | 'chatType' | 'sessionKey'>;

/**
 * The conversation that a server is for. Where neither key nor type is given, a person's own agent
 * asks: that is a direct one.
 */
export function sessionOf(given: GivenSession): SessionFacts {
  const isTold = given.sessionKey !== undefined || given.chatType !== undefined;
  return isTold ? given : { ...given, chatType: 'direct' };
}
