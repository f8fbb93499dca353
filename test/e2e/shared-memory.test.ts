import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HostOptions, hostOn, type TestHost } from '../support/hosts.js';
import { jsonOf } from '../support/json.js';
import { migratedServer, realServer, startPglite } from '../support/postgres.js';
import { folderOf } from '../support/temp-folder.js';

const postgres = (await realServer()) ?? (await startPglite());
const test = suite(`a shared memory on ${postgres.name}`);
test.after(() => postgres.stop());

/** Hosts with a new database. */
async function team(...hosts: readonly (readonly [string, HostOptions])[]): Promise<TestHost[]> {
  const url = await newUrl();
  return hosts.map(([origin, options]) => hostOn(url, origin, options));
}

async function newUrl(): Promise<string> {
  const server = await migratedServer(postgres);
  await server.close();
  const { host, port, database, user } = server.address;
  return `postgres://${user}@${host}:${port}/${database}`;
}

const SERVICE = '# Billing\n\nMarta owns the billing service.\n';
const DOOR =
  '# Door\n\nThe code of the front door is 4711, says the janitor.\n\nThe bell is broken.\n';

async function found(host: TestHost, query: string) {
  const run = await host.svc('memory', 'search', query, '--json');
  assert.is(run.code, 0, run.stderr);
  return jsonOf.search(run).results;
}

async function placesOf(host: TestHost, query: string): Promise<readonly string[]> {
  return (await found(host, query)).map(({ citation = '' }) => citation);
}

test('two hosts index disjoint folders at once, and each finds everything', async () => {
  const [a, b] = await team(
    ['host-a', { files: { 'ws/memory/billing.md': SERVICE } }],
    ['host-b', { files: { 'ws/memory/door.md': DOOR } }],
  );
  assert.ok(a !== undefined && b !== undefined);
  const runs = await Promise.all([a.svc('memory', 'index'), b.svc('memory', 'index')]);
  for (const { code, stderr } of runs) assert.is(code, 0, stderr);
  assert.equal(await placesOf(a, 'billing service'), ['memory/billing.md#L1-L3']);
  assert.equal(await placesOf(b, 'billing service'), ['host-a:memory/billing.md#L1-L3']);
  assert.equal(await placesOf(a, 'front door'), ['host-b:memory/door.md#L1-L5']);
  const [result] = await found(b, 'billing service');
  assert.equal([result?.origin, result?.path], ['host-a', 'memory/billing.md']);
});

test('two hosts with the same folder find each passage once, as their own', async () => {
  const ws = folderOf({ 'MEMORY.md': '', 'memory/billing.md': SERVICE, 'memory/door.md': DOOR });
  const [a, b] = await team(['host-a', { workspace: ws.path }], ['host-b', { workspace: ws.path }]);
  assert.ok(a !== undefined && b !== undefined);
  await Promise.all([a.svc('memory', 'index'), b.svc('memory', 'index')]);
  for (const host of [a, b]) {
    assert.equal(await placesOf(host, 'billing service'), ['memory/billing.md#L1-L3']);
  }
  assert.match((await a.svc('memory', 'index', '--json')).stdout, /"outcome": ?"unchanged"/u);
});

test.run();
