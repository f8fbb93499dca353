export { injectedBlock } from './block.js';
export { HOOK_AGENTS, type HookAgent, hookAnswer, readHookCall } from './hooks.js';
export { decideHookGates, openRecallLane } from './lane.js';
export { recallOutput } from './outcome.js';
export type { RecallOutput, RecallSwitchOutput } from './output-schemas.js';
export { switchSession } from './session-toggles.js';
export { type RecallTurn, readConversationTail, sessionKeyOf } from './turn.js';
