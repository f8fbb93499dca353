import type { FlowRead } from '../action-schemas.js';
import type { JsonObject } from '../fields.js';
import {
  done,
  type FlowAnswer,
  type FlowCaller,
  MOST_LISTED,
  NOT_FOUND,
  refused,
} from '../flow-action.js';
import { type FlowRecord, flowView } from '../flow-record.js';
import type { FlowRows, Tables } from '../flow-store.js';
import { summarizeTasks } from '../task-summary.js';

/** An answer of this size gets no more flows: writing it blocks all other requests. */
const MOST_LISTED_CHARS = 2 * 1024 * 1024;
/** Their states can be large. */
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
      return done(await listFlows(flows, owner, last, limit));
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

/** @param after the last flow of the previous list */
async function listFlows(
  flows: FlowRows,
  owner: string,
  after: FlowRecord | undefined,
  limit: number,
): Promise<JsonObject> {
  const listed: FlowRecord[] = [];
  let chars = 0;
  for (let last = after; ; ) {
    const page = await flows.newestOf(owner, last?.seq ?? Number.MAX_SAFE_INTEGER, READ_TOGETHER);
    for (const flow of page) {
      last = listed.at(-1);
      const size = JSON.stringify(flow).length;
      if (last !== undefined && (listed.length >= limit || chars + size > MOST_LISTED_CHARS)) {
        return { flows: listed.map(flowView), truncated: true, nextCursor: last.flowId };
      }
      listed.push(flow);
      chars += size;
    }
    if (page.length < READ_TOGETHER) return { flows: listed.map(flowView) };
    last = listed.at(-1);
  }
}

function flowAnswer(flow: FlowRecord | undefined): FlowAnswer {
  return done({ flow: flow === undefined ? null : flowView(flow) });
}
