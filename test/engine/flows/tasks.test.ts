import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { type Flows, waitForTask } from '../../../src/engine/flows/index.js';
import { NEVER } from '../../../src/engine/support/async.js';
import { failureOf } from '../../support/failure.js';
import {
  ADA,
  claimTask,
  leaseOf,
  newFlow,
  newTask,
  testFlows,
  viewOf,
} from '../../support/flows.js';

const test = suite('tasks and their workers');

const stateOf = async (flows: Flows, id: string): Promise<string> =>
  (await flows.operator.showTask(id)).task.status;

test('the oldest matching task is claimed first, by one worker only', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const first = await newTask(flows, flowId, { runtime: 'acp' });
  const second = await newTask(flows, flowId, { agentId: 'main' });
  const third = await newTask(flows, flowId);
  assert.is((await claimTask(flows, { runtimes: ['subagent'] })).task.taskId, second);
  assert.is(await flows.tasks.claim({ worker: 'w', agentId: 'main' }), undefined);
  const [one, two] = await Promise.all([claimTask(flows), claimTask(flows)]);
  assert.equal([one.task.taskId, two.task.taskId], [first, third]);
  assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
  assert.is.not(one.leaseToken, two.leaseToken);
  assert.is(one.flow?.flowId, flowId);
  await flows.close();
});

test('only the holder of a task can report on it', async () => {
  const { flows } = await testFlows();
  await newTask(flows, await newFlow(flows));
  const held = await claimTask(flows);
  const { taskId } = held.task;
  for (const token of ['wrong', undefined]) {
    const answer = await flows.tasks.complete({ taskId, token });
    assert.is(answer.ok || answer.code, 'lease_lost');
  }
  const unknown = await flows.tasks.heartbeat({ taskId: 'x', token: 'y' });
  assert.is(unknown.ok || unknown.code, 'not_found');
  const done = await flows.tasks.complete(leaseOf(held), {
    summary: 'it is done',
    outcome: 'blocked',
    result: { pages: 3 },
  });
  assert.ok(done.ok);
  assert.equal(
    [done.task.status, done.task.terminalOutcome, done.task.terminalSummary, done.task.resultJson],
    ['succeeded', 'blocked', 'it is done', '{"pages":3}'],
  );
  const again = await flows.tasks.fail(leaseOf(held), { error: 'no' });
  assert.is(again.ok || again.code, 'ended');
  assert.not.match(JSON.stringify(await flows.operator.showTask(taskId)), held.leaseToken);
  await flows.close();
});

test('a result that is nested too deeply is refused, and its task is still held', async () => {
  const { flows } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  const lease = leaseOf(await claimTask(flows));
  const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  for (const levels of [65, 20_000]) {
    const refused = flows.tasks.complete(lease, { result: nested(levels) });
    assert.is((await failureOf(refused)).code, 'TASK_RESULT_TOO_DEEP');
  }
  assert.is(await stateOf(flows, id), 'running');
  const done = await flows.tasks.complete(lease, { result: nested(64) });
  assert.is(done.ok && done.task.resultJson, '['.repeat(64) + ']'.repeat(64));
  await flows.close();
});

test('a worker that waits survives an outage of the server and a locked file, and nothing else', async () => {
  const { flows } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  const outage = new SvcError('STORAGE_UNREACHABLE', 'it does not answer');
  const failures = [outage, new SvcError('STORAGE_REFUSED', 'it refused the login')];
  const seen: SvcError[] = [];
  const wait = (opens: SvcError[]) =>
    waitForTask(
      async () => {
        const failure = opens.shift();
        if (failure !== undefined) throw failure;
        return flows;
      },
      { worker: 'w' },
      NEVER,
      (error) => seen.push(error),
    );
  assert.is((await failureOf(wait(failures))).code, 'STORAGE_REFUSED');
  const locked = new SvcError('FLOWS_BUSY', 'a backup reads it');
  assert.is((await wait([outage, locked])).task.taskId, id);
  assert.equal(seen, [outage, outage, locked]);
  await flows.close();
});

test('a worker that stopped waiting gets no task', async () => {
  const { flows } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  const stopped = AbortSignal.abort(new Error('stopped'));
  assert.is(await flows.tasks.wait({ worker: 'w' }, stopped).catch(String), 'Error: stopped');
  assert.is(await stateOf(flows, id), 'queued');
  await flows.close();
});

test('a failed task is retried after a delay, and fails for good after its last attempt', async () => {
  const { flows, clock } = await testFlows();
  const id = await newTask(flows, await newFlow(flows));
  for (const restMs of [5000, 10_000]) {
    await flows.tasks.fail(leaseOf(await claimTask(flows)), { error: 'no luck' });
    assert.is(await stateOf(flows, id), 'queued');
    assert.is(await flows.tasks.nextDueAt(), clock.nowMs + restMs);
    clock.nowMs += restMs - 1;
    assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
    clock.nowMs += 1;
  }
  await flows.tasks.fail(leaseOf(await claimTask(flows)), { error: 'too slow', timedOut: true });
  const { task } = await flows.operator.showTask(id);
  assert.equal([task.status, task.error, task.attempts], ['timed_out', 'too slow', 3]);
  const other = await newTask(flows, await newFlow(flows));
  await flows.tasks.fail(leaseOf(await claimTask(flows)), { error: 'never', retry: false });
  assert.is(await stateOf(flows, other), 'failed');
  await flows.close();
});

test('a worker silent for too long loses its task, which is retried or lost, as configured', async () => {
  for (const orphans of ['requeue', 'lost'] as const) {
    const { flows, clock } = await testFlows({
      leaseSeconds: 30,
      orphans,
      runtimes: { subagent: { maxAttempts: 2 } },
    });
    const id = await newTask(flows, await newFlow(flows));
    const first = await claimTask(flows);
    clock.nowMs += 29_000;
    const alive = await flows.tasks.heartbeat(leaseOf(first), { progress: 'half' });
    assert.ok(alive.ok && alive.task.leaseExpiresAt === clock.nowMs + 30_000);
    clock.nowMs += 29_000;
    await flows.operator.sweep();
    assert.is(await stateOf(flows, id), 'running');
    clock.nowMs += 1001;
    const swept = await flows.operator.sweep();
    assert.equal([swept.requeued, swept.lost], orphans === 'requeue' ? [1, 0] : [0, 1]);
    const late = await flows.tasks.complete(leaseOf(first));
    assert.is(late.ok, false);
    if (orphans === 'requeue') {
      clock.nowMs += 5000;
      await claimTask(flows);
      // Asking for work is enough to notice.
      clock.nowMs += 30_001;
      assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
    }
    assert.is(await stateOf(flows, id), 'lost');
    await flows.close();
  }
});

test('a clock that jumps forward takes no task from a worker that had no time to report', async () => {
  const { flows, clock } = await testFlows({ leaseSeconds: 30 });
  const flowId = await newFlow(flows);
  const [alive, dead] = [await newTask(flows, flowId), await newTask(flows, flowId)];
  const held = await claimTask(flows, { leaseMs: 90_000 });
  await claimTask(flows);
  clock.nowMs += 20_000;
  clock.setAheadMs = 8 * 3_600_000;
  // Neither the sweep of another process nor somebody who asks for work.
  assert.is((await flows.operator.sweep()).requeued, 0);
  assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
  clock.nowMs += 10_001;
  assert.is((await flows.operator.sweep()).requeued, 1);
  assert.equal([await stateOf(flows, alive), await stateOf(flows, dead)], ['running', 'queued']);
  // What is promised after the jump ends as ever.
  assert.ok((await flows.tasks.heartbeat(leaseOf(held))).ok);
  clock.nowMs += 30_001;
  assert.is((await flows.operator.sweep()).requeued, 1);
  assert.is(await stateOf(flows, alive), 'queued');
  await flows.close();
});

test('a worker that reports late but in time still holds its task', async () => {
  const { flows, clock } = await testFlows({ leaseSeconds: 1 });
  await newTask(flows, await newFlow(flows));
  const held = await claimTask(flows);
  clock.nowMs += 60_000;
  assert.ok((await flows.tasks.heartbeat(leaseOf(held))).ok);
  assert.ok((await flows.tasks.complete(leaseOf(held))).ok);
  await flows.close();
});

test('a worker learns of a cancellation at its next heartbeat, a silent one when its lease ends', async () => {
  const { flows, clock } = await testFlows({ leaseSeconds: 30 });
  const flowId = await newFlow(flows);
  const [responsive, silent, queued] = [
    await newTask(flows, flowId),
    await newTask(flows, flowId),
    await newTask(flows, flowId),
  ];
  const held = await claimTask(flows);
  await claimTask(flows);
  const answer = await flows.perform({ action: 'cancel_flow', flowId }, ADA);
  assert.equal([answer.ok, answer.code], [true, 'cancel_pending']);
  assert.is(viewOf(answer)['status'], 'queued');
  assert.is(await stateOf(flows, queued), 'cancelled');
  const beat = await flows.tasks.heartbeat(leaseOf(held));
  assert.ok(beat.ok && beat.task.cancelRequestedAt !== null);
  await flows.tasks.fail(leaseOf(held), { error: 'stopped' });
  assert.is(await stateOf(flows, responsive), 'cancelled');
  assert.is((await flows.operator.showFlow(flowId)).flow.status, 'queued');
  clock.nowMs += 30_001;
  assert.is((await flows.operator.sweep()).cancelledTasks, 1);
  assert.is(await stateOf(flows, silent), 'cancelled');
  const { flow } = await flows.operator.showFlow(flowId);
  assert.equal([flow.status, flow.endedAt], ['cancelled', clock.nowMs]);
  await flows.close();
});

test('a flow whose cancellation waits for a silent worker ends when its task is cancelled by hand', async () => {
  const { flows, clock } = await testFlows({ leaseSeconds: 30 });
  const flowId = await newFlow(flows);
  const task = await newTask(flows, flowId);
  await claimTask(flows);
  await flows.perform({ action: 'cancel_flow', flowId }, ADA);
  clock.nowMs += 30_001;
  await flows.tasks.cancel(task);
  assert.is(await stateOf(flows, task), 'cancelled');
  assert.is((await flows.operator.showFlow(flowId)).flow.status, 'cancelled');
  await flows.close();
});

test('a released task runs at once, and its attempt does not count', async () => {
  const { flows } = await testFlows({ runtimes: { subagent: { maxAttempts: 1 } } });
  await newTask(flows, await newFlow(flows));
  assert.ok((await flows.tasks.release(leaseOf(await claimTask(flows)))).ok);
  assert.is((await claimTask(flows)).task.attempts, 1);
  await flows.close();
});

test('a task that runs elsewhere cannot be claimed, and ends without a token', async () => {
  const { flows, clock } = await testFlows();
  const flowId = await newFlow(flows);
  const startedAt = clock.nowMs - 60_000;
  const running = { status: 'running', startedAt, progressSummary: 'on it' } as const;
  const [good, bad, stopped] = [
    await newTask(flows, flowId, running),
    await newTask(flows, flowId, running),
    await newTask(flows, flowId, running),
  ];
  const { task } = await flows.operator.showTask(good);
  assert.equal(
    [task.startedAt, task.createdAt, task.progressSummary],
    [startedAt, startedAt, 'on it'],
  );
  assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
  const beat = await flows.tasks.heartbeat(
    { taskId: good, token: undefined },
    { progress: 'more' },
  );
  assert.ok(beat.ok && beat.task.leaseExpiresAt === null);
  // A worker that reports on it may have the token of its own task in its environment.
  assert.ok((await flows.tasks.complete({ taskId: good, token: 'lt_other' })).ok);
  await flows.tasks.fail({ taskId: bad, token: undefined }, { error: 'no' });
  assert.is(await stateOf(flows, bad), 'failed');
  assert.is((await flows.tasks.cancel(stopped)).status, 'cancelled');
  await flows.close();
});

test('an operator can retry a failed task while its flow is active', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const id = await newTask(flows, flowId);
  assert.is((await failureOf(flows.tasks.retry(id))).code, 'TASK_NOT_RETRYABLE');
  await flows.tasks.cancel(id);
  assert.is((await failureOf(flows.tasks.cancel(id))).code, 'TASK_ENDED');
  const again = await flows.tasks.retry(id.slice(0, 8));
  assert.equal([again.status, again.attempts, again.endedAt], ['queued', 0, null]);
  await flows.tasks.complete(leaseOf(await claimTask(flows)));
  assert.is((await failureOf(flows.tasks.retry(id))).code, 'TASK_NOT_RETRYABLE');
  const other = await newTask(flows, flowId);
  const failed = await newTask(flows, await newFlow(flows));
  await flows.tasks.cancel(failed);
  await flows.operator.cancelFlow(flowId);
  assert.is((await failureOf(flows.tasks.retry(other))).code, 'FLOW_ENDED');
  const retryable = { statuses: ['cancelled'], ofContinuing: true, limit: 9 } as const;
  const { entries, total } = await flows.operator.listTasks(retryable);
  assert.equal([entries.map(({ taskId }) => taskId), total], [[failed], 1]);
  assert.is((await failureOf(flows.operator.cancelFlow(flowId))).code, 'FLOW_ENDED');
  assert.is((await failureOf(flows.tasks.cancel('0000'))).code, 'TASK_NOT_FOUND');
  await flows.close();
});

test('a task does not run again once its flow only ends', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const id = await newTask(flows, flowId);
  const held = await claimTask(flows);
  await flows.perform({ action: 'request_cancel', flowId, expectedRevision: 0 }, ADA);
  await flows.tasks.fail(leaseOf(held), { error: 'no' });
  assert.is(await stateOf(flows, id), 'failed');
  assert.is((await flows.operator.showFlow(flowId)).flow.status, 'cancelled');
  await flows.close();
});

test.run();
