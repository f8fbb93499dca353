import type { JsonObject } from '../flow-model/fields.js';
import type { FlowRecord } from '../flow-model/flow-record.js';
import type { Actor } from '../flow-model/history-record.js';

/** Who makes a request: everything is bound to this owner session. */
export interface FlowCaller {
  readonly sessionKey: string;
  /** For flows that name none. */
  readonly controllerId: string;
  /** Whom the history names. */
  readonly actor: Actor;
}

/** Why an action was refused. */
export type FlowRejection =
  | 'not_found'
  | 'not_managed'
  | 'terminal'
  | 'cancel_requested'
  | 'revision_conflict'
  | 'create_rejected'
  | 'mutation_rejected'
  // Of the known system, for senders that handle it; svc has no such reason.
  | 'task_not_created'
  | 'idempotency_mismatch'
  | 'delivery_mismatch';

/** The answer to an action. `result` has no owner data; docs/flows.md describes it. */
export type FlowAnswer = (
  | { readonly ok: true; readonly result: JsonObject; readonly code?: 'cancel_pending' }
  | {
      readonly ok: false;
      readonly code: FlowRejection;
      readonly error: string;
      readonly result: JsonObject;
    }
) & {
  /** It is the first answer to a request that was repeated. */
  readonly replayed?: true;
};

/** A key that makes a change repeatable: the same key and body get the first answer again. */
export interface Idempotency {
  readonly key: string;
  /** E.g. the SHA-256 of the action. */
  readonly bodyHash: string;
  /** For the id of a delivery, which is recognized so long, whatever action it leads to. */
  readonly deliveryMs?: number;
}

/** Also for flows of another owner. */
export const NOT_FOUND = 'TaskFlow not found.';
/** The same, in the results of `run_task` and `cancel_flow`. */
export const NOT_FOUND_REASON = 'Flow not found.';
export const CANCEL_REQUESTED = 'Flow cancellation has already been requested.';

export function terminalText(flow: FlowRecord): string {
  return `Flow is already ${flow.status}.`;
}

export function done(result: JsonObject): FlowAnswer {
  return { ok: true, result };
}

export function refused(code: FlowRejection, error: string, result: JsonObject): FlowAnswer {
  return { ok: false, code, error, result };
}
