/*
 * What is kept out of memory. Loaded by name:
 *   forgetting.ts: planning, hiding and undoing
 *   output-schemas.ts: zod schemas of the JSON documents, for tests and docs
 */

export {
  type ForgetEntry,
  type ForgetList,
  type ForgetPlaces,
  forgetPlaces,
  newSalt,
  readForgetList,
  readForgotten,
  writeForgetList,
} from './forget-list.js';
export type {
  ForgetPassage,
  ForgetPlace,
  ForgetPlan,
  ForgetRequest,
  MemoryStore,
  StoreOutcome,
  Undone,
} from './forgetting.js';
export { Forgotten, NOTHING_FORGOTTEN, wordsOf } from './forgotten.js';
export type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';
