export { citesFor } from './cites.js';
export { decideScope, describeMatch, type Scope, type ScopeDecision } from './decide-scope.js';
export {
  agentIdOf,
  type ChatType,
  type ChatTypeReason,
  channelOf,
  chatTypeOf,
  conversationIdOf,
  normalizedKeyOf,
  type SessionFacts,
  tellChatType,
} from './session.js';
