import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newFlow, newTask, testFlows } from '../../support/flows.js';
import { rawDatabase } from '../../support/raw-database.js';
import { tempFolder } from '../../support/temp-folder.js';
import { startChild } from './children.js';

const test = suite('flows and processes');

/** How many are killed: 20 in every run of the tests, `SVC_FLOW_CRASH_ROUNDS=200` for the long one. */
const ROUNDS = Number(process.env['SVC_FLOW_CRASH_ROUNDS'] ?? 20);
const LONGEST_MS = 150;

/** The last state that a process was told is on disk, by kind and id. */
function acknowledged(lines: readonly string[]): Map<string, readonly string[]> {
  const last = new Map<string, readonly string[]>();
  for (const line of lines) {
    const [kind = '', id = '', ...state] = line.split(' ');
    last.set(`${kind} ${id}`, state);
  }
  return last;
}

const ORDER = ['queued', 'running', 'succeeded'];

/** Everything acknowledged is there, in that state or a later one, and its notification is. */
function verify(home: string, lines: readonly string[]): void {
  const database = rawDatabase(`${home}/flows.sqlite`);
  assert.is(database.pragma('integrity_check', { simple: true }), 'ok');
  const flow = database.prepare<[string], { readonly revision: number; readonly status: string }>(
    'SELECT revision, status FROM flows WHERE id = ?',
  );
  const task = database.prepare<[string], string>('SELECT status FROM tasks WHERE id = ?').pluck();
  const told = database
    .prepare<[string], number>(
      `SELECT count(*) FROM notifications WHERE kind IN ('flow.ended', 'task.ended')
       AND coalesce(task_id, flow_id) = ?`,
    )
    .pluck();
  for (const [name, state] of acknowledged(lines)) {
    const [kind, id = ''] = name.split(' ');
    if (kind === 'flow') {
      const found = flow.get(id);
      assert.ok(found !== undefined && found.revision >= Number(state[0]), `${name} is lost`);
      assert.is(told.get(id), found.revision === 4 ? 1 : 0, name);
      assert.is(
        found.status,
        ['queued', 'running', 'queued', 'running', 'succeeded'][found.revision],
      );
    } else {
      const status = task.get(id) ?? '';
      assert.ok(ORDER.indexOf(status) >= ORDER.indexOf(state[0] ?? ''), `${name} is lost`);
      assert.is(told.get(id), status === 'succeeded' ? 1 : 0, name);
    }
  }
  database.close();
}

test(`${ROUNDS} processes killed under load have lost nothing that they acknowledged`, async () => {
  const home = tempFolder().path;
  const lines: string[] = [];
  let next = await startChild('write', home);
  for (let round = 0; round < ROUNDS; round++) {
    const { process: child, ready, said } = next;
    await ready;
    const kill = sleep(Math.random() * LONGEST_MS).then(() => child.kill('SIGKILL'));
    // The next one opens what this one leaves, sometimes while it is still there.
    if (round + 1 < ROUNDS) next = await startChild('write', home);
    await kill;
    lines.push(...(await said));
  }
  assert.ok(lines.length > ROUNDS);
  verify(home, lines);
});

test('four processes that claim at once never get one task twice', async () => {
  const { flows, home } = await testFlows();
  const flowId = await newFlow(flows);
  const ids = await Promise.all(Array.from({ length: 400 }, () => newTask(flows, flowId)));
  const children = await Promise.all(Array.from({ length: 4 }, () => startChild('claim', home)));
  const claimed = (await Promise.all(children.map(({ said }) => said))).flat();
  assert.equal([...claimed].sort(), [...ids].sort());
  assert.is((await flows.operator.listTasks({ statuses: ['running'], limit: 1 })).total, 400);
  await flows.close();
});

test.run();
