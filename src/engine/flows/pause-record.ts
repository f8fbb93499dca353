import { type Fields, printer, type RecordOf } from './fields.js';
import { TASK_RUNTIMES } from './task-record.js';

export const PAUSE_FIELDS = {
  runtime: { kind: TASK_RUNTIMES, meaning: 'The runtime whose tasks wait.' },
  reason: { kind: 'text', meaning: 'Why, for people.', nullable: true },
  pausedAt: { kind: 'time', meaning: 'Since when.' },
} as const satisfies Fields;

/** A runtime whose tasks no worker can claim. */
export type PauseRecord = RecordOf<typeof PAUSE_FIELDS>;

export const pauseOutput = printer(PAUSE_FIELDS);
