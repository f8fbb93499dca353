import type { NotifyPolicy } from './flow-record.js';
import type { JsonObject, JsonValue } from './json.js';

export type { NotifyPolicy } from './flow-record.js';
export type { JsonObject, JsonValue } from './json.js';

/** What an outside system asks for. On changes an absent field keeps what is there, null clears it. */
export type FlowAction = FlowRead | FlowChange;

/** An action that only looks. */
export type FlowRead =
  | { readonly action: 'get_flow'; readonly flowId: string }
  | { readonly action: 'list_flows' }
  | { readonly action: 'find_latest_flow' }
  /** `token`: the id of a flow, or the caller's own session key, which means its latest flow. */
  | { readonly action: 'resolve_flow'; readonly token: string }
  | { readonly action: 'get_task_summary'; readonly flowId: string };

/** An action that changes something. */
export type FlowChange = CreateFlow | FlowMutation | CancelFlow | RunTask;

/** Begins a flow. */
export interface CreateFlow {
  readonly action: 'create_flow';
  readonly goal: string;
  readonly controllerId?: string;
  readonly status?: 'queued' | 'running' | 'waiting' | 'blocked';
  readonly notifyPolicy?: NotifyPolicy;
  readonly currentStep?: string | null;
  readonly stateJson?: JsonValue;
  readonly waitJson?: JsonValue;
}

interface Mutation {
  readonly flowId: string;
  /** The revision that the caller has seen; any other is a conflict. */
  readonly expectedRevision: number;
}

/** A change of one flow, guarded by its revision. */
export type FlowMutation = SetWaiting | ResumeFlow | FinishFlow | FailFlow | RequestCancel;

/** Waits for something outside; blocked when a task or a reason in words is named. */
export interface SetWaiting extends Mutation {
  readonly action: 'set_waiting';
  readonly currentStep?: string | null;
  readonly stateJson?: JsonValue;
  readonly waitJson?: JsonValue;
  readonly blockedTaskId?: string | null;
  readonly blockedSummary?: string | null;
}

/** Goes on. */
export interface ResumeFlow extends Mutation {
  readonly action: 'resume_flow';
  readonly status?: 'queued' | 'running';
  readonly currentStep?: string | null;
  readonly stateJson?: JsonValue;
}

/** Ends well. */
export interface FinishFlow extends Mutation {
  readonly action: 'finish_flow';
  readonly stateJson?: JsonValue;
}

/** Ends badly. */
export interface FailFlow extends Mutation {
  readonly action: 'fail_flow';
  readonly stateJson?: JsonValue;
  readonly blockedTaskId?: string | null;
  readonly blockedSummary?: string | null;
}

/** Asks the controller to end the flow; from here on it can only end. */
export interface RequestCancel extends Mutation {
  readonly action: 'request_cancel';
}

/** Ends the flow and its tasks, at once or when the last task has ended. */
export interface CancelFlow {
  readonly action: 'cancel_flow';
  readonly flowId: string;
}

/** Adds a task to a flow. */
export interface RunTask {
  readonly action: 'run_task';
  readonly flowId: string;
  readonly runtime: 'subagent' | 'acp';
  readonly task: string;
  readonly sourceId?: string;
  readonly childSessionKey?: string;
  readonly parentTaskId?: string;
  readonly agentId?: string;
  /** A task of this flow with the same run id is not made again. */
  readonly runId?: string;
  readonly label?: string;
  /** What this call says of a task that is there already wins over what is stored. */
  readonly preferMetadata?: boolean;
  readonly notifyPolicy?: NotifyPolicy;
  /** `running`: somebody else runs it already, and no worker of svc takes it. */
  readonly status?: 'queued' | 'running';
  /** Only with status `running`, like the two below; milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly lastEventAt?: number;
  readonly progressSummary?: string | null;
}

/** Who asks: everything is bound to this owner session. */
export interface FlowCaller {
  readonly sessionKey: string;
  /** Of flows that name none themselves. */
  readonly controllerId: string;
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
  | 'task_not_created'
  | 'idempotency_mismatch';

/** What came of an action. `result` holds no owner data; docs/flows.md says what it holds. */
export type FlowAnswer =
  | { readonly ok: true; readonly result: JsonObject; readonly code?: 'cancel_pending' }
  | {
      readonly ok: false;
      readonly code: FlowRejection;
      readonly error: string;
      readonly result: JsonObject;
    };

/** A key that makes a change repeatable: the same key and body get the first answer again. */
export interface Idempotency {
  readonly key: string;
  /** Tells bodies apart, e.g. the SHA-256 of the action. */
  readonly bodyHash: string;
}
