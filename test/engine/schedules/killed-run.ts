/**
 * A process that is killed in the middle of a scheduled run, after it decided to create a flow.
 *
 *   node --import tsx killed-run.ts HOME|URL DUE_MS TURNS
 */
import { openFlowsAt } from '../../support/flow-stores.js';
import { testFlows } from '../../support/flows.js';
import { dueOnce } from './due-once.js';

const [where = '', dueMs = '', turns = ''] = process.argv.slice(2);
const isServer = where.startsWith('postgres:');
const opened = isServer ? undefined : await testFlows({}, where);
const flows = opened?.flows ?? (await openFlowsAt(where, {}, { servers: new Map() }));
if (opened !== undefined) opened.clock.nowMs = Number(dueMs) + 1000;

/** SQLite commits within one turn of the event loop, and a server takes several. */
async function killLater(): Promise<void> {
  for (let turn = 0; turn < Number(turns); turn++) {
    await (isServer ? new Promise((resolve) => setImmediate(resolve)) : undefined);
  }
  process.kill(process.pid, 'SIGKILL');
}

await flows.schedules.runDue(
  dueOnce(Number(dueMs), () => {
    void killLater();
  }),
);
process.kill(process.pid, 'SIGKILL');
