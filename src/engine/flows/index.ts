import type { FlowAction, FlowAnswer, FlowCaller } from './flow-action.js';

/** Durable task flows of one state folder. */
export interface Flows {
  perform(
    action: FlowAction,
    caller: FlowCaller,
    idempotency?: { readonly key: string; readonly bodyHash: string },
  ): Promise<FlowAnswer>;
  close(): Promise<void>;
}
