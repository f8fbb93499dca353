import { TASK_RUNTIMES, type TaskRecord } from '../../../flow-model/task-record.js';
import { groupBy } from '../../../support/lists.js';
import type { StoreSql } from '../store-sql.js';
import { type QueueFilter, selectTask, type TaskQueue } from '../task-table.js';
import { type Batch, Turn } from './batch.js';

/**
 * Evaluated once for a statement. A claim compares it within nullif(): otherwise, the planner expects that few tasks
 * are not paused, and reads and sorts the whole queue.
 */
const PAUSED = 'ARRAY(SELECT runtime FROM svc.pauses)';

/** The place of a task in the queue, as its index has it. */
const PLACE = `(CASE WHEN status = 'queued' THEN seq END)`;

/** Gives tasks to workers. Workers never wait for each other here. */
export function taskQueue(sql: StoreSql, batch: Batch): TaskQueue {
  return {
    nextQueued: (nowMs, filter) =>
      batch.load(nextQueued, (requests) => nextQueued(sql, batch, requests), { ...filter, nowMs }),
    // The server's clock does not jump.
    expired: async ({ nowMs }, limit) => {
      if (!batch.shouldCheckExpired(nowMs)) return [];
      return batch.query<TaskRecord>(
        `${selectTask(sql)} JOIN svc.flows ON flows.seq = tasks.flow_seq
         WHERE lease_expires_at < $1 ORDER BY lease_expires_at LIMIT $2
         ${sql.forUpdateSkipLocked('flows', 'tasks')}`,
        [nowMs, limit],
      );
    },
  };
}

interface QueueRequest extends QueueFilter {
  readonly nowMs: number;
}

/** Gives each request a task of its own, and none that another host is about to claim. */
async function nextQueued(sql: StoreSql, batch: Batch, requests: readonly QueueRequest[]) {
  // Each statement must know what those before it gave away.
  const turn = new Turn(batch);
  await turn.take('queue', '');
  try {
    const claimed = new Map<QueueRequest, TaskRecord>();
    for (const group of groupBy(requests, filterKey).values()) {
      for (const [at, task] of (await queuedFor(sql, batch, group)).entries()) {
        const request = group[at];
        if (request === undefined) break;
        batch.claimedSeqs.add(task.seq);
        claimed.set(request, task);
      }
    }
    return requests.map((request) => claimed.get(request));
  } finally {
    turn.end();
  }
}

/** The same for requests that the same tasks fit. */
function filterKey({ runtimes, agentId }: QueueRequest): string {
  return JSON.stringify([runtimes, agentId]);
}

async function queuedFor(sql: StoreSql, batch: Batch, group: readonly QueueRequest[]) {
  const [first] = group;
  if (first === undefined) return [];
  const { runtimes = null, nowMs, agentId = null } = first;
  return batch.query<TaskRecord>(
    `${selectTask(sql)} WHERE ${PLACE} IS NOT NULL
       AND ($1::text[] IS NULL OR runtime = ANY($1)) AND ($3::text IS NULL OR agent_id = $3)
       AND (next_run_at IS NULL OR next_run_at <= $2) AND seq <> ALL($4::bigint[])
       AND nullif(runtime = ANY(${PAUSED}), true) IS NOT NULL AND NOT $6::text[] <@ ${PAUSED}
     ORDER BY ${PLACE} LIMIT $5 ${sql.forUpdateSkipLocked('tasks')}`,
    [runtimes, nowMs, agentId, [...batch.claimedSeqs], group.length, runtimes ?? TASK_RUNTIMES],
  );
}
