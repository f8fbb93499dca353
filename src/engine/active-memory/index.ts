export { injectedBlock } from './block.js';
export { decideHookGates, openRecallLane } from './lane.js';
export { recallOutput } from './outcome.js';
export type { RecallOutput, RecallSwitchOutput } from './output-schemas.js';
export { switchSession } from './session-toggles.js';
export {
  HOOK_AGENTS,
  type HookAgent,
  hookAnswer,
  type RecallTurn,
  readConversationTail,
  readHookCall,
  sessionKeyOf,
} from './turn.js';
