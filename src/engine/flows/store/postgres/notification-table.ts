import type { NotificationRows, TakeDueOptions } from '../../flow-store.js';
import { NOTIFICATION_FIELDS, type NotificationRecord } from '../../notification-record.js';
import type { Turn } from './batch.js';
import { lockIn, oneFor, recordWriter, selected } from './record-sql.js';

const COLUMNS = selected('svc.notifications', NOTIFICATION_FIELDS);
const WRITER = recordWriter<NotificationRecord>('svc.notifications', NOTIFICATION_FIELDS);

const byId = oneFor<string, NotificationRecord>(
  (batch) =>
    `SELECT ${COLUMNS} FROM svc.notifications WHERE id = ANY($1)
     ORDER BY seq ${lockIn(batch, 'svc.notifications')}`,
  ({ notificationId }) => notificationId,
);

/** The table of notifications. One that is found by its id is locked. */
export class NotificationTable implements NotificationRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  async insert<New extends Omit<NotificationRecord, 'seq'>>(row: New) {
    return { seq: await this.turn.batch.ask(WRITER.insert, row), ...row };
  }

  async update(row: NotificationRecord): Promise<void> {
    await this.turn.batch.ask(WRITER.update, row);
  }

  async byId(id: string): Promise<NotificationRecord | undefined> {
    await this.turn.take('notification', id);
    return this.turn.batch.ask(byId, id);
  }

  due(
    nowMs: number,
    { limit, exceptFlows = [] }: Omit<TakeDueOptions, 'holdMs'>,
  ): Promise<readonly NotificationRecord[]> {
    return this.turn.batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications
       WHERE next_attempt_at <= $1 AND flow_id <> ALL($2)
       ORDER BY next_attempt_at, seq LIMIT $3 FOR UPDATE SKIP LOCKED`,
      [nowMs, exceptFlows, limit],
    );
  }

  async nextDueAt(): Promise<number | undefined> {
    const [row] = await this.turn.batch.query<{ at: number | null }>(
      `SELECT min(next_attempt_at) AS at FROM svc.notifications WHERE next_attempt_at IS NOT NULL`,
    );
    return row?.at ?? undefined;
  }

  async pending(): Promise<number> {
    const [row] = await this.turn.batch.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM svc.notifications WHERE next_attempt_at IS NOT NULL`,
    );
    return row?.count ?? 0;
  }

  prune(beforeMs: number, limit: number): Promise<number> {
    return this.turn.batch.run(
      `DELETE FROM svc.notifications WHERE seq IN (SELECT seq FROM svc.notifications
         WHERE settled_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [beforeMs, limit],
    );
  }
}
