import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Flows } from '../../../src/engine/flows/index.js';
import { newFlow, newTask, testFlows } from '../../../test/support/flows.js';
import { jsonOf } from '../../../test/support/json.js';
import { serveWebhooks, whenReady } from '../../../test/support/serving.js';
import { act, SECRET } from '../../../test/support/webhooks.js';
import { Moments, must, type Victim } from '../victim.js';
import type { World } from '../world.js';

/** What the listener acknowledged: the flow created with a key, and its last revision. */
interface AcknowledgedFlow {
  readonly flowId: string;
  readonly revision: number;
}

const CLIENTS = 12;
const LONGEST_MS = 250;
/** Number of earlier keys repeated to each new listener. */
const REPEATED = 20;

/** `svc webhook serve` under requests that create and update flows, each with its own key. */
export function listenerVictim(): Victim {
  const acknowledged = new Map<string, AcknowledgedFlow>();
  let next = 0;
  return {
    name: 'flows through the listener',
    killOnce: async (world) => {
      const serving = serveWebhooks(world.home, ['--plain', '--quiet']);
      const url = await whenReady(world.home);
      await repeatKeys(url, acknowledged);
      const afterMs = world.random() * LONGEST_MS;
      const load = Array.from({ length: CLIENTS }, () => {
        return requestsOf(url, () => `key-${next++}`, acknowledged);
      });
      await sleep(afterMs);
      serving.child.kill('SIGKILL');
      const run = await serving.done;
      await Promise.all(load);
      requireAcknowledged(world, acknowledged);
      const log = readFileSync(world.home.at('logs/serve.log'), 'utf8');
      must(!log.includes(SECRET), 'the secret is in the log');
      // The next listener's address is read from the log.
      world.home.write('logs/serve.log', '');
      return { wasAtWork: run.signal === 'SIGKILL' };
    },
  };
}

/** Creates and updates flows until the listener is gone. */
async function requestsOf(
  url: string,
  newKey: () => string,
  acknowledged: Map<string, AcknowledgedFlow>,
): Promise<void> {
  try {
    for (;;) {
      const key = newKey();
      const { status, body } = await act(url, CREATE, { 'idempotency-key': key });
      if (status !== 200) throw new Error(`create returned ${status}`);
      const flowId = flowIdIn(body);
      acknowledged.set(key, { flowId, revision: 0 });
      for (const [revision, action] of MOVES.entries()) {
        const moved = await act(url, { ...action, flowId, expectedRevision: revision });
        if (moved.status !== 200) throw new Error(`${action.action} returned ${moved.status}`);
        acknowledged.set(key, { flowId, revision: revision + 1 });
      }
    }
  } catch (error) {
    // The listener is gone.
    if (error instanceof TypeError || error instanceof SyntaxError) return;
    throw error;
  }
}

const CREATE = { action: 'create_flow', goal: 'a goal', stateJson: { n: 0 } } as const;
const MOVES = [
  { action: 'resume_flow', status: 'running' },
  { action: 'set_waiting', blockedSummary: 'a person has to look' },
  { action: 'finish_flow' },
] as const;
const STATUSES = ['queued', 'running', 'blocked', 'succeeded'];

function flowIdIn(body: Readonly<Record<string, unknown>>): string {
  const found = /"flowId":"([^"]+)"/u.exec(JSON.stringify(body))?.[1];
  must(found !== undefined, `no flow in ${JSON.stringify(body)}`);
  return found;
}

async function repeatKeys(
  url: string,
  acknowledged: ReadonlyMap<string, AcknowledgedFlow>,
): Promise<void> {
  for (const [key, { flowId }] of [...acknowledged].slice(-REPEATED)) {
    const { status, body } = await act(url, CREATE, { 'idempotency-key': key });
    must(
      status === 200 && flowIdIn(body) === flowId,
      `${key} created another flow after a restart`,
    );
  }
}

function requireAcknowledged(
  world: World,
  acknowledged: ReadonlyMap<string, AcknowledgedFlow>,
): void {
  const database = new Database(world.home.at('flows.sqlite'));
  try {
    must(database.pragma('integrity_check', { simple: true }) === 'ok', 'flows.sqlite is damaged');
    const flow = database.prepare<[string], { readonly revision: number; readonly status: string }>(
      'SELECT revision, status FROM flows WHERE id = ?',
    );
    for (const [key, { flowId, revision }] of acknowledged) {
      const found = flow.get(flowId);
      must(found !== undefined, `the flow of ${key} was acknowledged but is lost`);
      must(
        found.revision >= revision,
        `revision ${revision} of ${key} was acknowledged, and is lost`,
      );
      must(
        found.status === STATUSES[found.revision],
        `${key} is ${found.status} at ${found.revision}`,
      );
    }
  } finally {
    database.close();
  }
}

const LEASE_SECONDS = 86_400;

/** `svc flow cancel`, `svc task claim` and `svc task complete`. */
export function flowCommandVictim(): Victim {
  const moments = new Moments(/^flows\.sqlite/u);
  return {
    name: 'flows through commands',
    killOnce: async (world, round) => {
      const flows = await flowsOf(world);
      const flowId = await newFlow(flows);
      const taskId = await newTask(flows, flowId);
      await flows.close();
      const [args, before, after] = commandOf(round, flowId, taskId);
      const run = await world.runAndKill(
        [...args, '--json'],
        moments.next(world.random, world.home.path),
      );
      const wasAtWork = moments.wasAtWork(run);
      const again = await flowsOf(world);
      const { task } = await again.operator.showTask(taskId);
      const { flow } = await again.operator.showFlow(flowId);
      const state = `${flow.status} ${task.status}`;
      must(state === before || state === after, `${args.join(' ')} left ${state}`);
      if (run.code === 0)
        must(state === after, `${args.join(' ')} was acknowledged but left ${state}`);
      if (args[1] === 'claim' && run.stdout !== '') {
        const { leaseToken } = jsonOf.taskClaim({ ...run, code: 0 });
        if (leaseToken !== null) await again.tasks.complete({ taskId, token: leaseToken });
      }
      // Leave nothing for the next round to claim.
      await again.operator.cancelFlow(flowId).catch(() => undefined);
      await again.close();
      return { wasAtWork };
    },
  };
}

async function flowsOf(world: World): Promise<Flows> {
  const { flows, clock } = await testFlows({ leaseSeconds: LEASE_SECONDS }, world.home.path);
  clock.nowMs = Date.now();
  return flows;
}

/** The command, and the states of flow and task before and after. */
function commandOf(
  round: number,
  flowId: string,
  taskId: string,
): readonly [args: readonly string[], before: string, after: string] {
  switch (round % 3) {
    case 0:
      return [['flow', 'cancel', flowId], 'queued queued', 'cancelled cancelled'];
    case 1:
      return [['task', 'cancel', taskId], 'queued queued', 'queued cancelled'];
    default:
      return [
        ['task', 'claim', '--lease-seconds', String(LEASE_SECONDS)],
        'queued queued',
        'queued running',
      ];
  }
}
