export {
  agentIdOf,
  type ChatType,
  channelOf,
  chatTypeOf,
  conversationIdOf,
  decideScope,
  explainScope,
  type Scope,
  type SessionFacts,
} from './decide-scope.js';
export type { ScopeTestOutput } from './output-schemas.js';
