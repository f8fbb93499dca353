import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlows } from '../../../src/engine/flows/index.js';
import { preparePostgresIndex } from '../../../src/engine/memory/index/postgres/index.js';
import {
  migrationScript,
  openServer,
  pendingAfter,
  withLease,
} from '../../../src/engine/postgres/index.js';
import { copyStorage } from '../../../src/engine/storage/copy/copy-storage.js';
import { migrateStorage } from '../../../src/engine/storage/migrate-storage.js';
import { storageOrigins } from '../../../src/engine/storage/server-status.js';
import { storageStatus } from '../../../src/engine/storage/storage-status.js';
import { allPages, fencesOf } from '../../docs/pages.js';
import { failureOf } from '../../support/failure.js';
import { newFlow, newTask } from '../../support/flows.js';
import { serverAt, startCluster } from '../../support/postgres.js';
import {
  apply,
  embedMissing,
  putChange,
  testIdentity,
  textVector,
} from '../../support/vector-index.js';
import { type StorageHost, storageHost } from './support.js';

const APPLY = { dryRun: false, onApplied: () => undefined };

/** The statements of docs/teams.md: those for a new database, and those for tables that exist. */
const [FRESH = '', LATER = ''] = fencesOf(
  allPages().find(({ path }) => path === 'docs/teams.md')?.text ?? '',
)
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text);

const cluster = await startCluster();

if (cluster !== undefined) {
  const test = suite('roles on PostgreSQL');
  test.after(() => cluster.stop());

  const newDatabase = async () => {
    const url = new URL(await cluster.newDatabase());
    const name = url.pathname.slice(1);
    return {
      sql: (text: string) => cluster.sql(text, name),
      as: (user: string, password = '') => {
        const own = new URL(url);
        own.username = user;
        own.password = password;
        return own.href;
      },
    };
  };

  test('a role without DDL works after the role that owns the tables has migrated', async () => {
    const database = await newDatabase();
    await database.sql(FRESH);
    const owner = storageHost(database.as('svc_owner'));
    await migrateStorage(owner.context, owner.loaded, APPLY);
    const host = storageHost(database.as('svc_host'));
    const status = await storageStatus(host.context, host.loaded);
    assert.is(status.server?.missingRights, null);
    assert.ok(status.server?.usable);
    assert.equal((await migrateStorage(host.context, host.loaded, APPLY)).migrations, []);
    await useEverything(host);
  });

  test('connections of another role are shown, without what is hidden of them', async () => {
    const database = await newDatabase();
    await database.sql('CREATE ROLE one_host LOGIN');
    await database.sql('CREATE ROLE other_host LOGIN');
    const other = serverAt(database.as('other_host'));
    await other.query('SELECT 1');
    const host = storageHost(database.as('one_host'));
    const clients = (await storageStatus(host.context, host.loaded)).server?.connections.clients;
    assert.equal(
      clients?.map(({ since, ...client }) => ({ ...client, isKnown: since !== null })),
      [
        { application: 'svc', host: '127.0.0.1', connections: 1, isKnown: true },
        { application: 'svc', host: null, connections: 1, isKnown: false },
      ],
    );
    await other.close();
  });

  test('rights that are missing are named as statements that give them', async () => {
    const database = await newDatabase();
    const owner = storageHost(database.as('svc'));
    await migrateStorage(owner.context, owner.loaded, APPLY);
    await database.sql('CREATE ROLE poor LOGIN');
    const poor = storageHost(database.as('poor'));
    const refused = await failureOf(storageStatus(poor.context, poor.loaded));
    assert.is(refused.code, 'STORAGE_REFUSED');
    await database.sql('GRANT USAGE ON SCHEMA svc TO poor');
    await database.sql('GRANT SELECT ON ALL TABLES IN SCHEMA svc TO poor');
    const [, statements = ''] = /administrator to run: (.*)$/u.exec(refused.hint ?? '') ?? [];
    const [schemaAndTables] = statements.split('; GRANT USAGE ON ALL SEQUENCES');
    await database.sql(schemaAndTables ?? '');
    const withoutSequences = await storageStatus(poor.context, poor.loaded);
    assert.is(withoutSequences.server?.missingRights, statements);
    await database.sql(statements);
    const status = await storageStatus(poor.context, poor.loaded);
    assert.is(status.server?.missingRights, null);
    assert.equal(
      words(statements),
      words(LATER.replaceAll('svc_host', 'poor')),
      'as docs/teams.md has them',
    );
  });

  test('a role that cannot create a schema gets the statement for an administrator to run', async () => {
    const database = await newDatabase();
    await database.sql('CREATE ROLE "no schema" LOGIN');
    const host = storageHost(database.as('no%20schema'));
    const refused = await failureOf(migrateStorage(host.context, host.loaded, APPLY));
    assert.is(refused.code, 'STORAGE_REFUSED');
    const [, statement = ''] = /administrator to run: (.*)$/u.exec(refused.hint ?? '') ?? [];
    await database.sql(statement);
    await migrateStorage(host.context, host.loaded, APPLY);
    assert.ok((await storageStatus(host.context, host.loaded)).server?.usable);
  });

  test('the printed steps need no right to create a schema that exists', async () => {
    const database = await newDatabase();
    await database.sql('CREATE ROLE owner LOGIN; CREATE SCHEMA svc AUTHORIZATION owner');
    await database.sql(`SET ROLE owner; ${migrationScript(pendingAfter(0))} RESET ROLE`);
    const host = storageHost(database.as('owner'));
    assert.ok((await storageStatus(host.context, host.loaded)).server?.usable);
  });

  test('a role that does not own the tables cannot change them', async () => {
    const database = await newDatabase();
    await database.sql(
      'CREATE SCHEMA svc; CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA svc TO guest',
    );
    const host = storageHost(database.as('guest'));
    const refused = await failureOf(migrateStorage(host.context, host.loaded, APPLY));
    assert.is(refused.code, 'STORAGE_REFUSED');
    assert.match(refused.message, /svc owns them/);
  });

  test('a read-only role is shown, and cannot migrate', async () => {
    const database = await newDatabase();
    await database.sql('CREATE ROLE reader LOGIN SUPERUSER');
    await database.sql('ALTER ROLE reader SET default_transaction_read_only = on');
    const host = storageHost(database.as('reader'));
    const { server } = await storageStatus(host.context, host.loaded);
    assert.is(server?.readOnly, true);
    assert.is(server?.usable, false);
    const refused = await failureOf(migrateStorage(host.context, host.loaded, APPLY));
    assert.is(refused.code, 'STORAGE_REFUSED');
    assert.match(refused.message, /read-only/);
  });

  test('a wrong password or database is refused, and never shown', async () => {
    const database = await newDatabase();
    await database.sql("CREATE ROLE locked LOGIN PASSWORD 'right-one'");
    const [hba] = await cluster.sql('SHOW hba_file');
    const file = String(Object(hba).hba_file);
    // The only way for a client to require passwords.
    await cluster.sql(
      `COPY (SELECT unnest(ARRAY['host all locked all scram-sha-256', 'host all all all trust'])) TO '${file}'`,
    );
    await cluster.sql('SELECT pg_reload_conf()');
    const wrong = storageHost(database.as('locked', 'wrong-one'));
    const refused = await failureOf(storageStatus(wrong.context, wrong.loaded));
    assert.is(refused.code, 'STORAGE_REFUSED');
    assert.match(refused.message, /refused the login/);
    assert.not.match(JSON.stringify([refused, refused.message, refused.stack]), /wrong-one/);
    const none = storageHost(database.as('locked'));
    assert.is((await failureOf(storageStatus(none.context, none.loaded))).code, 'STORAGE_REFUSED');
    const right = storageHost(database.as('locked', 'right-one'));
    await storageStatus(right.context, right.loaded);
    const elsewhere = new URL(database.as('svc'));
    elsewhere.pathname = '/nowhere';
    const lost = storageHost(elsewhere.href);
    const missing = await failureOf(storageStatus(lost.context, lost.loaded));
    assert.is(missing.code, 'STORAGE_REFUSED');
    assert.match(missing.message, /nowhere/);
  });

  test.run();
}

function words(sql: string): readonly string[] {
  return sql.split(/[\s;]+/u).filter((word) => word !== '');
}

/** Writes, reads and deletes in every table that a host uses. */
async function useEverything({ context, loaded }: StorageHost): Promise<void> {
  const server = await openServer(context, loaded.resolved);
  const refused = await failureOf(server.run('CREATE TABLE svc.mine (id int)'));
  assert.is(refused.code, 'STORAGE_REFUSED');
  const flows = await openFlows(context, loaded.resolved);
  const flowId = await newFlow(flows);
  await newTask(flows, flowId);
  assert.ok(await flows.tasks.claim({ worker: 'one' }));
  await flows.operator.cancelFlow(flowId);
  await flows.operator.sweep();
  await flows.close();
  const place = { agent: 'main', origin: 'here' };
  const index = await preparePostgresIndex(server, place, testIdentity());
  await apply(index, putChange('a.md', 'alpha one', 'alpha two'));
  assert.is(await embedMissing(index, 'fake:one', textVector), 2);
  assert.is((await index.lexicalCandidates('"alpha"', 9)).length, 2);
  assert.is((await index.vectorCandidates('fake:one', textVector('alpha one'), 1)).length, 1);
  await index.tidyEmbeddings({ keepIdentities: [], cacheEntries: 0, atMs: 1 });
  index.close();
  const signal = new AbortController().signal;
  await withLease(server, 'a sweep', { signal }, async () => undefined);
  const copied = await copyStorage(context, loaded, {
    to: 'postgres',
    dryRun: false,
    signal,
    onProgress: () => undefined,
  });
  assert.ok(copied.verified);
  let shown = 0;
  const { forgotten } = await storageOrigins(context, loaded, {
    agent: undefined,
    forget: 'here',
    agrees: async () => true,
    whileRemoving: async (remove) => {
      shown += 1;
      await remove();
    },
  });
  assert.equal([forgotten[0]?.documents, shown], [1, 1]);
}
