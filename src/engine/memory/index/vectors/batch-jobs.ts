import type { Connection } from '../../../sqlite/database.js';
import type { BatchJob } from '../memory-index.js';

const COLUMNS = 'id, identity, json, created_ms AS createdMs';

/** The jobs noted under an identity, oldest first. */
export function batchJobs(database: Connection, identity: string): BatchJob[] {
  return database
    .prepare<[string], BatchJob>(
      `SELECT ${COLUMNS} FROM batch_jobs WHERE identity = ? ORDER BY created_ms, id`,
    )
    .all(identity);
}

/** Notes a job, in the place of one with the same id. */
export function saveBatchJob(database: Connection, job: BatchJob): void {
  database
    .prepare('INSERT OR REPLACE INTO batch_jobs VALUES (?, ?, ?, ?)')
    .run(job.id, job.identity, job.json, job.createdMs);
}

/** Forgets a job. */
export function removeBatchJob(database: Connection, id: string): void {
  database.prepare('DELETE FROM batch_jobs WHERE id = ?').run(id);
}
