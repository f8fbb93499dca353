import { existsSync, readFileSync } from 'node:fs';
import http, { createServer, type IncomingMessage, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { routeThroughProxies } from '../../../src/cli/outgoing-proxies.js';
import {
  type ConfigInput,
  type LoadedConfig,
  resolveConfig,
} from '../../../src/engine/config/index.js';
import { messageOf, SvcError } from '../../../src/engine/errors/index.js';
import { type Flows, openFlows } from '../../../src/engine/flows/index.js';
import { type EngineContext, resolveStatePaths } from '../../../src/engine/support/context.js';
import { openDelivery } from '../../../src/engine/task-runner/delivery/open-delivery.js';
import { ADA, newFlow, newTask, pendingCount, testClock } from '../../support/flows.js';
import { isRunning } from '../../support/processes.js';
import { testLog } from '../../support/services.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('delivery of notifications');

const SECRET = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;

/** Secrets as files and variables often contain them, by the key that is meant. */
const WITH_LINE_BREAK = { LINE_WHSEC: SECRET, LINE_TEXT: 'a key in plain text, quite long' };
const LINES = Object.fromEntries(
  Object.entries(WITH_LINE_BREAK).map(([name, key]) => [name, `${key}\r\n`]),
);

/** A request as a receiver saw it. */
interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const servers = new Set<Server>();

/** An HTTP server that records requests and gives scripted answers. */
async function receiver(answers: readonly number[] = [], location = '/') {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      const status = answers[received.length - 1] ?? 200;
      response.writeHead(status, status === 302 ? { location } : {}).end('thanks');
    });
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { received, close, url: `http://127.0.0.1:${port}/hook` };
}

type Notify = NonNullable<NonNullable<ConfigInput['flows']>['notify']>;

interface World {
  readonly home: TempFolder;
  readonly flows: Flows;
  readonly clock: { nowMs: number };
  readonly logText: () => string;
  readonly delivery: NonNullable<Awaited<ReturnType<typeof openDelivery>>>;
  readonly trouble: () => unknown;
  close(): Promise<void>;
}

const open = new Set<World>();

async function delivering(
  notify: Notify,
  home = tempFolder(),
  plugins: ConfigInput['plugins'] = {},
  wrapped = (flows: Flows) => flows,
): Promise<World> {
  const clock = testClock();
  // Receivers compare the time of a signature with their own.
  clock.nowMs = Date.now();
  const context: EngineContext = {
    env: { PATH: process.env['PATH'], MY_SECRET: SECRET, SVC_HOME: home.path, ...LINES },
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
    clock,
  };
  const input: ConfigInput = { flows: { notify }, plugins };
  const resolved = resolveConfig(input);
  const loaded: LoadedConfig = { file: undefined, input, resolved, warnings: [] };
  const flows = await openFlows(context, resolved);
  const { logger: log, lines } = testLog();
  let trouble: unknown;
  const onProblem = (error: unknown): void => {
    trouble = error;
  };
  const options = { flows: wrapped(flows), context, loaded, log, onProblem };
  const delivery = await openDelivery(options);
  if (delivery === undefined) throw new Error('nobody is notified');
  const world: World = {
    home,
    flows,
    clock,
    delivery,
    trouble: () => trouble,
    logText: () => lines.join(''),
    close: async () => {
      open.delete(world);
      await delivery.close();
      await flows.close();
    },
  };
  open.add(world);
  return world;
}

/** Makes a task and ends it. @returns its id */
async function endTask({ flows }: Pick<World, 'flows'>): Promise<string> {
  const id = await newTask(flows, await newFlow(flows));
  const claimed = await flows.tasks.claim({ worker: 'w' });
  const lease = { taskId: id, token: claimed?.leaseToken };
  await flows.tasks.complete(lease, { summary: 'it is done', result: { pages: 3 } });
  return id;
}

const statusOf = async ({ flows }: World, id: string) =>
  (await flows.operator.showTask(id)).task.deliveryStatus;

test('a delivery that hangs does not hold up those of other flows', async () => {
  const waiting: (() => void)[] = [];
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    const answer = (): void => void response.end('thanks');
    request.resume().on('end', () => {
      arrived.push(String(request.headers['webhook-id']));
      if (arrived.length === 1) waiting.push(answer);
      else answer();
    });
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const world = await delivering({ url: `http://127.0.0.1:${port}/hook`, secret: SECRET });
  await endTask(world);
  await waitFor('the first one, which hangs', () => arrived.length === 1);
  // More than are on their way at once.
  for (let task = 0; task < 8; task++) await endTask(world);
  await waitFor(
    'all others',
    async () => arrived.length === 9 && (await pendingCount(world.flows)) === 1,
  );
  for (const answer of waiting) answer();
  await waitFor('the first one', async () => (await pendingCount(world.flows)) === 0);
  await world.close();
});

test('a target that hangs, and one without a key, delay no other target', async () => {
  const hanging = createServer((request) => void request.resume());
  servers.add(hanging);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const { port } = hanging.address() as AddressInfo;
  const [{ received, url, close }, callback] = [await receiver(), await receiver()];
  const routes = {
    ci: {
      sessionKey: ADA.sessionKey,
      secret: SECRET,
      callback: { url: callback.url, secret: SECRET },
    },
  };
  const world = await delivering(
    {
      targets: [
        { id: 'hangs', url: `http://127.0.0.1:${port}/`, secret: SECRET },
        { id: 'ops', url, secret: SECRET },
        { id: 'keyless', url, secret: 'env:NOT_SET' },
      ],
    },
    tempFolder(),
    { entries: { webhooks: { enabled: true, config: { routes } } } },
  );
  // More than are on their way at once to one target.
  for (let task = 0; task < 8; task++) await endTask(world);
  const flowId = await newFlow(world.flows, {
    ...ADA,
    actor: { kind: 'route', name: 'ci' },
  } as const);
  await world.flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  await waitFor('everything for others', () => received.length === 9, world.logText);
  await waitFor('the callback', () => callback.received.length === 1, world.logText);
  const { operator } = world.flows;
  const ids = (requests: readonly Received[]) =>
    requests.map(({ headers }) => headers['webhook-id']);
  assert.equal(ids(callback.received), ids(received).slice(-1));
  await waitFor('failures without a key', async () => {
    const { entries } = await operator.listNotifications({ target: 'keyless', limit: 99 });
    return entries.some(({ lastError }) => lastError?.includes('NOT_SET') === true);
  });
  assert.is((await operator.listNotifications({ target: 'hangs', limit: 99 })).total, 9);
  // A receiver has a notification before its delivery is recorded.
  await waitFor('the records of what was delivered', async () => {
    const { total } = await operator.listNotifications({ outcome: 'delivered', limit: 99 });
    return total === 10;
  });
  await world.close();
  await close();
  await callback.close();
});

test('every broken target is reported, from the start if it cannot be used at all', async () => {
  const down = await receiver([503, 204]);
  const world = await delivering({
    targets: [
      { id: 'down', url: down.url, secret: SECRET },
      { id: 'keyless', url: down.url, secret: 'env:NOT_SET' },
    ],
  });
  const keyless = 'keyless: cannot resolve env NOT_SET: the variable is not set';
  const trouble = () => messageOf(world.trouble());
  assert.is(trouble(), keyless);
  await endTask(world);
  await waitFor('both', () => trouble() === `${keyless}; down: the endpoint answered 503`);
  world.clock.nowMs += 20_000;
  await waitFor('the end of one', () => trouble() === keyless);
  await world.close();
  await down.close();
});

test('a receiver that stays down is logged once, until it fails in another way or works again', async () => {
  const { url, close } = await receiver([503, 503, 500, 204, 500]);
  const world = await delivering({ url, secret: SECRET });
  const seen: unknown[] = [];
  const lines = () => {
    const all = world.logText().split('\n').filter(Boolean);
    return all.map((line): Record<string, unknown> => JSON.parse(line));
  };
  for (let task = 0; task < 5; task++) {
    await endTask(world);
    await waitFor('an attempt', () => lines().length > task);
    const { level, msg } = lines()[task] ?? {};
    seen.push([level, msg]);
  }
  const failed = 'could not be delivered';
  assert.equal(seen, [
    ['warn', failed],
    ['debug', failed],
    ['warn', failed],
    ['info', 'delivered'],
    ['warn', failed],
  ]);
  await world.close();
  await close();
});

test('a notification is posted once, and the receiver can verify it', async () => {
  const { received, url, close } = await receiver();
  const world = await delivering({ url, secret: 'env:MY_SECRET' });
  const id = await endTask(world);
  await waitFor('delivery', async () => (await statusOf(world, id)) === 'delivered');
  const [first, ...more] = received;
  assert.equal(more, []);
  const headers = Object.fromEntries(
    Object.entries(first?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const payload = new Webhook(SECRET).verify(first?.body ?? '', headers);
  const {
    id: told,
    type,
    text,
    task,
  } = payload as Record<string, unknown> & {
    readonly task: Readonly<Record<string, unknown>>;
  };
  assert.is(headers['webhook-id'], told);
  assert.equal([type, text], ['task.ended', 'Background task done: a task. it is done']);
  assert.equal([task['taskId'], task['result']], [id, { pages: 3 }]);
  assert.throws(() => new Webhook(SECRET).verify(`${first?.body} `, headers));
  await world.close();
  await close();
});

test('a line break at the end of a secret is not part of the key', async () => {
  for (const [name, key] of Object.entries(WITH_LINE_BREAK)) {
    const { received, url, close } = await receiver();
    const world = await delivering({ url, secret: `env:${name}` });
    await endTask(world);
    await waitFor('delivery', () => received.length > 0);
    const [{ headers = {}, body = '' } = {}] = received;
    const webhook = key === SECRET ? new Webhook(key) : new Webhook(key, { format: 'raw' });
    const { type } = webhook.verify(body, headers as Record<string, string>) as { type: string };
    assert.is(type, 'task.ended');
    await world.close();
    await close();
  }
});

test('each attempt has the same ID and a new signature with its time, until one arrives', async () => {
  const { received, url, close } = await receiver([500, 302, 404, 204]);
  const world = await delivering({ url, secret: SECRET });
  const id = await endTask(world);
  for (let tries = 1; tries <= 4; tries++) {
    await waitFor('a try', () => received.length === tries, world.logText);
    if (tries === 4) break;
    // Once the failure is written down the rest begins.
    await waitFor('a rest', async () => {
      const dueAt = (await world.flows.outbox.nextDueAt(['default'])).get('default') ?? 0;
      const restMs = dueAt - world.clock.nowMs;
      if (restMs > 40_000) return undefined;
      world.clock.nowMs = dueAt;
      return true;
    });
  }
  await waitFor('delivery', async () => (await statusOf(world, id)) === 'delivered');
  const ids = received.map(({ headers }) => headers['webhook-id']);
  assert.is(new Set(ids).size, 1);
  assert.is(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 4);
  assert.match(world.logText(), 'the endpoint sent a redirect (302), which is not followed');
  await world.close();
  await close();
});

test('an undeliverable notification fails after ten attempts, and the audit shows it', async () => {
  const { received, url, close } = await receiver(Array.from({ length: 20 }, () => 503));
  const world = await delivering({ url, secret: SECRET });
  const id = await endTask(world);
  await waitFor('giving up', async () => {
    if ((await statusOf(world, id)) === 'failed') return true;
    world.clock.nowMs += 20_000;
    return undefined;
  });
  assert.is(received.length, 10);
  assert.is(await pendingCount(world.flows), 0);
  assert.equal(
    (await world.flows.operator.auditTasks()).map(({ code }) => code),
    ['delivery_failed'],
  );
  await world.close();
  await close();
});

test('a 2xx counts, also if the rest of the answer is too long or cut off', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (requests === 1) response.end('x'.repeat(200_000));
    else response.writeHead(202).write('x', () => response.destroy());
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const world = await delivering({ url: `http://127.0.0.1:${port}/hook`, secret: SECRET });
  for (const count of [1, 2]) {
    const id = await endTask(world);
    await waitFor('delivery', async () => (await statusOf(world, id)) === 'delivered');
    assert.is(requests, count);
  }
  await world.close();
  server.close();
});

test('410 Gone gives up at once, and an endpoint that is not there is tried again', async () => {
  const gone = await receiver([410, 410]);
  const world = await delivering({ url: gone.url, secret: SECRET });
  const id = await endTask(world);
  await waitFor('giving up', async () => (await statusOf(world, id)) === 'failed');
  const { parentFlowId: flowId } = (await world.flows.operator.showTask(id)).task;
  await world.flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  await waitFor('giving up again', async () => {
    const found = (await world.flows.operator.auditFlows()).map(({ code }) => code);
    return found.includes('delivery_failed');
  });
  await world.close();
  await gone.close();
  const away = await delivering({ url: gone.url, secret: SECRET });
  await endTask(away);
  await waitFor('a try', () => away.logText().includes('cannot be reached: connection refused'));
  assert.is(await pendingCount(away.flows), 1);
  await away.close();
});

test('a proxy that cannot be reached is named, without its password', async () => {
  const agents = [http, https].map(({ globalAgent }) => globalAgent);
  const { env } = process;
  process.env = { ...env, http_proxy: 'http://ada:hunter2@127.0.0.1:1', no_proxy: 'none.example' };
  routeThroughProxies();
  const world = await delivering({ url: 'http://hooks.example.com/', secret: SECRET });
  await endTask(world);
  await waitFor('a try', () => world.logText().includes('the proxy 127.0.0.1:1 cannot be'));
  assert.not.match(world.logText(), 'hunter2');
  await world.close();
  process.env = env;
  for (const [at, module] of [http, https].entries()) {
    Object.assign(module, { globalAgent: agents[at] });
  }
});

test('a delivery interrupted by a crash is repeated later under the same ID', async () => {
  const { received, url, close } = await receiver();
  const home = tempFolder();
  const before = await delivering({ url, secret: SECRET }, home);
  await before.delivery.drain();
  const id = await endTask(before);
  // As one that died after taking it.
  const [taken] = await before.flows.outbox.takeDue({
    target: 'default',
    limit: 1,
    holdMs: 60_000,
  });
  await before.close();
  const world = await delivering({ url, secret: SECRET }, home);
  assert.is(received.length, 0);
  world.clock.nowMs += 60_000;
  await waitFor('delivery', async () => (await statusOf(world, id)) === 'delivered');
  assert.is(received[0]?.headers['webhook-id'], taken?.notificationId);
  await world.close();
  await close();
});

test('a program gets the notification on stdin, and accepts it by exiting with 0', async () => {
  const script = `
    const fs = require('node:fs');
    const file = process.env.SVC_HOME + '/tries';
    fs.appendFileSync(file, process.env.SVC_NOTIFICATION_ID + '\\n');
    const tries = fs.readFileSync(file, 'utf8').trim().split('\\n').length;
    if (tries < 2) { console.error('not now'); process.exit(1); }
    process.stdin.pipe(fs.createWriteStream(process.env.SVC_HOME + '/payload'));`;
  const world = await delivering({ command: [process.execPath, '-e', script] });
  const id = await endTask(world);
  await waitFor('a failure', () => world.logText().includes('exited with code 1: not now'));
  await waitFor('delivery', async () => {
    world.clock.nowMs += 1000;
    return (await statusOf(world, id)) === 'delivered';
  });
  const payload = JSON.parse(readFileSync(world.home.at('payload'), 'utf8'));
  const ids = readFileSync(world.home.at('tries'), 'utf8').trim().split('\n');
  assert.equal(ids, [payload.id, payload.id]);
  assert.is(payload.task.taskId, id);
  await world.close();
});

test('draining finishes the delivery in progress, and the next ones of its flow stay due', async () => {
  const script = `require('node:fs').writeFileSync(process.env.SVC_HOME + '/started', '');
    setTimeout(() => {}, 500)`;
  const command = [process.execPath, '-e', script];
  const before = await delivering({ command });
  await before.delivery.drain();
  const flowId = await newFlow(before.flows, ADA, { notifyPolicy: 'state_changes' });
  const resume = { action: 'resume_flow', flowId, expectedRevision: 0 } as const;
  await before.flows.perform({ ...resume, status: 'running' }, ADA);
  await before.close();
  const world = await delivering({ command }, before.home);
  await waitFor('the first program', () => existsSync(world.home.at('started')));
  await world.delivery.drain();
  const due = await world.flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: 60_000 });
  assert.equal(
    due.map(({ notificationId, attempts }) => [notificationId, attempts]),
    [[`flow-event:${flowId}:1:running`, 1]],
  );
  await world.close();
});

test('that the outbox cannot be read is logged once, until it can', async () => {
  const { received, url, close } = await receiver();
  let failures = 0;
  const failing = ({ outbox, ...others }: Flows): Flows => {
    const takeDue: typeof outbox.takeDue = async (asked) => {
      if (failures >= 2) return outbox.takeDue(asked);
      failures += 1;
      throw new Error('no server');
    };
    return { ...others, outbox: { ...outbox, takeDue } };
  };
  const world = await delivering({ url, secret: SECRET }, tempFolder(), {}, failing);
  await endTask(world);
  await waitFor('the notification', () => received.length === 1);
  assert.is(failures, 2);
  assert.is(world.logText().split('could not read the outbox: no server').length, 2);
  await world.close();
  await close();
});

test('what was being taken when draining began is due again once that ends', async () => {
  const { received, url, close } = await receiver();
  let take: () => void = () => undefined;
  const mayTake = new Promise<void>((resolve) => {
    take = resolve;
  });
  let isTaking = false;
  const slowly = ({ outbox, ...others }: Flows): Flows => {
    const takeDue: typeof outbox.takeDue = async (asked) => {
      isTaking = true;
      await mayTake;
      return outbox.takeDue(asked);
    };
    return { ...others, outbox: { ...outbox, takeDue } };
  };
  const world = await delivering({ url, secret: SECRET }, tempFolder(), {}, slowly);
  await endTask(world);
  await waitFor('the start', () => isTaking);
  const drained = world.delivery.drain();
  take();
  await drained;
  assert.is(received.length, 0);
  const due = await world.flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: 60_000 });
  assert.is(due.length, 1);
  await world.close();
  await close();
});

test('a program that does not exit in time is stopped, and the notification stays due', async () => {
  const script = `require('node:fs').writeFileSync(process.env.SVC_HOME + '/pid', process.pid + '.');
    setInterval(() => {}, 1000)`;
  const world = await delivering({ command: [process.execPath, '-e', script] });
  mock.timers.enable({ apis: ['setTimeout'] });
  const id = await endTask(world);
  const file = world.home.at('pid');
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('.')) await nextTurn();
  mock.timers.tick(15_000);
  mock.timers.reset();
  await waitFor('the failure', () => world.logText().includes('the program did not exit in time'));
  assert.not(isRunning(Number.parseInt(readFileSync(file, 'utf8'), 10)));
  assert.equal([await statusOf(world, id), await pendingCount(world.flows)], ['pending', 1]);
  await world.close();
});

test('closing kills a running program, and the notification is the next of its flow', async () => {
  const script = `require('node:fs').writeFileSync(process.env.SVC_HOME + '/pid', process.pid + '.');
    setInterval(() => {}, 1000)`;
  const world = await delivering({ command: [process.execPath, '-e', script] });
  const flowId = await newFlow(world.flows, ADA, { notifyPolicy: 'state_changes' });
  const pid = await waitFor('the program', () => {
    try {
      const pid = /(\d+)\./.exec(readFileSync(world.home.at('pid'), 'utf8'))?.[1];
      return pid === undefined ? undefined : Number(pid);
    } catch {
      return undefined;
    }
  });
  const resume = { action: 'resume_flow', flowId, expectedRevision: 0 } as const;
  await world.flows.perform({ ...resume, status: 'running' }, ADA);
  world.clock.nowMs += 1000;
  await world.delivery.close();
  assert.not.ok(isRunning(pid));
  const due = await world.flows.outbox.takeDue({ target: 'default', limit: 9, holdMs: 60_000 });
  assert.equal(
    due.map(({ notificationId, attempts }) => [notificationId, attempts]),
    [
      [`flow-event:${flowId}:0:queued`, 1],
      [`flow-event:${flowId}:1:running`, 1],
    ],
  );
  await world.close();
});

test('a secret that is not a valid key is reported, and not shown', async () => {
  const secret = 'whsec_!!!not-base64!!!';
  const world = await delivering({ url: 'http://127.0.0.1:9/', secret });
  const reported = () => {
    const error = world.trouble();
    assert.ok(error instanceof SvcError && error.code === 'NOTIFY_SECRET_INVALID');
    assert.not.match(`${error.message} ${error.hint} ${world.logText()}`, 'not-base64');
  };
  reported();
  await endTask(world);
  await waitFor('a try', () => world.logText().includes('could not be delivered'));
  reported();
  await world.close();
});

test.after(async () => {
  // What a failed test left.
  for (const world of open) await world.close();
  for (const server of servers) server.close().closeAllConnections();
});
test.run();
