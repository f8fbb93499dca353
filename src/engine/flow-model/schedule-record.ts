import type { Fields, RecordOf } from './fields.js';

export const SCHEDULE_FIELDS = {
  scheduleId: { kind: 'text', meaning: 'Its id in the configuration.', column: 'id' },
  rhythm: {
    kind: 'text',
    meaning: 'What its due times depend on; empty while it is disabled, or was only run by hand.',
  },
  handledUntil: { kind: 'time', meaning: 'What was due until then was run or skipped.' },
  ranAt: { kind: 'time', meaning: 'When it created its last flow.', nullable: true },
  scheduledAt: { kind: 'time', meaning: 'When that flow was due.', nullable: true },
  flowId: { kind: 'text', meaning: 'That flow.', nullable: true },
} as const satisfies Fields;

/** Until when a schedule was run. */
export type ScheduleRecord = RecordOf<typeof SCHEDULE_FIELDS>;
