export { injectedBlock } from './block.js';
export { decideHookGates, openRecallLane } from './lane.js';
export { recallOutput } from './outcome.js';
export type { RecallOutput, RecallSwitchOutput } from './output-schemas.js';
export { switchSession } from './session-toggles.js';
export * from './turn.js';
