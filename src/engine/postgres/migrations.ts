import { FACTS_COLUMN } from './facts-column.js';
import { FLOW_TABLES } from './flow-tables.js';
import { HISTORY_TABLES } from './history-tables.js';
import { LINKS_COLUMN } from './links-column.js';
import { MEMORY_TABLES } from './memory-tables.js';
import { PAUSE_TABLE } from './pause-table.js';
import { SCHEDULE_TABLE } from './schedule-table.js';
import { SHARING_TABLES } from './sharing-tables.js';
import { TARGET_TABLES } from './target-tables.js';

/** A step from one version of the tables to the next; its number is its place in {@link MIGRATIONS}, from 1. */
export interface Migration {
  /** What it adds, for people. */
  readonly name: string;
  /** Statements, each name with its schema. */
  readonly sql: string;
}

/** A published step never changes: somebody's data has gone through it. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'memories', sql: MEMORY_TABLES },
  { name: 'flows', sql: FLOW_TABLES },
  { name: 'what hosts share besides', sql: SHARING_TABLES },
  { name: 'paused runtimes of tasks', sql: PAUSE_TABLE },
  { name: 'the history of flows', sql: HISTORY_TABLES },
  { name: 'targets of notifications', sql: TARGET_TABLES },
  { name: 'front matter and tags of notes', sql: FACTS_COLUMN },
  { name: 'schedules', sql: SCHEDULE_TABLE },
  { name: 'tasks by owner', sql: 'CREATE INDEX tasks_by_owner ON svc.tasks (owner_key, seq);' },
  { name: 'links of notes', sql: LINKS_COLUMN },
];
