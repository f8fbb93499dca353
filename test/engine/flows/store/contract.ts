import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import type {
  FlowAnswer,
  FlowFilter,
  FlowSchedule,
  Flows,
} from '../../../../src/engine/flows/index.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { failureOf } from '../../../support/failure.js';
import type { TestFlowStore } from '../../../support/flow-stores.js';
import {
  ADA,
  BOB,
  claimTask,
  codeOf,
  leaseOf,
  newFlow,
  newTask,
  pendingCount,
  viewOf,
} from '../../../support/flows.js';
import { waitFor } from '../../../support/wait.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function statusOf(flows: Flows, id: string): Promise<string> {
  return (await flows.operator.showTask(id)).task.status;
}

const flowOf = async (flows: Flows, id: string) => (await flows.operator.showFlow(id)).flow;

const countOf = async (flows: Flows) => (await flows.operator.listFlows({ limit: 1 })).total;

/** A schedule whose first run is in an hour. */
function everyHour(startMs: number): FlowSchedule {
  return {
    id: 'hourly',
    rhythm: 'every hour',
    lastDue: (afterMs, untilMs) => {
      const last = untilMs - ((((untilMs - startMs) % HOUR) + HOUR) % HOUR);
      return last > afterMs ? last : undefined;
    },
    overlap: 'allow',
    caller: ADA,
    make: () => ({
      type: 'action',
      action: {
        action: 'start_flow',
        flow: { action: 'create_flow', goal: 'g' },
        task: { action: 'run_task', runtime: 'acp', task: 'look' },
      },
    }),
  };
}

/** What every store of flows promises. */
export function storeContract(store: TestFlowStore): void {
  const test = suite(`flows in ${store.name}`);
  test.after(() => store.stop());

  test('every field is stored as it was given', async () => {
    const { flows, other, close } = await store.open();
    const flowId = await newFlow(flows, ADA, {
      goal: 'Größe “x” \\ \\u0000 𝄞',
      currentStep: 'one',
      stateJson: { text: 'a\u0000b', deep: [1, { two: null }] },
      waitJson: null,
      notifyPolicy: 'state_changes',
    });
    const taskId = await newTask(flows, flowId, { label: 'l', runId: 'r', agentId: 'main' });
    const second = await other();
    const seen = viewOf(await second.perform({ action: 'get_flow', flowId }, ADA));
    assert.equal(
      [seen['goal'], seen['currentStep'], seen['stateJson'], seen['waitJson']],
      ['Größe “x” \\ \\u0000 𝄞', 'one', { text: 'a\u0000b', deep: [1, { two: null }] }, null],
    );
    const { task } = await second.operator.showTask(taskId);
    assert.equal([task.label, task.runId, task.agentId, task.attempts], ['l', 'r', 'main', 0]);
    assert.equal((await flows.operator.showTask(taskId.slice(0, 8))).task, task);
    assert.equal(await flowOf(second, flowId.slice(0, 8)), await flowOf(flows, flowId));
    await close();
  });

  test('an operator finds a flow by the beginning of its id, in either case, but not by a pattern', async () => {
    const { flows, close } = await store.open();
    const flowId = await newFlow(flows, ADA);
    for (const typed of [flowId.slice(0, 4), flowId.slice(0, 9).toUpperCase(), flowId]) {
      assert.is((await flowOf(flows, typed)).flowId, flowId, typed);
    }
    const masked = `${flowId.slice(0, 3)}_${flowId.slice(4, 6)}`;
    for (const typed of [flowId.slice(0, 3), '____', '%%%%', masked, `${flowId}0`]) {
      const { code, hint } = await failureOf(flowOf(flows, typed));
      assert.is(code, 'FLOW_NOT_FOUND', typed);
      assert.is(hint?.startsWith('use at least the first 4 characters'), typed.length < 4, typed);
    }
    await close();
  });

  test('text that is not Unicode, or has NUL, is stored with replacements or as it is', async () => {
    const { flows, close } = await store.open();
    const flowId = await newFlow(flows, ADA, { goal: 'a \u0000 b', currentStep: 'x\ud800y' });
    assert.match((await flowOf(flows, flowId)).goal, /^a [\0\ufffd] b$/u);
    const answer = await flows.perform({ action: 'get_flow', flowId: 'a\u0000b' }, ADA);
    assert.equal(answer.result, { flow: null });
    const missing = await flows.perform({ action: 'cancel_flow', flowId: 'a\u0000b' }, ADA);
    assert.is(codeOf(missing), 'not_found');
    await close();
  });

  test('a hundred changes at once are all made, each with its own answer', async () => {
    const { flows, close } = await store.open();
    const ids = await Promise.all(Array.from({ length: 100 }, () => newFlow(flows)));
    assert.is(new Set(ids).size, 100);
    assert.is((await flows.operator.listFlows({ limit: 5 })).total, 100);
    const changes = await Promise.all(
      ids.flatMap((flowId) => [
        flows.perform({ action: 'resume_flow', flowId, expectedRevision: 0 }, ADA),
        flows.perform({ action: 'run_task', flowId, runtime: 'acp', task: flowId }, ADA),
      ]),
    );
    assert.ok(changes.every(({ ok }) => ok));
    assert.equal(await flows.operator.counts(), {
      flows: { queued: 100 },
      tasks: { queued: 100 },
      failedNotifications: 0,
    });
    await close();
  });

  test('of several changes of one revision at once, one is made', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    for (let revision = 0; revision < 4; revision++) {
      const action = { action: 'resume_flow', flowId, expectedRevision: revision } as const;
      const answers = await Promise.all(
        [flows, flows, second, flows, second].map((one) => one.perform(action, ADA)),
      );
      assert.equal(answers.map(codeOf).sort(), ['ok', ...Array(4).fill('revision_conflict')]);
    }
    assert.is((await flowOf(second, flowId)).revision, 4);
    await close();
  });

  test('a flow that is being cancelled ends once, with the last of its tasks', async () => {
    const { flows, close } = await store.open();
    for (let round = 0; round < 5; round++) {
      const flowId = await newFlow(flows);
      for (let n = 0; n < 4; n++) await newTask(flows, flowId);
      const held = await Promise.all(Array.from({ length: 4 }, () => claimTask(flows)));
      const answer = await flows.perform({ action: 'cancel_flow', flowId }, ADA);
      assert.is(codeOf(answer), 'cancel_pending');
      await Promise.all(held.map((one) => flows.tasks.complete(leaseOf(one))));
      const flow = await flowOf(flows, flowId);
      assert.equal([flow.status, flow.revision], ['cancelled', 2]);
    }
    await close();
  });

  test('cancelling and claiming at once leave no task that runs in a cancelled flow', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    for (let round = 0; round < 8; round++) {
      const flowId = await newFlow(flows);
      await Promise.all(Array.from({ length: 3 }, () => newTask(flows, flowId)));
      const [answer, ...claims] = await Promise.all([
        flows.perform({ action: 'cancel_flow', flowId }, ADA),
        ...[flows, second, flows, second].map((one) => one.tasks.claim({ worker: 'w' })),
      ]);
      const { flow, tasks } = await flows.operator.showFlow(flowId);
      const running = tasks.filter(({ status }) => status === 'running');
      const held = claims.flatMap((claim) => claim ?? []);
      assert.is(held.length, running.length);
      assert.ok(running.every(({ cancelRequestedAt }) => cancelRequestedAt !== null));
      assert.is(flow.status, running.length === 0 ? 'cancelled' : 'queued');
      assert.is(codeOf(answer), running.length === 0 ? 'ok' : 'cancel_pending');
      for (const one of held) await flows.tasks.fail(leaseOf(one), { error: 'stopped' });
      assert.is((await flowOf(flows, flowId)).status, 'cancelled');
    }
    await close();
  });

  test('the same key at once makes one change, in one process and in two', async () => {
    const { flows, other, passTime, close } = await store.open();
    const second = await other();
    const create = { action: 'create_flow', goal: 'g' } as const;
    const key = { key: 'k', bodyHash: 'h' };
    const answers = await Promise.all(
      [flows, second, flows, second, flows].map((one) => one.perform(create, ADA, key)),
    );
    assert.is(new Set(answers.map(({ result }) => JSON.stringify(result))).size, 1);
    assert.is(answers.filter(({ ok, replayed }) => ok && replayed === undefined).length, 1);
    assert.is((await flows.operator.listFlows({ limit: 1 })).total, 1);
    const body = { key: 'k', bodyHash: 'h2' };
    assert.is(codeOf(await second.perform(create, ADA, body)), 'idempotency_mismatch');
    assert.ok((await second.perform(create, BOB, body)).ok);
    // A rejection is an answer too.
    const bad = { action: 'cancel_flow', flowId: 'none' } as const;
    const refusals = await Promise.all([
      flows.perform(bad, ADA, key),
      second.perform(bad, ADA, key),
    ]);
    assert.equal(refusals.map(codeOf), ['not_found', 'not_found']);
    await passTime(DAY + 1);
    const again = await Promise.all([
      flows.perform(create, ADA, key),
      second.perform(create, ADA, key),
    ]);
    assert.equal(again[1].result, again[0].result);
    assert.is.not(viewOf(again[0])['flowId'], viewOf(answers[0] ?? again[0])['flowId']);
    await flows.operator.sweep();
    await close();
  });

  test('a delivery that arrives often at once, in two processes, starts one flow with one task', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const start = {
      action: 'start_flow',
      flow: { action: 'create_flow', goal: 'g' },
      task: { action: 'run_task', runtime: 'acp', task: 't' },
    } as const;
    const delivery = { key: 'r:d1', bodyHash: 'a', deliveryMs: MINUTE };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? flows : second).perform(start, ADA, delivery),
      ),
    );
    const { replayed: _, ...first } = answers[0] ?? { replayed: undefined };
    for (const { replayed: __, ...answer } of answers) assert.equal(answer, first);
    assert.is(answers.filter(({ replayed }) => replayed === undefined).length, 1);
    const counts = await flows.operator.counts();
    assert.equal([counts.flows.queued, counts.tasks.queued], [1, 1]);
    const another = { ...delivery, bodyHash: 'b' };
    assert.is(codeOf(await second.perform(start, ADA, another)), 'delivery_mismatch');
    // Whatever the body is mapped to, it is the same delivery.
    const { flow } = start;
    assert.is((await flows.perform(flow, ADA, delivery)).replayed, true);
    await close();
  });

  test('the oldest matching task is claimed by one worker only', async () => {
    const { flows, other, passTime, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    const first = await newTask(flows, flowId, { runtime: 'acp' });
    const mine = await newTask(flows, flowId, { agentId: 'main' });
    const third = await newTask(flows, flowId);
    assert.is((await claimTask(flows, { runtimes: ['subagent'] })).task.taskId, mine);
    assert.is(await second.tasks.claim({ worker: 'w', agentId: 'main' }), undefined);
    const two = [await claimTask(second), await claimTask(flows)];
    assert.equal(
      two.map(({ task }) => task.taskId),
      [first, third],
    );
    const ids = await Promise.all(Array.from({ length: 20 }, () => newTask(flows, flowId)));
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (at % 2 === 0 ? flows : second).tasks.claim({ worker: 'w' }),
      ),
    );
    const given = claims.flatMap((claim) => claim?.task.taskId ?? []);
    assert.is(new Set(given).size, given.length);
    const rest: string[] = [];
    for (;;) {
      const claim = await flows.tasks.claim({ worker: 'w' });
      if (claim === undefined) break;
      rest.push(claim.task.taskId);
    }
    assert.equal([...given, ...rest].sort(), ids.toSorted());
    await passTime(0);
    await close();
  });

  test('a silent worker loses its task, which runs again after a delay', async () => {
    const { flows, passTime, close } = await store.open({ leaseSeconds: 30 });
    const id = await newTask(flows, await newFlow(flows));
    const first = await claimTask(flows);
    await passTime(20_000);
    const beat = await flows.tasks.heartbeat(leaseOf(first), { progress: 'half' });
    assert.ok(beat.ok && Math.abs((beat.task.leaseExpiresAt ?? 0) - flows.now() - 30_000) < 5000);
    await passTime(20_000);
    assert.is((await flows.operator.sweep()).requeued, 0);
    await passTime(10_001);
    assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
    assert.is(await statusOf(flows, id), 'queued');
    assert.is((await flows.tasks.complete(leaseOf(first))).ok, false);
    const dueAt = (await flows.tasks.nextDueAt()) ?? 0;
    assert.ok(dueAt > flows.now() && dueAt <= flows.now() + 5000);
    await passTime(5000);
    const second = await claimTask(flows);
    assert.equal([second.task.taskId, second.task.attempts], [id, 2]);
    assert.ok((await flows.tasks.release(leaseOf(second))).ok);
    const third = await claimTask(flows);
    assert.ok((await flows.tasks.complete(leaseOf(third), { result: { pages: 3 } })).ok);
    assert.is((await flows.operator.showTask(id)).task.resultJson, '{"pages":3}');
    await close();
  });

  test('leases that expired together are all taken back, and end cancelled flows', async () => {
    const { flows, passTime, close } = await store.open({ orphans: 'lost' });
    const flowIds = [await newFlow(flows), await newFlow(flows)];
    for (const flowId of flowIds) for (let n = 0; n < 3; n++) await newTask(flows, flowId);
    await Promise.all(Array.from({ length: 6 }, () => claimTask(flows)));
    await flows.operator.cancelFlow(flowIds[0] ?? '');
    await passTime(61_000);
    const swept = await flows.operator.sweep();
    assert.equal([swept.cancelledTasks, swept.lost], [3, 3]);
    const statuses = await Promise.all(flowIds.map(async (id) => (await flowOf(flows, id)).status));
    assert.equal(statuses, ['cancelled', 'queued']);
    await close();
  });

  test('a waiting worker gets a task from another process', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    const waiting = second.tasks.wait({ worker: 'w' }, NEVER);
    const id = await newTask(flows, flowId);
    assert.is((await waiting).task.taskId, id);
    const gone = new AbortController();
    const inVain = second.tasks.wait({ worker: 'w' }, gone.signal);
    gone.abort(new Error('enough'));
    assert.match(String(await inVain.catch((error: unknown) => error)), 'enough');
    await close();
  });

  test('tasks of a paused runtime wait in all processes, and waiting workers notice when it is resumed', async () => {
    const { flows, other, reopen, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    const held = await newTask(flows, flowId, { runtime: 'acp' });
    const lease = leaseOf(await claimTask(flows, { runtimes: ['acp'] }));
    const waiting = await newTask(flows, flowId, { runtime: 'acp' });
    const free = await newTask(flows, flowId);
    const [pause] = await second.tasks.pause(['acp'], 'a new release');
    assert.equal([pause?.runtime, pause?.reason], ['acp', 'a new release']);
    // Kept over a restart, with its time, and another reason.
    const third = await reopen(second);
    const again = await third.tasks.pause(['acp'], null);
    assert.equal(again, [pause]);
    assert.equal(await flows.tasks.paused(), again);

    assert.is(await flows.tasks.claim({ worker: 'w', runtimes: ['acp'] }), undefined);
    assert.is((await claimTask(third)).task.taskId, free);
    assert.is(await third.tasks.claim({ worker: 'w' }), undefined);
    assert.is((await flows.tasks.heartbeat(lease)).ok, true);
    assert.is((await flows.tasks.complete(lease)).ok, true);
    assert.is(await statusOf(flows, held), 'succeeded');

    const worker = flows.tasks.wait({ worker: 'w' }, NEVER);
    assert.equal(await third.tasks.resume(['acp', 'subagent']), []);
    assert.is((await worker).task.taskId, waiting);
    await close();
  });

  test('a retry of a paused runtime is not due', async () => {
    const { flows, passTime, close } = await store.open();
    await newTask(flows, await newFlow(flows));
    await flows.tasks.fail(leaseOf(await claimTask(flows)), { error: 'x' });
    assert.ok((await flows.tasks.nextDueAt()) !== undefined);
    await flows.tasks.pause(['subagent'], null);
    await passTime(MINUTE);
    assert.is(await flows.tasks.nextDueAt(), undefined);
    assert.is(await flows.tasks.claim({ worker: 'w' }), undefined);
    await flows.tasks.resume(['subagent']);
    assert.is((await claimTask(flows)).task.attempts, 2);
    await close();
  });

  test('missed runs of a schedule lead to one flow with its task, whichever process runs it', async () => {
    const { flows, other, passTime, close } = await store.open();
    const due = everyHour(flows.now());
    const started = await flows.schedules.runDue(due);
    assert.equal([started.type, await countOf(flows)], ['waits', 0], 'it starts now');
    for (const hours of [5, 1]) {
      await passTime(hours * HOUR);
      const second = await other();
      const runs = [flows, second, flows, second, second, flows];
      const outcomes = await Promise.all(runs.map((one) => one.schedules.runDue(due)));
      assert.equal(outcomes.map(({ type }) => type).sort(), ['ran', ...Array(5).fill('waits')]);
    }
    assert.is(await countOf(flows), 2);
    const [record] = await flows.schedules.records();
    const { tasks, flow } = await flows.operator.showFlow(record?.flowId ?? '');
    assert.equal([flow.ownerKey, flow.controllerId], [ADA.sessionKey, ADA.controllerId]);
    assert.equal(
      tasks.map(({ task }) => task),
      ['look'],
    );
    assert.ok((record?.handledUntil ?? 0) === record?.scheduledAt);
    await close();
  });

  test('a schedule that skips waits for the end of its last flow', async () => {
    const { flows, passTime, close } = await store.open();
    const due = { ...everyHour(flows.now()), overlap: 'skip' } as const;
    await flows.schedules.runDue(due);
    await passTime(HOUR);
    const first = await flows.schedules.runDue(due);
    const flowId = first.type === 'ran' ? first.flow.flowId : '';
    await passTime(HOUR);
    assert.is((await flows.schedules.runDue(due)).type, 'skipped');
    assert.is((await flows.schedules.runDue(due)).type, 'waits', 'it is not made up');
    assert.is((await flows.schedules.runNow(due)).type, 'ran', 'but by hand');
    const { entries } = await flows.operator.listFlows({ limit: 9 });
    for (const { flow } of entries) await flows.operator.cancelFlow(flow.flowId);
    assert.is(entries.at(-1)?.flow.flowId, flowId);
    await passTime(HOUR);
    assert.is((await flows.schedules.runDue(due)).type, 'ran');
    await close();
  });

  test('a schedule with changed times, or enabled again, does not catch up', async () => {
    const { flows, passTime, close } = await store.open();
    const due = everyHour(flows.now() - 30 * MINUTE);
    await flows.schedules.runDue(due);
    await passTime(3 * HOUR);
    const other = { ...due, rhythm: 'another' };
    assert.is((await flows.schedules.runDue(other)).type, 'waits');
    await passTime(3 * HOUR);
    await flows.schedules.turnOff(due.id);
    assert.is((await flows.schedules.runDue(other)).type, 'waits');
    assert.is(await countOf(flows), 0);
    // What was due just now runs, so that hosts that disagree do not keep each other from it.
    await passTime(3 * HOUR);
    const justNow = everyHour(flows.now() - 10_000);
    assert.is((await flows.schedules.runDue({ ...justNow, rhythm: 'third' })).type, 'ran');
    assert.is((await flows.schedules.runDue(justNow)).type, 'waits', 'but once');
    await close();
  });

  test('a manual run does not change the next one, and an invalid one changes nothing', async () => {
    const { flows, passTime, close } = await store.open();
    const due = everyHour(flows.now());
    const invalid = { ...due, make: () => ({ type: 'invalid', error: 'no goal' }) as const };
    await flows.schedules.runDue(due);
    await passTime(HOUR);
    assert.equal(await flows.schedules.runDue(invalid), { type: 'invalid', error: 'no goal' });
    assert.is((await flows.schedules.runNow(due)).type, 'ran');
    assert.is((await flows.schedules.runDue(due)).type, 'ran');
    assert.is(await countOf(flows), 2);
    await close();
  });

  test('a schedule that only ran manually starts when a process runs it', async () => {
    const { flows, passTime, close } = await store.open();
    const due = everyHour(flows.now() - 30 * MINUTE);
    assert.is((await flows.schedules.runNow(due)).type, 'ran');
    await passTime(3 * HOUR);
    assert.is((await flows.schedules.runDue(due)).type, 'waits');
    await passTime(HOUR);
    assert.is((await flows.schedules.runDue(due)).type, 'ran');
    await close();
  });

  test('the version of a store differs after each commit', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const before = [await flows.version(), await second.version()];
    await newTask(flows, await newFlow(flows, ADA, { notifyPolicy: 'state_changes' }));
    assert.is.not(await flows.version(), before[0]);
    assert.is.not(await second.version(), before[1]);
    // Tests of other files commit in the same PostgreSQL cluster, and the version is that of the whole cluster.
    await waitFor('a version that stays', async () => {
      const after = await second.version();
      return (await second.version()) === after;
    });
    await close();
  });

  test('a notification is claimed by one process, settled once, and kept until then', async () => {
    const { flows, other, passTime, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
    const id = await newTask(flows, flowId);
    await flows.tasks.complete(leaseOf(await claimTask(flows)));
    assert.is(await pendingCount(flows), 3);
    const taken = (
      await Promise.all(
        [flows, second, flows].map((one) =>
          one.outbox.takeDue({ target: 'default', limit: 2, holdMs: MINUTE }),
        ),
      )
    ).flat();
    assert.is(new Set(taken.map(({ notificationId }) => notificationId)).size, taken.length);
    const take = () => second.outbox.takeDue({ target: 'default', limit: 9, holdMs: MINUTE });
    const [failing, later] = taken;
    assert.ok(failing !== undefined && later !== undefined);
    // Those of one flow are delivered in order: the rest is for nobody until these have been attempted.
    assert.equal([taken.length, await take()], [2, []]);
    await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
    const [ofOther, ...none] = await take();
    assert.ok(ofOther !== undefined && ofOther.flowId !== flowId);
    assert.equal(none, []);
    await flows.outbox.markDelivered(ofOther);
    await flows.outbox.markFailed(failing, { error: 'no', permanent: true });
    assert.equal(await take(), []);
    await flows.outbox.markFailed(later, { error: 'not now' });
    const [end] = await take();
    assert.ok(end?.kind === 'task.ended');
    const settled = await Promise.all([
      flows.outbox.markDelivered(end),
      second.outbox.markDelivered(end),
    ]);
    assert.equal(settled.sort(), [false, true]);
    assert.is((await flows.operator.showTask(id)).task.deliveryStatus, 'delivered');
    assert.equal(
      (await flows.operator.auditFlows()).map(({ code }) => code),
      ['delivery_failed'],
    );
    await passTime(MINUTE + 1);
    assert.is((await flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: 1 })).length, 1);
    await passTime(2 * DAY);
    await flows.operator.sweep();
    assert.is(await pendingCount(flows), 1);
    await close();
  });

  test('notifications that a killed process had are delivered before later ones of their flow', async () => {
    for (const limit of [1, 9]) {
      const { flows, passTime, close } = await store.open();
      const take = () => flows.outbox.takeDue({ target: 'default', limit, holdMs: MINUTE });
      const flowId = await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
      const [held] = await take();
      await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
      assert.equal(await take(), []);
      await passTime(MINUTE + 1);
      const delivered: string[] = [];
      for (let due = await take(); due.length > 0; due = await take()) {
        for (const notification of due) {
          delivered.push(notification.notificationId);
          await flows.outbox.markDelivered(notification);
        }
      }
      assert.equal(delivered, [held?.notificationId, `flow-terminal:${flowId}:1:succeeded`]);
      await close();
    }
  });

  test('each target has notifications, attempts and an outcome of its own', async () => {
    const { flows, passTime, close } = await store.open({
      notify: {
        command: ['true'],
        targets: [
          { id: 'ends', command: ['true'], kinds: ['task.ended', 'flow.ended'] },
          { id: 'ci', command: ['true'], routes: ['ci'] },
        ],
      },
    });
    const take = async (target: string) =>
      await flows.outbox.takeDue({ target, limit: 9, holdMs: MINUTE });
    const viaRoute = { ...ADA, actor: { kind: 'route', name: 'ci' } } as const;
    const flowId = await newFlow(flows, viaRoute, { notifyPolicy: 'state_changes' });
    const id = await newTask(flows, flowId);
    await newFlow(flows, ADA, { notifyPolicy: 'state_changes' });
    await flows.tasks.complete(leaseOf(await claimTask(flows)));
    const kinds = async (target: string) => (await take(target)).map(({ kind }) => kind);
    assert.equal(await kinds('default'), [
      'flow.changed',
      'flow.changed',
      'task.started',
      'task.ended',
    ]);
    assert.equal(await kinds('ends'), ['task.ended']);
    assert.equal(await kinds('ci'), ['flow.changed', 'task.started', 'task.ended']);
    assert.equal(await flows.outbox.nextDueAt(['nobody']), new Map());
    const statusOfDelivery = async () => (await flows.operator.showTask(id)).task.deliveryStatus;
    const { entries } = await flows.operator.listNotifications({ limit: 99 });
    const ends = entries.filter(({ kind }) => kind === 'task.ended');
    assert.is(new Set(ends.map(({ notificationId }) => notificationId)).size, 1);
    const [first, second, third] = ends;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await flows.outbox.markDelivered(first);
    assert.is(await statusOfDelivery(), 'pending');
    const { operator } = flows;
    const several = await failureOf(operator.showNotification(first.notificationId));
    assert.match(several.hint ?? '', /^pass --target with one of: (?:default|ends|ci),/);
    const forEnds = await operator.showNotification(first.notificationId, 'ends');
    assert.is(forEnds.target, 'ends');
    for (const dryRun of [true, false]) {
      const retried = operator.retryNotification(String(first.seq), { dryRun });
      assert.is((await failureOf(retried)).code, 'NOTIFICATION_DELIVERED');
    }
    await flows.outbox.markFailed(second, { error: 'down', permanent: true });
    await flows.outbox.markDelivered(third);
    assert.is(await statusOfDelivery(), 'failed');
    const { total } = await flows.operator.listNotifications({ outcome: 'failed', limit: 1 });
    assert.is(total, 1);
    assert.equal(await flows.operator.retryNotification(String(second.seq)), {
      ...(await flows.operator.showNotification(String(second.seq))),
      outcome: 'pending',
      attempts: 0,
      retries: 1,
    });
    assert.is(await statusOfDelivery(), 'pending');
    const again = await take(second.target);
    assert.equal(
      again.map(({ seq, attempts }) => [seq, attempts]),
      [[second.seq, 1]],
    );
    await flows.outbox.markDelivered(second);
    assert.is(await statusOfDelivery(), 'delivered');
    await passTime(8 * DAY);
    await close();
  });

  test('all failed notifications are retried, except for removed targets', async () => {
    const targets = ['ops', 'old'].map((id) => ({ id, command: ['true'] }));
    const opened = await store.open({ notify: { targets } });
    const flowIds = [await newFlow(opened.flows), await newFlow(opened.flows)];
    for (const flowId of flowIds) {
      await opened.flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
    }
    for (const { id: target } of targets) {
      const due = await opened.flows.outbox.takeDue({ target, limit: 9, holdMs: MINUTE });
      assert.is(due.length, 2);
      for (const one of due) {
        await opened.flows.outbox.markFailed(one, { error: 'down', permanent: true });
      }
    }
    const { operator, outbox } = await opened.other({
      notify: { targets: targets.filter(({ id }) => id === 'ops') },
    });
    const [flowId] = flowIds;
    const dryRun = await operator.retryFailed({ flowId }, { dryRun: true });
    assert.equal(
      dryRun.retried.map((one) => [one.target, one.flowId, one.outcome]),
      [['ops', flowId, 'failed']],
    );
    assert.is(dryRun.unknownTargets, 1);
    const later = { sinceMs: opened.flows.now() + DAY };
    for (const filter of [{ target: 'old' }, { flowId: 'none' }, later]) {
      assert.equal((await operator.retryFailed(filter, { dryRun: false })).retried, []);
    }
    assert.is(await pendingCount({ operator }), 0);
    const { retried, unknownTargets } = await operator.retryFailed({}, { dryRun: false });
    assert.equal(
      retried.map((one) => [one.target, one.flowId, one.outcome, one.attempts, one.retries]),
      flowIds.map((id) => ['ops', id, 'pending', 0, 1]),
    );
    assert.is(unknownTargets, 2);
    const again = await outbox.takeDue({ target: 'ops', limit: 9, holdMs: MINUTE });
    assert.equal(
      again.map(({ seq }) => seq),
      retried.map(({ number }) => number),
    );
    assert.equal((await operator.retryFailed({}, { dryRun: false })).retried, []);
    await opened.close();
  });

  test('notifications for a removed target fail for good', async () => {
    const opened = await store.open({ notify: { targets: [{ id: 'old', command: ['true'] }] } });
    const flowId = await newFlow(opened.flows);
    await opened.flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
    const flows = await opened.other({ notify: { command: ['true'] } });
    assert.is((await flows.operator.sweep()).undeliverable, 0);
    await opened.passTime(11 * MINUTE);
    assert.is((await opened.flows.operator.sweep()).undeliverable, 0);
    assert.is((await flows.operator.sweep()).undeliverable, 1);
    const [gone] = (await flows.operator.listNotifications({ limit: 9 })).entries;
    assert.equal(
      [gone?.outcome, gone?.lastError],
      ['failed', 'the target old is no longer configured'],
    );
    const error = await flows.operator.retryNotification(String(gone?.seq)).catch((e) => e);
    assert.is(error.code, 'NOTIFICATION_TARGET_UNKNOWN');
    assert.is((await opened.flows.operator.retryNotification(String(gone?.seq))).retries, 1);
    await opened.close();
  });

  test('ended records are pruned in time, those that block a flow are kept', async () => {
    const { flows, passTime, close } = await store.open();
    const [ended, blocked] = [await newFlow(flows), await newFlow(flows)];
    await newTask(flows, ended);
    await flows.tasks.complete(leaseOf(await claimTask(flows)));
    await flows.perform({ action: 'finish_flow', flowId: ended, expectedRevision: 0 }, ADA);
    const child = await newTask(flows, blocked);
    await flows.tasks.cancel(child);
    const wait = { action: 'set_waiting', flowId: blocked, expectedRevision: 0 } as const;
    await flows.perform({ ...wait, blockedTaskId: child }, ADA);
    await passTime(6 * DAY);
    assert.is((await flows.operator.sweep()).prunedFlows, 0);
    await passTime(DAY + 1);
    const swept = await flows.operator.sweep();
    assert.equal([swept.prunedFlows, swept.prunedTasks], [1, 1]);
    assert.is(await statusOf(flows, child), 'cancelled');
    assert.is(
      (await flows.perform({ action: 'get_flow', flowId: ended }, ADA)).result['flow'],
      null,
    );
    await close();
  });

  test('the audit finds what is stuck', async () => {
    const { flows, passTime, close } = await store.open({ orphans: 'lost' });
    const running = await newFlow(flows, ADA, { status: 'running' });
    const blocked = await newFlow(flows);
    const cancelling = await newFlow(flows);
    const fine = await newFlow(flows);
    const change = { flowId: blocked, expectedRevision: 0 } as const;
    await flows.perform({ action: 'set_waiting', ...change, blockedTaskId: 'gone' }, ADA);
    const lost = await newTask(flows, fine);
    await claimTask(flows);
    await passTime(2 * MINUTE);
    await flows.operator.sweep();
    await flows.perform({ action: 'request_cancel', flowId: cancelling, expectedRevision: 0 }, ADA);
    const queued = await newTask(flows, fine);
    await passTime(31 * MINUTE);
    const found = await flows.operator.auditFlows();
    assert.equal(
      found.map(({ code, flowId }) => `${code} ${flowId}`).sort(),
      [
        `stale_running ${running}`,
        `missing_linked_tasks ${running}`,
        `stale_blocked ${blocked}`,
        `stale_queued ${cancelling}`,
        `blocked_task_missing ${blocked}`,
        `cancel_stuck ${cancelling}`,
      ].sort(),
    );
    assert.equal(
      (await flows.operator.auditTasks()).map(({ code, taskId }) => `${code} ${taskId}`).sort(),
      [`lost ${lost}`, `stale_queued ${queued}`],
    );
    await flows.tasks.pause(['subagent'], null);
    assert.equal(
      (await flows.operator.auditTasks()).map(({ code }) => code),
      ['lost'],
    );
    assert.is((await flows.operator.sweep()).cancelledFlows, 1);
    await close();
  });

  test('lists are filtered, newest first, and read page by page', async () => {
    const { flows, passTime, close } = await store.open();
    const old = await newFlow(flows, ADA, { status: 'running' });
    await passTime(DAY);
    const made = [old];
    for (let n = 0; n < 60; n++) made.push(await newFlow(flows));
    const bobs = await newFlow(flows, BOB);
    const listed = await flows.operator.listFlows({ ownerKey: ADA.sessionKey, limit: 3 });
    assert.is(listed.total, 61);
    assert.equal(
      listed.entries.map(({ flow }) => flow.flowId),
      made.toReversed().slice(0, 3),
    );
    const running = await flows.operator.listFlows({ statuses: ['running', 'blocked'], limit: 9 });
    assert.equal(
      running.entries.map(({ flow }) => flow.flowId),
      [old],
    );
    const sinceMs = flows.now() - MINUTE;
    assert.is((await flows.operator.listFlows({ sinceMs, limit: 1 })).total, 61);
    const first = await flows.perform({ action: 'list_flows', limit: 55 }, ADA);
    const cursor = String(first.result['nextCursor']);
    const second = await flows.perform({ action: 'list_flows', cursor }, ADA);
    const idsOf = ({ result }: FlowAnswer): string[] =>
      [result['flows']].flat().map((flow) => String(Object(flow).flowId));
    assert.equal([...idsOf(first), ...idsOf(second)], made.toReversed());
    const latest = await flows.perform({ action: 'find_latest_flow' }, BOB);
    assert.is(viewOf(latest)['flowId'], bobs);
    const taskId = await newTask(flows, bobs === old ? old : (made.at(-1) ?? old), {
      runtime: 'acp',
    });
    const owned = await flows.perform({ action: 'list_tasks' }, ADA);
    assert.equal(
      [owned.result['tasks']].flat().map((task) => Object(task).taskId),
      [taskId],
    );
    const ofFlow = { action: 'list_tasks', flowId: made[1] ?? '' } as const;
    assert.equal((await flows.perform(ofFlow, ADA)).result, { tasks: [] });
    const tasks = await flows.operator.listTasks({ runtimes: ['acp'], limit: 5 });
    assert.equal(
      tasks.entries.map((task) => task.taskId),
      [taskId],
    );
    assert.is((await flows.operator.listTasks({ runtimes: ['cron'], limit: 5 })).total, 0);
    const retryable = { ofContinuing: true, limit: 5 } as const;
    assert.is((await flows.operator.listTasks(retryable)).total, 1);
    await flows.operator.cancelFlow(made.at(-1) ?? '');
    assert.is((await flows.operator.listTasks(retryable)).total, 0);
    await close();
  });

  test('the history of a flow has every change: who made it, and what changed', async () => {
    const { flows, passTime, close } = await store.open();
    const flowId = await newFlow(flows, ADA, { currentStep: 'one' });
    const taskId = await newTask(flows, flowId);
    const waiting = { action: 'set_waiting', flowId, expectedRevision: 0 } as const;
    await flows.perform({ ...waiting, blockedSummary: 'a key is missing' }, ADA);
    await flows.perform({ ...waiting, blockedSummary: 'refused' }, ADA);
    const first = leaseOf(await claimTask(flows, { worker: 'w1' }));
    await flows.tasks.heartbeat(first);
    await flows.tasks.heartbeat(first, { progress: 'half' });
    await flows.tasks.fail(first, { error: 'no\0' });
    await passTime(MINUTE);
    await claimTask(flows, { worker: 'w2' });
    await passTime(2 * MINUTE);
    await flows.operator.sweep();
    await flows.operator.cancelFlow(flowId);
    const { entries, flow } = await flows.operator.history(flowId.slice(0, 8));
    assert.is(flow.flowId, flowId);
    const steps = entries.map((entry) => {
      const actor = [entry.actorKind, ...(entry.actorName === null ? [] : [entry.actorName])];
      const move = entry.toStatus === null ? '' : `${entry.fromStatus ?? ''}>${entry.toStatus}`;
      const what = `${entry.event} ${move} ${entry.revision}`;
      return `${actor.join(' ')}: ${what}${entry.note === null ? '' : ` (${entry.note})`}`;
    });
    assert.equal(steps, [
      'route ada: flow.created >queued 0 (one)',
      'route ada: task.queued >queued 0',
      'route ada: flow.changed queued>blocked 1 (a key is missing)',
      'worker w1: task.started queued>running 1',
      'worker w1: task.progress  3 (half)',
      'worker w1: task.queued running>queued 4 (no\ufffd)',
      'worker w2: task.started queued>running 5',
      'system: task.queued running>queued 6 (The worker stopped reporting.)',
      'operator: flow.cancel_requested  2',
      'operator: task.ended queued>cancelled 7 (Cancelled by operator.)',
      'operator: flow.ended blocked>cancelled 3',
    ]);
    assert.ok(entries.every((entry, at) => entry.n > (entries[at - 1]?.n ?? 0)));
    const { history } = await flows.operator.showTask(taskId);
    assert.equal(
      history,
      entries.filter((entry) => entry.taskId !== null),
    );
    const taken = await flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: MINUTE });
    const [failing, ...others] = taken;
    assert.ok(failing !== undefined);
    for (const other of others) await flows.outbox.markDelivered(other);
    await flows.outbox.markFailed(failing, { error: 'no', permanent: true });
    const settled = (await flows.operator.history(flowId)).entries.slice(steps.length);
    assert.equal(
      settled.map(({ event, note }) => [event, note]),
      [
        ['notification.delivered', 'flow.ended'],
        ['notification.failed', 'no'],
      ],
    );
    await flows.operator.retryNotification(String(failing.seq));
    const retried = (await flows.operator.history(flowId)).entries.at(-1);
    assert.equal(
      [retried?.actorKind, retried?.event, retried?.note],
      ['operator', 'notification.retried', failing.kind],
    );
    await passTime(30 * DAY);
    assert.is((await flows.operator.sweep()).prunedFlows, 1);
    await close();
  });

  test('a long history keeps its first and newest changes', async () => {
    const { flows, close } = await store.open();
    const flowId = await newFlow(flows);
    await newTask(flows, flowId);
    const lease = leaseOf(await claimTask(flows));
    const report = (from: number) =>
      Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          flows.tasks.heartbeat(lease, { progress: `${from + at}` }),
        ),
      );
    for (let from = 0; from < 1100; from += 100) await report(from);
    const before = await flows.operator.history(flowId);
    assert.is(before.entries.length, 1103);
    const [created, ...stored] = before.entries;
    await flows.operator.sweep();
    const { entries, gapAfter } = await flows.operator.history(flowId);
    assert.equal([entries.length, gapAfter], [1001, 51]);
    assert.equal(entries, [created, ...stored.slice(0, 50), ...stored.slice(-950)]);
    await flows.operator.sweep();
    const { entries: same, flow } = await flows.operator.history(flowId);
    assert.equal(same, entries);
    // Also of a flow that has ended since.
    await report(2000);
    await flows.tasks.complete(lease);
    const finish = { action: 'finish_flow', flowId, expectedRevision: flow.revision } as const;
    assert.ok((await flows.perform(finish, ADA)).ok);
    await flows.operator.sweep();
    assert.is((await flows.operator.history(flowId)).entries.length, 1001);
    await close();
  });

  test('lists are filtered by age and by the route that created a flow', async () => {
    const { flows, passTime, close } = await store.open();
    const old = await newFlow(flows);
    await passTime(DAY);
    const other = { ...ADA, actor: { kind: 'route', name: 'other' } } as const;
    const made = await newFlow(flows, other);
    // It changes the flow of another route of its session.
    await flows.perform({ action: 'resume_flow', flowId: old, expectedRevision: 0 }, other);
    const idsOf = async (filter: Omit<FlowFilter, 'limit'>) => {
      const { entries, total } = await flows.operator.listFlows({ ...filter, limit: 9 });
      assert.is(total, entries.length);
      return entries.map(({ flow }) => flow.flowId);
    };
    assert.equal(await idsOf({ route: 'ada' }), [old]);
    assert.equal(await idsOf({ route: 'other' }), [made]);
    assert.equal(await idsOf({ route: 'none' }), []);
    assert.equal(await idsOf({ beforeMs: flows.now() - DAY / 2 }), [old]);
    assert.equal(await idsOf({ sinceMs: flows.now() - DAY / 2, statuses: ['queued'] }), [made]);
    await close();
  });

  test('waiting ends with the flow or task, also when another process ends it', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    const taskId = await newTask(flows, flowId);
    const { signal } = new AbortController();
    const seen: string[] = [];
    const onChange = ({ status }: { readonly status: string }) => seen.push(status);
    const flow = flows.operator.waitForFlow(flowId.slice(0, 8), { signal });
    const task = flows.operator.waitForTask(taskId, { signal, onChange });
    await waitFor('the first change', () => seen.length > 0);
    const lease = leaseOf(await claimTask(second));
    await waitFor('the claim', () => seen.length > 1);
    await second.tasks.complete(lease);
    assert.is((await task).status, 'succeeded');
    assert.equal(seen, ['queued', 'running', 'succeeded']);
    const end = { action: 'fail_flow', flowId, expectedRevision: 0 } as const;
    await second.perform(end, ADA);
    assert.is((await flow).status, 'failed');
    assert.is(
      (await flows.operator.waitForFlow(flowId, { signal, timeoutMs: 0 })).status,
      'failed',
    );
    await close();
  });

  test('waiting stops after its time, and when it is interrupted', async () => {
    const { flows, close } = await store.open();
    const flowId = await newFlow(flows);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const over = await failureOf(flows.operator.waitForFlow(flowId, { signal, timeoutMs: 10 }));
    process.off('warning', onWarning);
    assert.equal([over.code, warnings], ['WAIT_TIMED_OUT', []]);
    const stop = new AbortController();
    const waiting = failureOf(
      flows.operator.waitForFlow(flowId, {
        signal: stop.signal,
        onChange: () => stop.abort(new SvcError('INTERRUPTED', 'stopped')),
      }),
    );
    assert.is((await waiting).code, 'INTERRUPTED');
    const missing = flows.operator.waitForTask('00000000', { signal });
    assert.is((await failureOf(missing)).code, 'TASK_NOT_FOUND');
    await close();
  });

  test('concurrent calls create a run once', async () => {
    const { flows, other, close } = await store.open();
    const second = await other();
    const flowId = await newFlow(flows);
    const run = { action: 'run_task', flowId, runtime: 'acp', task: 't', runId: 'r' } as const;
    const answers = await Promise.all(
      [flows, second, flows, second].map((one) => one.perform(run, ADA)),
    );
    const [parentTaskId = '', ...others] = answers.map((answer) =>
      String(viewOf(answer, 'task')['taskId']),
    );
    assert.ok(others.every((id) => id === parentTaskId));
    const below = { ...run, runId: 'r2', parentTaskId };
    assert.ok((await flows.perform(below, ADA)).ok);
    const bobs = await newFlow(flows, BOB);
    assert.is(codeOf(await flows.perform({ ...below, flowId: bobs }, BOB)), 'not_found');
    await close();
  });

  test('the id of a run can be as long as a request allows', async () => {
    const { flows, close } = await store.open();
    const flowId = await newFlow(flows);
    // Random, because servers compress what they index.
    const runId = randomBytes(100_000).toString('base64');
    const taskId = await newTask(flows, flowId, { runId });
    assert.is(await newTask(flows, flowId, { runId }), taskId);
    assert.is.not(await newTask(flows, flowId, { runId: `${runId}x` }), taskId);
    await close();
  });

  test.run();
}
