import { refused } from './actions/answers.js';
import { changeFlows, changeOnce } from './actions/change-flows.js';
import { jsonTexts } from './actions/json-fields.js';
import { readFlows } from './actions/read-flows.js';
import type {
  FlowAction,
  FlowAnswer,
  FlowCaller,
  FlowChange,
  FlowRead,
  Idempotency,
} from './flow-action.js';
import type { FlowStore } from './flow-store.js';

/**
 * Does one of the actions of the outside. Resolves when its change is on disk.
 *
 * @throws SvcError FLOWS_BUSY: nothing was done; FLOWS_PERSIST_FAILED: nothing was done, unless only the
 *   sync of the log failed, where the change and the answer for its idempotency key may be kept
 */
export async function perform(
  store: FlowStore,
  action: FlowAction,
  caller: FlowCaller,
  idempotency?: Idempotency,
): Promise<FlowAnswer> {
  if (isRead(action)) return store.read((tables) => readFlows(tables, action, caller));
  const texts = jsonTexts(action);
  if (texts === undefined) {
    const code = action.action === 'create_flow' ? 'create_rejected' : 'mutation_rejected';
    return refused(code, 'stateJson or waitJson is nested too deeply.', {});
  }
  return store.write((work) => {
    const change = (): FlowAnswer => changeFlows(work, action, caller, texts);
    return idempotency === undefined
      ? change()
      : changeOnce(work, action, caller, idempotency, change);
  });
}

const READS: Readonly<Record<FlowAction['action'], boolean>> = {
  get_flow: true,
  list_flows: true,
  find_latest_flow: true,
  resolve_flow: true,
  get_task_summary: true,
  create_flow: false,
  set_waiting: false,
  resume_flow: false,
  finish_flow: false,
  fail_flow: false,
  request_cancel: false,
  cancel_flow: false,
  run_task: false,
};

function isRead(action: FlowChange | FlowRead): action is FlowRead {
  return READS[action.action];
}
