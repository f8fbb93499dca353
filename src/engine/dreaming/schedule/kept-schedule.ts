import type { Connection } from '../../sqlite/database.js';

/** Up to when a workspace's schedule was kept, in milliseconds since the epoch; undefined at first. */
export function keptUntil(database: Connection): number | undefined {
  const kept = database.prepare('SELECT kept_until_ms FROM schedule').pluck().get();
  return kept === undefined ? undefined : Number(kept);
}

/** Everything that was due until now has been seen to. */
export function keepUntil(database: Connection, nowMs: number): void {
  database.prepare('INSERT OR REPLACE INTO schedule (id, kept_until_ms) VALUES (1, ?)').run(nowMs);
}
