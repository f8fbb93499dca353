import { type FlowRead, MOST_LISTED } from '../../flow-model/action-schemas.js';
import type { JsonObject } from '../../flow-model/fields.js';
import { type FlowRecord, flowView } from '../../flow-model/flow-record.js';
import { summarizeTasks, taskViewWithResult } from '../../flow-model/task-record.js';
import { done, type FlowAnswer, type FlowCaller, NOT_FOUND, refused } from '../flow-action.js';
import type { FlowFilter } from '../store/flow-table.js';
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
  const latest = async () => (await flows.list({ ownerKey: owner, limit: 1 }))[0];
  switch (action.action) {
    case 'get_flow':
      return flowAnswer(await ownedBy(owner, flows, action.flowId));
    case 'find_latest_flow':
      return flowAnswer(await latest());
    case 'resolve_flow':
      return flowAnswer(
        await (action.token === owner ? latest() : ownedBy(owner, flows, action.token)),
      );
    case 'list_flows': {
      const { cursor, limit = MOST_LISTED } = action;
      const last = await ownedBy(owner, flows, cursor);
      if (cursor !== undefined && last === undefined) return refused('not_found', NOT_FOUND, {});
      const read = (page: PageOptions) => flows.list({ ownerKey: owner, ...page });
      const { listed, hasMore } = await listNewest(read, last, limit);
      return done({ flows: listed.map(flowView), ...cursorOf(listed.at(-1)?.flowId, hasMore) });
    }
    case 'list_tasks': {
      const { flowId, cursor, limit = MOST_LISTED } = action;
      const flow = await ownedBy(owner, flows, flowId);
      if (flowId !== undefined && flow === undefined) return refused('not_found', NOT_FOUND, {});
      const last = await ownedBy(owner, tasks, cursor);
      if (cursor !== undefined && last === undefined) {
        return refused('not_found', 'Task not found.', {});
      }
      const read = (page: PageOptions) =>
        tasks.list({ ownerKey: owner, flowSeq: flow?.seq, ...page });
      const { listed, hasMore } = await listNewest(read, last, limit);
      const views = listed.map(taskViewWithResult);
      return done({ tasks: views, ...cursorOf(listed.at(-1)?.taskId, hasMore) });
    }
    case 'get_task': {
      const task = await ownedBy(owner, tasks, action.taskId);
      return done({ task: task === undefined ? null : taskViewWithResult(task) });
    }
    case 'get_task_summary': {
      const flow = await ownedBy(owner, flows, action.flowId);
      if (flow === undefined) return done({ summary: null });
      const { byStatus, byRuntime, ...summary } = summarizeTasks(await tasks.countsOf(flow.seq));
      return done({
        summary: { ...summary, byStatus: { ...byStatus }, byRuntime: { ...byRuntime } },
      });
    }
  }
}

/** The record with an id, unless it is another owner's. */
async function ownedBy<R extends { readonly ownerKey: string }>(
  owner: string,
  rows: { readonly byId: (id: string) => Promise<R | undefined> },
  id: string | undefined,
): Promise<R | undefined> {
  const record = id === undefined ? undefined : await rows.byId(id);
  return record?.ownerKey === owner ? record : undefined;
}

type PageOptions = Pick<FlowFilter, 'beforeSeq' | 'limit'>;

/**
 * Reads what follows a record, as much as an answer may have.
 *
 * @param after the last one of the previous list
 */
async function listNewest<R extends { readonly seq: number }>(
  read: (page: PageOptions) => Promise<readonly R[]>,
  after: R | undefined,
  limit: number,
): Promise<{ readonly listed: readonly R[]; readonly hasMore: boolean }> {
  const listed: R[] = [];
  let chars = 0;
  for (let last = after; ; ) {
    const page = await read({ beforeSeq: last?.seq, limit: READ_TOGETHER });
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

function flowAnswer(flow: FlowRecord | undefined): FlowAnswer {
  return done({ flow: flow === undefined ? null : flowView(flow) });
}
