import { FLOW_TABLES, HISTORY_TABLES } from './flow-tables.js';
import { MEMORY_TABLES, SHARING_TABLES } from './memory-tables.js';

/** A step from one version of the tables to the next; its number is its place in {@link MIGRATIONS}, from 1. */
export interface Migration {
  /** What it adds, for people. */
  readonly name: string;
  /** Statements, each name with its schema. */
  readonly sql: string;
}

/** Runtimes whose tasks no worker can claim, on any host. */
const PAUSE_TABLE = `
CREATE TABLE svc.pauses (
  runtime text PRIMARY KEY,
  reason text,
  paused_at bigint NOT NULL
);
`;

/** The route that created a flow, notifications for several targets, and indexes for metrics. */
const TARGET_TABLES = `
ALTER TABLE svc.flows ADD COLUMN route_id text;
ALTER TABLE svc.notifications ADD COLUMN target text NOT NULL DEFAULT 'default';
ALTER TABLE svc.notifications ALTER COLUMN target DROP DEFAULT;
ALTER TABLE svc.notifications ADD COLUMN retries bigint NOT NULL DEFAULT 0;
ALTER TABLE svc.notifications ALTER COLUMN retries DROP DEFAULT;
ALTER TABLE svc.notifications DROP CONSTRAINT notifications_id_key;
ALTER TABLE svc.notifications ADD UNIQUE (id, target);
DROP INDEX svc.notifications_due;
CREATE INDEX notifications_due ON svc.notifications (target, next_attempt_at, seq)
  WHERE next_attempt_at IS NOT NULL;
DROP INDEX svc.notifications_failed;
CREATE INDEX notifications_failed ON svc.notifications (flow_id) WHERE outcome = 'failed';
CREATE INDEX tasks_ended ON svc.tasks (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX tasks_running ON svc.tasks (runtime) WHERE status = 'running';
`;

/** Until when each schedule was run, by any host. Who runs one locks its row. */
const SCHEDULE_TABLE = `
CREATE TABLE svc.schedules (
  id text COLLATE "C" PRIMARY KEY,
  rhythm text NOT NULL,
  handled_until bigint NOT NULL,
  ran_at bigint,
  scheduled_at bigint,
  flow_id text
);
`;

/** Which store of flows this is, and how much of others was copied into it. */
const COPY_TABLES = `
CREATE TABLE svc.store (id text NOT NULL);
INSERT INTO svc.store (id) VALUES (replace(gen_random_uuid()::text, '-', ''));
CREATE TABLE svc.copies (
  source text NOT NULL,
  part text NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (source, part)
);
`;

/** A published step never changes: somebody's data has gone through it. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'memories', sql: MEMORY_TABLES },
  { name: 'flows', sql: FLOW_TABLES },
  { name: 'what hosts share besides', sql: SHARING_TABLES },
  { name: 'paused runtimes of tasks', sql: PAUSE_TABLE },
  { name: 'the history of flows', sql: HISTORY_TABLES },
  { name: 'targets of notifications', sql: TARGET_TABLES },
  // What notes say about themselves, for filters: see note-facts.ts.
  {
    name: 'front matter and tags of notes',
    sql: 'ALTER TABLE svc.documents ADD COLUMN facts text;',
  },
  { name: 'schedules', sql: SCHEDULE_TABLE },
  { name: 'tasks by owner', sql: 'CREATE INDEX tasks_by_owner ON svc.tasks (owner_key, seq);' },
  // As JSON: see note-links.ts.
  { name: 'links of notes', sql: 'ALTER TABLE svc.documents ADD COLUMN links text;' },
  { name: 'copies of other stores', sql: COPY_TABLES },
];
