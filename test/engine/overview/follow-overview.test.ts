import { readdirSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordTrust, reviewFile } from '../../../src/engine/config/trust/config-trust.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import {
  addToQueryHistory,
  queryHistoryFile,
} from '../../../src/engine/memory/lookups/query-history.js';
import { logSearch, searchLogFile } from '../../../src/engine/memory/lookups/search-log.js';
import { openMemory } from '../../../src/engine/memory/open-memory.js';
import {
  type BackgroundFinding,
  type Overview,
  overviewFollower,
} from '../../../src/engine/overview/follow-overview.js';

import { withInstanceLock } from '../../../src/engine/serve/instance-lock.js';
import type { EngineContext } from '../../../src/engine/support/context.js';
import { iso } from '../../../src/engine/support/time.js';
import { contextOf } from '../../support/context.js';
import { newFlow, newTask, testClock, testFlows } from '../../support/flows.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('following the overall status');

/** What ends the followers of a test that fails before it ends them. */
const running = new Set<AbortController>();
test.after.each(() => {
  for (const ending of running) ending.abort();
  running.clear();
});

const AN_ANSWER = { atMs: 1, status: 200, code: null, action: 'create_flow' };

interface Followed {
  readonly context: EngineContext;
  /** All that is known. */
  readonly known: () => Partial<Overview>;
  /** The parts that were told, in their order. */
  readonly told: readonly string[];
  readonly again: () => void;
  readonly end: () => Promise<void>;
}

function follow(
  home: TempFolder,
  runBackgroundChecks: () => Promise<readonly BackgroundFinding[]> = async () => [],
  more: Partial<EngineContext> = {},
): Followed {
  const context = contextOf(home.path, more);
  const ending = new AbortController();
  running.add(ending);
  let known: Partial<Overview> = {};
  const told: string[] = [];
  const follower = overviewFollower({
    context,
    configFile: undefined,
    runBackgroundChecks,
    restMs: 2,
    onUpdate: (news) => {
      told.push(...Object.keys(news));
      known = { ...known, ...news };
    },
    signal: ending.signal,
  });
  const run = follower.run();
  return {
    context,
    known: () => known,
    told,
    again: () => follower.refresh(),
    end: () => {
      ending.abort();
      return run;
    },
  };
}

const until = (what: string, { known }: Followed, holds: (news: Partial<Overview>) => boolean) =>
  waitFor(what, () => holds(known()), known);

test('an empty home is reported as such, and reading it creates nothing', async () => {
  const home = tempFolder();
  const followed = follow(home);
  await until('everything', followed, ({ findings }) => findings !== undefined);
  const { config, agents, listener, flows, dreams } = followed.known();
  assert.equal(config, { state: 'none', hasNotes: false });
  assert.equal(
    agents?.map(({ name, status, faults }) => [name, status?.index.state, faults[0]?.code]),
    [['main', 'missing', 'INDEX_STALE']],
  );
  assert.equal([listener?.process, listener?.routes, listener?.requests], [undefined, 0, 0]);
  assert.equal([flows?.flows, flows?.tasks, flows?.fault], [{}, {}, undefined]);
  assert.equal(
    dreams?.map((one) => [one.agents, one.enabled, one.nextMs, one.last]),
    [[['main'], false, undefined, undefined]],
  );
  await followed.end();
  assert.equal(readdirSync(home.path), []);
});

test('after the clock was set back, what is polled is polled at once', async () => {
  const clock = testClock();
  let checks = 0;
  const followed = follow(
    tempFolder(),
    async () => {
      checks += 1;
      return [];
    },
    { clock },
  );
  await waitFor('the first checks', () => checks === 1);
  clock.setAheadMs = -3_600_000;
  await waitFor('the next checks', () => checks === 2);
  await followed.end();
});

test('edits to long-term memory update whether it is full', async () => {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Cars\n');
  const followed = follow(home);
  const isFull = () => followed.known().dreams?.[0]?.isFull;
  await until('its dreams', followed, () => isFull() === false);
  home.write('workspace/MEMORY.md', `# Cars\n\n${'We bought one. '.repeat(2000)}\n`);
  await until('a full memory', followed, () => isFull() === true);
  home.write('workspace/MEMORY.md', '# Cars\n\nWe bought one.\n');
  await until('room', followed, () => isFull() === false);
  await followed.end();
});

test('recent searches are those that agents logged, the newest first, otherwise those of the search screen', async () => {
  const home = tempFolder();
  home.write('svc.json', JSON.stringify({ agents: { list: [{ id: 'main' }, { id: 'work' }] } }));
  const followed = follow(home);
  const { state } = followed.context;
  const queries = () => followed.known().queries;
  await until('none', followed, () => queries()?.length === 0);
  addToQueryHistory(queryHistoryFile(state), 'of the screen', (text) => text);
  await until('the screen', followed, () => queries()?.length === 1);
  assert.equal(queries(), [{ query: 'of the screen', logged: undefined }]);
  const log = (agent: string, query: string, atMs: number): void =>
    logSearch(
      searchLogFile(state, agent),
      { query, mode: 'lexical', results: [] },
      { atMs, mask: (text) => text },
    );
  log('main', 'oldest', 1000);
  log('work', 'newest', 3000);
  log('main', 'middle', 2000);
  await until('the agents', followed, () => queries()?.length === 3);
  assert.equal(queries(), [
    { query: 'newest', logged: { atMs: 3000, agent: 'work' } },
    { query: 'middle', logged: { atMs: 2000, agent: 'main' } },
    { query: 'oldest', logged: { atMs: 1000, agent: 'main' } },
  ]);
  await followed.end();
});

test('the newest lines of the log are shown with their service, and lines of others are left out', async () => {
  const home = tempFolder();
  const time = '2026-03-02T10:00:00.000Z';
  const lines = [
    { level: 'info', time, msg: 'started' },
    'a crash report of Node.js',
    { level: 'info', time: 'yesterday', msg: 'without a time' },
    { level: 'warn', time, msg: 'slow', service: 'memory:main' },
  ];
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  home.write('logs/serve.log', `${text.join('\n')}\n`);
  const followed = follow(home);
  await until('the log', followed, ({ log }) => log !== undefined);
  const atMs = Date.parse(time);
  assert.equal(followed.known().log, [
    { level: 'info', atMs, message: 'started' },
    { level: 'warn', atMs, message: 'memory:main: slow' },
  ]);
  await followed.end();
});

test('when an index is updated, it alone is read again', async () => {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Cars\n\nWe bought an automobile.\n');
  const followed = follow(home);
  await until('everything', followed, ({ findings }) => findings !== undefined);
  const status = () => followed.known().agents?.[0]?.status;
  assert.equal([status()?.index.state, status()?.staleness?.added], ['missing', 1]);
  assert.equal(followed.known().config, { state: 'none', hasNotes: true });
  const before = followed.told.length;
  const memory = await openMemory(followed.context, { kind: 'agent' });
  await memory.backend.sync({});
  await memory.backend.close();
  await until('the index', followed, () => status()?.staleness?.added === 0);
  const index = status()?.index;
  assert.ok(index?.state === 'ready');
  assert.equal([index.statistics.documents, index.statistics.chunks], [1, 1]);
  assert.equal([status()?.provider, status()?.backend], [null, 'builtin']);
  assert.equal(new Set(followed.told.slice(before)), new Set(['agents']));
  // Nothing happens any more: nothing is reported, however often it checks, until something does.
  const quiet = followed.told.length;
  for (const requests of [3, 4, 5]) {
    const ci = { requests, rejected: 1, last: AN_ANSWER };
    home.write('webhooks.json', JSON.stringify({ routes: { ci } }));
    await until('a request', followed, ({ listener }) => listener?.requests === requests);
  }
  assert.equal(followed.told.slice(quiet), ['listener', 'listener', 'listener']);
  assert.equal(followed.known().listener?.last, AN_ANSWER);
  await followed.end();
});

test('of several routes, the last answer is shown, and the requests of all are counted', async () => {
  const home = tempFolder();
  const route = (atMs: number) => ({ requests: 2, rejected: 1, last: { ...AN_ANSWER, atMs } });
  home.write(
    'webhooks.json',
    JSON.stringify({ routes: { ci: route(1), gh: route(3), ops: route(2) } }),
  );
  const followed = follow(home);
  await until('the listener', followed, ({ listener }) => listener !== undefined);
  const { requests, rejected, last } = followed.known().listener ?? {};
  assert.equal([requests, rejected, last], [6, 3, { ...AN_ANSWER, atMs: 3 }]);
  await followed.end();
});

test('flows and tasks are counted as soon as there are any, and whenever they change', async () => {
  const home = tempFolder();
  const followed = follow(home);
  await until('no flows', followed, ({ flows }) => flows !== undefined);
  const { flows } = await testFlows({}, home.path);
  const flowId = await newFlow(flows);
  await newFlow(flows);
  await newTask(flows, flowId);
  await until('a task', followed, (known) => known.flows?.tasks.queued === 1);
  assert.equal(followed.known().flows?.flows, { queued: 2 });
  await flows.operator.cancelFlow(flowId);
  await until('the end', followed, (known) => known.flows?.tasks.cancelled === 1);
  await followed.end();
  await flows.close();
});

test('a queue that no worker takes is noticed, although nothing is committed while it waits', async () => {
  const home = tempFolder();
  const { flows, clock } = await testFlows({}, home.path);
  await newTask(flows, await newFlow(flows), { runtime: 'acp' });
  const followed = follow(home, undefined, { clock });
  await until('the task', followed, (known) => known.flows?.tasks.queued === 1);
  assert.equal(followed.known().flows?.unclaimed, []);
  clock.nowMs += 11 * 60_000;
  await until('that it waits', followed, (known) => known.flows?.unclaimed.length === 1);
  await followed.end();
  await flows.close();
});

test('unreadable flows are a fault, reported once, until they are readable', async () => {
  const home = tempFolder();
  home.write('flows.sqlite', 'this is no database, and long enough to be looked at as one');
  const followed = follow(home);
  await until('the fault', followed, ({ flows }) => flows?.fault !== undefined);
  const fault = followed.known().flows?.fault;
  assert.match(fault?.message ?? '', 'flows.sqlite');
  assert.ok(fault?.hint);
  rmSync(home.at('flows.sqlite'));
  await until('none', followed, ({ flows }) => flows?.fault === undefined);
  assert.is(followed.told.filter((part) => part === 'flows').length, 2);
  await followed.end();
});

test('a running svc serve is shown with its address and faults, as long as it runs', async () => {
  const home = tempFolder();
  const service = {
    state: 'ready',
    since: iso(1),
    eventAt: iso(1),
    restarts: 0,
    failure: null,
    retryAt: null,
  };
  const failure = { code: null, message: 'route ci is skipped', hint: null };
  const services = [
    { ...service, name: 'webhooks', url: 'http://127.0.0.1:8787', event: null, failure },
    { ...service, name: 'memory:main', event: null },
  ];
  home.write(
    'serve.json',
    JSON.stringify({ pid: process.pid, startedMs: 5, configFile: null, logFile: null, services }),
  );
  const followed = follow(home);
  await until('the dead one', followed, ({ listener }) => listener !== undefined);
  assert.is(followed.known().listener?.process, undefined);
  await withInstanceLock(home.path, async () => {
    followed.again();
    await until('the living one', followed, ({ listener }) => listener?.process !== undefined);
    assert.equal(followed.known().listener?.process, {
      url: 'http://127.0.0.1:8787',
      services: 2,
      failures: services.slice(0, 1),
    });
    home.write('serve.json', '{');
    followed.again();
    await until(
      'one of another version',
      followed,
      ({ listener }) => listener?.fault !== undefined,
    );
  });
  const { process: unknown, fault } = followed.known().listener ?? {};
  assert.is(unknown, undefined);
  assert.match(fault?.hint ?? '', 'restart svc serve if svc was upgraded');
  await followed.end();
});

test('a configuration that is trusted in another terminal is read again', async () => {
  const home = tempFolder();
  home.write(
    'svc.json',
    '{"agents":{"defaults":{"memorySearch":{"store":{"path":"own.sqlite"}}}}}',
  );
  const followed = follow(home, undefined, { env: { SVC_HOME: home.at('state') } });
  const { context, told } = followed;
  await until('everything', followed, ({ findings }) => findings !== undefined);
  const before = told.filter((part) => part === 'config').length;
  const review = reviewFile(context, {});
  assert.is(review.state, 'untrusted');
  recordTrust(context, review);
  await waitFor(
    'the configuration again',
    () => told.filter((part) => part === 'config').length > before,
  );
  await followed.end();
});

test('a configuration that breaks is reported, and once fixed everything is reported again', async () => {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', 'alpha');
  let checks = 0;
  const followed = follow(home, async () => {
    checks += 1;
    throw new SvcError('CONFIG_INVALID', 'broken', { hint: 'fix it' });
  });
  await until('the check', followed, ({ findings }) => findings !== undefined);
  assert.equal(followed.known().findings, [
    { severity: 'fault', message: 'broken', hint: 'fix it' },
  ]);
  home.write('svc.json', '{ "agnets": {} }');
  await until('the fault', followed, ({ config }) => config?.state === 'faulty');
  assert.equal(followed.known().agents, []);
  assert.ok(checks > 1);
  const agents = { list: [{ id: 'ada', workspace: 'ada' }, { id: 'bob' }] };
  home.write('svc.json', JSON.stringify({ agents }));
  await until(
    'both agents',
    followed,
    (known) => (known.agents ?? []).map(({ name }) => name).join() === 'ada,bob',
  );
  rmSync(home.at('svc.json'));
  await until('the default', followed, ({ config }) => config?.state === 'none');
  await followed.end();
});

test.run();
