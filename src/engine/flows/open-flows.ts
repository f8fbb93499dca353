import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../config/index.js';
import { type ErrorCode, SvcError } from '../errors/index.js';
import {
  type FlowAction,
  type FlowChange,
  type FlowRead,
  READ_ACTIONS,
  type StartFlow,
} from '../flow-model/action-schemas.js';
import type { EngineContext } from '../support/context.js';
import {
  cancelFlowAction,
  createFlow,
  JSON_TOO_DEEP,
  type JsonTexts,
  jsonTexts,
  mutateFlow,
} from './actions/change-flow.js';
import { readFlows } from './actions/read-flows.js';
import { runTask, startFlow } from './actions/run-task.js';
import { type FlowAnswer, type FlowCaller, type Idempotency, refused } from './flow-action.js';
import { flowPolicy } from './flow-policy.js';
import type { FlowStore, FlowTx } from './flow-store.js';
import { actingAs } from './history.js';
import { operatorFlows } from './operator-flows.js';
import { notificationOutbox } from './outbox.js';
import { scheduleStore } from './schedules.js';
import type { Period } from './statistics.js';
import { openSqliteFlowStore } from './store/sqlite/sqlite-store.js';
import { taskStore } from './task-store.js';

/** The file of the flows: `flows.sqlite` in the state folder. */
export function flowsFile({ state }: Pick<EngineContext, 'state'>): string {
  return join(state.stateDir, 'flows.sqlite');
}

/** Durable flows and their tasks; see {@link openFlows}. */
export type Flows = ReturnType<typeof flowsIn>;

/**
 * Opens the flows of the server of `storage.url`, or else of this state folder, creating the file if needed. Several
 * processes can have them open.
 *
 * @param steadyMs a clock that never jumps; the process's own when left out
 * @throws SvcError FLOWS_NEWER, FLOWS_FOREIGN, FLOWS_DAMAGED, FLOWS_BUSY, FLOWS_PERSIST_FAILED, STORAGE_*
 */
export async function openFlows(
  context: EngineContext,
  config: ResolvedConfig,
  steadyMs?: () => number,
): Promise<Flows> {
  if (config.storage.url !== undefined) return openSharedFlows(context, config, false);
  const policy = flowPolicy(config);
  return flowsIn(openSqliteFlowStore(flowsFile(context), policy, context.clock, steadyMs));
}

/**
 * Like {@link openFlows}, but also while the server of `storage.url` cannot be used: until it can, what needs it fails.
 * For services: a listener must answer meanwhile, and the others try again soon.
 */
export async function openFlowsToServe(
  context: EngineContext,
  config: ResolvedConfig,
): Promise<Flows> {
  const isShared = config.storage.url !== undefined;
  return isShared ? openSharedFlows(context, config, true) : openFlows(context, config);
}

async function openSharedFlows(
  context: EngineContext,
  config: ResolvedConfig,
  canWait: boolean,
): Promise<Flows> {
  const { openPostgresFlowStore } = await import('./store/postgres/postgres-store.js');
  return flowsIn(await openPostgresFlowStore(context, config, canWait));
}

/** Like {@link openFlows}, but creates nothing; undefined if there are no flows yet. */
export async function openExistingFlows(
  context: EngineContext,
  config: ResolvedConfig,
): Promise<Flows | undefined> {
  const exists = config.storage.url !== undefined || existsSync(flowsFile(context));
  return exists ? openFlows(context, config) : undefined;
}

function flowsIn(opened: FlowStore) {
  const { write, writes } = trackWrites(opened);
  const { read, write: _, ...shared } = opened;
  const store: FlowStore = { ...opened, write };
  return {
    ...shared,
    /** Whether changes can be stored. */
    writes,
    /** What metrics count now. */
    statistics: () => read(({ statistics }) => statistics.now()),
    /** What ended in a period. */
    ended: (period: Period) => read(({ statistics }) => statistics.ended(period)),
    /**
     * Performs an action of an outside system. Resolves when its change is on disk.
     *
     * @throws SvcError FLOWS_BUSY, FLOWS_PERSIST_FAILED: nothing was done; FLOWS_UNCERTAIN: only the sync of the log
     *   failed, and the change and the answer for its idempotency key may be kept; STORAGE_*
     */
    perform: (action: FlowAction | StartFlow, caller: FlowCaller, idempotency?: Idempotency) =>
      perform(store, action, caller, idempotency),
    /** For workers and operators. */
    tasks: taskStore(store),
    outbox: notificationOutbox(store),
    schedules: scheduleStore(store),
    operator: operatorFlows(store),
  };
}

async function perform(
  store: FlowStore,
  action: FlowAction | StartFlow,
  caller: FlowCaller,
  idempotency: Idempotency | undefined,
): Promise<FlowAnswer> {
  if (isRead(action)) return store.read((tables) => readFlows(tables, action, caller));
  const creates = action.action === 'start_flow' ? action.flow : action;
  const texts = jsonTexts(creates);
  if (texts === undefined) {
    const code = creates.action === 'create_flow' ? 'create_rejected' : 'mutation_rejected';
    return refused(code, `${JSON_TOO_DEEP}.`, {});
  }
  return await store.write((systemTx) => {
    const tx = actingAs(systemTx, caller.actor);
    const change = () => changeFlows(tx, action, caller, texts);
    return idempotency === undefined
      ? change()
      : changeOnce(tx, { action, caller, idempotency }, change);
  });
}

const READS: ReadonlySet<string> = new Set(READ_ACTIONS);

function isRead(action: FlowChange | FlowRead | StartFlow): action is FlowRead {
  return READS.has(action.action);
}

function changeFlows(
  tx: FlowTx,
  action: FlowChange | StartFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  switch (action.action) {
    case 'create_flow':
      return createFlow(tx, action, caller, texts);
    case 'start_flow':
      return startFlow(tx, action, caller, texts);
    case 'run_task':
      return runTask(tx, action, caller);
    case 'cancel_flow':
      return cancelFlowAction(tx, action, caller);
    default:
      return mutateFlow(tx, action, caller, texts);
  }
}

/** Instead of an action, in the keys of answers to deliveries. */
const DELIVERY = 'delivery';

interface RepeatableChange {
  readonly action: FlowChange | StartFlow;
  readonly caller: FlowCaller;
  readonly idempotency: Idempotency;
}

/**
 * Performs a change whose request may be repeated. Its first answer, whatever it is, is stored in the
 * transaction of the change and returned for every repetition.
 */
async function changeOnce(
  tx: FlowTx,
  { action, caller, idempotency }: RepeatableChange,
  change: () => Promise<FlowAnswer>,
): Promise<FlowAnswer> {
  const { key, bodyHash, deliveryMs } = idempotency;
  const isDelivery = deliveryMs !== undefined;
  const answerKey = {
    ownerKey: caller.sessionKey,
    action: isDelivery ? DELIVERY : action.action,
    key,
  };
  const stored = await tx.answers.find(answerKey, tx.nowMs);
  if (stored === undefined) {
    const answer = await change();
    const expiresAt = tx.nowMs + (deliveryMs ?? tx.policy.idempotencyMs);
    await tx.answers.store(answerKey, { bodyHash, answer: JSON.stringify(answer) }, expiresAt);
    return answer;
  }
  if (stored.bodyHash !== bodyHash) {
    return isDelivery
      ? refused('delivery_mismatch', 'The delivery id was used for another body.', {})
      : refused('idempotency_mismatch', 'The idempotency key was used for another request.', {});
  }
  const answer: FlowAnswer = JSON.parse(stored.answer);
  return { ...answer, replayed: true };
}

/** With these, no change can be stored until somebody or something fixes it. */
export const UNSTORABLE: ReadonlySet<ErrorCode> = new Set([
  'FLOWS_BUSY',
  'FLOWS_DAMAGED',
  'FLOWS_PERSIST_FAILED',
  'FLOWS_UNCERTAIN',
  'STORAGE_FAILED',
  'STORAGE_FULL',
  'STORAGE_NEWER',
  'STORAGE_OUTDATED',
  'STORAGE_REFUSED',
  'STORAGE_UNREACHABLE',
]);

/** About as much as a change needs, so that a disk with no more room is noticed. */
const PROBE_TEXT = 'x'.repeat(16_384);
/** Not the action of anybody. */
const PROBE = { ownerKey: '', action: 'probe', key: 'probe' };

/** A store that remembers whether its last change could be stored. */
function trackWrites(store: FlowStore) {
  let failure: SvcError | undefined;
  let failures = 0;
  const listeners = new Set<(failure: SvcError | undefined) => void>();
  const setFailure = (next: SvcError | undefined): void => {
    if (next?.code === failure?.code) return;
    failure = next;
    for (const listener of listeners) listener(next);
  };
  const noteFailure = (error: unknown): never => {
    if (error instanceof SvcError && UNSTORABLE.has(error.code)) {
      failures += 1;
      setFailure(error);
    }
    throw error;
  };
  /** A change that was made before a later one failed does not show that there is room now, even if it is synced last. */
  const noteStored = (failuresBefore: number | undefined): void => {
    // In a damaged file, some changes can still be stored, and it stays damaged.
    if (failuresBefore === failures && failure?.code !== 'FLOWS_DAMAGED') setFailure(undefined);
  };
  const write: FlowStore['write'] = async (change, scope) => {
    let failuresBefore: number | undefined;
    const observed = async (tx: FlowTx) => {
      const seen = failures;
      const before = tx.changes.length;
      const result = await change(tx);
      // One that changed nothing needs no room on the disk.
      failuresBefore = tx.changes.length > before ? seen : undefined;
      return result;
    };
    const result = await store.write(observed, scope).catch(noteFailure);
    noteStored(failuresBefore);
    return result;
  };
  return {
    write,
    writes: {
      /** Why the last change could not be stored; undefined if it could. */
      failure: () => failure,
      /** Calls back when that changes. @returns unsubscribes */
      subscribe: (listener: (failure: SvcError | undefined) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      /** Makes a change that means nothing, to find out. Never rejects. */
      probe: async (): Promise<void> => {
        await store
          .write(async ({ answers, nowMs }) => {
            const failuresBefore = failures;
            await answers.find(PROBE, nowMs);
            // Expired at once, so that the next cleanup deletes it.
            await answers.store(PROBE, { bodyHash: '', answer: PROBE_TEXT }, nowMs);
            return failuresBefore;
          })
          .then(noteStored, noteFailure)
          .catch(() => undefined);
      },
    },
  };
}
