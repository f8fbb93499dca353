import { randomUUID } from 'node:crypto';

export type FlowId = string & { readonly __brand: 'FlowId' };

export type TaskId = string & { readonly __brand: 'TaskId' };

/** @param nowMs milliseconds since the epoch */
export function newFlowId(nowMs: number): FlowId {
  return newId(nowMs) as FlowId;
}

/** @param nowMs milliseconds since the epoch */
export function newTaskId(nowMs: number): TaskId {
  return newId(nowMs) as TaskId;
}

/** Where the creation time starts in an id; the indexes of ids start with it. */
export const ID_MOMENT_AT = 24;

const MOMENT_DIGITS = 12;

/**
 * A UUID whose last twelve digits are the time in milliseconds, so that ids created together are close in
 * their index. With fully random ids every new row would touch another page, and commits would write more
 * the more rows there are. 74 random bits are left.
 */
function newId(nowMs: number): string {
  const moment = Math.max(0, Math.trunc(nowMs)).toString(16).padStart(MOMENT_DIGITS, '0');
  return randomUUID().slice(0, ID_MOMENT_AT) + moment.slice(-MOMENT_DIGITS);
}

/** Fewer characters name no record. */
export const MIN_PREFIX = 4;

/** The beginning of ids that an operator typed, as ids have it; undefined if none can start like that. */
export function idPrefix(typed: string): string | undefined {
  const plain = typed.toLowerCase();
  return plain.length >= MIN_PREFIX && /^[0-9a-f-]+$/u.test(plain) ? plain : undefined;
}
