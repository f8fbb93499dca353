import { ID_MOMENT_AT } from '../../../flow-model/ids.js';
import { DURABLE_COMMITS, type FileFormat } from '../../../sqlite/format.js';

/**
 * The statements from each version to the next; `user_version` is how many were run. A published one never
 * changes: somebody's data has gone through it. Indexes of ids start with their tail, see ids.ts.
 */
const MIGRATIONS: readonly string[] = [
  // 1: flows, and the answers for repeated requests.
  `CREATE TABLE flows (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     owner_key TEXT NOT NULL,
     sync_mode TEXT NOT NULL CHECK (sync_mode IN ('managed', 'task_mirrored')),
     controller_id TEXT,
     revision INTEGER NOT NULL,
     status TEXT NOT NULL,
     notify_policy TEXT NOT NULL,
     goal TEXT NOT NULL,
     current_step TEXT,
     blocked_task_id TEXT,
     blocked_summary TEXT,
     state_json TEXT,
     wait_json TEXT,
     cancel_requested_at INTEGER,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     ended_at INTEGER,
     CHECK (CASE WHEN ended_at IS NULL
       THEN status IN ('queued', 'running', 'waiting', 'blocked')
       ELSE status IN ('succeeded', 'failed', 'cancelled', 'lost') END)
   ) STRICT;
   CREATE UNIQUE INDEX flows_by_id ON flows (substr(id, ${ID_MOMENT_AT + 1}), id);
   CREATE INDEX flows_by_owner ON flows (owner_key);
   CREATE INDEX flows_by_status ON flows (status);
   CREATE INDEX flows_ended ON flows (ended_at) WHERE ended_at IS NOT NULL;
   CREATE INDEX flows_cancelling ON flows (cancel_requested_at)
     WHERE cancel_requested_at IS NOT NULL AND ended_at IS NULL;
   CREATE TABLE answers (
     owner_key TEXT NOT NULL,
     action TEXT NOT NULL,
     key TEXT NOT NULL,
     body_hash TEXT NOT NULL,
     answer TEXT NOT NULL,
     expires_at INTEGER NOT NULL,
     PRIMARY KEY (owner_key, action, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX answers_by_expiry ON answers (expires_at);`,
  // 2: tasks and their leases.
  `CREATE TABLE tasks (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     flow_seq INTEGER NOT NULL,
     flow_id TEXT NOT NULL,
     owner_key TEXT NOT NULL,
     revision INTEGER NOT NULL,
     runtime TEXT NOT NULL,
     scope_kind TEXT NOT NULL,
     task TEXT NOT NULL,
     status TEXT NOT NULL,
     delivery_status TEXT NOT NULL,
     notify_policy TEXT NOT NULL,
     source_id TEXT,
     child_session_key TEXT,
     parent_task_id TEXT,
     agent_id TEXT,
     run_id TEXT,
     label TEXT,
     error TEXT,
     progress_summary TEXT,
     terminal_summary TEXT,
     terminal_outcome TEXT,
     result_json TEXT,
     created_at INTEGER NOT NULL,
     started_at INTEGER,
     ended_at INTEGER,
     last_event_at INTEGER,
     cleanup_after INTEGER,
     attempts INTEGER NOT NULL,
     next_run_at INTEGER,
     cancel_requested_at INTEGER,
     lease_hash TEXT,
     lease_owner TEXT,
     lease_expires_at INTEGER,
     CHECK (CASE WHEN ended_at IS NULL
       THEN status IN ('queued', 'running')
       ELSE status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost') END),
     CHECK (lease_hash IS NULL OR status = 'running')
   ) STRICT;
   CREATE UNIQUE INDEX tasks_by_id ON tasks (substr(id, ${ID_MOMENT_AT + 1}), id);
   CREATE INDEX tasks_by_flow ON tasks (flow_seq, status);
   CREATE INDEX tasks_by_status ON tasks (status);
   CREATE INDEX tasks_queued ON tasks (runtime) WHERE status = 'queued';
   CREATE INDEX tasks_leased ON tasks (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
   CREATE INDEX tasks_by_run ON tasks (run_id) WHERE run_id IS NOT NULL;
   CREATE INDEX tasks_to_clean ON tasks (cleanup_after) WHERE cleanup_after IS NOT NULL;`,
  // 3: notifications.
  `CREATE TABLE notifications (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL,
     owner_key TEXT NOT NULL,
     flow_id TEXT NOT NULL,
     task_id TEXT,
     payload TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     next_attempt_at INTEGER,
     settled_at INTEGER,
     outcome TEXT NOT NULL CHECK (outcome IN ('pending', 'delivered', 'failed')),
     last_error TEXT
   ) STRICT;
   CREATE INDEX notifications_due ON notifications (next_attempt_at)
     WHERE next_attempt_at IS NOT NULL;
   CREATE INDEX notifications_settled ON notifications (settled_at)
     WHERE settled_at IS NOT NULL;`,
  // 4: runtimes whose tasks wait.
  `CREATE TABLE pauses (
     runtime TEXT PRIMARY KEY,
     reason TEXT,
     paused_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  // 5: what happened to flows. Of earlier changes, the records show only some.
  `CREATE TABLE history (
     flow_seq INTEGER NOT NULL,
     n INTEGER NOT NULL,
     at INTEGER NOT NULL,
     actor_kind TEXT NOT NULL,
     actor_name TEXT,
     event TEXT NOT NULL,
     task_id TEXT,
     from_status TEXT,
     to_status TEXT,
     revision INTEGER,
     note TEXT,
     PRIMARY KEY (flow_seq, n)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO history (flow_seq, n, at, actor_kind, event, task_id, to_status)
   SELECT flow_seq, row_number() OVER (PARTITION BY flow_seq ORDER BY at, place),
     at, 'unknown', event, task_id, to_status
   FROM (
     SELECT seq AS flow_seq, created_at AS at, 1 AS place, 'flow.created' AS event,
       NULL AS task_id, CASE WHEN revision = 0 THEN status END AS to_status FROM flows
     UNION ALL SELECT flow_seq, created_at, 2, 'task.queued', id, NULL FROM tasks
     UNION ALL SELECT flow_seq, started_at, 3, 'task.started', id, 'running' FROM tasks
       WHERE started_at IS NOT NULL
     UNION ALL SELECT flow_seq, ended_at, 4, 'task.ended', id, status FROM tasks
       WHERE ended_at IS NOT NULL
     UNION ALL SELECT seq, updated_at, 5, CASE WHEN ended_at IS NULL
       THEN 'flow.changed' ELSE 'flow.ended' END, NULL, status FROM flows WHERE revision > 0)
   WHERE flow_seq IN (SELECT seq FROM flows);`,
  // 6: the route that created a flow, notifications for several targets, and what metrics count.
  `ALTER TABLE flows ADD COLUMN route_id TEXT;
   ALTER TABLE notifications RENAME TO former_notifications;
   CREATE TABLE notifications (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     target TEXT NOT NULL,
     kind TEXT NOT NULL,
     owner_key TEXT NOT NULL,
     flow_id TEXT NOT NULL,
     task_id TEXT,
     payload TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     retries INTEGER NOT NULL,
     next_attempt_at INTEGER,
     settled_at INTEGER,
     outcome TEXT NOT NULL CHECK (outcome IN ('pending', 'delivered', 'failed')),
     last_error TEXT,
     UNIQUE (id, target)
   ) STRICT;
   INSERT INTO notifications (seq, id, target, kind, owner_key, flow_id, task_id, payload,
       created_at, attempts, retries, next_attempt_at, settled_at, outcome, last_error)
     SELECT seq, id, 'default', kind, owner_key, flow_id, task_id, payload,
       created_at, attempts, 0, next_attempt_at, settled_at, outcome, last_error
     FROM former_notifications;
   DROP TABLE former_notifications;
   CREATE INDEX notifications_due ON notifications (target, next_attempt_at)
     WHERE next_attempt_at IS NOT NULL;
   CREATE INDEX notifications_settled ON notifications (settled_at)
     WHERE settled_at IS NOT NULL;
   CREATE INDEX notifications_failed ON notifications (flow_id) WHERE outcome = 'failed';
   CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;`,
  // 7: until when each schedule was run.
  `CREATE TABLE schedules (
     id TEXT PRIMARY KEY,
     rhythm TEXT NOT NULL,
     handled_until INTEGER NOT NULL,
     ran_at INTEGER,
     scheduled_at INTEGER,
     flow_id TEXT
   ) STRICT, WITHOUT ROWID;`,
  // 8: tasks by owner, for routes that list theirs.
  'CREATE INDEX tasks_by_owner ON tasks (owner_key);',
  // 9: which store it is, and how much of others was copied into it.
  `CREATE TABLE store (id TEXT NOT NULL) STRICT;
   INSERT INTO store (id) VALUES (lower(hex(randomblob(16))));
   CREATE TABLE copies (
     source TEXT NOT NULL,
     part TEXT NOT NULL,
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (source, part)
   ) STRICT, WITHOUT ROWID;`,
  // 10: tasks that rest before their next attempt, and ended ones without a date to be deleted, which are few. Each
  // begins with what a query compares with a value: otherwise, the planner prefers an index of all such tasks.
  `CREATE INDEX tasks_resting ON tasks (status, next_run_at) WHERE next_run_at IS NOT NULL;
   CREATE INDEX tasks_to_stamp ON tasks (cleanup_after)
     WHERE ended_at IS NOT NULL AND cleanup_after IS NULL;`,
  // 11: notifications in their first delivery, which is interrupted if it is over.
  `CREATE INDEX notifications_in_delivery ON notifications (target, next_attempt_at)
     WHERE attempts > 0 AND last_error IS NULL AND next_attempt_at IS NOT NULL;`,
];

/** The database of flows. */
export const FLOWS_FORMAT: FileFormat = {
  name: 'a database of flows',
  steps: MIGRATIONS,
  // "svcf".
  applicationId: 0x73766366,
  // A log that grew while a backup read for long would keep its size for as long as any process has the file open.
  pragmas: ['journal_mode = WAL', ...DURABLE_COMMITS, 'journal_size_limit = 16777216'],
  refusals: { foreign: 'FLOWS_FOREIGN', newer: 'FLOWS_NEWER' },
};
