import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Flows } from '../../../src/engine/flows/index.js';
import {
  ADA,
  claimTask,
  leaseOf,
  newFlow,
  newTask,
  pendingCount,
  testFlows,
} from '../../support/flows.js';
import { rawDatabase } from '../../support/raw-database.js';

const test = suite('the upkeep of flows');

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function finish(flows: Flows, flowId: string): Promise<void> {
  const { revision } = (await flows.operator.showFlow(flowId)).flow;
  const done = { action: 'finish_flow', flowId, expectedRevision: revision } as const;
  assert.ok((await flows.perform(done, ADA)).ok);
}

async function takeAll(flows: Flows): Promise<readonly (readonly [string, string])[]> {
  const taken = await flows.outbox.takeDue({ target: 'default', limit: 100, holdMs: MINUTE });
  return taken.map(({ kind, notificationId }) => [kind, notificationId]);
}

const dueAt = async (flows: Flows) => (await flows.outbox.nextDueAt(['default'])).get('default');

test('ended flows are kept for a week, blocked ones forever', async () => {
  const { flows, clock } = await testFlows();
  const [ended, blocked, busy] = [await newFlow(flows), await newFlow(flows), await newFlow(flows)];
  await newTask(flows, ended);
  const claim = await flows.tasks.claim({ worker: 'w' });
  await flows.tasks.complete({ taskId: claim?.task.taskId ?? '', token: claim?.leaseToken });
  await finish(flows, ended);
  await newTask(flows, busy);
  await finish(flows, busy);
  const child = await newTask(flows, blocked);
  await flows.tasks.cancel(child);
  const wait = { action: 'set_waiting', flowId: blocked, expectedRevision: 0 } as const;
  await flows.perform({ ...wait, blockedTaskId: child }, ADA);
  clock.nowMs += 7 * DAY;
  assert.is((await flows.operator.sweep()).prunedFlows, 0);
  clock.nowMs += 1;
  const swept = await flows.operator.sweep();
  // The ended one and its task; not the one whose task still waits, nor what blocks the blocked one.
  assert.equal([swept.prunedFlows, swept.prunedTasks], [1, 1]);
  clock.nowMs += 100 * DAY;
  await flows.operator.sweep();
  assert.is((await flows.operator.showFlow(blocked)).flow.status, 'blocked');
  assert.is((await flows.operator.showTask(child)).task.status, 'cancelled');
  assert.is((await flows.operator.showFlow(busy)).flow.status, 'succeeded');
  await flows.close();
});

test('an operator prunes sooner', async () => {
  const { flows, clock } = await testFlows();
  for (let n = 0; n < 450; n++) {
    const flowId = await newFlow(flows);
    if (n < 430) await finish(flows, flowId);
  }
  clock.nowMs += 1;
  assert.equal(await flows.operator.prune(0), { flows: 430, tasks: 0 });
  assert.is((await flows.operator.listFlows({ limit: 5 })).total, 20);
  await flows.close();
});

test('an operator prunes tasks by their end, whatever the retention was then', async () => {
  const before = await testFlows();
  await before.flows.tasks.cancel(await newTask(before.flows, await newFlow(before.flows)));
  await before.flows.close();
  const { flows, clock } = await testFlows({ retentionDays: 30 }, before.home);
  clock.nowMs += DAY;
  assert.equal(await flows.operator.prune(10 * DAY), { flows: 0, tasks: 0 });
  clock.nowMs += 9 * DAY + 1;
  assert.equal(await flows.operator.prune(10 * DAY), { flows: 0, tasks: 1 });
  await flows.close();
});

test('a flow left unended after a cancel request is ended after five minutes', async () => {
  const { flows, clock } = await testFlows();
  const flowId = await newFlow(flows);
  await flows.perform({ action: 'request_cancel', flowId, expectedRevision: 0 }, ADA);
  clock.nowMs += 5 * MINUTE;
  assert.is((await flows.operator.sweep()).cancelledFlows, 0);
  clock.nowMs += 1;
  assert.is((await flows.operator.sweep()).cancelledFlows, 1);
  assert.is((await flows.operator.showFlow(flowId)).flow.status, 'cancelled');
  await flows.close();
});

test('the audit lists what is stuck, lost or inconsistent', async () => {
  const { flows, clock, home } = await testFlows({ runtimes: { subagent: { maxAttempts: 1 } } });
  const [running, waiting, blocked, cancelling, fine] = [
    await newFlow(flows, ADA, { status: 'running' }),
    await newFlow(flows, ADA, { status: 'waiting', waitJson: 'a word' }),
    await newFlow(flows),
    await newFlow(flows),
    await newFlow(flows),
  ];
  const change = { flowId: blocked, expectedRevision: 0 } as const;
  await flows.perform({ action: 'set_waiting', ...change, blockedTaskId: 'gone' }, ADA);
  await flows.perform({ action: 'request_cancel', flowId: cancelling, expectedRevision: 0 }, ADA);
  const lost = await newTask(flows, fine);
  await flows.tasks.claim({ worker: 'w', leaseMs: 1 });
  clock.nowMs += 2;
  await flows.operator.sweep();
  const [queued, elsewhere] = [
    await newTask(flows, fine),
    await newTask(flows, fine, { status: 'running' }),
  ];
  clock.nowMs += 30 * MINUTE + 1;
  assert.equal(
    (await flows.operator.auditFlows())
      .map(({ severity, code, flowId }) => [severity, code, flowId])
      .sort(),
    [
      ['error', 'missing_linked_tasks', running],
      ['error', 'stale_running', running],
      ['warn', 'blocked_task_missing', blocked],
      ['warn', 'cancel_stuck', cancelling],
      ['warn', 'stale_blocked', blocked],
      ['warn', 'stale_queued', cancelling],
      ['warn', 'stale_waiting', waiting],
    ],
  );
  assert.equal(
    (await flows.operator.auditTasks())
      .map(({ severity, code, taskId }) => [severity, code, taskId])
      .sort(),
    [
      ['error', 'stale_running', elsewhere],
      ['warn', 'lost', lost],
      ['warn', 'stale_queued', queued],
    ],
  );
  await flows.close();
  const database = rawDatabase(`${home}/flows.sqlite`);
  database
    .prepare('UPDATE tasks SET cleanup_after = NULL, ended_at = started_at - 1 WHERE id = ?')
    .run(lost);
  database.prepare('UPDATE flows SET updated_at = created_at - 1 WHERE id = ?').run(fine);
  database.close();
  const { flows: opened } = await testFlows({}, home);
  const codes = [
    ...(await opened.operator.auditTasks()),
    ...(await opened.operator.auditFlows()),
  ].map(({ code }) => code);
  for (const code of ['missing_cleanup', 'inconsistent_timestamps'])
    assert.ok(codes.includes(code as never), code);
  assert.is(codes.filter((code) => code === 'inconsistent_timestamps').length, 2);
  await opened.close();
});

test('a queue that no worker takes is found, but not a long one, and not a paused one', async () => {
  const { flows, clock } = await testFlows();
  const flowId = await newFlow(flows);
  const unclaimed = () => flows.operator.unclaimedTasks();
  await newTask(flows, flowId, { runtime: 'acp' });
  const sinceMs = clock.nowMs;
  clock.nowMs += MINUTE;
  await newTask(flows, flowId, { runtime: 'acp' });
  clock.nowMs += 9 * MINUTE;
  assert.equal(await unclaimed(), []);
  clock.nowMs += 1;
  const found = [{ runtime: 'acp', count: 2, sinceMs }];
  assert.equal(await unclaimed(), found);
  await flows.tasks.pause(['acp'], null);
  assert.equal(await unclaimed(), []);
  await flows.tasks.resume(['acp']);
  await flows.tasks.cancel(await newTask(flows, flowId, { runtime: 'acp' }));
  assert.equal(await unclaimed(), found);
  await newTask(flows, flowId, { runtime: 'acp' });
  const lease = leaseOf(await claimTask(flows));
  clock.nowMs += 30 * MINUTE;
  assert.equal(await unclaimed(), []);
  await flows.tasks.complete(lease);
  clock.nowMs += 5 * MINUTE;
  assert.equal(await unclaimed(), []);
  clock.nowMs += 6 * MINUTE;
  assert.equal(
    (await unclaimed()).map(({ count }) => count),
    [2],
  );
  await flows.close();
});

test('notifications are stored together with the change that they report', async () => {
  const { flows } = await testFlows();
  const [done, all, none] = [
    await newFlow(flows),
    await newFlow(flows, ADA, { notifyPolicy: 'state_changes' }),
    await newFlow(flows, ADA, { notifyPolicy: 'silent' }),
  ];
  const first = await flows.outbox.takeDue({ target: 'default', limit: 100, holdMs: MINUTE });
  assert.equal(
    first.map(({ notificationId }) => notificationId),
    [`flow-event:${all}:0:queued`],
  );
  // Those after it wait until it is settled.
  for (const notification of first) await flows.outbox.markDelivered(notification);
  for (const flowId of [done, all, none]) {
    const resume = { action: 'resume_flow', flowId, expectedRevision: 0 } as const;
    await flows.perform({ ...resume, status: 'running' }, ADA);
    await finish(flows, flowId);
  }
  assert.equal(await takeAll(flows), [
    ['flow.ended', `flow-terminal:${done}:2:succeeded`],
    ['flow.changed', `flow-event:${all}:1:running`],
    ['flow.ended', `flow-terminal:${all}:2:succeeded`],
  ]);
  const flowId = await newFlow(flows, ADA, { notifyPolicy: 'silent' });
  const taskId = await newTask(flows, flowId, { notifyPolicy: 'state_changes', label: 'digest' });
  const claim = await flows.tasks.claim({ worker: 'w' });
  const lease = { taskId, token: claim?.leaseToken };
  await flows.tasks.heartbeat(lease, { progress: 'half' });
  await flows.tasks.heartbeat(lease, { progress: 'half' });
  await flows.tasks.complete(lease, { summary: 'all read', result: 3 });
  const taken = await flows.outbox.takeDue({ target: 'default', limit: 10, holdMs: MINUTE });
  assert.equal(
    taken.map(({ kind }) => kind),
    ['task.started', 'task.progress', 'task.ended'],
  );
  const payload: unknown = JSON.parse(taken[2]?.payload ?? '');
  const { text, sessionKey, task } = payload as Record<string, Record<string, unknown>>;
  assert.equal(
    [text, sessionKey, task?.['result']],
    ['Background task done: digest. all read', ADA.sessionKey, 3],
  );
  await flows.close();
});

test('a retry is reported, and so is progress repeated from an earlier attempt', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows, ADA, { notifyPolicy: 'silent' });
  const taskId = await newTask(flows, flowId, { notifyPolicy: 'state_changes' });
  const attempt = async (): Promise<void> => {
    const claim = await flows.tasks.claim({ worker: 'w' });
    const lease = { taskId, token: claim?.leaseToken };
    await flows.tasks.heartbeat(lease, { progress: 'half' });
    await flows.tasks.fail(lease, { error: 'no', retry: false });
  };
  await attempt();
  assert.is((await flows.tasks.retry(taskId)).progressSummary, null);
  await attempt();
  const taken = await flows.outbox.takeDue({ target: 'default', limit: 10, holdMs: MINUTE });
  const attempted = ['task.started', 'task.progress', 'task.ended'];
  assert.equal(
    taken.map(({ kind }) => kind),
    [...attempted, 'task.queued', ...attempted],
  );
  await flows.close();
});

test('without targets, no notifications are stored', async () => {
  const { flows } = await testFlows({ notify: {} });
  const flowId = await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
  const task = await newTask(flows, flowId);
  assert.is((await flows.operator.showTask(task)).task.deliveryStatus, 'not_applicable');
  await finish(flows, flowId);
  assert.is(await pendingCount(flows), 0);
  await flows.close();
});

test('a notification is claimed by one process, and again if that process died', async () => {
  const opened = await testFlows();
  const { clock } = opened;
  const id = await newTask(opened.flows, await newFlow(opened.flows));
  assert.is((await opened.flows.operator.showTask(id)).task.deliveryStatus, 'pending');
  await opened.flows.tasks.cancel(id);
  const first = await takeAll(opened.flows);
  assert.is(first.length, 1);
  assert.equal(await takeAll(opened.flows), []);
  const flows = await opened.reopen();
  clock.nowMs += MINUTE;
  assert.equal(await takeAll(flows), first);
  const [, notificationId = ''] = first[0] ?? [];
  const notification = { notificationId, target: 'default' };
  for (let attempt = 2; attempt < 10; attempt++) {
    assert.ok(await flows.outbox.markFailed(notification, { error: 'down' }));
    assert.is((await flows.operator.showTask(id)).task.deliveryStatus, 'pending');
    clock.nowMs = (await dueAt(flows)) ?? 0;
    assert.equal(await takeAll(flows), first);
  }
  await flows.outbox.markFailed(notification, { error: 'down' });
  assert.equal([await pendingCount(flows), await dueAt(flows)], [0, undefined]);
  assert.is((await flows.operator.showTask(id)).task.deliveryStatus, 'failed');
  assert.is((await flows.operator.auditTasks())[0]?.code, 'delivery_failed');
  assert.is(await flows.outbox.markDelivered(notification), false);
  await flows.close();
});

test('what waits for later does not wait longer after the clock was ahead', async () => {
  const opened = await testFlows();
  const { clock } = opened;
  const startMs = clock.nowMs;
  clock.nowMs += 30 * DAY;
  const flowId = await newFlow(opened.flows);
  const [retried, lost, done] = [
    await newTask(opened.flows, flowId),
    await newTask(opened.flows, flowId),
    await newTask(opened.flows, flowId),
  ];
  await opened.flows.tasks.fail(leaseOf(await claimTask(opened.flows)), { error: 'busy' });
  assert.is((await claimTask(opened.flows)).task.taskId, lost);
  await opened.flows.tasks.cancel(done);
  const [event = []] = await takeAll(opened.flows);
  const notification = { notificationId: event[1] ?? '', target: 'default' };
  await opened.flows.outbox.markFailed(notification, { error: 'down' });
  const unwanted = await newFlow(opened.flows);
  const request = { action: 'request_cancel', flowId: unwanted, expectedRevision: 0 } as const;
  await opened.flows.perform(request, ADA);
  clock.nowMs = startMs;
  const flows = await opened.reopen();
  assert.equal(await takeAll(flows), []);
  assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
  await flows.operator.sweep();
  assert.equal((await takeAll(flows)).slice(0, 1), [event]);
  assert.is((await flows.operator.showFlow(unwanted)).flow.status, 'cancelled');
  assert.is((await claimTask(flows)).task.taskId, retried);
  // Its worker may still run, so it has the time of a lease to report.
  assert.is((await flows.operator.showTask(lost)).task.status, 'running');
  clock.nowMs += MINUTE + 1;
  await flows.operator.sweep();
  assert.is((await flows.operator.showTask(lost)).task.status, 'queued');
  await flows.close();
});

test('a task shows that its end was delivered', async () => {
  const { flows } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  await flows.tasks.cancel(id);
  const [[, notificationId = ''] = []] = await takeAll(flows);
  const notification = { notificationId, target: 'default' };
  assert.ok(await flows.outbox.markDelivered(notification));
  assert.is((await flows.operator.showTask(id)).task.deliveryStatus, 'delivered');
  await flows.close();
});

test("the outcome of an earlier end's notification does not affect the last one", async () => {
  const { flows, clock } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  const claim = async () => {
    const claimed = await flows.tasks.claim({ worker: 'w' });
    return { taskId: id, token: claimed?.leaseToken };
  };
  const ends = async () =>
    (await flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: MINUTE })).filter(
      ({ kind }) => kind === 'task.ended',
    );
  await flows.tasks.fail(await claim(), { error: 'no', retry: false });
  const [first] = await ends();
  await flows.tasks.retry(id);
  // Until then, the second waits for the first.
  clock.nowMs += MINUTE;
  await flows.tasks.complete(await claim());
  const [, second] = await ends();
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(await flows.outbox.markDelivered(second));
  assert.ok(await flows.outbox.markFailed(first, { error: 'gone', permanent: true }));
  assert.is((await flows.operator.showTask(id)).task.deliveryStatus, 'delivered');
  assert.equal(await flows.operator.auditTasks(), []);
  await flows.close();
});

test.run();
