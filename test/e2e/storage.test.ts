import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { startCluster } from '../support/postgres.js';
import { runSvc } from '../support/run-svc.js';
import { eventually, serve, serverHome, stateOf, urlOf, whenReady } from '../support/serving.js';
import { tempFolder } from '../support/temp-folder.js';

const PATIENCE_MS = 30_000;
const PASSWORD = 'planted-pass-4f9a';

const test = suite('svc storage');

test('without a server, it shows the files and how to share them', async () => {
  const { path } = tempFolder();
  const run = await runSvc(['storage', 'status'], { home: path });
  assert.is(run.code, 0);
  assert.match(run.stdout, /SQLite files on this machine/);
  assert.match(run.stdout, /svc config set storage\.url env:SVC_DATABASE_URL/);
  assert.is((await runSvc(['storage', 'migrate'], { home: path })).code, 2);
});

const cluster = await startCluster();
if (cluster !== undefined) {
  test.after(() => cluster.stop());

  /** A host whose configuration refers to a new database, with a password that nobody asks for. */
  const newHost = async (config: object = {}) => {
    const url = new URL(await cluster.newDatabase());
    url.password = PASSWORD;
    const home = serverHome(config);
    const env = { SVC_DATABASE_URL: url.href };
    const svc = async (...args: string[]) => {
      const run = await runSvc(args, { home: home.path, env });
      assert.not.match(`${run.stdout}${run.stderr}`, new RegExp(PASSWORD));
      return run;
    };
    const set = await svc('config', 'set', 'storage.url', 'env:SVC_DATABASE_URL');
    assert.is(set.code, 0, set.stderr);
    return { home, env, svc };
  };

  test('a server is set, migrated, and shown without its password', async () => {
    const { home, svc } = await newHost();
    assert.match((await svc('config', 'show')).stdout, /SVC_DATABASE_URL/);
    const script = await svc('storage', 'migrate', '--dry-run');
    assert.match(script.stdout, /^BEGIN;\n(?:.*\n)*COMMIT;\n$/);
    const migrated = await svc('storage', 'migrate');
    assert.is(migrated.code, 0, migrated.stderr);
    assert.match((await svc('storage', 'migrate')).stdout, /nothing to do/);
    const status = await svc('storage', 'status');
    assert.is(status.code, 0, status.stderr);
    assert.match(status.stdout, /^127\.0\.0\.1:\d+\/svc_test\S+ {2}PostgreSQL 1\d/);
    const page = await svc('status');
    assert.match(page.stdout, /storage +127\.0\.0\.1:\d+\/svc_test\S+ · PostgreSQL/);
    const report = jsonOf.bugReport(
      await svc('bug-report', '--json', '--output', home.at('report.tar.gz')),
    );
    assert.ok(report.entries.some(({ name, error }) => name === 'storage.json' && error === null));
    const doctor = jsonOf.doctor(await svc('config', 'doctor', '--json'));
    assert.is(doctor.checks.find(({ check }) => check === 'storage')?.state, 'ok');
  });

  test('svc serve is not ready while the server is down, and recovers', async () => {
    const { home, env, svc } = await newHost();
    await svc('storage', 'migrate');
    const { child, done } = serve(home, [], { env });
    await whenReady(home);
    const becomes = async (status: number): Promise<void> => {
      const untilMs = Date.now() + PATIENCE_MS;
      while ((await fetch(`${urlOf(home)}/readyz`)).status !== status) {
        assert.ok(Date.now() < untilMs, `never ${status}`);
        await sleep(50);
      }
    };
    await becomes(200);
    await cluster.halt();
    await becomes(503);
    await eventually('the failure in the state file', () => {
      const failure = stateOf(home)?.services.find(({ name }) => name === 'storage')?.failure;
      return failure?.code === 'STORAGE_UNREACHABLE' ? failure : undefined;
    });
    const status = await svc('storage', 'status');
    assert.is(status.code, 1);
    assert.match(status.stderr, /127\.0\.0\.1:\d+\/svc_test\S* does not answer/);
    await cluster.start();
    await becomes(200);
    child.kill('SIGTERM');
    assert.is((await done).code, 0);
  });
}

test.run();
