import { columnsOf } from '../../../flow-model/fields.js';
import { SCHEDULE_FIELDS, type ScheduleRecord } from '../../../flow-model/schedule-record.js';
import {
  PAUSE_FIELDS,
  type PauseRecord,
  type TaskRuntime,
} from '../../../flow-model/task-record.js';
import type { PauseRows, ScheduleRows } from '../../flow-store.js';
import type { Turn } from './batch.js';
import { lockIn, selected } from './record-sql.js';

const FIELDS = columnsOf(SCHEDULE_FIELDS);
const SELECT = `SELECT ${selected('svc.schedules', SCHEDULE_FIELDS)} FROM svc.schedules`;
const ADD = `INSERT INTO svc.schedules (${FIELDS.map(([, column]) => column).join(', ')})
  VALUES (${FIELDS.map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT DO NOTHING`;
const UPDATE = `UPDATE svc.schedules
  SET ${FIELDS.map(([, column], at) => `${column} = $${at + 1}`).join(', ')} WHERE id = $1`;

/** The table of schedules. One that is found by its id is locked. */
export class ScheduleTable implements ScheduleRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  all(): Promise<readonly ScheduleRecord[]> {
    return this.turn.batch.query<ScheduleRecord>(`${SELECT} ORDER BY id`);
  }

  async find(id: string): Promise<ScheduleRecord | undefined> {
    const { batch } = this.turn;
    const [found] = await batch.query<ScheduleRecord>(
      `${SELECT} WHERE id = $1 ${lockIn(batch, 'svc.schedules')}`,
      [id],
    );
    return found;
  }

  async add(schedule: ScheduleRecord): Promise<void> {
    await this.turn.batch.run(ADD, valuesOf(schedule));
  }

  async update(schedule: ScheduleRecord): Promise<void> {
    await this.turn.batch.run(UPDATE, valuesOf(schedule));
  }
}

/** In the order of the columns; the id comes first. */
function valuesOf(schedule: ScheduleRecord): readonly unknown[] {
  return FIELDS.map(([name]): unknown => Reflect.get(schedule, name));
}

const COLUMNS = selected('svc.pauses', PAUSE_FIELDS);

/** The table of paused runtimes. */
export class PauseTable implements PauseRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  all(): Promise<readonly PauseRecord[]> {
    return this.turn.batch.query<PauseRecord>(`SELECT ${COLUMNS} FROM svc.pauses ORDER BY runtime`);
  }

  async keep({ runtime, reason, pausedAt }: PauseRecord): Promise<void> {
    await this.turn.batch.run(
      `INSERT INTO svc.pauses (runtime, reason, paused_at) VALUES ($1, $2, $3)
       ON CONFLICT (runtime) DO UPDATE SET reason = coalesce(excluded.reason, svc.pauses.reason)`,
      [runtime, reason, pausedAt],
    );
  }

  async remove(runtime: TaskRuntime): Promise<void> {
    await this.turn.batch.run('DELETE FROM svc.pauses WHERE runtime = $1', [runtime]);
  }
}
