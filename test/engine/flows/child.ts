/**
 * A process of its own that works on flows, for tests that kill it or set several against each other.
 * It prints what the store acknowledged, a line each, at once.
 *
 *   node --import tsx child.ts write|claim|listen|work HOME|URL
 *   node --import tsx child.ts deliver HOME FLOWS-SETTINGS-AS-JSON AHEAD-MS
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConfigInput, resolveConfig } from '../../../src/engine/config/index.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import type { Flows } from '../../../src/engine/flows/index.js';
import { openDelivery } from '../../../src/engine/task-runner/delivery/open-delivery.js';
import { contextOf } from '../../support/context.js';
import { openFlowsAt } from '../../support/flow-stores.js';
import { ADA, testFlows, viewOf } from '../../support/flows.js';
import { testLog } from '../../support/services.js';

const CALLERS = 16;

function say(...words: readonly unknown[]): void {
  process.stdout.write(`${words.join(' ')}\n`);
}

/** Creates, changes and ends flows, and gives them tasks, without end. */
async function write(flows: Flows): Promise<void> {
  for (;;) {
    const goal = { action: 'create_flow', goal: 'g', stateJson: { n: 0 } } as const;
    const flowId = String(viewOf(await flows.perform(goal, ADA))['flowId']);
    say('flow', flowId, 0, 'queued');
    const task = { action: 'run_task', flowId, runtime: 'acp', task: 't' } as const;
    say('task', viewOf(await flows.perform(task, ADA), 'task')['taskId'], 'queued');
    for (let revision = 0; revision < 3; revision++) {
      const status = revision % 2 === 0 ? 'running' : 'queued';
      const resume = { action: 'resume_flow', flowId, expectedRevision: revision, status } as const;
      await flows.perform(resume, ADA);
      say('flow', flowId, revision + 1, status);
    }
    const claim = await flows.tasks.claim({ worker: 'w' });
    if (claim !== undefined) {
      const { taskId } = claim.task;
      await flows.tasks.complete({ taskId, token: claim.leaseToken });
      say('task', taskId, 'succeeded');
    }
    await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 3 }, ADA);
    say('flow', flowId, 4, 'succeeded');
  }
}

/** Claims tasks until none is left. */
async function claim(flows: Flows): Promise<void> {
  for (;;) {
    const claimed = await flows.tasks.claim({ worker: String(process.pid) });
    if (claimed === undefined) return;
    say(claimed.task.taskId);
  }
}

/** Asks again until the store answers, as clients of a listener do. */
async function persist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SvcError && error.code.startsWith('STORAGE_'))) throw error;
      await sleep(20);
    }
  }
}

/** What clients of a listener do with idempotency keys, without end: each goal belongs to one flow. */
async function listen(flows: Flows): Promise<void> {
  for (;;) {
    const goal = randomUUID();
    const once = { key: goal, bodyHash: 'h' };
    const create = { action: 'create_flow', goal, notifyPolicy: 'state_changes' } as const;
    const flowId = String(viewOf(await persist(() => flows.perform(create, ADA, once)))['flowId']);
    say('flow', flowId, 0);
    const task = { action: 'run_task', flowId, runtime: 'acp', task: goal } as const;
    const added = await persist(() => flows.perform(task, ADA, once));
    say('task', viewOf(added, 'task')['taskId'], 'queued');
    for (let revision = 0; revision < 2; revision++) {
      const resume = { action: 'resume_flow', flowId, expectedRevision: revision } as const;
      const key = { key: `${goal} ${revision}`, bodyHash: 'h' };
      const answer = await persist(() => flows.perform(resume, ADA, key));
      if (!answer.ok) throw new Error(`${flowId} at ${revision}: ${answer.code}`);
      say('flow', flowId, revision + 1);
    }
  }
}

/** Runs tasks without end. A report whose answer was lost may find that it has arrived. */
async function work(flows: Flows): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    const claimed = await persist(() => flows.tasks.wait({ worker: 'w' }, signal));
    const { taskId } = claimed.task;
    const lease = { taskId, token: claimed.leaseToken };
    const beat = await persist(() => flows.tasks.heartbeat(lease));
    if (!beat.ok) continue;
    const answer = await persist(() =>
      flows.tasks.complete(lease, { result: { by: process.pid } }),
    );
    if (answer.ok) say('task', taskId, 'succeeded');
  }
}

/** Delivers notifications until it is killed. @param aheadMs how much later than the test it is */
async function deliver(
  home: string,
  settings: NonNullable<ConfigInput['flows']>,
  aheadMs: number,
): Promise<void> {
  const { flows, clock } = await testFlows(settings, home);
  clock.nowMs += aheadMs;
  const input = { flows: settings };
  const loaded = { file: undefined, input, resolved: resolveConfig(input), warnings: [] };
  const context = contextOf(home, { clock });
  const { logger: log } = testLog();
  await openDelivery({ flows, context, loaded, log });
  say('ready');
  await new Promise(() => undefined);
}

const [what = '', where = '', given = '{}', ahead = '0'] = process.argv.slice(2);
if (what === 'deliver') await deliver(where, JSON.parse(given), Number(ahead));
const isServer = where.startsWith('postgres:');
// Where tasks are only claimed, none may be taken back, however slow the machine is.
const settings = { leaseSeconds: isServer && what !== 'claim' ? 1 : 86_400 };
const flows = isServer
  ? await persist(() => openFlowsAt(where, settings, { servers: new Map() }))
  : (await testFlows(settings, where)).flows;
say('ready');
const works: Readonly<Record<string, (flows: Flows) => Promise<void>>> = {
  write,
  claim,
  listen,
  work,
};
await Promise.all(Array.from({ length: CALLERS }, () => works[what]?.(flows)));
await flows.close();
