import type { Warning } from '../errors/index.js';
import { decideScope, type Scope, type SessionFacts } from '../scope/index.js';

/** Why a conversation may not use memory; undefined when it may. */
export function admission(scope: Scope, session: SessionFacts): Warning | undefined {
  const { allowed, why } = decideScope(scope, session);
  if (allowed) return undefined;
  return {
    code: 'SCOPE_DENIED',
    message: `memory is closed to this conversation: ${why}`,
    hint: 'the person can change memory.ext.scope, or tell svc mcp which conversation this is (--session-key, --chat-type)',
  };
}
