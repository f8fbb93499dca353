import { once } from 'node:events';
import { chmodSync, chownSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../src/engine/config/index.js';
import { openFlows } from '../../src/engine/flows/index.js';
import { contextOf } from '../support/context.js';
import { ADA, newFlow } from '../support/flows.js';
import { jsonOf } from '../support/json.js';
import { startCluster } from '../support/postgres.js';
import { runInPty } from '../support/pty.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { serve, serverHome, stateOf, urlOf, whenReady } from '../support/serving.js';
import { smallDisk } from '../support/small-disk.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const FLOWS = 3000;
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

test('while a server does not answer, a terminal shows that svc waits for it', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${Object(silent.address()).port}/svc`;
  const storage = { url: `postgres://svc@${address}`, connectTimeoutSeconds: 1 };
  const home = folderOf({ 'svc.json': JSON.stringify({ storage }) }).path;
  const waits = {
    'storage status': `connecting to ${address}`,
    'flow list': `connecting to ${address}`,
    status: 'checking',
    // It has a line of its own.
    'memory search heron': 'searching',
  };
  for (const [line, words] of Object.entries(waits)) {
    const started = runInPty(line.split(' '), { home, lines: true });
    assert.is(await started.ended, 1, line);
    assert.ok(started.output().startsWith(`${words}\r\u001B[2K`), started.output());
    assert.match(started.output(), /does not answer/);
  }
  silent.close();
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
      const run = await runInSession(args, { home: home.path, env });
      assert.not.match(`${run.stdout}${run.stderr}`, new RegExp(PASSWORD));
      return run;
    };
    const setting = await svc('config', 'set', 'storage.url', 'env:SVC_DATABASE_URL');
    assert.is(setting.code, 0, setting.stderr);
    return { home, env, svc, database: url.pathname.slice(1) };
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
    assert.match(
      status.stdout,
      /^PostgreSQL at 127\.0\.0\.1:\d+\/svc_test\S+\n(?:.*\n)?.*version +1\d/,
    );
    const page = await svc('status');
    assert.match(page.stdout, /storage +127\.0\.0\.1:\d+\/svc_test\S+ · PostgreSQL/);
    const report = jsonOf.bugReport(
      await svc('bug-report', '--json', '--output', home.at('report.tar.gz')),
    );
    assert.ok(report.entries.some(({ name, error }) => name === 'storage.json' && error === null));
    const doctor = jsonOf.doctor(await svc('config', 'doctor', '--json'));
    assert.is(doctor.checks.find(({ check }) => check === 'storage')?.state, 'ok');
  });

  test('a password in ~/.pgpass is used, without a warning of the library', async () => {
    const { home, database } = await newHost();
    await cluster.sql(`CREATE ROLE guarded LOGIN PASSWORD '${PASSWORD}'`);
    const file = String(Object((await cluster.sql('SHOW hba_file'))[0]).hba_file);
    await cluster.sql(
      `COPY (SELECT unnest(ARRAY['host all guarded all scram-sha-256', 'host all all all trust'])) TO '${file}'`,
    );
    await cluster.sql('SELECT pg_reload_conf()');
    home.write('.pgpass', `127.0.0.1:${cluster.port}:*:guarded:${PASSWORD}\n`);
    chmodSync(home.at('.pgpass'), 0o600);
    const url = `postgres://guarded@127.0.0.1:${cluster.port}/${database}`;
    const place = { home: home.path, env: { SVC_DATABASE_URL: url } };
    const run = await runSvc(['storage', 'status'], place);
    assert.is(run.stderr, '');
    assert.match(run.stdout, /role +guarded/);
  });

  test('a server with one free connection is enough for each command', async () => {
    const { home, svc, database } = await newHost();
    await svc('storage', 'migrate');
    await cluster.sql('GRANT USAGE ON SCHEMA svc TO public', database);
    await cluster.sql('GRANT ALL ON ALL TABLES IN SCHEMA svc TO public', database);
    for (const [at, command] of ['storage status', 'status', 'config doctor'].entries()) {
      // A role for each: the server notices later that the process before has ended.
      await cluster.sql(`CREATE ROLE single_${at} LOGIN CONNECTION LIMIT 1`);
      const url = `postgres://single_${at}@127.0.0.1:${cluster.port}/${database}`;
      const place = { home: home.path, env: { SVC_DATABASE_URL: url } };
      const run = await runSvc(command.split(' '), place);
      assert.match(run.stdout, /postgres/iu);
      assert.not.match(run.stdout + run.stderr, /no free connection/);
    }
  });

  test('a search reads from a server that can only be read, and says that changes may be missing', async () => {
    const { home, svc, database } = await newHost();
    await svc('storage', 'migrate');
    home.write('workspace/memory/a.md', 'the bird is blue\n');
    await svc('config', 'set', 'agents.defaults.workspace', home.at('workspace'));
    assert.is((await svc('memory', 'index')).code, 0);
    await cluster.sql(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    home.write('workspace/memory/b.md', 'a bird is red\n');
    const run = await svc('memory', 'search', 'bird', '--json');
    assert.is(run.code, 0, run.stderr);
    const { results, warnings } = jsonOf.search(run);
    assert.equal(
      results.map((one) => one.path),
      ['memory/a.md'],
    );
    assert.ok(
      warnings.some(({ code }) => code === 'INDEX_STALE'),
      run.stdout,
    );
  });

  test('a host whose clock is ahead shows ages by the clock of the server', async () => {
    const { home, env, svc } = await newHost();
    await svc('storage', 'migrate');
    const storage = { url: env.SVC_DATABASE_URL };
    const flows = await openFlows(contextOf(home.path), resolveConfig({ storage }));
    await newFlow(flows, ADA);
    await flows.close();
    const shift = 'const { now } = Date; Date.now = () => now() + 7_200_000;';
    const nodeArgs = ['--require', home.write('ahead.cjs', shift)];
    for (const command of ['flow list', 'storage status']) {
      const run = await runSvc(command.split(' '), { home: home.path, env, nodeArgs });
      assert.is(run.code, 0, run.stderr);
      assert.match(run.stdout, /just now| ago/);
      assert.not.match(run.stdout, /h ago/);
    }
  });

  test('a killed copy continues, in both directions', async () => {
    const { home, env, svc } = await newHost();
    await svc('storage', 'migrate');
    const flows = await openFlows(contextOf(home.path), resolveConfig({}));
    const makeAll = Array.from({ length: FLOWS }, (_, at) =>
      newFlow(flows, ADA, { goal: `${at}` }),
    );
    await Promise.all(makeAll);
    await flows.close();
    const flowsListed = async (): Promise<number> =>
      jsonOf.flowList(await svc('flow', 'list', '--json')).total;
    for (const to of ['postgres', 'sqlite'] as const) {
      assert.is((await svc('storage', 'copy', '--to', to, '--dry-run')).code, 0);
      const copying = startSvc(['storage', 'copy', '--to', to], { home: home.path, env });
      await copying.waitForText('flows: copying');
      copying.child.kill('SIGKILL');
      assert.is((await copying.done).signal, 'SIGKILL');
      const copied = jsonOf.storageCopy(await svc('storage', 'copy', '--to', to, '--json'));
      assert.ok(copied.verified);
      assert.is(copied.parts.find(({ name }) => name === 'flows')?.rows, FLOWS);
      // The way back starts without files, and with a change on the server.
      if (to === 'postgres') {
        assert.is(await flowsListed(), FLOWS);
        for (const name of ['', '-wal', '-shm'])
          rmSync(home.at(`flows.sqlite${name}`), { force: true });
      }
    }
    await svc('config', 'unset', 'storage.url');
    assert.is(await flowsListed(), FLOWS);
  });

  test('a full disk on the server is an error, and stored data stays', async () => {
    const disk = smallDisk(24);
    if (disk === undefined) return;
    if (process.getuid?.() === 0) {
      const owner = statSync(
        String(Object((await cluster.sql('SHOW data_directory'))[0]).data_directory),
      );
      chownSync(disk, owner.uid, owner.gid);
      chmodSync(disk, 0o700);
    }
    await cluster.sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
    const { home, svc, database } = await newHost();
    await cluster.sql(`ALTER DATABASE ${database} SET TABLESPACE small`);
    await svc('storage', 'migrate');
    const flows = await openFlows(contextOf(home.path), resolveConfig({}));
    const stateJson = { text: Array.from({ length: 40_000 }, (_, at) => at.toString(36)).join('') };
    for (let at = 0; at < 200; at++) await newFlow(flows, ADA, { goal: `${at}`, stateJson });
    await flows.close();
    const full = await svc('storage', 'copy', '--to', 'postgres');
    assert.is(full.code, 1);
    assert.match(full.stderr, /error: the disk of PostgreSQL at 127\.0\.0\.1:\d+\/\S+ is full/);
    await cluster.sql(`ALTER DATABASE ${database} SET TABLESPACE pg_default`);
    const copied = jsonOf.storageCopy(await svc('storage', 'copy', '--to', 'postgres', '--json'));
    assert.ok(copied.verified);
  });

  test('svc serve is not ready while the server is down, and recovers', async () => {
    // The listener gets no request, so only other services notice.
    const { home, env, svc } = await newHost({
      plugins: { entries: { webhooks: { enabled: true } } },
      flows: { runtimes: { subagent: { command: ['true'] } } },
    });
    await svc('storage', 'migrate');
    const { child, done } = serve(home, [], { env });
    await whenReady(home);
    const whenStatus = (status: number) =>
      waitFor(
        `status ${status}`,
        async () => (await fetch(`${urlOf(home)}/readyz`)).status === status,
      );
    const whenWritable = (value: number) =>
      waitFor(`writable ${value}`, async () => {
        const text = await (await fetch(`${urlOf(home)}/metrics`)).text();
        return text.includes(`\nsvc_flow_store_writable ${value}\n`);
      });
    await whenStatus(200);
    await whenWritable(1);
    await cluster.halt();
    await whenStatus(503);
    await whenWritable(0);
    await waitFor('the failure in the state file', () => {
      const failure = stateOf(home)?.services.find(({ name }) => name === 'storage')?.failure;
      return failure?.code === 'STORAGE_UNREACHABLE' ? failure : undefined;
    });
    const status = await svc('storage', 'status');
    assert.is(status.code, 1);
    assert.match(status.stderr, /127\.0\.0\.1:\d+\/svc_test\S* does not answer/);
    await cluster.start();
    await whenStatus(200);
    await whenWritable(1);
    child.kill('SIGTERM');
    assert.is((await done).code, 0);
  });
}

test.run();
