import type { Connection } from '../../../sqlite/database.js';
import type { PauseRows } from '../../flow-store.js';
import { PAUSE_FIELDS, type PauseRecord } from '../../pause-record.js';
import { selectFrom } from './record-table.js';

/** The table of paused runtimes. Callers hold a transaction where they write. */
export function pauseRows(database: Connection): PauseRows {
  const all = database.prepare<[], PauseRecord>(
    `${selectFrom('pauses', PAUSE_FIELDS)} ORDER BY runtime`,
  );
  const keep = database.prepare<[PauseRecord]>(
    `INSERT INTO pauses (runtime, reason, paused_at) VALUES (@runtime, @reason, @pausedAt)
     ON CONFLICT (runtime) DO UPDATE SET reason = coalesce(excluded.reason, reason)`,
  );
  const remove = database.prepare<[string]>('DELETE FROM pauses WHERE runtime = ?');
  return {
    all: async () => all.all(),
    keep: async (pause) => {
      keep.run(pause);
    },
    remove: async (runtime) => {
      remove.run(runtime);
    },
  };
}
