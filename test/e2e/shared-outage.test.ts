import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hostOn } from '../support/hosts.js';
import { jsonOf } from '../support/json.js';
import { closeClients, stdioClient } from '../support/mcp.js';
import { migratedServer, startCluster } from '../support/postgres.js';
import { startSvc } from '../support/run-svc.js';

const cluster = await startCluster();
const test = suite('a shared memory whose server goes away');
test.after(async () => {
  await closeClients();
  await cluster?.stop();
});

if (cluster !== undefined) {
  const server = await migratedServer(cluster);
  const { host, port, database, user } = server.address;
  const url = `postgres://${user}:pass-word@${host}:${port}/${database}`;
  await server.close();

  test('commands fail with host and port, and everything that runs recovers', async () => {
    const a = hostOn(url, 'host-a', {
      files: { 'ws/memory/a.md': 'Amber.\n' },
      memorySearch: { sync: { watchDebounceMs: 50 } },
    });
    const env = { SVC_DATABASE_URL: url };
    const home = a.home.path;
    const watching = startSvc(['memory', 'index', '--watch', '--json'], { home, env });
    await watching.wrote('"cause":"start"');
    const { client } = await stdioClient(a.home, { env });
    const ask = (query: string) => client.callTool({ name: 'memory_search', arguments: { query } });
    assert.is((await ask('amber')).isError ?? false, false);

    await cluster.halt();
    const search = await a.svc('memory', 'search', 'amber', '--json');
    const error = jsonOf.error(search);
    assert.equal([search.code, error.code], [1, 'STORAGE_UNREACHABLE']);
    assert.match(error.message, new RegExp(`${host}:${port}`, 'u'));
    assert.not.match(search.stdout + search.stderr, /pass-word/u);
    const status = jsonOf.status(await a.svc('memory', 'status', '--json')).agents[0];
    assert.equal(
      [status?.shared?.origins, status?.faults.map(({ code }) => code)],
      [null, ['STORAGE_UNAVAILABLE']],
    );
    const failed = await ask('amber');
    assert.is(failed.isError, true);
    assert.match(JSON.stringify(failed.content), /does not answer/u);
    a.home.write('ws/memory/b.md', 'Basalt.\n');
    await watching.wrote('"type":"failed"');

    await cluster.start();
    await watching.wrote('"cause":"retry"');
    const again = await ask('basalt');
    assert.match(JSON.stringify(again.content), /b\.md/u);
    watching.child.kill('SIGTERM');
    assert.is((await watching.done).code, 0);
    assert.is((await a.svc('memory', 'search', 'basalt')).code, 0);
  });
}

test.run();
