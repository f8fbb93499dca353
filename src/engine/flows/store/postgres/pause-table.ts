import type { PauseRows } from '../../flow-store.js';
import { PAUSE_FIELDS, type PauseRecord } from '../../pause-record.js';
import type { TaskRuntime } from '../../task-record.js';
import type { Turn } from './batch.js';
import { selected } from './record-sql.js';

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
