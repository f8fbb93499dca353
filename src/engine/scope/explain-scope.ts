import { citesFor } from './cites.js';
import { decideScope, matches, type Scope } from './decide-scope.js';
import type { ScopeTestOutput } from './output-schemas.js';
import {
  agentIdOf,
  channelOf,
  conversationIdOf,
  normalizedKeyOf,
  rawKeyOf,
  type SessionFacts,
  tellChatType,
} from './session.js';

/** Everything that is made of a conversation: what its key tells, each rule, and what is decided. */
export function explainScope(
  scope: Scope,
  citations: ScopeTestOutput['citations']['mode'],
  session: SessionFacts,
): ScopeTestOutput {
  const { allowed, rule, why } = decideScope(scope, session);
  const key = rawKeyOf(session);
  const told = tellChatType(session);
  return {
    allowed,
    rule: rule === undefined ? null : rule + 1,
    why,
    session: {
      key: key ?? null,
      normalizedKey: normalizedKeyOf(session) ?? null,
      agent: key === undefined ? null : (agentIdOf(key) ?? null),
      chatType: told?.type ?? null,
      chatTypeFrom: told?.reason ?? null,
      channel: channelOf(session) ?? null,
      conversation: key === undefined ? null : (conversationIdOf(key) ?? null),
    },
    default: scope.default,
    rules: scope.rules.map(({ action, match }) => {
      return { action, match: match ?? null, matches: matches(match, session) };
    }),
    citations: { mode: citations, cites: citesFor(citations, session) },
  };
}
