import type { Connection } from '../sqlite/database.js';
import type { FlowRecord } from './flow-record.js';
import type { FlowPolicy } from './policy.js';
import { type AnswerRows, answerRows } from './store/answer-rows.js';
import { type FlowRows, flowRows } from './store/flow-rows.js';
import { type NotificationRows, notificationRows } from './store/notification-rows.js';
import { type TaskRows, taskRows } from './store/task-rows.js';
import type { TaskRecord } from './task-record.js';

/** Something that was changed and is on disk. */
export type FlowsChange =
  | { readonly type: 'flow'; readonly flow: FlowRecord }
  | { readonly type: 'notification'; readonly id: string }
  | { readonly type: 'task'; readonly task: TaskRecord };

/** The tables of one database. */
export interface Tables {
  readonly flows: FlowRows;
  readonly tasks: TaskRows;
  readonly notifications: NotificationRows;
  readonly answers: AnswerRows;
}

/** Prepares the statements of all tables. */
export function openTables(database: Connection): Tables {
  return {
    flows: flowRows(database),
    tasks: taskRows(database),
    notifications: notificationRows(database),
    answers: answerRows(database),
  };
}

/** What a change works with: inside one transaction, at one moment. */
export interface Work extends Tables {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly policy: FlowPolicy;
  /** What the transaction changed so far, in order. */
  readonly changes: FlowsChange[];
}
