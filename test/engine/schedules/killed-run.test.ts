import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Flows } from '../../../src/engine/flows/index.js';
import { compileProgram } from '../../support/compile.js';
import { openFlowsAt } from '../../support/flow-stores.js';
import { testFlows } from '../../support/flows.js';
import { migratedServer, startCluster } from '../../support/postgres.js';
import { dueOnce } from './due-once.js';

const test = suite('a scheduled run that is killed');

const CHILD = await compileProgram(new URL('killed-run.ts', import.meta.url));
const cluster = await startCluster();

async function killedAt(where: string, dueMs: number, turns: number): Promise<void> {
  const args = [CHILD, where, String(dueMs), String(turns)];
  const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  assert.is(signal, 'SIGKILL');
}

/** Exactly one flow, of the killed run if that was committed, and else of the next one. */
async function checkAfterwards(flows: Flows, dueMs: number): Promise<void> {
  for (let n = 0; n < 3; n++) await flows.schedules.runDue(dueOnce(dueMs));
  const { entries } = await flows.operator.listFlows({ limit: 9 });
  assert.is(entries.length, 1);
  const [record] = await flows.schedules.records();
  assert.is(record?.flowId, entries[0]?.flow.flowId);
}

for (const turns of [0, 5, 100]) {
  test(`leads to one flow in SQLite, ${turns} turns after it decided`, async () => {
    const { flows, clock, home } = await testFlows();
    const dueMs = clock.nowMs + 1000;
    await flows.schedules.runDue(dueOnce(dueMs));
    await flows.close();
    await killedAt(home, dueMs, turns);
    const later = await testFlows({}, home);
    later.clock.nowMs = dueMs + 5000;
    await checkAfterwards(later.flows, dueMs);
    await later.flows.close();
  });
}

const when = cluster === undefined ? test.skip : test;
when('leads to one flow in PostgreSQL', async () => {
  if (cluster === undefined) return;
  for (const turns of [0, 4]) {
    const server = await migratedServer(cluster);
    const { host, port, database, user } = server.address;
    const url = `postgres://${user}@${host}:${port}/${database}`;
    const flows = await openFlowsAt(url);
    const dueMs = flows.now() - 1000;
    await flows.schedules.runDue(dueOnce(dueMs));
    await server.run('UPDATE svc.schedules SET handled_until = handled_until - 5000');
    await killedAt(url, dueMs, turns);
    await checkAfterwards(flows, dueMs);
    await flows.close();
    await server.close();
  }
});

test.after(() => cluster?.stop());
test.run();
