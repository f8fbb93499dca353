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
import { summarizeTasks } from '../task-summary.js';
import type { Tables } from '../work.js';

/** An answer of this size gets no more flows: writing it blocks all other requests. */
const MOST_LISTED_CHARS = 2 * 1024 * 1024;

/** What does not exist, or belongs to another owner, is null and not an error. */
export function readFlows(tables: Tables, action: FlowRead, caller: FlowCaller): FlowAnswer {
  const { flows, tasks } = tables;
  const owner = caller.sessionKey;
  const owned = (id: string): FlowRecord | undefined => {
    const flow = flows.byId(id);
    return flow?.ownerKey === owner ? flow : undefined;
  };
  switch (action.action) {
    case 'get_flow':
      return flowAnswer(owned(action.flowId));
    case 'find_latest_flow':
      return flowAnswer(flows.latestOf(owner));
    case 'resolve_flow':
      return flowAnswer(action.token === owner ? flows.latestOf(owner) : owned(action.token));
    case 'list_flows': {
      const { cursor, limit = MOST_LISTED } = action;
      const last = cursor === undefined ? undefined : owned(cursor);
      if (cursor !== undefined && last === undefined) return refused('not_found', NOT_FOUND, {});
      return done(listFlows(flows.newestOf(owner, last?.seq), limit));
    }
    case 'get_task_summary': {
      const flow = owned(action.flowId);
      if (flow === undefined) return done({ summary: null });
      const { byStatus, byRuntime, ...summary } = summarizeTasks(tasks.countsOf(flow.seq));
      return done({
        summary: { ...summary, byStatus: { ...byStatus }, byRuntime: { ...byRuntime } },
      });
    }
  }
}

function listFlows(newest: Iterable<FlowRecord>, limit: number): JsonObject {
  const listed: FlowRecord[] = [];
  let chars = 0;
  for (const flow of newest) {
    const last = listed.at(-1);
    const size = JSON.stringify(flow).length;
    if (last !== undefined && (listed.length >= limit || chars + size > MOST_LISTED_CHARS)) {
      return { flows: listed.map(flowView), truncated: true, nextCursor: last.flowId };
    }
    listed.push(flow);
    chars += size;
  }
  return { flows: listed.map(flowView) };
}

function flowAnswer(flow: FlowRecord | undefined): FlowAnswer {
  return done({ flow: flow === undefined ? null : flowView(flow) });
}
