import {
  NOTIFICATION_FIELDS,
  type NotificationRecord,
} from '../../../flow-model/notification-record.js';
import type { NotificationFilters, NotificationRows, TakeDueOptions } from '../../flow-store.js';
import type { Turn } from './batch.js';
import { allFor, lockIn, recordWriter, selected } from './record-sql.js';

const COLUMNS = selected('svc.notifications', NOTIFICATION_FIELDS);
const WRITER = recordWriter<NotificationRecord>('svc.notifications', NOTIFICATION_FIELDS, [
  'id',
  'target',
]);

const ofEvent = allFor<string, NotificationRecord>(
  (batch) =>
    `SELECT ${COLUMNS} FROM svc.notifications WHERE id = ANY($1)
     ORDER BY seq ${lockIn(batch, 'svc.notifications')}`,
  ({ notificationId }) => notificationId,
);

const FILTER = `WHERE ($1::text IS NULL OR outcome = $1) AND ($2::text IS NULL OR target = $2)
  AND ($3::text IS NULL OR flow_id = $3) AND ($4::bigint IS NULL OR created_at >= $4)`;

/** Any number that only those who take notifications use: "svct". */
const TAKING = 0x73766374;

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

  async ofEvent(notificationId: string): Promise<readonly NotificationRecord[]> {
    await this.turn.take('notification', notificationId);
    return this.turn.batch.ask(ofEvent, notificationId);
  }

  async bySeq(seq: number): Promise<NotificationRecord | undefined> {
    const [row] = await this.turn.batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications WHERE seq = $1`,
      [seq],
    );
    return row;
  }

  list(filter: NotificationFilters): Promise<readonly NotificationRecord[]> {
    return this.turn.batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications ${FILTER} ORDER BY seq DESC LIMIT $5`,
      [...valuesOf(filter), filter.limit],
    );
  }

  count(filter: Omit<NotificationFilters, 'limit'>): Promise<number> {
    return this.counted(FILTER, valuesOf(filter));
  }

  failedAfter(
    seq: number,
    filter: Omit<NotificationFilters, 'limit' | 'outcome'>,
    limit: number,
  ): Promise<readonly NotificationRecord[]> {
    return this.turn.batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications ${FILTER} AND seq > $5 ORDER BY seq LIMIT $6`,
      [...valuesOf({ ...filter, outcome: 'failed' }), seq, limit],
    );
  }

  unclaimed(
    targets: readonly string[],
    beforeMs: number,
    limit: number,
  ): Promise<readonly NotificationRecord[]> {
    return this.turn.batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications
       WHERE next_attempt_at < $1 AND target <> ALL($2) LIMIT $3 FOR UPDATE SKIP LOCKED`,
      [beforeMs, targets, limit],
    );
  }

  async due(
    nowMs: number,
    { target, limit, exceptFlows = [] }: Omit<TakeDueOptions, 'holdMs'>,
  ): Promise<readonly NotificationRecord[]> {
    const { batch } = this.turn;
    // A statement of its own: the next one must see what another host has just taken.
    await batch.query(`SELECT pg_advisory_xact_lock(${TAKING}, hashtext($1))`, [target]);
    return batch.query<NotificationRecord>(
      `SELECT ${COLUMNS} FROM svc.notifications
       WHERE target = $1 AND next_attempt_at <= $2 AND flow_id <> ALL($3)
         AND flow_id NOT IN (SELECT flow_id FROM svc.notifications
           WHERE target = $1 AND next_attempt_at > $2 AND attempts > 0 AND last_error IS NULL)
       ORDER BY next_attempt_at, seq LIMIT $4 FOR UPDATE SKIP LOCKED`,
      [target, nowMs, exceptFlows, limit],
    );
  }

  async nextDueAt(targets: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.turn.batch.query<{ target: string; at: number | null }>(
      `SELECT target, (SELECT min(next_attempt_at) FROM svc.notifications AS n
         WHERE n.target = t.target AND next_attempt_at IS NOT NULL) AS at
       FROM unnest($1::text[]) AS t (target)`,
      [targets],
    );
    return new Map(rows.flatMap(({ target, at }) => (at === null ? [] : [[target, at]])));
  }

  pending(): Promise<number> {
    return this.counted('WHERE next_attempt_at IS NOT NULL');
  }

  failed(): Promise<number> {
    return this.counted(`WHERE outcome = 'failed'`);
  }

  prune(
    { deliveredMs, failedMs }: Readonly<Record<'deliveredMs' | 'failedMs', number>>,
    limit: number,
  ): Promise<number> {
    return this.turn.batch.run(
      `DELETE FROM svc.notifications WHERE seq IN (SELECT seq FROM svc.notifications
         WHERE settled_at < $1 AND (outcome = 'delivered' OR settled_at < $2)
         LIMIT $3 FOR UPDATE SKIP LOCKED)`,
      [deliveredMs, failedMs, limit],
    );
  }

  private async counted(condition: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.turn.batch.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM svc.notifications ${condition}`,
      values,
    );
    return row?.count ?? 0;
  }
}

function valuesOf({ outcome, target, flowId, sinceMs }: Omit<NotificationFilters, 'limit'>) {
  return [outcome ?? null, target ?? null, flowId ?? null, sinceMs ?? null];
}
