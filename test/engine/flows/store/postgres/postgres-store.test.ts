import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Flows } from '../../../../../src/engine/flows/index.js';
import { Batch, Turn } from '../../../../../src/engine/flows/store/postgres/batch.js';
import { postgresTables } from '../../../../../src/engine/flows/store/postgres/postgres-sql.js';
import type { Server } from '../../../../../src/engine/postgres/index.js';
import { failureOf } from '../../../../support/failure.js';
import { openFlowsAt } from '../../../../support/flow-stores.js';
import { ADA, newFlow, newTask, viewOf } from '../../../../support/flows.js';
import {
  migratedServer,
  serverAt,
  startCluster,
  type TestCluster,
} from '../../../../support/postgres.js';
import { waitFor } from '../../../../support/wait.js';
import { act, testWebhooks } from '../../../../support/webhooks.js';

const test = suite('flows on a server');

const cluster = await startCluster();
if (cluster === undefined) process.stdout.write('skipped: PostgreSQL is not installed\n');
const when = cluster === undefined ? test.skip : test;
const MINUTE = 60_000;

function real(): TestCluster {
  if (cluster === undefined) throw new Error('there is no server');
  return cluster;
}

/** The URL of a database with tables, with a password that must never be shown. */
async function newUrl(): Promise<string> {
  const server = await migratedServer(real());
  const { host, port, database, user } = server.address;
  await server.close();
  return `postgres://${user}:hush@${host}:${port}/${database}`;
}

/** Creates a flow, asking again until it works. */
function created(flows: Flows): Promise<string> {
  return waitFor('a flow', () => newFlow(flows).catch(() => undefined));
}

when(
  'flows that are open are not used any more once a newer svc has migrated the tables',
  async () => {
    const url = await newUrl();
    const flows = await openFlowsAt(url, {});
    await newFlow(flows);
    const other = serverAt(url);
    await other.run('INSERT INTO svc.migrations (version) VALUES (9999)');
    assert.is((await failureOf(newFlow(flows))).code, 'STORAGE_NEWER');
    assert.is((await failureOf(flows.operator.listFlows({ limit: 9 }))).code, 'STORAGE_NEWER');
    await other.run('DELETE FROM svc.migrations WHERE version = 9999');
    assert.is((await flows.operator.listFlows({ limit: 9 })).total, 1);
    await other.close();
    await flows.close();
  },
);

when('hosts whose clocks differ by ten minutes agree about leases', async () => {
  const url = await newUrl();
  const [early, late] = await Promise.all(
    [-10 * MINUTE, 10 * MINUTE].map((offMs) =>
      openFlowsAt(url, { leaseSeconds: 30 }, { clock: { now: () => Date.now() + offMs } }),
    ),
  );
  if (early === undefined || late === undefined) throw new Error('not opened');
  const flowId = await newFlow(early);
  const id = await newTask(late, flowId);
  const claim = await early.tasks.claim({ worker: 'w' });
  assert.is(claim?.task.taskId, id);
  assert.ok(Math.abs((claim?.task.leaseExpiresAt ?? 0) - Date.now() - 30_000) < 10_000);
  assert.is((await late.operator.sweep()).requeued, 0);
  assert.is(await late.tasks.claim({ worker: 'w' }), undefined);
  assert.ok(Math.abs(early.now() - late.now()) < 2000);
  const { flow } = await late.operator.showFlow(flowId);
  assert.ok(Math.abs(flow.createdAt - Date.now()) < 10_000);
  assert.equal(await late.operator.auditFlows(), []);
  await early.close();
  await late.close();
});

when('a host that slept knows the time of the server with the next version', async () => {
  const url = await newUrl();
  const database = new URL(url).pathname.slice(1);
  // A clock in front of the system's, so that it can jump ahead of this process, as it does when a host wakes.
  await real().sql(
    `CREATE SCHEMA fake; CREATE TABLE fake.slept AS SELECT interval '0' AS for_so_long;
     CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS 'SELECT pg_catalog.clock_timestamp() + for_so_long FROM fake.slept';
     ALTER DATABASE ${database} SET search_path = fake, pg_catalog`,
    database,
  );
  const flows = await openFlowsAt(url);
  assert.ok(Math.abs(flows.now() - Date.now()) < MINUTE);
  await real().sql(`UPDATE fake.slept SET for_so_long = '8 hours'`, database);
  await flows.version();
  assert.ok(Math.abs(flows.now() - Date.now() - 480 * MINUTE) < MINUTE);
  await flows.close();
});

when('hosts claim tasks of a flow whose history was copied from a busier server', async () => {
  const url = await newUrl();
  const hosts = [await openFlowsAt(url), await openFlowsAt(url)];
  const [flows] = hosts;
  if (flows === undefined) throw new Error('not opened');
  const flowId = await newFlow(flows);
  for (let n = 0; n < 20; n += 1) await newTask(flows, flowId);
  const database = new URL(url).pathname.slice(1);
  await real().sql('UPDATE svc.history SET n = n + 1000000', database);
  for (let n = 0; n < 10; n += 1) {
    const claims = await Promise.all(hosts.map((host) => host.tasks.claim({ worker: 'w' })));
    assert.ok(claims.every((claim) => claim !== undefined));
  }
  await flows.operator.cancelFlow(flowId);
  const { entries } = await flows.operator.history(flowId);
  assert.equal(
    entries.map(({ event }) => event),
    [
      'flow.created',
      ...Array(20).fill('task.queued'),
      ...Array(20).fill('task.started'),
      'flow.cancel_requested',
      ...Array(20).fill('task.cancel_requested'),
    ],
  );
  assert.is(new Set(entries.map(({ n }) => n)).size, entries.length);
  for (const host of hosts) await host.close();
});

when('taking notifications reads only those that are due, however many there are', async () => {
  const server = await migratedServer(real());
  const add = (count: number, attempts: number, due: number | null, error: string | null) =>
    server.run(
      `INSERT INTO svc.notifications (id, kind, owner_key, flow_id, payload, created_at, attempts,
         next_attempt_at, outcome, last_error, target, retries)
       SELECT gen_random_uuid(), 'task.ended', 'owner', n, '{}', n, $2, $3, 'pending', $4, 'default', 0
       FROM generate_series(1, $1::int) AS n`,
      [count, attempts, due, error],
    );
  await add(5000, 1, null, null);
  await add(2000, 0, 1, null);
  await add(500, 3, 1, 'no answer');
  await server.query('ANALYZE svc.notifications');
  const plans: string[] = [];
  await server.transaction(async (transaction) => {
    const query: typeof transaction.query = async (text, values) => {
      if (text.includes('FROM svc.notifications')) {
        plans.push(JSON.stringify(await transaction.query(`EXPLAIN ${text}`, values)));
      }
      return transaction.query(text, values);
    };
    const { notifications } = postgresTables(new Turn(new Batch({ ...transaction, query }, true)));
    assert.is((await notifications.due(MINUTE, { target: 'default', limit: 4 })).length, 4);
  });
  assert.is(plans.length, 2);
  for (const plan of plans) assert.not.match(plan, /Seq Scan|notifications_pkey/);
  await server.close();
});

when('while the server is away, changes and reads fail clearly, and then work again', async () => {
  const flows = await openFlowsAt(await newUrl());
  const flowId = await newFlow(flows);
  await real().halt();
  const action = { action: 'get_flow', flowId } as const;
  const attempts = [() => newFlow(flows), () => flows.perform(action, ADA), () => flows.version()];
  for (const attempt of attempts) {
    const error = await failureOf(attempt());
    assert.is(error.code, 'STORAGE_UNREACHABLE');
    assert.match(error.message, `127.0.0.1:${real().port}`);
    assert.not.match(`${error.message} ${error.hint}`, 'hush');
  }
  await real().start();
  await created(flows);
  assert.is(viewOf(await flows.perform(action, ADA))['flowId'], flowId);
  await flows.close();
});

when('a listener answers 503 while the server is away, and recovers', async () => {
  const servers = new Map<string, Server>();
  const { url, lines, close } = await testWebhooks({ storage: { url: await newUrl() }, servers });
  const create = { action: 'create_flow', goal: 'g' };
  assert.is((await act(url, create)).status, 200);
  await real().halt();
  const refused = await act(url, create);
  assert.equal([refused.status, refused.body['code']], [503, 'persist_failed']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const unread = await act(url, { action: 'list_flows' });
  assert.is(unread.status, 503);
  // Of a request that only reads, no change is reported.
  assert.not.match(String(unread.body['error']), 'change');
  await real().start();
  await waitFor('recovery', async () => (await act(url, create)).status === 200);
  assert.not.match(lines.join(''), 'hush');
  await close();
  for (const server of servers.values()) await server.close();
});

when(
  'a change whose commit was cut off is reported as uncertain, and its key finds it',
  async () => {
    const flows = await openFlowsAt(await newUrl());
    const setStandby = async (name: string): Promise<void> => {
      await real().sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await real().sql('SELECT pg_reload_conf()');
    };
    /** Ends the wait of commits for the standby, or their connections. @returns whether there were any */
    const cutCommits = async (how: 'cancel' | 'terminate'): Promise<boolean> => {
      const cutOff = await real().sql(
        `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      );
      return cutOff.length > 0;
    };
    await newFlow(flows);
    await setStandby('nobody');
    // The server's processes take up the setting some time later: it applies once a commit waits.
    await waitFor('the setting', async () => {
      const commit = { isOver: false, wasCut: false };
      const over = real()
        .sql('DROP TABLE IF EXISTS tried; CREATE TABLE tried ()')
        .finally(() => {
          commit.isOver = true;
        });
      while (!commit.isOver) commit.wasCut = (await cutCommits('cancel')) || commit.wasCut;
      await over;
      return commit.wasCut;
    });
    const create = { action: 'create_flow', goal: 'g' } as const;
    const key = { key: 'k', bodyHash: 'h' };
    const cut = failureOf(flows.perform(create, ADA, key));
    await waitFor('the commit', () => cutCommits('terminate'));
    const { code, hint } = await cut;
    assert.equal(
      [code, hint],
      ['STORAGE_UNCERTAIN', 'check whether the change is there, then try again'],
    );
    await setStandby('');
    const again = await waitFor('the answer', () =>
      flows.perform(create, ADA, key).catch(() => undefined),
    );
    assert.ok(again.ok);
    const { entries } = await flows.operator.listFlows({ limit: 9 });
    assert.is(entries.filter(({ flow }) => flow.goal === 'g').length, 1);
    await flows.close();
  },
);

when('a table that is missing is reported with what to do', async () => {
  const url = await real().newDatabase();
  const error = await failureOf(openFlowsAt(url));
  assert.is(error.code, 'STORAGE_OUTDATED');
  assert.match(error.hint ?? '', 'svc storage migrate');
});

when(
  'a change that the server refuses does not fail those sent with it, and closing waits for all',
  async () => {
    const url = await newUrl();
    await real().sql(
      `CREATE FUNCTION svc.refuse() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RAISE 'refused'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON svc.flows FOR EACH ROW WHEN (NEW.goal = 'bad')
       EXECUTE FUNCTION svc.refuse()`,
      new URL(url).pathname.slice(1),
    );
    const flows = await openFlowsAt(url);
    const sent = ['first', 'bad', 'last'].map((goal) => newFlow(flows, ADA, { goal }));
    const settled = Promise.allSettled(sent);
    await flows.close();
    const [first, bad, last] = await settled;
    assert.equal([first?.status, last?.status], ['fulfilled', 'fulfilled']);
    assert.is(bad?.status === 'rejected' && bad.reason.code, 'STORAGE_FAILED');
  },
);

test.after(() => cluster?.stop());

test.run();
