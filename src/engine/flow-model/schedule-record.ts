import { field, nullable, type RecordOf } from './fields.js';

export const SCHEDULE_FIELDS = {
  scheduleId: field('text', 'Its id in the configuration.', { column: 'id' }),
  rhythm: field(
    'text',
    'What its due times depend on; empty while it is disabled, or was only run by hand.',
  ),
  handledUntil: field('time', 'What was due until then was run or skipped.'),
  ranAt: nullable('time', 'When it created its last flow.'),
  scheduledAt: nullable('time', 'When that flow was due.'),
  flowId: nullable('text', 'That flow.'),
};

/** Until when a schedule was run. */
export type ScheduleRecord = RecordOf<typeof SCHEDULE_FIELDS>;
