export { decideScope, explainScope, type Scope } from './decide-scope.js';
export type { ScopeTestOutput } from './output-schemas.js';
export {
  agentIdOf,
  type ChatType,
  channelOf,
  chatTypeOf,
  conversationIdOf,
  type SessionFacts,
} from './session.js';
