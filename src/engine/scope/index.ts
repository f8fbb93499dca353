export { citesFor } from './cites.js';
export { decideScope, type Scope } from './decide-scope.js';
export {
  agentIdOf,
  type ChatType,
  chatTypeOf,
  conversationIdOf,
  type SessionFacts,
} from './session.js';
