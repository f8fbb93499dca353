import { randomUUID } from 'node:crypto';

/** Names a flow; a UUID of version 4. */
export type FlowId = string & { readonly __brand: 'FlowId' };

/** Names a task; a UUID of version 4. */
export type TaskId = string & { readonly __brand: 'TaskId' };

/** A new name for a flow. @param nowMs milliseconds since the epoch */
export function newFlowId(nowMs: number): FlowId {
  return newId(nowMs) as FlowId;
}

/** A new name for a task. @param nowMs milliseconds since the epoch */
export function newTaskId(nowMs: number): TaskId {
  return newId(nowMs) as TaskId;
}

/** Where in an id the moment begins that it was made at; the indexes of ids begin with it. */
export const ID_MOMENT_AT = 24;

const MOMENT_DIGITS = 12;

/**
 * Random but for its last twelve digits, which are the moment in milliseconds. Ids made together so
 * stand together in their index: with fully random ones every new row would touch a page of its own,
 * and the more rows there are the more a commit would have to write. 74 random bits are left.
 */
function newId(nowMs: number): string {
  const moment = Math.max(0, Math.trunc(nowMs)).toString(16).padStart(MOMENT_DIGITS, '0');
  return randomUUID().slice(0, ID_MOMENT_AT) + moment.slice(-MOMENT_DIGITS);
}
