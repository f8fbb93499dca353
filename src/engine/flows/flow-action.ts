/** Any value that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** When a flow or a task tells of itself. */
export type NotifyPolicy = 'done_only' | 'state_changes' | 'silent';

/** One of the thirteen actions with its fields; absent keeps, null clears. */
export type FlowAction =
  | {
      readonly action: 'create_flow';
      readonly goal: string;
      readonly controllerId?: string;
      readonly status?: 'queued' | 'running' | 'waiting' | 'blocked';
      readonly notifyPolicy?: NotifyPolicy;
      readonly currentStep?: string | null;
      readonly stateJson?: JsonValue;
      readonly waitJson?: JsonValue;
    }
  | { readonly action: 'get_flow'; readonly flowId: string }
  | { readonly action: 'list_flows' }
  | { readonly action: 'find_latest_flow' }
  | { readonly action: 'resolve_flow'; readonly token: string }
  | { readonly action: 'get_task_summary'; readonly flowId: string }
  | {
      readonly action: 'set_waiting';
      readonly flowId: string;
      readonly expectedRevision: number;
      readonly currentStep?: string | null;
      readonly stateJson?: JsonValue;
      readonly waitJson?: JsonValue;
      readonly blockedTaskId?: string | null;
      readonly blockedSummary?: string | null;
    }
  | {
      readonly action: 'resume_flow';
      readonly flowId: string;
      readonly expectedRevision: number;
      readonly status?: 'queued' | 'running';
      readonly currentStep?: string | null;
      readonly stateJson?: JsonValue;
    }
  | {
      readonly action: 'finish_flow';
      readonly flowId: string;
      readonly expectedRevision: number;
      readonly stateJson?: JsonValue;
    }
  | {
      readonly action: 'fail_flow';
      readonly flowId: string;
      readonly expectedRevision: number;
      readonly stateJson?: JsonValue;
      readonly blockedTaskId?: string | null;
      readonly blockedSummary?: string | null;
    }
  | {
      readonly action: 'request_cancel';
      readonly flowId: string;
      readonly expectedRevision: number;
    }
  | { readonly action: 'cancel_flow'; readonly flowId: string }
  | {
      readonly action: 'run_task';
      readonly flowId: string;
      readonly runtime: 'subagent' | 'acp';
      readonly task: string;
      readonly sourceId?: string;
      readonly childSessionKey?: string;
      readonly parentTaskId?: string;
      readonly agentId?: string;
      readonly runId?: string;
      readonly label?: string;
      readonly preferMetadata?: boolean;
      readonly notifyPolicy?: NotifyPolicy;
      readonly status?: 'queued' | 'running';
      readonly startedAt?: number;
      readonly lastEventAt?: number;
      readonly progressSummary?: string | null;
    };

/** Who asks: everything is bound to this owner session. */
export interface FlowCaller {
  readonly sessionKey: string;
  /** What a flow is created with when the action names none. */
  readonly controllerId: string;
}

/** Why an action was refused. */
export type FlowRejection =
  | 'not_found'
  | 'not_managed'
  | 'revision_conflict'
  | 'mutation_rejected'
  | 'cancel_requested'
  | 'terminal'
  | 'task_not_created'
  | 'cancel_rejected'
  | 'create_rejected'
  | 'idempotency_mismatch'
  | 'request_rejected';

/** What became of an action. */
export type FlowAnswer =
  | { readonly ok: true; readonly result: JsonObject; readonly code?: 'cancel_pending' }
  | {
      readonly ok: false;
      readonly code: FlowRejection;
      readonly error: string;
      readonly result: JsonObject;
    };
