import type { FlowRead } from '../../flow-model/action-schemas.js';
import { MOST_LISTED } from '../../flow-model/action-schemas.js';
import type { JsonObject } from '../../flow-model/fields.js';
import { type FlowRecord, flowView } from '../../flow-model/flow-record.js';
import {
  summarizeTasks,
  type TaskRecord,
  taskViewWithResult,
} from '../../flow-model/task-record.js';
import { done, type FlowAnswer, type FlowCaller, NOT_FOUND, refused } from '../flow-action.js';
import type { Tables } from '../store/tables.js';

/** An answer of this size gets no more records: writing it blocks all other requests. */
const MOST_LISTED_CHARS = 2 * 1024 * 1024;
/** States and results can be large. */
const READ_TOGETHER = 50;

/** What does not exist, or belongs to another owner, is null and not an error. */
export async function readFlows(
  tables: Tables,
  action: FlowRead,
  caller: FlowCaller,
): Promise<FlowAnswer> {
  const { flows, tasks } = tables;
  const owner = caller.sessionKey;
  const owned = async (id: string): Promise<FlowRecord | undefined> => {
    const flow = await flows.byId(id);
    return flow?.ownerKey === owner ? flow : undefined;
  };
  const ownedTask = async (id: string): Promise<TaskRecord | undefined> => {
    const task = await tasks.byId(id);
    return task?.ownerKey === owner ? task : undefined;
  };
  switch (action.action) {
    case 'get_flow':
      return flowAnswer(await owned(action.flowId));
    case 'find_latest_flow':
      return flowAnswer(await flows.latestOf(owner));
    case 'resolve_flow':
      return flowAnswer(
        await (action.token === owner ? flows.latestOf(owner) : owned(action.token)),
      );
    case 'list_flows': {
      const { cursor, limit = MOST_LISTED } = action;
      const last = cursor === undefined ? undefined : await owned(cursor);
      if (cursor !== undefined && last === undefined) return refused('not_found', NOT_FOUND, {});
      const read = (beforeSeq: number, most: number) => flows.newestOf(owner, beforeSeq, most);
      const { listed, hasMore } = await listNewest(read, last, limit);
      return done({ flows: listed.map(flowView), ...cursorOf(listed.at(-1)?.flowId, hasMore) });
    }
    case 'list_tasks':
      return listTasks(tasks, action, owner, { flow: owned, task: ownedTask });
    case 'get_task': {
      const task = await ownedTask(action.taskId);
      return done({ task: task === undefined ? null : taskViewWithResult(task) });
    }
    case 'get_task_summary': {
      const flow = await owned(action.flowId);
      if (flow === undefined) return done({ summary: null });
      const { byStatus, byRuntime, ...summary } = summarizeTasks(await tasks.countsOf(flow.seq));
      return done({
        summary: { ...summary, byStatus: { ...byStatus }, byRuntime: { ...byRuntime } },
      });
    }
  }
}

/**
 * Reads what follows a record, as much as an answer may have.
 *
 * @param after the last one of the previous list
 */
async function listNewest<R extends { readonly seq: number }>(
  read: (beforeSeq: number, limit: number) => Promise<readonly R[]>,
  after: R | undefined,
  limit: number,
): Promise<{ readonly listed: readonly R[]; readonly hasMore: boolean }> {
  const listed: R[] = [];
  let chars = 0;
  for (let last = after; ; ) {
    const page = await read(last?.seq ?? Number.MAX_SAFE_INTEGER, READ_TOGETHER);
    for (const record of page) {
      const size = JSON.stringify(record).length;
      const isFull = listed.length >= limit || chars + size > MOST_LISTED_CHARS;
      if (isFull && listed.length > 0) return { listed, hasMore: true };
      listed.push(record);
      chars += size;
    }
    if (page.length < READ_TOGETHER) return { listed, hasMore: false };
    last = listed.at(-1);
  }
}

/** What an answer says if a list continues. */
function cursorOf(nextCursor: string | undefined, hasMore: boolean): JsonObject {
  return hasMore && nextCursor !== undefined ? { truncated: true, nextCursor } : {};
}

async function listTasks(
  tasks: Tables['tasks'],
  { flowId, cursor, limit = MOST_LISTED }: Extract<FlowRead, { action: 'list_tasks' }>,
  owner: string,
  owned: { readonly flow: Owned<FlowRecord>; readonly task: Owned<TaskRecord> },
): Promise<FlowAnswer> {
  const flow = flowId === undefined ? undefined : await owned.flow(flowId);
  if (flowId !== undefined && flow === undefined) return refused('not_found', NOT_FOUND, {});
  const last = cursor === undefined ? undefined : await owned.task(cursor);
  if (cursor !== undefined && last === undefined) {
    return refused('not_found', 'Task not found.', {});
  }
  const read = (beforeSeq: number, most: number) =>
    tasks.newestOf(owner, flow?.seq, beforeSeq, most);
  const { listed, hasMore } = await listNewest(read, last, limit);
  const views = listed.map(taskViewWithResult);
  return done({ tasks: views, ...cursorOf(listed.at(-1)?.taskId, hasMore) });
}

/** Finds a record of the caller. */
type Owned<R> = (id: string) => Promise<R | undefined>;

function flowAnswer(flow: FlowRecord | undefined): FlowAnswer {
  return done({ flow: flow === undefined ? null : flowView(flow) });
}
