import type { Connection } from '../../../sqlite/database.js';
import { columnsOf } from '../../fields.js';
import type { ScheduleRows } from '../../flow-store.js';
import { SCHEDULE_FIELDS, type ScheduleRecord } from '../../schedule-record.js';
import { selectFrom } from './record-table.js';

const SELECT_SCHEDULE = selectFrom('schedules', SCHEDULE_FIELDS);

/** The table of schedules. Callers hold a transaction where they write. */
export function scheduleRows(database: Connection): ScheduleRows {
  const columns = columnsOf(SCHEDULE_FIELDS);
  const all = database.prepare<[], ScheduleRecord>(`${SELECT_SCHEDULE} ORDER BY id`);
  const find = database.prepare<[string], ScheduleRecord>(`${SELECT_SCHEDULE} WHERE id = ?`);
  const add = database.prepare<[ScheduleRecord]>(
    `INSERT INTO schedules (${columns.map(([, column]) => column).join(', ')})
     VALUES (${columns.map(([name]) => `@${name}`).join(', ')}) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare<[ScheduleRecord]>(
    `UPDATE schedules SET ${columns.map(([name, column]) => `${column} = @${name}`).join(', ')}
     WHERE id = @scheduleId`,
  );
  return {
    all: async () => all.all(),
    find: async (id) => find.get(id),
    add: async (schedule) => {
      add.run(schedule);
    },
    update: async (schedule) => {
      update.run(schedule);
    },
  };
}
