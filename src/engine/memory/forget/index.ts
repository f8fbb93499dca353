/*
 * Removes text from memory. Loaded by name:
 *   forgetting.ts: planning, hiding and undoing
 *   output-schemas.ts: zod schemas of the JSON documents, for tests and docs
 */

export type { Forgetting, MemoryStore, StoreOutcome } from './forgetting.js';
export type { ForgetListOutput, ForgetOutput, ForgetUndoOutput } from './output-schemas.js';
export type { ForgetPlan } from './plan-forget.js';
export type { ForgetPassage, ForgetPlace, ReadConversation } from './read-passages.js';
export type { UndoResult } from './undo.js';
