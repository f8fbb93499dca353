import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlowAction } from '../../../src/engine/flow-model/action-schemas.js';
import type { FlowCaller, Flows } from '../../../src/engine/flows/index.js';
import {
  flowsOn,
  SQLITE,
  type StoredFlows,
  type TestFlowStore,
} from '../../support/flow-stores.js';
import { ADA, BOB, codeOf, viewOf } from '../../support/flows.js';
import { testServers } from '../../support/postgres.js';

interface ModelTask {
  readonly id: string;
  /** Grows with each one. */
  readonly seq: number;
  status: 'cancelled' | 'failed' | 'queued' | 'running' | 'succeeded';
  token: string | undefined;
  toBeCancelled: boolean;
}

interface ModelFlow {
  readonly id: string;
  readonly owner: FlowCaller;
  status: string;
  revision: number;
  toBeCancelled: boolean;
  readonly tasks: ModelTask[];
}

interface Model {
  readonly flows: ModelFlow[];
}

/** Opened by one process after the other. */
interface Real {
  flows: Flows;
  readonly stored: StoredFlows;
}

type Command = fc.AsyncCommand<Model, Real>;

const ENDED = ['succeeded', 'failed', 'cancelled'];
const hasEnded = (flow: { readonly status: string }): boolean => ENDED.includes(flow.status);
const isActive = (task: ModelTask): boolean => ['queued', 'running'].includes(task.status);

/** What an outside system may see of a flow is what the model says. */
async function check(real: Real, flow: ModelFlow): Promise<void> {
  const { flows } = real;
  const seen = viewOf(await flows.perform({ action: 'get_flow', flowId: flow.id }, flow.owner));
  assert.equal(
    [seen['status'], seen['revision'], 'cancelRequestedAt' in seen, 'endedAt' in seen],
    [flow.status, flow.revision, flow.toBeCancelled, hasEnded(flow)],
  );
  await checkHistory(flows, flow.id);
  const answer = await flows.perform({ action: 'get_task_summary', flowId: flow.id }, flow.owner);
  const { tasks } = flow;
  const count = (status: string): number => tasks.filter((task) => task.status === status).length;
  assert.equal(answer.result['summary'], {
    total: tasks.length,
    active: tasks.filter(isActive).length,
    terminal: tasks.length - tasks.filter(isActive).length,
    failures: count('failed'),
    byStatus: {
      queued: count('queued'),
      running: count('running'),
      succeeded: count('succeeded'),
      failed: count('failed'),
      timed_out: 0,
      cancelled: count('cancelled'),
      lost: 0,
    },
    byRuntime: { subagent: tasks.length, acp: 0, cli: 0, cron: 0 },
  });
}

function command(
  name: string,
  run: (model: Model, real: Real) => Promise<ModelFlow | undefined>,
): Command {
  return {
    check: () => true,
    toString: () => name,
    run: async (model, real) => {
      const touched = await run(model, real);
      if (touched !== undefined) await check(real, touched);
    },
  };
}

function createFlow(owner: FlowCaller, status: 'queued' | 'running' | undefined): Command {
  return command(`create(${owner.sessionKey}, ${status})`, async (model, { flows }) => {
    const action = { action: 'create_flow', goal: 'g', ...(status && { status }) } as const;
    const id = String(viewOf(await flows.perform(action, owner))['flowId']);
    const made = {
      id,
      owner,
      status: status ?? 'queued',
      revision: 0,
      toBeCancelled: false,
      tasks: [],
    };
    model.flows.push(made);
    return made;
  });
}

type Mutation = Extract<FlowAction, { readonly expectedRevision: number }>;
const KINDS = [
  'set_waiting',
  'set_blocked',
  'resume_flow',
  'finish_flow',
  'fail_flow',
  'request_cancel',
] as const;
type Kind = (typeof KINDS)[number];

const LEADS_TO: Readonly<Record<Kind, string | undefined>> = {
  set_waiting: 'waiting',
  set_blocked: 'blocked',
  resume_flow: 'queued',
  finish_flow: 'succeeded',
  fail_flow: 'failed',
  request_cancel: undefined,
};

function mutationOf(kind: Kind, flowId: string, expectedRevision: number): Mutation {
  if (kind === 'set_blocked') {
    return { action: 'set_waiting', flowId, expectedRevision, blockedSummary: 'no key' };
  }
  return { action: kind, flowId, expectedRevision };
}

/** The refusals in the order in which they are looked for. */
function mutationCode(kind: Kind, flow: ModelFlow, isOwner: boolean, revision: number): string {
  if (!isOwner) return 'not_found';
  if (hasEnded(flow)) return 'terminal';
  const onlyEnds = ['set_waiting', 'set_blocked', 'resume_flow'].includes(kind);
  if (flow.toBeCancelled && onlyEnds) return 'cancel_requested';
  return revision === flow.revision ? 'ok' : 'revision_conflict';
}

function mutate(kind: Kind, at: number, isOwner: boolean, off: number): Command {
  return command(`${kind}(${at}, ${isOwner}, ${off})`, async (model, { flows }) => {
    const flow = model.flows[at % Math.max(1, model.flows.length)];
    if (flow === undefined) return undefined;
    const revision = Math.max(0, flow.revision + off);
    const caller = isOwner ? flow.owner : flow.owner === ADA ? BOB : ADA;
    const answer = await flows.perform(mutationOf(kind, flow.id, revision), caller);
    const expected = mutationCode(kind, flow, isOwner, revision);
    assert.is(codeOf(answer), expected);
    if (expected !== 'ok') return flow;
    flow.revision += 1;
    flow.status = LEADS_TO[kind] ?? flow.status;
    if (kind === 'request_cancel') flow.toBeCancelled = true;
    return flow;
  });
}

function cancel(at: number): Command {
  return command(`cancel(${at})`, async (model, { flows }) => {
    const flow = model.flows[at % Math.max(1, model.flows.length)];
    if (flow === undefined) return undefined;
    const answer = await flows.perform({ action: 'cancel_flow', flowId: flow.id }, flow.owner);
    if (hasEnded(flow)) {
      assert.is(codeOf(answer), 'terminal');
      return flow;
    }
    if (!flow.toBeCancelled) flow.revision += 1;
    flow.toBeCancelled = true;
    for (const task of flow.tasks) {
      if (task.status === 'queued') task.status = 'cancelled';
      if (task.status === 'running') task.toBeCancelled = true;
    }
    endWithLastTask(flow);
    assert.is(codeOf(answer), flow.status === 'cancelled' ? 'ok' : 'cancel_pending');
    return flow;
  });
}

function endWithLastTask(flow: ModelFlow): void {
  if (!flow.toBeCancelled || hasEnded(flow) || flow.tasks.some(isActive)) return;
  flow.status = 'cancelled';
  flow.revision += 1;
}

function addTask(at: number): Command {
  return command(`run_task(${at})`, async (model, { flows }) => {
    const flow = model.flows[at % Math.max(1, model.flows.length)];
    if (flow === undefined) return undefined;
    const task = { runtime: 'subagent', task: 't' } as const;
    const answer = await flows.perform(
      { action: 'run_task', flowId: flow.id, ...task },
      flow.owner,
    );
    const expected = flow.toBeCancelled ? 'cancel_requested' : hasEnded(flow) ? 'terminal' : 'ok';
    assert.is(codeOf(answer), expected);
    if (expected !== 'ok') return flow;
    const id = String(viewOf(answer, 'task')['taskId']);
    const seq = model.flows.reduce((count, { tasks }) => count + tasks.length, 0);
    flow.tasks.push({ id, seq, status: 'queued', token: undefined, toBeCancelled: false });
    return flow;
  });
}

function claim(): Command {
  return command('claim', async (model, { flows }) => {
    const claimed = await flows.tasks.claim({ worker: 'w' });
    const queued = model.flows
      .flatMap((flow) => flow.tasks.map((task) => ({ flow, task })))
      .filter(({ task }) => task.status === 'queued')
      .sort((a, b) => a.task.seq - b.task.seq);
    const [oldest] = queued;
    assert.is(claimed?.task.taskId, oldest?.task.id);
    if (oldest === undefined || claimed === undefined) return undefined;
    oldest.task.status = 'running';
    oldest.task.token = claimed.leaseToken;
    return oldest.flow;
  });
}

function report(at: number, kind: 'complete' | 'fail' | 'heartbeat'): Command {
  return command(`${kind}(${at})`, async (model, { flows }) => {
    const all = model.flows.flatMap((flow) => flow.tasks.map((task) => ({ flow, task })));
    const chosen = all[at % Math.max(1, all.length)];
    if (chosen === undefined) return undefined;
    const { flow, task } = chosen;
    const lease = { taskId: task.id, token: task.token ?? 'none' };
    if (kind === 'heartbeat') {
      const answer = await flows.tasks.heartbeat(lease);
      assert.is(answer.ok, task.status === 'running');
      if (answer.ok) assert.is(answer.task.cancelRequestedAt !== null, task.toBeCancelled);
      return flow;
    }
    const answer =
      kind === 'complete'
        ? await flows.tasks.complete(lease)
        : await flows.tasks.fail(lease, { error: 'e', retry: false });
    assert.is(answer.ok, task.status === 'running');
    if (!answer.ok) return flow;
    task.status = kind === 'complete' ? 'succeeded' : task.toBeCancelled ? 'cancelled' : 'failed';
    endWithLastTask(flow);
    return flow;
  });
}

function restart(): Command {
  return command('restart', async (_model, real) => {
    real.flows = await real.stored.reopen(real.flows);
    return undefined;
  });
}

/** Few, so that much happens to each. */
const at = fc.nat({ max: 2 });
const mutations = fc
  .tuple(
    fc.constantFrom(...KINDS),
    at,
    fc.nat(9).map((n) => n > 0),
    fc.constantFrom(0, 0, 0, 0, -1, 1),
  )
  .map((args) => mutate(...args));
const commands = fc.commands(
  [
    fc
      .tuple(fc.constantFrom(ADA, BOB), fc.constantFrom('queued', 'running', undefined))
      .map((args) => createFlow(...args)),
    mutations,
    mutations,
    mutations,
    at.map(cancel),
    at.map(addTask),
    at.map(addTask),
    fc.constant(claim()),
    fc.tuple(at, fc.constantFrom('complete', 'fail', 'heartbeat')).map((args) => report(...args)),
    fc.constant(restart()),
  ],
  { maxCommands: 60, size: 'max' },
);

/** Every database is a new process's connections: fewer runs where that takes long. */
const RUNS: Readonly<Record<string, number>> = { SQLite: 40, PGlite: 10, PostgreSQL: 25 };

function anyOrder(store: TestFlowStore): void {
  const test = suite(`any actions in any order in ${store.name}`);
  test.after(() => store.stop());

  test('follow the state machine', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (run) => {
        const stored = await store.open({ leaseSeconds: 86_400 });
        const real = { flows: stored.flows, stored };
        const model: Model = { flows: [] };
        try {
          await fc.asyncModelRun(() => ({ model, real }), run);
          for (const flow of model.flows) await check(real, flow);
        } finally {
          await stored.close();
        }
      }),
      { numRuns: RUNS[store.name] ?? 0 },
    );
  });

  test('are applied one after the other when two processes run them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(atOnce, { minLength: 10, maxLength: 60 }), async (actions) => {
        const stored = await store.open({ leaseSeconds: 86_400 });
        const processes = [stored.flows, await stored.other()];
        const ids = await Promise.all([0, 1].map(() => create(stored.flows)));
        try {
          const answers = await Promise.all(
            actions.map((action, at) => perform(processes[at % 2] ?? stored.flows, action, ids)),
          );
          for (const flowId of ids) await checkOne(stored.flows, flowId, answers);
        } finally {
          await stored.close();
        }
      }),
      { numRuns: RUNS[store.name] ?? 0 },
    );
  });

  test.run();
}

type AtOnce = readonly [
  kind: Kind | 'cancel_flow' | 'run_task' | 'work',
  flow: number,
  revision: number,
];

const atOnce: fc.Arbitrary<AtOnce> = fc.tuple(
  fc.constantFrom<AtOnce[0]>(
    'resume_flow',
    'resume_flow',
    'set_waiting',
    'set_blocked',
    'request_cancel',
    'finish_flow',
    'cancel_flow',
    'run_task',
    'run_task',
    'work',
    'work',
  ),
  fc.nat({ max: 1 }),
  fc.nat({ max: 3 }),
);

interface Done {
  readonly flowId: string;
  readonly kind: AtOnce[0];
  readonly revision: number;
  /** How the action was answered, or how many tasks were completed. */
  readonly code: string;
}

async function create(flows: Flows): Promise<string> {
  return String(viewOf(await flows.perform({ action: 'create_flow', goal: 'g' }, ADA))['flowId']);
}

async function perform(flows: Flows, [kind, at, revision]: AtOnce, ids: string[]): Promise<Done> {
  const flowId = ids[at] ?? '';
  const done = (code: string): Done => ({ flowId, kind, revision, code });
  if (kind === 'work') {
    const claim = await flows.tasks.claim({ worker: 'w' });
    if (claim === undefined) return done('none');
    const lease = { taskId: claim.task.taskId, token: claim.leaseToken };
    assert.ok((await flows.tasks.heartbeat(lease)).ok);
    assert.ok((await flows.tasks.complete(lease)).ok);
    return { ...done('completed'), flowId: claim.task.parentFlowId };
  }
  if (kind === 'run_task') {
    const action = { action: 'run_task', flowId, runtime: 'subagent', task: 't' } as const;
    return done(codeOf(await flows.perform(action, ADA)));
  }
  if (kind === 'cancel_flow') {
    return done(codeOf(await flows.perform({ action: 'cancel_flow', flowId }, ADA)));
  }
  return done(codeOf(await flows.perform(mutationOf(kind, flowId, revision), ADA)));
}

/** The history has every revision of the flow once, in order, and ends where the flow and its tasks are. */
async function checkHistory(flows: Flows, flowId: string): Promise<void> {
  const { flow, tasks } = await flows.operator.showFlow(flowId);
  const { entries, startsAt } = await flows.operator.history(flowId);
  assert.is(startsAt, flow.createdAt);
  const ofFlow = entries.filter(({ event }) => event.startsWith('flow.'));
  assert.equal(
    ofFlow.map(({ revision }) => revision),
    Array.from({ length: flow.revision + 1 }, (_, revision) => revision),
  );
  for (const { taskId, status } of [{ taskId: null, status: flow.status }, ...tasks]) {
    const moves = entries.filter((entry) => entry.taskId === taskId && entry.toStatus !== null);
    assert.is(moves.at(-1)?.toStatus, status);
    for (const [at, move] of moves.entries()) {
      assert.is(move.fromStatus, moves[at - 1]?.toStatus ?? null);
    }
  }
}

/** No revision was given to two changes, no task was lost or run twice, and nothing runs in a cancelled flow. */
async function checkOne(flows: Flows, flowId: string, all: readonly Done[]): Promise<void> {
  const { flow, tasks } = await flows.operator.showFlow(flowId);
  const own = all.filter((done) => done.flowId === flowId);
  const ok = (kind: AtOnce[0]): Done[] =>
    own.filter((one) => one.kind === kind && one.code === 'ok');
  const revisions = KINDS.flatMap(ok).map(({ revision }) => revision);
  assert.is(new Set(revisions).size, revisions.length);
  assert.ok(revisions.every((revision) => revision < flow.revision));
  assert.is(tasks.length, ok('run_task').length);
  const completed = own.filter(({ code }) => code === 'completed').length;
  assert.is(tasks.filter(({ status }) => status === 'succeeded').length, completed);
  const active = tasks.filter(({ status }) => status === 'queued' || status === 'running');
  if (flow.status === 'cancelled') assert.is(active.length, 0);
  await checkHistory(flows, flowId);
  const wasCancelled =
    own.some(({ code }) => code === 'cancel_pending') || ok('cancel_flow').length > 0;
  if (wasCancelled) assert.ok(hasEnded(flow) || active.length > 0, flow.status);
}

const servers = await testServers();
for (const store of [SQLITE, ...servers.map((one) => flowsOn(one))]) anyOrder(store);
