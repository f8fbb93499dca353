import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, newFlow, newTask, testFlows } from '../support/flows.js';
import { jsonOf } from '../support/json.js';
import { runInPty } from '../support/pty.js';
import { rawDatabase } from '../support/raw-database.js';
import { runSvc, type SvcRun, startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc flow and svc task');

/** A state folder with a flow of each of two sessions, and a task; no process has it open. */
async function someFlows(): Promise<{
  readonly home: string;
  readonly svc: (...args: string[]) => Promise<SvcRun>;
  readonly flowId: string;
  readonly taskId: string;
}> {
  const { flows, home, clock } = await testFlows();
  clock.nowMs = Date.now() - 3 * 3_600_000;
  await newFlow(flows, BOB, { goal: 'an old one', status: 'running' });
  clock.nowMs = Date.now();
  const flowId = await newFlow(flows, ADA, { goal: 'a new one', stateJson: { week: 9 } });
  const taskId = await newTask(flows, flowId, { task: 'read it\nwhole' });
  await flows.close();
  return { home, svc: (...args) => runInSession(args, { home }), flowId, taskId };
}

test('lists flows and tasks, by state, session and age', async () => {
  const { svc, flowId } = await someFlows();
  const all = jsonOf.flowList(await svc('flow', 'list', '--json'));
  assert.equal(
    all.flows.map(({ goal }) => goal),
    ['a new one', 'an old one'],
  );
  assert.equal([all.flows[0]?.flowId, all.flows[0]?.tasks.active], [flowId, 1]);
  for (const filter of [
    ['--since', '2h'],
    ['--status', 'queued'],
    ['--session', ADA.sessionKey],
  ]) {
    const some = jsonOf.flowList(await svc('flow', 'list', '--json', ...filter));
    assert.equal([some.total, some.flows[0]?.flowId], [1, flowId], filter.join(' '));
  }
  const one = jsonOf.flowList(await svc('flow', 'list', '--json', '--limit', '1'));
  assert.equal([one.flows.length, one.total], [1, 2]);
  const text = await svc('flow', 'list');
  assert.match(text.stdout, `${flowId.slice(0, 8)}  queued`);
  const tasks = jsonOf.taskList(await svc('task', 'list', '--json', '--runtime', 'subagent'));
  assert.is(tasks.total, 1);
  assert.is(jsonOf.taskList(await svc('task', 'list', '--json', '--runtime', 'acp')).total, 0);
});

test('shows one by the beginning of its id', async () => {
  const { svc, flowId, taskId } = await someFlows();
  const flow = jsonOf.flowShow(await svc('flow', 'show', flowId.slice(0, 8), '--json'));
  assert.equal([flow.flow.flowId, flow.stateJson, flow.tasks.length], [flowId, { week: 9 }, 1]);
  const task = jsonOf.taskShow(await svc('task', 'show', taskId.slice(0, 8), '--json'));
  assert.equal([task.task.taskId, task.flow?.flowId], [taskId, flowId]);
  const missing = await svc('flow', 'show', '00000000', '--json');
  assert.equal([missing.code, jsonOf.error(missing).code], [1, 'FLOW_NOT_FOUND']);
});

test('an audit fails when something is wrong', async () => {
  const { svc } = await someFlows();
  const audit = await svc('flow', 'list', '--audit', '--json');
  assert.is(audit.code, 1);
  assert.equal(
    jsonOf
      .flowList(audit)
      .findings?.map(({ code, severity }) => [severity, code])
      .sort(),
    [
      ['error', 'missing_linked_tasks'],
      ['error', 'stale_running'],
    ],
  );
  const text = await svc('flow', 'list', '--audit');
  assert.match(text.stdout, 'stale_running');
  const tasks = await svc('task', 'list', '--audit');
  assert.equal([tasks.code, tasks.stdout], [0, 'nothing is stuck, lost or inconsistent\n']);
});

test('a worker in a shell claims, reports and ends tasks', async () => {
  const { svc, home, taskId } = await someFlows();
  const claimed = jsonOf.taskClaim(await svc('task', 'claim', '--json', '--worker', 'me'));
  assert.equal(
    [claimed.task?.taskId, claimed.task?.task, claimed.task?.worker],
    [taskId, 'read it\nwhole', 'me'],
  );
  const token = claimed.leaseToken ?? '';
  assert.is(jsonOf.taskClaim(await svc('task', 'claim', '--json')).task, null);
  const report = (...args: string[]): Promise<SvcRun> =>
    runInSession(['task', ...args, '--json'], { home, env: { SVC_LEASE_TOKEN: token } });
  const beat = jsonOf.taskHeartbeat(await report('heartbeat', taskId, '--progress', 'half'));
  assert.equal([beat.cancelRequested, beat.task.progressSummary], [false, 'half']);
  for (const args of [['complete'], ['fail', '--error', 'no luck'], ['heartbeat']]) {
    const without = await svc('task', ...args, taskId, '--json');
    assert.equal([without.code, jsonOf.error(without).code], [2, 'USAGE'], args[0]);
    assert.match(jsonOf.error(without).hint ?? '', /SVC_LEASE_TOKEN/);
  }
  const stranger = await svc('task', 'complete', taskId, '--lease-token', 'lt_wrong', '--json');
  assert.equal([stranger.code, jsonOf.error(stranger).code], [1, 'TASK_LEASE_LOST']);
  const failed = jsonOf.task(await report('fail', taskId, '--error', 'no luck'));
  assert.equal([failed.task.status, failed.task.attempts], ['queued', 1]);
  // It waits for its next attempt; cancelled and retried by hand, it runs at once.
  jsonOf.task(await svc('task', 'cancel', taskId, '--json'));
  const retried = jsonOf.task(await svc('task', 'retry', taskId, '--json'));
  assert.is(retried.task.status, 'queued');
  const again = jsonOf.taskClaim(await svc('task', 'claim', '--json'));
  const second = again.leaseToken ?? '';
  for (const result of ['{"n":12345678901234567890}', '{"u":"\\ud800"}', '{"a":1,"a":2}']) {
    const refused = await report('complete', taskId, '--lease-token', second, '--result', result);
    assert.equal([refused.code, jsonOf.error(refused).code], [2, 'USAGE'], result);
  }
  const args = [
    'complete',
    taskId,
    '--lease-token',
    second,
    '--summary',
    'read',
    '--result',
    '[7]',
  ];
  const done = jsonOf.task(await report(...args));
  assert.equal([done.task.status, done.task.terminalSummary], ['succeeded', 'read']);
  assert.equal(jsonOf.taskShow(await svc('task', 'show', taskId, '--json')).result, [7]);
  for (const run of [
    await svc('task', 'list', '--json'),
    await svc('task', 'show', taskId),
    await svc('flow', 'list'),
  ]) {
    assert.not.match(run.stdout + run.stderr, new RegExp(`${token}|${second}`));
  }
});

test('a claim says which tasks are paused', async () => {
  const { svc } = await someFlows();
  await svc('task', 'pause', '--reason', 'new agents');
  const all = await svc('task', 'claim');
  assert.match(all.stdout, /^no task was claimed\n[\s\S]*subagent tasks paused .*: new agents/);
  const resumed = await svc('task', 'resume', '--runtime', 'acp');
  assert.match(
    resumed.stdout,
    /^acp tasks are claimed again\n[\s\S]*subagent tasks paused .*: new agents/,
  );
  const acp = await svc('task', 'claim', '--runtime', 'acp');
  assert.is(acp.stdout, 'no task is queued\n');
  await svc('task', 'resume');
  assert.is((await svc('task', 'resume')).stdout, 'no tasks are paused\n');
});

test('a claim that waits gets a task that another process adds', async () => {
  const home = tempFolder().path;
  const waiting = startSvc(['task', 'claim', '--wait', '--json'], { home });
  const { flows, clock } = await testFlows({}, home);
  clock.nowMs = Date.now();
  const taskId = await newTask(flows, await newFlow(flows));
  const run = await waiting.done;
  assert.is(jsonOf.taskClaim(run).task?.taskId, taskId);
  await flows.close();
});

test('a claim that waits ends with Ctrl-C', async () => {
  const home = tempFolder().path;
  const { child, done } = startSvc(['task', 'claim', '--wait', '--json'], { home });
  await waitFor('the database', () => existsSync(`${home}/flows.sqlite`));
  child.kill('SIGINT');
  const run = await done;
  assert.equal([run.code, jsonOf.error(run).code], [130, 'INTERRUPTED']);
});

test('cancelling reaches the worker, and the flow ends with it', async () => {
  const { svc, home, flowId, taskId } = await someFlows();
  const claimed = jsonOf.taskClaim(await svc('task', 'claim', '--json'));
  const cancelled = jsonOf.flowCancel(await svc('flow', 'cancel', flowId, '--json'));
  assert.equal([cancelled.cancelled, cancelled.flow.status], [false, 'queued']);
  const token = ['--lease-token', claimed.leaseToken ?? ''];
  const waiting = runInPty(['task', 'wait', taskId], { home, env: { NO_COLOR: '1' }, lines: true });
  await waiting.waitForText('running, cancelling');
  const beat = await svc('task', 'heartbeat', taskId, ...token, '--json');
  assert.is(jsonOf.taskHeartbeat(beat).cancelRequested, true);
  await svc('task', 'heartbeat', taskId, ...token, '--progress', 'half way');
  await waiting.waitForText('running, cancelling  half way');
  await svc('task', 'fail', taskId, ...token, '--error', 'stopped');
  assert.is(await waiting.ended, 1);
  const changes = waiting.output().match(/(?<=\d\d:\d\d:\d\d {2})\S.*(?=\r)/gu);
  assert.equal(changes, [
    'running, cancelling',
    'running, cancelling  half way',
    'cancelled  Cancelled by operator.',
  ]);
  const shown = jsonOf.flowShow(await svc('flow', 'show', flowId, '--json'));
  assert.equal([shown.flow.status, shown.tasks[0]?.status], ['cancelled', 'cancelled']);
  const again = await svc('flow', 'cancel', flowId, '--json');
  assert.equal([again.code, jsonOf.error(again).code], [1, 'FLOW_ENDED']);
});

test('prunes ended flows, after confirmation', async () => {
  const { svc, flowId } = await someFlows();
  jsonOf.flowCancel(await svc('flow', 'cancel', flowId, '--json'));
  const unconfirmed = await svc('flow', 'prune', '--json');
  assert.equal([unconfirmed.code, jsonOf.error(unconfirmed).code], [2, 'CONFIRMATION_NEEDED']);
  const kept = jsonOf.flowPrune(await svc('flow', 'prune', '--yes', '--json'));
  assert.equal(kept, { pruned: true, flows: 0, tasks: 0, warnings: [] });
  const pruned = jsonOf.flowPrune(
    await svc('flow', 'prune', '--older-than', '0', '--yes', '--json'),
  );
  assert.equal(pruned, { pruned: true, flows: 1, tasks: 1, warnings: [] });
});

test('a followed list prints changes by other processes, line by line', async () => {
  const { svc, home, flowId } = await someFlows();
  const json = startSvc(['flow', 'list', '--watch', '--json'], { home });
  const plain = startSvc(['task', 'list', '--watch', '--plain'], { home });
  await Promise.all([json.waitForText('"goal":"a new one"'), plain.waitForText('queued')]);
  await svc('flow', 'cancel', flowId);
  await Promise.all([json.waitForText('"status":"cancelled"'), plain.waitForText('cancelled')]);
  for (const run of [json, plain]) run.child.kill('SIGINT');
  const [lines, text] = await Promise.all([json.done, plain.done]);
  assert.equal([lines.code, text.code], [130, 130]);
  const documents = lines.stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  assert.is(documents.length, 3);
});

test('usage errors are reported', async () => {
  const { svc, taskId } = await someFlows();
  for (const args of [
    ['flow', 'list', '--since', 'yesterday'],
    ['task', 'complete', taskId, '--result', '{'],
    ['task', 'fail', taskId],
    ['flow', 'list', '--status', 'done'],
    ['task', 'fail', '', '--error', 'x'],
    ['task', 'cancel', ''],
    ['flow', 'show', ''],
    ['notification', 'show', ''],
    ['notification', 'retry'],
    ['notification', 'retry', '7', '--failed'],
    ['notification', 'retry', '7', '--since', '1h'],
    ['flow', 'wait', 'f', '--timeout', 'soon'],
  ]) {
    const run = await svc(...args, '--json');
    assert.equal([run.code, jsonOf.error(run).code], [2, 'USAGE'], args.join(' '));
  }
});

test('the history names who made a change, and a wait ends with its exit code', async () => {
  const { svc, home, flowId, taskId } = await someFlows();
  const over = await svc('flow', 'wait', flowId, '--timeout', '0s', '--json');
  assert.equal([over.code, jsonOf.error(over).code], [124, 'WAIT_TIMED_OUT']);
  const waiting = runSvc(['task', 'wait', taskId.slice(0, 8), '--json'], { home });
  assert.is((await svc('task', 'cancel', taskId)).code, 0);
  const waited = await waiting;
  assert.equal([waited.code, jsonOf.task(waited).task.status], [1, 'cancelled']);
  const history = await svc('flow', 'history', flowId, '--json');
  const { entries, startsAt, gapAfter } = jsonOf.flowHistory(history);
  assert.equal([startsAt, gapAfter], [entries[0]?.at, null]);
  assert.equal(
    entries.map(({ actor, actorName, event, to }) => [actor, actorName, event, to]),
    [
      ['route', 'ada', 'flow.created', 'queued'],
      ['route', 'ada', 'task.queued', 'queued'],
      ['operator', null, 'task.ended', 'cancelled'],
    ],
  );
  assert.match((await svc('flow', 'show', flowId)).stdout, /operator .* queued → cancelled/u);
});

test('variables of flags that select several do not refuse an ID, except for a dry run', async () => {
  const { home, flowId } = await someFlows();
  const cancel = (env: Readonly<Record<string, string>>) =>
    runInSession(['flow', 'cancel', flowId], { home, env });
  const dry = await cancel({ SVC_DRY_RUN: '1' });
  assert.is(dry.code, 2);
  assert.match(dry.stderr, 'SVC_DRY_RUN is set');
  const run = await cancel({ SVC_STATUS: 'queued', SVC_ROUTE: 'other', SVC_SINCE: '1h' });
  assert.is(run.code, 0, run.stderr);
});

test('a retry leaves alone what has not failed, and its dry run refuses what cannot be retried', async () => {
  const { flows, home } = await testFlows();
  const flowId = await newFlow(flows);
  await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  await flows.close();
  const retry = ['notification', 'retry', '--failed', '--since', '1d', '--json'];
  const none = await runInSession(retry, { home });
  assert.equal([none.code, JSON.parse(none.stdout).retried], [0, []]);
  // Without a configuration, its target is unknown.
  for (const flags of [['--dry-run'], []]) {
    const args = ['notification', 'retry', '1', '--json', ...flags];
    const run = await runInSession(args, { home });
    assert.equal([run.code, jsonOf.error(run).code], [1, 'NOTIFICATION_TARGET_UNKNOWN']);
  }
});

test('several are changed at once, and a dry run counts what would change', async () => {
  const { svc, flowId } = await someFlows();
  for (const args of [[], [flowId, '--status', 'queued'], [flowId, '--dry-run']]) {
    assert.is((await svc('flow', 'cancel', '--yes', ...args)).code, 2, args.join(' '));
  }
  const unconfirmed = await svc('flow', 'cancel', '--older-than', '1h', '--json');
  assert.is(jsonOf.error(unconfirmed).code, 'CONFIRMATION_NEEDED');
  const dryRun = await svc('flow', 'cancel', '--older-than', '1h', '--dry-run', '--json');
  const { matched, changed, results } = jsonOf.bulk(dryRun);
  assert.equal([matched, changed, results[0]?.outcome], [1, 0, 'unchanged']);
  const tasks = await svc('task', 'cancel', '--runtime', 'subagent', '--yes');
  assert.match(tasks.stdout, 'cancelled 1 task');
  const flows = jsonOf.bulk(await svc('flow', 'cancel', '--route', 'ada', '--yes', '--json'));
  assert.equal(flows.results, [
    { id: flowId, status: 'cancelled', outcome: 'changed', error: null },
  ]);
  // Their flow has ended.
  for (const how of ['--dry-run', '--yes']) {
    const late = await svc('task', 'retry', '--since', '1d', how, '--json');
    assert.equal([late.code, jsonOf.bulk(late).matched], [0, 0], how);
  }
});

test('an interrupted change of many ends with 130 and reports what it has changed', async () => {
  const { flows, home } = await testFlows();
  // Of these, 50 are changed at once.
  const count = 500;
  await Promise.all(Array.from({ length: count }, () => newFlow(flows, ADA)));
  await flows.close();
  const session = runInPty(['flow', 'cancel', '--route', 'ada'], { home, lines: true });
  await session.waitForText('[y/N]');
  const busy = rawDatabase(`${home}/flows.sqlite`);
  busy.exec('BEGIN IMMEDIATE');
  const before = session.output().length;
  session.type('y\r');
  // The question is over then, and no change can begin.
  await waitFor('the answer', () => session.output().slice(before).includes('\n'));
  session.kill('SIGINT');
  busy.exec('COMMIT');
  busy.close();
  assert.is(await session.ended, 130, session.output());
  const [, changed] = /cancelled (\d+) flows?/u.exec(session.output()) ?? [];
  assert.ok(Number(changed) < count, session.output());
});

test.run();
