import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, newFlow, newTask, pendingCount, testFlows } from '../../support/flows.js';
import { rawDatabase } from '../../support/raw-database.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';
import { startChild } from './children.js';

const test = suite('flows and processes');

/** How many are killed: 20 in every run of the tests, `SVC_FLOW_CRASH_ROUNDS=200` for the long one. */
const ROUNDS = Number(process.env['SVC_FLOW_CRASH_ROUNDS'] ?? 20);
const LONGEST_MS = 150;

/** The last state that the store acknowledged to a process, by kind and id. */
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
  const recorded = database
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
      assert.is(recorded.get(id), found.revision === 4 ? 1 : 0, name);
      assert.is(
        found.status,
        ['queued', 'running', 'queued', 'running', 'succeeded'][found.revision],
      );
    } else {
      const status = task.get(id) ?? '';
      assert.ok(ORDER.indexOf(status) >= ORDER.indexOf(state[0] ?? ''), `${name} is lost`);
      assert.is(recorded.get(id), status === 'succeeded' ? 1 : 0, name);
    }
  }
  database.close();
}

test(`${ROUNDS} processes killed under load have lost nothing that they acknowledged`, async () => {
  const home = tempFolder().path;
  const lines: string[] = [];
  let next = await startChild('write', home);
  for (let round = 0; round < ROUNDS; round++) {
    const { process: child, ready, lineCount, output } = next;
    await ready;
    // On a slow machine, none would have written anything yet; every fourth may be killed before it has.
    if (round % 4 > 0) await waitFor('it has written', () => lineCount() > 0);
    const kill = sleep(Math.random() * LONGEST_MS).then(() => child.kill('SIGKILL'));
    // The next one opens what this one leaves, sometimes while it is still there.
    if (round + 1 < ROUNDS) next = await startChild('write', home);
    await kill;
    lines.push(...(await output));
  }
  assert.ok(lines.length > ROUNDS);
  verify(home, lines);
});

test('four processes that claim at once never get one task twice', async () => {
  const { flows, home } = await testFlows();
  const flowId = await newFlow(flows);
  const ids = await Promise.all(Array.from({ length: 400 }, () => newTask(flows, flowId)));
  const children = await Promise.all(Array.from({ length: 4 }, () => startChild('claim', home)));
  const claimed = (await Promise.all(children.map(({ output }) => output))).flat();
  assert.equal([...claimed].sort(), [...ids].sort());
  assert.is((await flows.operator.listTasks({ statuses: ['running'], limit: 1 })).total, 400);
  await flows.close();
});

const TARGETS = ['default', 'audit', 'ops'];
const KILLED = 4;
/** Longer than one that was taken is held. */
const HOLD_MS = 80_000;
/** What one process sends at once to a target. */
const SLOTS = 4;

test('processes killed while they deliver have sent each notification to each target', async () => {
  const arrived = new Map(TARGETS.map((target) => [target, [] as string[]]));
  const count = (): number => [...arrived.values()].reduce((sum, ids) => sum + ids.length, 0);
  let onArrival = (): void => undefined;
  const server = createServer((request, response) => {
    arrived.get(request.url?.slice(1) ?? '')?.push(String(request.headers['webhook-id']));
    onArrival();
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [first, ...targets] = TARGETS.map((id) => {
    return { id, url: `http://127.0.0.1:${port}/${id}`, secret: 'a secret of the receivers' };
  });
  const notify = { url: first?.url ?? '', secret: first?.secret ?? '', targets };
  const { flows, home } = await testFlows({ notify });
  for (let flow = 0; flow < 15; flow++) {
    const flowId = await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
    await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  }
  const { entries, total } = await flows.operator.listNotifications({ limit: 999 });
  const startDelivery = (round: number) =>
    startChild('deliver', home, JSON.stringify({ notify }), String(round * HOLD_MS));
  for (let round = 0; round < KILLED; round++) {
    const killAt = count() + 1 + Math.floor((Math.random() * total) / (2 * KILLED));
    const { process: child, output } = await startDelivery(round);
    onArrival = () => {
      if (count() >= killAt) child.kill('SIGKILL');
    };
    await output;
  }
  onArrival = () => undefined;
  const last = await startDelivery(KILLED);
  await waitFor('all are settled', async () => (await pendingCount(flows)) === 0);
  last.process.kill();
  await last.output;
  for (const [target, ids] of arrived) {
    const expected = entries.filter((one) => one.target === target).map((o) => o.notificationId);
    assert.equal([...new Set(ids)].sort(), expected.sort(), target);
    // Only what was on its way when a process was killed is sent again.
    assert.ok(ids.length <= expected.length + KILLED * SLOTS, `${target}: ${ids.length}`);
  }
  const { total: delivered } = await flows.operator.listNotifications({
    outcome: 'delivered',
    limit: 1,
  });
  assert.is(delivered, total);
  await flows.close();
  await new Promise((resolve) => server.close(resolve));
});

test.run();
