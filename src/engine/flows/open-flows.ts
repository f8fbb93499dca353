import { join } from 'node:path';
import type { ResolvedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import type { FlowAction, FlowAnswer, FlowCaller, Idempotency } from './flow-action.js';
import { FlowStore } from './flow-store.js';
import { type NotificationOutbox, notificationOutbox } from './notification-outbox.js';
import { type OperatorFlows, operatorFlows } from './operator-flows.js';
import { perform } from './perform.js';
import { flowPolicy } from './policy.js';
import { type TaskStore, taskStore } from './task-store.js';
import type { FlowsChange } from './work.js';

/** Durable flows and their tasks. Close them when done. */
export interface Flows {
  /**
   * Does an action of the outside. Resolves when its change is on disk.
   *
   * @throws SvcError FLOWS_BUSY: nothing was done; FLOWS_PERSIST_FAILED: nothing was done, unless only the
   *   sync of the log failed, where the change and the answer for its idempotency key may be kept
   */
  perform(action: FlowAction, caller: FlowCaller, idempotency?: Idempotency): Promise<FlowAnswer>;
  /** Workers' and operators' side of tasks. */
  readonly tasks: TaskStore;
  /** What is still to be told to somebody. */
  readonly outbox: NotificationOutbox;
  /** The operators' side. */
  readonly operator: OperatorFlows;
  /** Tells each change of this process once it is on disk. @returns what ends it */
  subscribe(listener: (change: FlowsChange) => void): () => void;
  /** Differs from the last time when any process has committed something since. Cheap. */
  version(): string;
  /** Waits for the changes under way, and closes the file. */
  close(): Promise<void>;
}

/** Where flows are kept: `flows.sqlite` in the state folder. */
export function flowsFile(context: Pick<EngineContext, 'state'>): string {
  return join(context.state.stateDir, 'flows.sqlite');
}

/**
 * Opens the flows of this state folder; their file is made where there is none. Several processes may
 * have it open.
 *
 * @throws SvcError FLOWS_NEWER, FLOWS_FOREIGN, FLOWS_DAMAGED, FLOWS_BUSY, FLOWS_PERSIST_FAILED
 */
export function openFlows(context: EngineContext, config: ResolvedConfig): Flows {
  const store = new FlowStore(flowsFile(context), flowPolicy(config), context.clock);
  return {
    perform: (action, caller, idempotency) => perform(store, action, caller, idempotency),
    tasks: taskStore(store),
    outbox: notificationOutbox(store),
    operator: operatorFlows(store, context.clock),
    subscribe: (listener) => store.subscribe(listener),
    version: () => store.version(),
    close: () => store.close(),
  };
}
