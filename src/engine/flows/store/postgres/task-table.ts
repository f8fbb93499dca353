import {
  TASK_FIELDS,
  TASK_RUNTIMES,
  type TaskCount,
  type TaskRecord,
} from '../../../flow-model/task-record.js';
import type { QueueFilter, TaskFilter, TaskRows } from '../../flow-store.js';
import { type TaskTrouble, taskTroubles } from '../troubles.js';
import { type Batch, type Question, Turn } from './batch.js';
import { FoundTable, foundTable } from './found-table.js';
import { allFor, lockIn, oneFor, selected } from './record-sql.js';

const COLUMNS = selected('svc.tasks', TASK_FIELDS);
const SQL = foundTable<TaskRecord>('svc.tasks', TASK_FIELDS);

/** The flow of a task, locked before the task is. */
const flowOf = oneFor<string, { readonly id: string; readonly flowId: string }>(
  (batch) =>
    `SELECT svc.tasks.id, svc.flows.id AS "flowId"
     FROM svc.tasks JOIN svc.flows ON svc.flows.seq = svc.tasks.flow_seq
     WHERE svc.tasks.id = ANY($1) ORDER BY svc.flows.seq ${lockIn(batch, 'svc.flows')}`,
  ({ id }) => id,
);
const byId = oneFor<string, TaskRecord>(
  (batch) =>
    `SELECT ${COLUMNS} FROM svc.tasks WHERE id = ANY($1) ORDER BY seq ${lockIn(batch, 'svc.tasks')}`,
  ({ taskId }) => taskId,
);
const ownerOf = oneFor<string, { readonly id: string; readonly owner: string }>(
  () => 'SELECT id, owner_key AS owner FROM svc.tasks WHERE id = ANY($1)',
  ({ id }) => id,
);
const ofFlow = allFor<number, TaskRecord>(
  (batch) =>
    `SELECT ${COLUMNS} FROM svc.tasks WHERE flow_seq = ANY($1::bigint[])
     ORDER BY seq ${lockIn(batch, 'svc.tasks')}`,
  ({ flowSeq }) => flowSeq,
);
const countsOf = allFor<number, TaskCount & { readonly flowSeq: number }>(
  () =>
    `SELECT flow_seq AS "flowSeq", status, runtime, count(*)::int AS count FROM svc.tasks
     WHERE flow_seq = ANY($1::bigint[]) GROUP BY flow_seq, status, runtime`,
  ({ flowSeq }) => flowSeq,
);
const activeOf = oneFor<number, { readonly flowSeq: number; readonly count: number }>(
  () =>
    `SELECT flow_seq AS "flowSeq", count(*)::int AS count FROM svc.tasks
     WHERE flow_seq = ANY($1::bigint[]) AND status IN ('queued', 'running') GROUP BY flow_seq`,
  ({ flowSeq }) => flowSeq,
);

/**
 * Evaluated once for a statement. A claim compares it within nullif(): otherwise, the planner expects that few tasks
 * are not paused, and reads and sorts the whole queue.
 */
const PAUSED = 'ARRAY(SELECT runtime FROM svc.pauses)';

/** The place of a task in the queue, as its index has it. */
const PLACE = `(CASE WHEN status = 'queued' THEN seq END)`;

interface QueueRequest extends QueueFilter {
  readonly nowMs: number;
}

/** Gives each request a task of its own, and none that another host is about to claim. */
const nextQueued: Question<QueueRequest, TaskRecord | undefined> = async (batch, requests) => {
  // Each statement must know what those before it gave away.
  const turn = new Turn(batch);
  await turn.take('queue', '');
  try {
    return await giveQueued(batch, requests);
  } finally {
    turn.end();
  }
};

async function giveQueued(batch: Batch, requests: readonly QueueRequest[]) {
  const given = new Map<QueueRequest, TaskRecord>();
  for (const alike of groupsOf(requests)) {
    const [{ runtimes, nowMs, agentId = null }] = alike;
    const tasks = await batch.query<TaskRecord>(
      `SELECT ${COLUMNS} FROM svc.tasks WHERE ${PLACE} IS NOT NULL
         AND ($1::text[] IS NULL OR runtime = ANY($1)) AND ($3::text IS NULL OR agent_id = $3)
         AND (next_run_at IS NULL OR next_run_at <= $2) AND seq <> ALL($4::bigint[])
         AND nullif(runtime = ANY(${PAUSED}), true) IS NOT NULL AND NOT $6::text[] <@ ${PAUSED}
       ORDER BY ${PLACE} LIMIT $5 FOR UPDATE OF tasks SKIP LOCKED`,
      [
        runtimes ?? null,
        nowMs,
        agentId,
        [...batch.claimedSeqs],
        alike.length,
        runtimes ?? TASK_RUNTIMES,
      ],
    );
    for (const [at, request] of alike.entries()) {
      const task = tasks[at];
      if (task === undefined) break;
      batch.claimedSeqs.add(task.seq);
      given.set(request, task);
    }
  }
  return requests.map((request) => given.get(request));
}

type Requests = [QueueRequest, ...QueueRequest[]];

/** Requests that the same tasks fit. */
function groupsOf(requests: readonly QueueRequest[]): Iterable<Requests> {
  const groups = new Map<string, Requests>();
  for (const request of requests) {
    const name = JSON.stringify([request.runtimes, request.agentId]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [request]);
    else group.push(request);
  }
  return groups.values();
}

/** The table of tasks. What is found by its id is locked, and its flow before it. */
export class TaskTable extends FoundTable<TaskRecord, TaskFilter> implements TaskRows {
  constructor(turn: Turn) {
    super(turn, SQL);
  }

  async byId(id: string): Promise<TaskRecord | undefined> {
    const { batch } = this.turn;
    if (batch.locks) {
      const flow = await batch.ask(flowOf, id);
      if (flow === undefined) return undefined;
      await this.turn.take('flow', flow.flowId);
    }
    return batch.ask(byId, id);
  }

  async ownerOf(id: string): Promise<string | undefined> {
    return (await this.turn.batch.ask(ownerOf, id))?.owner;
  }

  async ofRun(flowSeq: number, runId: string): Promise<TaskRecord | undefined> {
    const [task] = await this.turn.batch.query<TaskRecord>(
      `SELECT ${COLUMNS} FROM svc.tasks WHERE run_id = $1 AND flow_seq = $2
       ${lockIn(this.turn.batch, 'svc.tasks')}`,
      [runId, flowSeq],
    );
    return task;
  }

  ofFlow(flowSeq: number): Promise<readonly TaskRecord[]> {
    return this.turn.batch.ask(ofFlow, flowSeq);
  }

  newestOf(
    ownerKey: string,
    flowSeq: number | undefined,
    beforeSeq: number,
    limit: number,
  ): Promise<readonly TaskRecord[]> {
    return this.turn.batch.query<TaskRecord>(
      `SELECT ${COLUMNS} FROM svc.tasks WHERE owner_key = $1 AND seq < $2
       AND ($4::bigint IS NULL OR flow_seq = $4) ORDER BY seq DESC LIMIT $3`,
      [ownerKey, beforeSeq, limit, flowSeq ?? null],
    );
  }

  async activeOf(flowSeq: number): Promise<number> {
    return (await this.turn.batch.ask(activeOf, flowSeq))?.count ?? 0;
  }

  countsOf(flowSeq: number): Promise<readonly TaskCount[]> {
    return this.turn.batch.ask(countsOf, flowSeq);
  }

  nextQueued(nowMs: number, filter: QueueFilter): Promise<TaskRecord | undefined> {
    return this.turn.batch.ask(nextQueued, { ...filter, nowMs });
  }

  async nextDueAt(): Promise<number | undefined> {
    const [row] = await this.turn.batch.query<{ at: number | null }>(
      `SELECT least(
         (SELECT min(next_run_at) FROM svc.tasks
          WHERE status = 'queued' AND next_run_at IS NOT NULL AND runtime <> ALL(${PAUSED})),
         (SELECT min(lease_expires_at) FROM svc.tasks WHERE lease_expires_at IS NOT NULL)) AS at`,
    );
    return row?.at ?? undefined;
  }

  /** The server's clock does not jump. Workers never wait for each other here. */
  async expired({ nowMs }: { readonly nowMs: number }, limit: number) {
    const { batch } = this.turn;
    if (!batch.looksForExpired(nowMs)) return [];
    return batch.query<TaskRecord>(
      `SELECT ${COLUMNS} FROM svc.tasks JOIN svc.flows ON svc.flows.seq = svc.tasks.flow_seq
       WHERE lease_expires_at < $1 ORDER BY lease_expires_at LIMIT $2
       FOR UPDATE OF flows, tasks SKIP LOCKED`,
      [nowMs, limit],
    );
  }

  stampCleanup(retentionMs: number, limit: number): Promise<number> {
    return this.turn.batch.run(
      `UPDATE svc.tasks SET cleanup_after = ended_at + $1, revision = revision + 1
       WHERE seq IN (SELECT seq FROM svc.tasks
         WHERE ended_at IS NOT NULL AND cleanup_after IS NULL LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [retentionMs, limit],
    );
  }

  prune(nowMs: number, limit: number): Promise<number> {
    return this.turn.batch.run(
      `DELETE FROM svc.tasks WHERE seq IN (SELECT seq FROM svc.tasks
         WHERE cleanup_after < $1 AND NOT EXISTS (SELECT 1 FROM svc.flows
           WHERE svc.flows.seq = flow_seq AND svc.flows.ended_at IS NULL
           AND blocked_task_id = svc.tasks.id)
         LIMIT $2 FOR UPDATE OF tasks SKIP LOCKED)`,
      [nowMs, limit],
    );
  }

  troubled(trouble: TaskTrouble, beforeMs: number, limit: number): Promise<readonly TaskRecord[]> {
    return this.turn.batch.query<TaskRecord>(
      `SELECT ${COLUMNS} FROM svc.tasks
       WHERE (${taskTroubles('postgres', '$1')[trouble]}) AND $1::bigint IS NOT NULL LIMIT $2`,
      [beforeMs, limit],
    );
  }

  protected idOf({ taskId }: TaskRecord): string {
    return taskId;
  }
}
