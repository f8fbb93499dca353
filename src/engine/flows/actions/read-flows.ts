import type { FlowAnswer, FlowCaller, FlowRead } from '../flow-action.js';
import type { FlowRecord } from '../flow-record.js';
import { flowView, summarizeTasks, type TaskSummary } from '../views.js';
import type { Tables } from '../work.js';
import { done } from './answers.js';

/** So many flows one answer holds at most. */
const MOST_LISTED = 1000;

/** An action that only looks. What is not there, or is somebody else's, is null and no failure. */
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
      const listed = flows.list({ ownerKey: owner, limit: MOST_LISTED + 1 });
      const views = listed.slice(0, MOST_LISTED).map(flowView);
      return done({ flows: views, ...(listed.length > MOST_LISTED ? { truncated: true } : {}) });
    }
    case 'get_task_summary': {
      const flow = owned(action.flowId);
      if (flow === undefined) return done({ summary: null });
      return done({ summary: summaryView(summarizeTasks(tasks.countsOf(flow.seq))) });
    }
  }
}

function flowAnswer(flow: FlowRecord | undefined): FlowAnswer {
  return done({ flow: flow === undefined ? null : flowView(flow) });
}

function summaryView(summary: TaskSummary) {
  return { ...summary, byStatus: { ...summary.byStatus }, byRuntime: { ...summary.byRuntime } };
}
