import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlowAnswer } from '../../../src/engine/flows/index.js';
import {
  ADA,
  BOB,
  claimTask,
  leaseOf,
  newFlow,
  newTask,
  testFlows,
  viewOf,
} from '../../support/flows.js';
import { rawDatabase } from '../../support/raw-database.js';

const test = suite('actions of external callers');

const refusal = (answer: FlowAnswer): unknown =>
  answer.ok ? 'ok' : [answer.code, answer.error, answer.result];

test('a view has its fields in order, nothing of the owner, and no empty ones', async () => {
  const { flows, clock } = await testFlows();
  const answer = await flows.perform(
    { action: 'create_flow', goal: 'g', currentStep: null, stateJson: null, waitJson: { a: [1] } },
    ADA,
  );
  const flow = viewOf(answer);
  assert.equal(Object.keys(flow), [
    'flowId',
    'syncMode',
    'revision',
    'status',
    'notifyPolicy',
    'goal',
    'createdAt',
    'updatedAt',
    'controllerId',
    'stateJson',
    'waitJson',
  ]);
  assert.match(
    String(flow['flowId']),
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(
    { ...flow, flowId: '' },
    {
      flowId: '',
      syncMode: 'managed',
      revision: 0,
      status: 'queued',
      notifyPolicy: 'done_only',
      goal: 'g',
      createdAt: clock.nowMs,
      updatedAt: clock.nowMs,
      controllerId: 'webhooks/ada',
      stateJson: null,
      waitJson: { a: [1] },
    },
  );
  const flowId = String(flow['flowId']);
  const ran = await flows.perform(
    { action: 'run_task', flowId, runtime: 'acp', task: 't', label: 'l', childSessionKey: 'c' },
    ADA,
  );
  assert.equal(Object.keys(viewOf(ran, 'task')), [
    'taskId',
    'runtime',
    'scopeKind',
    'task',
    'status',
    'deliveryStatus',
    'notifyPolicy',
    'createdAt',
    'childSessionKey',
    'parentFlowId',
    'label',
  ]);
  assert.not.match(JSON.stringify([answer, ran]), ADA.sessionKey);
  await flows.close();
});

test("reads return the caller's own flows, and null for anything else", async () => {
  const { flows, clock } = await testFlows();
  const first = await newFlow(flows);
  clock.nowMs += 5;
  const second = await newFlow(flows);
  await newFlow(flows, BOB);
  const idIn = async (action: Parameters<typeof flows.perform>[0]): Promise<unknown> => {
    const { flow } = (await flows.perform(action, ADA)).result;
    return typeof flow === 'object' && flow !== null && 'flowId' in flow ? flow['flowId'] : flow;
  };
  assert.is(await idIn({ action: 'get_flow', flowId: first }), first);
  assert.is(await idIn({ action: 'get_flow', flowId: 'no-such-flow' }), null);
  assert.is(await idIn({ action: 'find_latest_flow' }), second);
  assert.is(await idIn({ action: 'resolve_flow', token: first }), first);
  assert.is(await idIn({ action: 'resolve_flow', token: ADA.sessionKey }), second);
  assert.is(await idIn({ action: 'resolve_flow', token: BOB.sessionKey }), null);
  const listed = await flows.perform({ action: 'list_flows' }, ADA);
  assert.equal(
    JSON.stringify(listed.result).match(/"flowId":"[^"]+"/g),
    [second, first].map((id) => `"flowId":"${id}"`),
  );
  const foreign = await flows.perform({ action: 'get_task_summary', flowId: first }, BOB);
  assert.equal(foreign, { ok: true, result: { summary: null } });
  await flows.close();
});

test('refusals have the documented form', async () => {
  const { flows, home } = await testFlows();
  const flowId = await newFlow(flows);
  const ask = (revision: number, by = ADA): Promise<FlowAnswer> =>
    flows.perform({ action: 'resume_flow', flowId, expectedRevision: revision }, by);
  assert.equal(refusal(await ask(0, BOB)), [
    'not_found',
    'TaskFlow not found.',
    { applied: false, code: 'not_found' },
  ]);
  const conflict = await ask(1);
  assert.equal(refusal(conflict), [
    'revision_conflict',
    "TaskFlow changed since the caller's expected revision.",
    { applied: false, code: 'revision_conflict', current: viewOf(conflict, 'current') },
  ]);
  const run = { action: 'run_task', runtime: 'acp', task: 't' } as const;
  assert.equal(refusal(await flows.perform({ ...run, flowId }, BOB)), [
    'not_found',
    'TaskFlow not found.',
    { found: false, created: false, reason: 'Flow not found.' },
  ]);
  assert.equal(refusal(await flows.perform({ action: 'cancel_flow', flowId }, BOB)), [
    'not_found',
    'TaskFlow not found.',
    { found: false, cancelled: false, reason: 'Flow not found.' },
  ]);
  await flows.perform({ action: 'request_cancel', flowId, expectedRevision: 0 }, ADA);
  const late = await flows.perform({ ...run, flowId }, ADA);
  assert.equal(refusal(late), [
    'cancel_requested',
    'Flow cancellation has already been requested.',
    {
      found: true,
      created: false,
      reason: 'Flow cancellation has already been requested.',
      flow: viewOf(late),
    },
  ]);
  const ended = await newFlow(flows);
  await flows.perform({ action: 'fail_flow', flowId: ended, expectedRevision: 0 }, ADA);
  const again = await flows.perform(
    { action: 'finish_flow', flowId: ended, expectedRevision: 0 },
    ADA,
  );
  assert.equal(again.ok || [again.code, again.error], ['terminal', 'Flow is already failed.']);
  await flows.close();
  // A flow that follows a task is not for controllers.
  const database = rawDatabase(`${home}/flows.sqlite`);
  database.prepare(`UPDATE flows SET sync_mode = 'task_mirrored' WHERE id = ?`).run(ended);
  database.close();
  const { flows: opened } = await testFlows({}, home);
  const mirrored = await opened.perform(
    { action: 'finish_flow', flowId: ended, expectedRevision: 9 },
    ADA,
  );
  assert.equal(mirrored.ok || [mirrored.code, mirrored.error], [
    'not_managed',
    'TaskFlow is not managed by this webhook surface.',
  ]);
  const child = await opened.perform({ ...run, flowId: ended }, ADA);
  assert.equal(child.ok || [child.code, child.error], [
    'not_managed',
    'Flow does not accept managed child tasks.',
  ]);
  await opened.close();
});

test('an absent field is kept and null clears it; waiting ends when a flow resumes', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows, ADA, { currentStep: 'one', stateJson: { n: 1 } });
  const blocked = viewOf(
    await flows.perform(
      {
        action: 'set_waiting',
        flowId,
        expectedRevision: 0,
        waitJson: { for: 'you' },
        blockedTaskId: 'x',
        blockedSummary: 'no key',
      },
      ADA,
    ),
  );
  assert.equal(
    ['status', 'currentStep', 'stateJson', 'waitJson', 'blockedTaskId', 'blockedSummary'].map(
      (field) => blocked[field],
    ),
    ['blocked', 'one', { n: 1 }, { for: 'you' }, 'x', 'no key'],
  );
  const waiting = viewOf(
    await flows.perform({ action: 'set_waiting', flowId, expectedRevision: 1 }, ADA),
  );
  assert.equal(
    [waiting['status'], waiting['waitJson'], 'blockedTaskId' in waiting],
    ['waiting', { for: 'you' }, false],
  );
  const resumed = viewOf(
    await flows.perform(
      {
        action: 'resume_flow',
        flowId,
        expectedRevision: 2,
        status: 'running',
        currentStep: null,
        stateJson: null,
      },
      ADA,
    ),
  );
  assert.equal(
    [resumed['status'], 'currentStep' in resumed, resumed['stateJson'], 'waitJson' in resumed],
    ['running', false, null, false],
  );
  await flows.close();
});

test('a run is created once per flow and runtime, and a later call adds to it', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const id = await newTask(flows, flowId, { runId: 'r1', label: 'first' });
  assert.is(await newTask(flows, flowId, { runId: 'r1', label: 'second' }), id);
  const run = { action: 'run_task', flowId, runtime: 'subagent', task: 't', runId: 'r1' } as const;
  const kept = viewOf(await flows.perform({ ...run, label: 'x', agentId: 'main' }, ADA), 'task');
  assert.equal([kept['label'], kept['agentId']], ['first', 'main']);
  const preferred = await flows.perform({ ...run, label: 'third', preferMetadata: true }, ADA);
  assert.is(viewOf(preferred, 'task')['label'], 'third');
  const ofOther = await newTask(flows, flowId, { runId: 'r1', runtime: 'acp' });
  assert.is.not(ofOther, id);
  assert.is(await newTask(flows, flowId, { runId: 'r1', runtime: 'acp' }), ofOther);
  assert.is.not(await newTask(flows, await newFlow(flows), { runId: 'r1' }), id);
  assert.is.not(await newTask(flows, flowId), await newTask(flows, flowId));
  await flows.close();
});

test('a run that has ended is not started again by a repeated call', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const id = await newTask(flows, flowId, { runId: 'r1', label: 'first' });
  await flows.tasks.complete(leaseOf(await claimTask(flows)));
  const run = { action: 'run_task', flowId, runtime: 'subagent', task: 't', runId: 'r1' } as const;
  const again = await flows.perform({ ...run, label: 'late', preferMetadata: true }, ADA);
  const { taskId, status, label } = viewOf(again, 'task');
  assert.equal([taskId, status, label], [id, 'succeeded', 'first']);
  assert.is((await flows.tasks.claim({ worker: 'w' })) ?? undefined, undefined);
  await flows.close();
});

test('unwritable values are refused, and nothing else', async () => {
  const { flows } = await testFlows();
  let deep: unknown = 1;
  for (let n = 0; n < 200_000; n++) deep = [deep];
  const [refused, made] = await Promise.all([
    flows.perform({ action: 'create_flow', goal: 'g', stateJson: deep as never }, ADA),
    flows.perform({ action: 'create_flow', goal: 'g' }, ADA),
  ]);
  assert.equal([refused.ok, made.ok], [false, true]);
  await flows.close();
});

test('the same key and body get the first answer for a day, another body is refused', async () => {
  const opened = await testFlows();
  const create = { action: 'create_flow', goal: 'g' } as const;
  const key = { key: 'k', bodyHash: 'h' };
  // In one commit, too.
  const [first, second] = await Promise.all([
    opened.flows.perform(create, ADA, key),
    opened.flows.perform(create, ADA, key),
  ]);
  assert.equal(second, { ...first, replayed: true });
  const flows = await opened.reopen();
  assert.equal(await flows.perform(create, ADA, key), second);
  const other = await flows.perform({ ...create, goal: 'x' }, ADA, { key: 'k', bodyHash: 'h2' });
  assert.is(other.ok || other.code, 'idempotency_mismatch');
  const flowId = String(viewOf(first ?? other)['flowId']);
  assert.is.not(await viewOf(await flows.perform(create, BOB, key))['flowId'], flowId);
  const run = { action: 'run_task', flowId, runtime: 'acp', task: 't' } as const;
  const ran = await flows.perform(run, ADA, key);
  assert.equal(await flows.perform(run, ADA, key), { ...ran, replayed: true });
  const summary = await flows.perform({ action: 'get_task_summary', flowId }, ADA);
  assert.match(JSON.stringify(summary), '"total":1,');
  opened.clock.nowMs += 24 * 3_600_000;
  assert.is.not(viewOf(await flows.perform(create, ADA, key))['flowId'], flowId);
  await flows.operator.sweep();
  await flows.close();
});

test('a list is truncated at a thousand entries, and says so', async () => {
  const { flows } = await testFlows();
  await Promise.all(Array.from({ length: 1001 }, () => newFlow(flows)));
  const { result } = await flows.perform({ action: 'list_flows' }, ADA);
  assert.equal(
    [Array.isArray(result['flows']) && result['flows'].length, result['truncated']],
    [1000, true],
  );
  await flows.close();
});

test('a list is read page by page, and no page grows without limit', async () => {
  const { flows } = await testFlows();
  const stateJson = 'x'.repeat(900_000);
  const made: string[] = [];
  for (let n = 0; n < 5; n++) {
    const answer = await flows.perform({ action: 'create_flow', goal: 'g', stateJson }, ADA);
    made.push(String(viewOf(answer)['flowId']));
  }
  await flows.perform({ action: 'create_flow', goal: 'g' }, BOB);
  const idsOf = (answer: FlowAnswer): string[] =>
    [answer.result['flows']].flat().map((flow) => String(Object(flow).flowId));
  const read: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const action = { action: 'list_flows', ...(cursor === undefined ? {} : { cursor }) } as const;
    const answer = await flows.perform(action, ADA);
    read.push(idsOf(answer));
    const next = answer.result['nextCursor'];
    assert.is(answer.result['truncated'] === true, next !== undefined);
    if (typeof next !== 'string') break;
    cursor = next;
  }
  assert.equal(read.flat(), made.toReversed());
  assert.equal(
    read.map(({ length }) => length),
    [2, 2, 1],
  );
  const two = await flows.perform({ action: 'list_flows', limit: 2 }, ADA);
  assert.is(idsOf(two).length, 2);
  const [mine = ''] = made;
  const other = await flows.perform({ action: 'list_flows', cursor: mine }, BOB);
  assert.is(other.ok || other.code, 'not_found');
  await flows.close();
});

test("a task's parent must be in the same session", async () => {
  const { flows } = await testFlows();
  const mine = await newFlow(flows, ADA);
  const parent = await newTask(flows, mine);
  const theirFlow = await newFlow(flows, BOB);
  const theirRun = { action: 'run_task', flowId: theirFlow, runtime: 'acp', task: 't' } as const;
  const theirs = String(viewOf(await flows.perform(theirRun, BOB), 'task')['taskId']);
  const run = { action: 'run_task', flowId: mine, runtime: 'acp', task: 't' } as const;
  const below = (parentTaskId: string) => flows.perform({ ...run, parentTaskId }, ADA);
  assert.is(viewOf(await below(parent), 'task')['parentTaskId'], parent);
  for (const other of [theirs, 'no-task']) {
    const answer = await below(other);
    assert.is(answer.ok, false);
    if (!answer.ok)
      assert.equal([answer.code, answer.error], ['not_found', 'Parent task not found.']);
  }
});

test('a session reads its tasks with their results, page by page, and no others', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const taskId = await newTask(flows, flowId);
  const claim = await flows.tasks.claim({ worker: 'w' });
  const result = { pages: [1, null] };
  await flows.tasks.complete({ taskId, token: claim?.leaseToken }, { result });
  const task = viewOf(await flows.perform({ action: 'get_task', taskId }, ADA), 'task');
  assert.equal([task['taskId'], task['status'], task['result']], [taskId, 'succeeded', result]);
  assert.equal((await flows.perform({ action: 'get_task', taskId }, BOB)).result, { task: null });

  const second = await newFlow(flows);
  const ids = [taskId];
  for (let n = 0; n < 3; n++) ids.push(await newTask(flows, second));
  const list = async (more: object, caller = ADA) => {
    const answer = await flows.perform({ action: 'list_tasks', ...more }, caller);
    const listed = [answer.result['tasks']].flat().map((one) => Object(one).taskId);
    return { answer, listed, cursor: answer.result['nextCursor'] };
  };
  assert.equal((await list({})).listed, ids.toReversed());
  assert.equal((await list({ flowId })).listed, [taskId]);
  const first = await list({ limit: 3 });
  assert.equal([first.listed.length, first.answer.result['truncated']], [3, true]);
  const rest = await list({ limit: 3, cursor: first.cursor });
  assert.equal([rest.listed, rest.cursor], [[taskId], undefined]);
  assert.equal((await list({}, BOB)).answer.result, { tasks: [] });
  for (const foreign of [{ flowId }, { cursor: taskId }]) {
    const { answer } = await list(foreign, BOB);
    assert.is(answer.ok ? 'ok' : answer.code, 'not_found');
  }
  await flows.close();
});

test('a list of tasks ends before it is too large, and continues there', async () => {
  const { flows } = await testFlows();
  const flowId = await newFlow(flows);
  const result = 'x'.repeat(900_000);
  for (let n = 0; n < 3; n++) {
    const taskId = await newTask(flows, flowId);
    const claim = await flows.tasks.claim({ worker: 'w' });
    await flows.tasks.complete({ taskId, token: claim?.leaseToken }, { result });
  }
  const first = await flows.perform({ action: 'list_tasks' }, ADA);
  assert.is([first.result['tasks']].flat().length, 2);
  const cursor = String(first.result['nextCursor']);
  const rest = await flows.perform({ action: 'list_tasks', cursor }, ADA);
  assert.is([rest.result['tasks']].flat().length, 1);
  await flows.close();
});

test.run();
