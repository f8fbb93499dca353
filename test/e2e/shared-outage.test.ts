import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlowsAt } from '../support/flow-stores.js';
import { newFlow, newTask } from '../support/flows.js';
import { hostOn } from '../support/hosts.js';
import { jsonOf } from '../support/json.js';
import { callSearch, closeClients, stdioClient } from '../support/mcp.js';
import { migratedDatabase, startCluster, type TestCluster } from '../support/postgres.js';
import { startSvc } from '../support/run-svc.js';
import { serve, serverHome, stateOf, urlOf, whenReady } from '../support/serving.js';
import { waitFor } from '../support/wait.js';
import { act, CI_ENV, webhooksConfig } from '../support/webhooks.js';

async function isListening({ sql }: TestCluster, database: string): Promise<boolean> {
  const found = await sql(
    `SELECT FROM pg_stat_activity WHERE datname = '${database}' AND query LIKE 'LISTEN%'`,
  );
  return found.length > 0;
}

const cluster = await startCluster();
const test = suite('a shared memory whose server goes away');
test.after(async () => {
  await closeClients();
  await cluster?.stop();
});

if (cluster !== undefined) {
  const address = new URL(await migratedDatabase(cluster));
  address.password = 'pass-word';
  const url = address.href;
  const database = address.pathname.slice(1);

  test('commands fail and name host and port, and running processes recover', async () => {
    const a = hostOn(url, 'host-a', {
      files: { 'ws/memory/a.md': 'Amber.\n' },
      memorySearch: { sync: { watchDebounceMs: 50 } },
    });
    const env = { SVC_DATABASE_URL: url };
    const home = a.home.path;
    const watching = startSvc(['memory', 'index', '--watch', '--json'], { home, env });
    await watching.waitForText('"cause":"start"');
    const { client } = await stdioClient(a.home, { env });
    const ask = (query: string) => callSearch(client, query);
    assert.not.ok((await ask('amber')).isError);

    await cluster.halt();
    const search = await a.svc('memory', 'search', 'amber', '--json');
    const error = jsonOf.error(search);
    assert.equal([search.code, error.code], [1, 'STORAGE_UNREACHABLE']);
    assert.match(error.message, new RegExp(address.host, 'u'));
    assert.not.match(search.stdout + search.stderr, /pass-word/u);
    const status = jsonOf.status(await a.svc('memory', 'status', '--json')).agents[0];
    assert.equal(
      [status?.shared?.origins, status?.staleness, status?.faults.map(({ code }) => code)],
      [null, undefined, ['STORAGE_UNAVAILABLE']],
    );
    const failed = await ask('amber');
    assert.is(failed.isError, true);
    assert.match(JSON.stringify(failed.content), /does not answer/u);
    a.home.write('ws/memory/b.md', 'Basalt.\n');
    await watching.waitForText('"type":"failed"');

    await cluster.start();
    await watching.waitForText('"cause":"retry"');
    const again = await ask('basalt');
    assert.match(JSON.stringify(again.content), /b\.md/u);
    watching.child.kill('SIGTERM');
    assert.is((await watching.done).code, 0);
    assert.is((await a.svc('memory', 'search', 'basalt')).code, 0);
  });

  test('services that start during an outage keep running: the listener answers, and all continue when the server is back', async () => {
    await cluster.halt();
    const nightly = { cron: '0 3 * * *', set: { goal: 'build' }, sessionKey: 'nightly' };
    const home = serverHome({
      ...webhooksConfig(),
      flows: { runtimes: { subagent: { command: ['true'] } }, notify: { command: ['true'] } },
      schedules: { nightly, off: { ...nightly, enabled: false } },
      storage: { url: 'env:SVC_DATABASE_URL' },
    });
    const env = { ...CI_ENV, SVC_DATABASE_URL: url };
    const serving = serve(home, ['--without', 'memory'], { env });
    const base = await waitFor('an address', () => urlOf(home));
    const create = () => act(base, { action: 'create_flow', goal: 'build' });
    assert.is((await fetch(`${base}/healthz`)).status, 200);
    assert.is((await fetch(`${base}/readyz`)).status, 503);
    const refused = await create();
    assert.equal([refused.status, refused.headers.get('retry-after')], [503, '5']);

    await cluster.start();
    await waitFor('a flow', async () => (await create()).status === 200);
    await whenReady(home);
    const restarts = stateOf(home)?.services.map((service) => [service.name, service.restarts]);
    serving.child.kill('SIGTERM');
    assert.is((await serving.done).code, 0);
    assert.equal(
      restarts,
      ['webhooks', 'storage', 'flows', 'schedules', 'tasks'].map((name) => [name, 0]),
    );
  });

  test('a worker that waits for tasks warns once, and gets a task afterwards', async () => {
    const worker = hostOn(url, 'host-b');
    const early = worker.start('task', 'claim', '--wait', '--json');
    const flows = await openFlowsAt(url);
    // It listens once it waits for the first time.
    await waitFor('the worker', () => isListening(cluster, database));
    await cluster.halt();
    // A new worker starts for each task, which can be in the middle of an outage.
    const late = worker.start('task', 'claim', '--wait', '--json');
    await Promise.all([early.waitForText('retrying'), late.waitForText('retrying')]);
    await cluster.start();
    const flowId = await newFlow(flows);
    const ids = [await newTask(flows, flowId), await newTask(flows, flowId)];
    const runs = await Promise.all([early.done, late.done]);
    assert.equal(
      runs.map(({ code, stderr }) => [code, stderr.match(/warning:/gu)?.length]),
      [
        [0, 1],
        [0, 1],
      ],
    );
    const claimed = runs.map((run) => JSON.parse(run.stdout).task.taskId);
    assert.equal(claimed.toSorted(), ids.toSorted());
    await flows.close();
  });

  test('a worker that waits survives a standby that is not promoted yet', async () => {
    const setReadOnly = (isOn: boolean) =>
      cluster.sql(`ALTER DATABASE ${database} SET default_transaction_read_only = ${isOn}`);
    const flows = await openFlowsAt(url);
    await setReadOnly(true);
    const waiting = hostOn(url, 'host-b').start('task', 'claim', '--wait', '--json');
    await waiting.waitForText('is read-only; retrying');
    await setReadOnly(false);
    const id = await newTask(flows, await newFlow(flows));
    const { code, stdout } = await waiting.done;
    assert.equal([code, JSON.parse(stdout).task.taskId], [0, id]);
    await flows.close();
  });

  test('commands that wait and watch say once that they keep trying', async () => {
    const { start } = hostOn(url, 'host-b');
    const flows = await openFlowsAt(url);
    const flowId = await newFlow(flows);
    const waiting = start('flow', 'wait', flowId);
    await waitFor('the wait', () => isListening(cluster, database));
    const watching = start('flow', 'watch', '--plain');
    await watching.waitForText(flowId.slice(0, 8));
    await cluster.halt();
    await Promise.all([waiting.waitForText('retrying'), watching.waitForText('retrying')]);
    await cluster.start();
    await flows.operator.cancelFlow(flowId);
    await watching.waitForText('cancelled');
    watching.child.kill('SIGTERM');
    const runs = await Promise.all([waiting.done, watching.done]);
    assert.equal(
      runs.map(({ code, stderr }) => [code, stderr.match(/warning:/gu)?.length]),
      [
        [1, 1],
        [0, 1],
      ],
    );
    await flows.close();
  });
}

test.run();
