import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { storageDefinitions } from '../../../../src/engine/serve/services/storage-service.js';
import { contextOf } from '../../../support/context.js';
import { migratedDatabase, migratedServer, startCluster } from '../../../support/postgres.js';
import { startServing, testLog } from '../../../support/services.js';
import { serverHome } from '../../../support/serving.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('watching the server');
const cluster = await startCluster();
test.after(() => cluster?.stop());

if (cluster !== undefined) {
  test('a hanging server is reported long before a statement times out', async () => {
    const server = await migratedServer(cluster);
    const { host, port, database, user } = server.address;
    await server.close();
    const url = `postgres://${user}@${host}:${port}/${database}`;
    const home = serverHome({ storage: { url, statementTimeoutSeconds: 600 } });
    const context = contextOf(home.path);
    const setup = { context, loaded: await loadConfig(context, {}), mask: createSecretMask() };
    const troubles: (string | null | undefined)[] = [];
    const [definition] = storageDefinitions(setup);
    const service = await definition?.start({
      log: testLog().logger,
      setLastEvent: () => undefined,
      setProblem: (failure) => troubles.push(failure?.code),
      signal: new AbortController().signal,
      fail: () => undefined,
    });
    await service?.ready;
    assert.equal(troubles, [undefined]);
    const backends = await cluster.sql(
      `SELECT pid FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    const send = (signal: NodeJS.Signals): void => {
      for (const backend of backends) process.kill(Number(Object(backend).pid), signal);
    };
    send('SIGSTOP');
    try {
      await waitFor('the trouble', () => troubles.at(-1) === 'STORAGE_UNREACHABLE');
    } finally {
      send('SIGCONT');
    }
    await waitFor('its end', () => troubles.at(-1) === undefined);
    await service?.stop();
  });

  test('what a server lacks when it is back is indexed again', async () => {
    const [url, older] = [await migratedDatabase(cluster), await migratedDatabase(cluster)];
    const name = databaseOf(url);
    const home = serverHome({
      storage: { url },
      agents: { defaults: { memorySearch: { provider: 'none' } } },
    });
    const context = { ...contextOf(home.path), servers: new Map() };
    const { serve, ended } = startServing(context, ['health']);
    const whenIndexed = () =>
      waitFor('the document', async () => {
        const documents = await cluster
          .sql('SELECT path FROM svc.documents', name)
          .catch(() => undefined);
        return documents?.length === 1;
      });
    await whenIndexed();
    // As after a failover to a server that had not received everything.
    await cluster.sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await cluster.sql(
      `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await cluster.sql(`ALTER DATABASE ${name} RENAME TO ${name}_lost`);
    await cluster.sql(`ALTER DATABASE ${databaseOf(older)} RENAME TO ${name}`);
    await whenIndexed();
    serve.stop('SIGTERM');
    await ended;
  });
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

test.run();
