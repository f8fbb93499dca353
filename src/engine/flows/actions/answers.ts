import type { FlowAnswer } from '../flow-action.js';
import type { FlowRecord } from '../flow-record.js';
import type { JsonObject } from '../json.js';

/** What an outside system reads where a flow is not there, or is somebody else's. */
export const NOT_FOUND = 'TaskFlow not found.';
/** The same in the results of `run_task` and `cancel_flow`. */
export const NOT_FOUND_REASON = 'Flow not found.';
/** Where a flow can only end any more. */
export const CANCEL_REQUESTED = 'Flow cancellation has already been requested.';

/** Where a flow is over. */
export function terminalText(flow: FlowRecord): string {
  return `Flow is already ${flow.status}.`;
}

/** An action that did what it was to do. */
export function done(result: JsonObject): FlowAnswer {
  return { ok: true, result };
}

type Refused = Extract<FlowAnswer, { ok: false }>;

/** An action that was refused. */
export function refused(code: Refused['code'], error: string, result: JsonObject): FlowAnswer {
  return { ok: false, code, error, result };
}
