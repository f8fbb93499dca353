import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import {
  migrate,
  migrationScript,
  pendingAfter,
  pendingMigrations,
  readCurrent,
  requireCurrent,
  type Server,
  serverState,
} from '../../../src/engine/postgres/index.js';
import { MIGRATION_LOCK, MIGRATIONS } from '../../../src/engine/postgres/migrate.js';
import { parseServerUrl } from '../../../src/engine/postgres/server-address.js';
import { migrateStorage } from '../../../src/engine/storage/index.js';
import { createCertificate } from '../../support/certificate.js';
import { failureOf } from '../../support/failure.js';
import {
  migratedDatabase,
  migratedServer,
  serverAt,
  startCluster,
  startPglite,
} from '../../support/postgres.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';
import { storageHost } from '../storage/support.js';

const cluster = await startCluster();
const servers = [await startPglite(), ...(cluster === undefined ? [] : [cluster])];

/** Rows as each version of the tables has had them. */
const ROWS = {
  memories: `(agent, tokenizer) VALUES ('main', 'unicode61')`,
  origins: `(memory, name, identity) SELECT id, 'host-a', '{}' FROM svc.memories`,
  spaces: `(identity, dimensions) VALUES ('a model', 3)`,
  embeddings: `(space, hash, vector) SELECT id, '\\x01', '\\x02' FROM svc.spaces`,
  answers: `VALUES ('owner', 'create_flow', 'key', 'hash', '{}', 1)`,
} as const;

/** Puts rows into those of the tables that there are. */
async function filledTables(server: Server): Promise<ReadonlyMap<string, readonly object[]>> {
  const filled = new Map<string, readonly object[]>();
  for (const [table, row] of Object.entries(ROWS)) {
    const [known] = await server.query(
      'SELECT to_regclass($1) AS name WHERE to_regclass($1) IS NOT NULL',
      [`svc.${table}`],
    );
    if (known === undefined) continue;
    await server.run(`INSERT INTO svc.${table} ${row}`);
    filled.set(table, await server.query(`SELECT * FROM svc.${table}`));
  }
  return filled;
}

/**
 * A way to a server that can forget its connections, as a network does while a machine sleeps: then they are reset when
 * used.
 *
 * @param farewell what a pooler answers instead
 */
async function serverThatForgets(port: number, farewell?: Buffer) {
  const dead = new Set<Socket>();
  const alive = new Set<Socket>();
  const listener = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    alive.add(socket);
    socket.on('data', (data) => {
      if (!dead.has(socket)) upstream.write(data);
      else if (farewell === undefined) socket.resetAndDestroy();
      else socket.end(farewell);
    });
    upstream.on('data', (data) => socket.write(data));
    socket.on('error', () => undefined).on('close', () => upstream.destroy());
    upstream.on('error', () => undefined).on('close', () => socket.destroy());
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    forget: () => {
      for (const socket of alive) dead.add(socket);
    },
    close: () => listener.close(),
  };
}

/** A way to a server that counts how often the client has sent something after an answer, and can lose all answers. */
async function farServer(url: URL) {
  let turns = 0;
  let isLost = false;
  const listener = createServer((socket) => {
    const upstream = connect(Number(url.port), url.hostname);
    let isAnswered = true;
    socket.on('data', (data) => {
      if (isAnswered) turns += 1;
      isAnswered = false;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      isAnswered = true;
      if (!isLost) socket.write(data);
    });
    socket.on('error', () => undefined).on('close', () => upstream.destroy());
    upstream.on('error', () => undefined).on('close', () => socket.destroy());
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const address = new URL(url);
  address.hostname = '127.0.0.1';
  address.port = String((listener.address() as AddressInfo).port);
  return {
    url: address.href,
    turns: () => turns,
    lose: () => {
      isLost = true;
    },
    close: () => listener.close(),
  };
}

/** What Supavisor answers if it has lost its own connection: an ErrorResponse, after which it closes the client's. */
const SUPAVISOR_FAREWELL = errorResponse({
  S: 'FATAL',
  C: 'XX000',
  M: '(EDBHANDLEREXITED) connection to database closed. Check logs for more information',
});

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const body = Object.entries(fields).map(([type, value]) => `${type}${value}\0`);
  const bytes = Buffer.from(`E\0\0\0\0${body.join('')}\0`);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  return bytes;
}

for (const postgres of servers) {
  const test = suite(`a server on ${postgres.name}`);

  test('reads, writes and rolls back', async () => {
    const server = await migratedServer(postgres);
    await server.run('CREATE TABLE things (id bigint, bytes bytea)');
    await server.transaction(async (tx) => {
      await tx.run('INSERT INTO things VALUES ($1, $2)', [2 ** 40, Buffer.from([0, 255])]);
    });
    const own = new Error('no');
    const thrown = await server
      .transaction(async (tx) => {
        await tx.run('DELETE FROM things');
        throw own;
      })
      .catch((error: unknown) => error);
    assert.is(thrown, own);
    assert.equal(await server.query('SELECT * FROM things'), [
      { id: 2 ** 40, bytes: Buffer.from([0, 255]) },
    ]);
    await server.close();
  });

  test('a transaction knows the time of the server', async () => {
    const server = await migratedServer(postgres);
    const nowMs = await server.transaction(async (tx) => tx.nowMs);
    assert.ok(Math.abs(nowMs - Date.now()) < 60_000);
    await server.close();
  });

  test('a failed statement leaves the connection usable', async () => {
    const server = await migratedServer(postgres, { poolSize: 1 });
    assert.is((await failureOf(server.query('SELECT nothing'))).code, 'STORAGE_OUTDATED');
    await failureOf(server.transaction(async (tx) => tx.query('SELECT 1 / 0')));
    assert.equal(await server.query('SELECT 1 AS one'), [{ one: 1 }]);
    await server.close();
  });

  test('of statements that were sent together, the first that fails is reported, and nothing is kept', async () => {
    const server = await migratedServer(postgres, { poolSize: 1 });
    await server.run('CREATE TABLE counts (n int PRIMARY KEY)');
    const add = (...numbers: readonly (number | string)[]) =>
      server.transaction(async (tx) =>
        Promise.all(numbers.map((n) => tx.run('INSERT INTO counts VALUES ($1::text::int)', [n]))),
      );
    assert.match((await failureOf(add(1, 'two', 1, 3))).message, 'two');
    const late = server.transaction(async (tx) => {
      const first = tx.query('SELECT 1 / 0');
      return Promise.all([tx.query('SELECT 1'), first.catch(() => first)]);
    });
    assert.match((await failureOf(late)).message, 'division by zero');
    assert.equal(await server.query('SELECT * FROM counts'), []);
    assert.equal(await add(1, 2, 3), [1, 1, 1]);
    assert.equal(await server.query('SELECT * FROM counts'), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    await server.close();
  });

  test('tables are made once, and a newer version is refused', async () => {
    const server = serverAt(await postgres.newDatabase(), { poolSize: 1 });
    assert.is((await pendingMigrations(server)).length, MIGRATIONS.length);
    await migrate(server);
    await migrate(server);
    await requireCurrent(server);
    assert.is((await serverState(server)).schemaVersion, MIGRATIONS.length);
    await server.run('INSERT INTO svc.migrations (version) VALUES (9999)');
    assert.is((await failureOf(requireCurrent(server))).code, 'STORAGE_NEWER');
    assert.is((await failureOf(migrate(server))).code, 'STORAGE_NEWER');
    await server.close();
  });

  const migrated = postgres.newDatabase().then((url) => serverAt(url, { poolSize: 1 }));
  test.after(async () => (await migrated).close());

  for (let version = 1; version < MIGRATIONS.length; version++) {
    test(`tables of version ${version} keep their rows`, async () => {
      // A new PGlite for each takes half a second.
      const server = await migrated;
      await server.run('DROP SCHEMA IF EXISTS svc CASCADE');
      await server.run('CREATE SCHEMA svc');
      await server.run(
        'CREATE TABLE svc.migrations (version int PRIMARY KEY, applied_at timestamptz)',
      );
      for (const [at, { sql }] of MIGRATIONS.slice(0, version).entries()) {
        await server.run(sql);
        await server.run('INSERT INTO svc.migrations VALUES ($1)', [at + 1]);
      }
      const before = await filledTables(server);
      await migrate(server);
      await requireCurrent(server);
      for (const [table, rows] of before) {
        assert.equal(await server.query(`SELECT * FROM svc.${table}`), rows, table);
      }
    });
  }

  test.run();
}

if (cluster !== undefined) {
  const test = suite('a real server');

  test('hosts that migrate at once take turns', async () => {
    const url = await cluster.newDatabase();
    const database = new URL(url).pathname.slice(1);
    await cluster.sql(
      `ALTER DATABASE ${database} SET default_transaction_isolation = 'repeatable read'`,
    );
    const servers = [1, 2, 3, 4].map(() => serverAt(url));
    const applied: number[] = [];
    await Promise.all(servers.map((one) => migrate(one, ({ version }) => applied.push(version))));
    assert.equal(
      applied.sort((a, b) => a - b),
      MIGRATIONS.map((_, at) => at + 1),
    );
    await Promise.all(servers.map((one) => one.close()));
  });

  test('a host that has to wait for another one does not give up', async () => {
    const url = await cluster.newDatabase();
    const { context, loaded } = storageHost(url);
    const storage = { ...loaded.resolved.storage, statementTimeoutSeconds: 1 };
    const impatient = { ...loaded, resolved: { ...loaded.resolved, storage } };
    const other = serverAt(url);
    const migrated = await other.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const onApplied = (): void => undefined;
      const migrating = migrateStorage(context, impatient, { dryRun: false, onApplied });
      await Promise.race([migrating, new Promise((resolve) => setTimeout(resolve, 1200))]);
      return { migrating };
    });
    assert.is((await migrated.migrating).migrations.length, MIGRATIONS.length);
    await other.close();
  });

  test('a migration that waits for a backup does not keep other hosts waiting', async () => {
    const url = await cluster.newDatabase();
    const [server, backup, other] = [serverAt(url), serverAt(url), serverAt(url)];
    const at = MIGRATIONS.findIndex(({ name }) => name === 'long ids of runs');
    await cluster.sql(
      migrationScript(pendingAfter(0).slice(0, at)),
      new URL(url).pathname.slice(1),
    );
    const { migrating } = await backup.transaction(async (transaction) => {
      await transaction.run('LOCK TABLE svc.tasks IN ACCESS SHARE MODE');
      const migrating = migrate(server);
      await waitFor('the migration', async () => {
        const waiting = await other.query('SELECT FROM pg_locks WHERE NOT granted');
        return waiting.length > 0;
      });
      assert.equal(await other.query('SELECT count(*) AS tasks FROM svc.tasks'), [{ tasks: 0 }]);
      return { migrating };
    });
    await migrating;
    await requireCurrent(server);
    await Promise.all([server, backup, other].map((one) => one.close()));
  });

  test('a statement that a limit of its role ends is explained', async () => {
    const url = await cluster.newDatabase();
    const database = new URL(url).pathname.slice(1);
    await cluster.sql(`ALTER DATABASE ${database} SET statement_timeout = 50`);
    const server = serverAt(url);
    const { code, hint } = await failureOf(server.query('SELECT pg_sleep(60)'));
    assert.is(code, 'STORAGE_UNREACHABLE');
    assert.match(hint ?? '', /storage\.statementTimeoutSeconds, or a timeout of the role/);
    await server.close();
  });

  test('statements that were sent together share a round trip, and each has its whole time', async () => {
    const toServer = await farServer(new URL(await cluster.newDatabase()));
    const server = serverAt(toServer.url, { poolSize: 1, statementTimeoutMs: 2000 });
    const turns = await server.transaction(async (tx) => {
      const before = toServer.turns();
      await Promise.all([1, 2, 3].map(() => tx.query('SELECT pg_sleep(0.9)')));
      return toServer.turns() - before;
    });
    assert.is(turns, 1);
    await server.close();
    toServer.close();
  });

  test('reads that are sent together share a round trip with the check of the tables', async () => {
    const toServer = await farServer(new URL(await migratedDatabase(cluster)));
    const server = serverAt(toServer.url, { poolSize: 1 });
    await server.query('SELECT 1');
    const before = toServer.turns();
    const read = readCurrent(server, async (sql) =>
      Promise.all([sql.query('SELECT 1 AS one'), sql.query('SELECT 2 AS two')]),
    );
    assert.equal(await read, [[{ one: 1 }], [{ two: 2 }]]);
    assert.is(toServer.turns() - before, 1);
    await server.run('INSERT INTO svc.migrations (version) VALUES (9999)');
    const gone = readCurrent(server, (sql) => sql.query('SELECT FROM svc.gone'));
    assert.is((await failureOf(gone)).code, 'STORAGE_NEWER');
    await server.close();
    toServer.close();
  });

  test('of many statements that were sent together, each ends after its time if a server falls silent', async () => {
    const toServer = await farServer(new URL(await cluster.newDatabase()));
    const statementTimeoutMs = 2000;
    const server = serverAt(toServer.url, { poolSize: 1, statementTimeoutMs });
    const startedMs = Date.now();
    const answers = server.transaction(async (tx) =>
      Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          await tx.query('SELECT pg_sleep(0.01)');
          if (at === 50) toServer.lose();
        }),
      ),
    );
    assert.match((await failureOf(answers)).message, /did not answer in time$/);
    assert.ok(Date.now() - startedMs < 25 * statementTimeoutMs);
    await server.close();
    toServer.close();
  });

  test('a statement without an answer ends after its time', async () => {
    const server = serverAt(await cluster.newDatabase(), { statementTimeoutMs: 50 });
    let reconnects = 0;
    server.onReconnected(() => {
      reconnects += 1;
    });
    const { code, message } = await failureOf(server.query('SELECT pg_sleep(60)'));
    assert.is(code, 'STORAGE_UNREACHABLE');
    assert.match(message, 'did not answer in time');
    await waitFor('an answer', () => server.query('SELECT 1').catch(() => undefined));
    assert.is(reconnects, 0);
    await server.close();
  });

  test('recovers from a restart, and fails clearly while it is down', async () => {
    const server = await migratedServer(cluster);
    await server.query('SELECT 1');
    await cluster.restart('fast');
    assert.equal(await server.query('SELECT 1 AS one'), [{ one: 1 }]);
    assert.is(await server.transaction(async (tx) => (await tx.query('SELECT 1')).length), 1);
    await cluster.halt();
    const { failures } = server.poolUse;
    const error = await failureOf(server.query('SELECT 1'));
    assert.is(error.code, 'STORAGE_UNREACHABLE');
    assert.ok(server.poolUse.failures > failures);
    assert.match(error.message, `127.0.0.1:${cluster.port}`);
    await cluster.start();
    for (;;) {
      const rows = await server.query('SELECT 1 AS one').catch(() => []);
      if (rows.length === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await server.close();
  });

  test('a process whose server is full goes on with the connections that it has', async () => {
    const url = new URL(await cluster.newDatabase());
    await cluster.sql('CREATE ROLE few LOGIN CONNECTION LIMIT 2');
    url.username = 'few';
    const [server, other] = [serverAt(url.href), serverAt(url.href, { connectTimeoutMs: 500 })];
    const ask = (one: Server) => one.query('SELECT pg_sleep(0.01)');
    for (const _ of [1, 2]) await Promise.all(Array.from({ length: 20 }, () => ask(server)));
    assert.is(server.poolUse.idle, 2);
    let reconnects = 0;
    other.onReconnected(() => {
      reconnects += 1;
    });
    assert.match((await failureOf(ask(other))).message, 'no free connection');
    await cluster.sql('ALTER ROLE few CONNECTION LIMIT 4');
    await waitFor('more connections', async () => {
      await Promise.all(Array.from({ length: 20 }, () => ask(server)));
      return server.poolUse.idle > 2;
    });
    await server.close();
    await waitFor('the other', () => ask(other).catch(() => undefined));
    assert.is(reconnects, 0);
    await other.close();
  });

  test('a process without a connection waits for one while its server is full', async () => {
    const url = new URL(await cluster.newDatabase());
    await cluster.sql('CREATE ROLE single LOGIN CONNECTION LIMIT 1');
    url.username = 'single';
    const [server, other] = [serverAt(url.href), serverAt(url.href)];
    await server.query('SELECT 1');
    const asking = other.query('SELECT 1 AS one');
    await waitFor('a refusal', async () => other.poolUse.failures > 0);
    await server.close();
    assert.equal(await asking, [{ one: 1 }]);
    await other.close();
  });

  test('a connection to a server that became read-only is not used again', async () => {
    const url = await cluster.newDatabase();
    const [server, other] = [serverAt(url, { poolSize: 1 }), serverAt(url)];
    // For connections that are opened from now on.
    const setReadOnly = (isOn: boolean): Promise<unknown> =>
      other.run(
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${isOn}`,
      );
    await other.run('CREATE TABLE things (n int)');
    await setReadOnly(true);
    let reconnects = 0;
    server.onReconnected(() => {
      reconnects += 1;
    });
    const add = () => server.transaction((tx) => tx.run('INSERT INTO things VALUES (1)'));
    assert.match((await failureOf(add())).message, 'is read-only');
    await setReadOnly(false);
    assert.is(await add(), 1);
    assert.is(reconnects, 0);
    await Promise.all([server.close(), other.close()]);
  });

  test('a statement that waits for a lock does not make others fail', async () => {
    const url = await cluster.newDatabase();
    const server = serverAt(url, { poolSize: 1, connectTimeoutMs: 1000 });
    const other = serverAt(url);
    await server.run('CREATE TABLE rows (n int)');
    await server.run('INSERT INTO rows VALUES (0)');
    const late = await other.transaction(async (tx) => {
      await tx.run('UPDATE rows SET n = 1');
      const waiting = server.run('UPDATE rows SET n = 2');
      const read = server.query('SELECT 1 AS one');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return [waiting, read];
    });
    assert.equal(await Promise.all(late), [1, [{ one: 1 }]]);
    await Promise.all([server.close(), other.close()]);
  });

  test('a connection that is cut in a transaction is replaced once', async () => {
    const server = await migratedServer(cluster);
    let runs = 0;
    const result = await server.transaction(async (tx) => {
      runs += 1;
      if (runs === 1) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
      return (await tx.query<{ one: number }>('SELECT 1 AS one'))[0]?.one;
    });
    assert.is(result, 1);
    assert.is(runs, 2);
    await server.close();
  });

  test('a connection that was lost before the commit is replaced, because nothing was kept', async () => {
    const server = await migratedServer(cluster, { poolSize: 1 });
    let rounds = 0;
    await server.transaction(async (tx) => {
      rounds += 1;
      await tx.run('CREATE TABLE things (n int)');
      if (rounds > 1) return;
      const [own] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      // Waits for its end, and takes two more round trips, within which this process gets to know of it.
      await cluster.sql(`SELECT pg_terminate_backend(${own?.pid}, 60000)`);
      await cluster.sql('SELECT 1');
    });
    assert.is(rounds, 2);
    await server.close();
  });

  test('dead connections are replaced, however many there are', async () => {
    for (const farewell of [undefined, SUPAVISOR_FAREWELL]) {
      const path = await serverThatForgets(cluster.port, farewell);
      const url = new URL(await cluster.newDatabase());
      url.port = String(path.port);
      const server = serverAt(url.href);
      const openSome = () =>
        Promise.all([1, 2, 3].map(() => server.query('SELECT pg_sleep(0.1)::text')));
      await openSome();
      path.forget();
      assert.equal(await server.query('SELECT 1 AS one'), [{ one: 1 }]);
      await openSome();
      path.forget();
      assert.is(await server.transaction(async (tx) => (await tx.query('SELECT 1')).length), 1);
      await server.close();
      path.close();
    }
  });

  test('a deadlock is run again', async () => {
    const server = await migratedServer(cluster);
    await server.run('CREATE TABLE pair (id int PRIMARY KEY, n int)');
    await server.run('INSERT INTO pair VALUES (1, 0), (2, 0)');
    let waiting = 0;
    const both = (first: number, second: number): Promise<unknown> =>
      server.transaction(async (tx) => {
        await tx.run('UPDATE pair SET n = n + 1 WHERE id = $1', [first]);
        waiting += 1;
        while (waiting < 2) await new Promise((resolve) => setTimeout(resolve, 5));
        await tx.run('UPDATE pair SET n = n + 1 WHERE id = $1', [second]);
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    assert.equal(await server.query('SELECT n FROM pair ORDER BY id'), [{ n: 2 }, { n: 2 }]);
    await server.close();
  });

  test('a single change does not fail because another one changes the same row, whatever the default of the database', async () => {
    const url = await cluster.newDatabase();
    const server = serverAt(url);
    await server.run(`ALTER DATABASE ${new URL(url).pathname.slice(1)}
      SET default_transaction_isolation = 'serializable'`);
    await server.run('CREATE TABLE counter AS SELECT 0 AS n');
    const other = serverAt(url);
    const counts = Array.from({ length: 8 }, () =>
      other.run('UPDATE counter SET n = n + 1 WHERE pg_sleep(0.01) IS NOT NULL'),
    );
    await Promise.all(counts);
    assert.equal(await other.query('SELECT n FROM counter'), [{ n: 8 }]);
    await Promise.all([server.close(), other.close()]);
  });

  test('a new database that does not store text as UTF-8 gets no tables', async () => {
    const database = `svc_test_${process.pid}_ascii`;
    await cluster.sql(
      `CREATE DATABASE ${database} ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'`,
    );
    const url = (await cluster.newDatabase()).replace(/svc_test\w+$/u, database);
    const server = serverAt(url, { poolSize: 1 });
    const refused = await failureOf(migrate(server));
    assert.is(refused.code, 'STORAGE_UNSUPPORTED');
    assert.match(refused.message, /stores text as SQL_ASCII/);
    assert.match(refused.hint ?? '', /ENCODING 'UTF8'/);
    assert.is((await serverState(server)).schemaVersion, 0);
    await server.close();
  });

  test('a database that accepts no connections is reported as such, and can be waited for', async () => {
    const url = await cluster.newDatabase();
    const name = new URL(url).pathname.slice(1);
    await cluster.sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    const server = serverAt(url);
    const { code, message, hint } = await failureOf(server.query('SELECT 1'));
    assert.is(code, 'STORAGE_UNREACHABLE');
    assert.match(message, /^the PostgreSQL database .* accepts no connections$/);
    assert.match(hint ?? '', 'ALLOW_CONNECTIONS true');
    await cluster.sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    const answer = () => server.query('SELECT 1 AS one').catch(() => undefined);
    assert.equal(await waitFor('the database', answer), [{ one: 1 }]);
    await server.close();
  });

  test('refusals are reported without the password', async () => {
    await cluster.sql(`CREATE ROLE weak LOGIN PASSWORD 'hush'`);
    const url = (await cluster.newDatabase()).replace('svc@', 'weak:hush@');
    const server = serverAt(url);
    const noRight = await failureOf(migrate(server));
    assert.is(noRight.code, 'STORAGE_REFUSED');
    assert.not.match(`${noRight.message} ${noRight.hint}`, 'hush');
    await server.close();
    const nowhere = serverAt(url.replace(/svc_test\w+$/u, 'nowhere'));
    const noDatabase = await failureOf(nowhere.query('SELECT 1'));
    assert.is(noDatabase.code, 'STORAGE_REFUSED');
    assert.match(noDatabase.message, '"nowhere" does not exist');
    await nowhere.close();
  });

  test('a server without TLS is refused where the URL demands it', async () => {
    const server = serverAt(`${await cluster.newDatabase()}?sslmode=verify-full`);
    const refused = await failureOf(server.query('SELECT 1'));
    assert.is(refused.code, 'STORAGE_REFUSED');
    assert.match(refused.hint ?? '', /sslmode/u);
    await server.close();
  });

  test('why a connection is not encrypted is described, with what to change in the URL', async () => {
    const folder = tempFolder();
    const { cert, key } = createCertificate(folder, 'db.internal');
    const stranger = createCertificate(folder, 'stranger');
    const junk = folder.write('junk.pem', 'junk\n');
    const encrypted = createPrivateKey(readFileSync(key)).export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    });
    const locked = folder.write('locked.key', String(encrypted));
    // Written by the server, which accepts only a key of its own user.
    for (const [name, file] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      const rows = lines.map((line) => `('${line}')`).join(',');
      await cluster.sql(`COPY (VALUES ${rows}) TO PROGRAM 'umask 077; cat > ${name}'`);
    }
    await cluster.sql(`ALTER SYSTEM SET ssl_ca_file = 'server.crt'`);
    await cluster.sql('ALTER SYSTEM SET ssl = on');
    await cluster.restart('fast');
    const url = await cluster.newDatabase();
    const attempt = async (parameters: string) => {
      const server = serverAt(`${url}?${parameters}`);
      try {
        const [row] = await server.query<{ ssl: boolean }>(
          'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        );
        return row;
      } finally {
        await server.close();
      }
    };
    const root = `sslrootcert=${cert}`;
    for (const parameters of [
      ...['allow', 'prefer', 'require'].map((mode) => `sslmode=${mode}`),
      `sslmode=verify-ca&${root}&sslcert=${cert}&sslkey=${key}&uselibpqcompat=true`,
    ]) {
      assert.equal(await attempt(parameters), { ssl: true }, parameters);
    }
    for (const [parameters, message, hint] of [
      ['sslmode=verify-full', 'self-signed', 'sslrootcert'],
      [`sslmode=prefer&sslrootcert=${stranger.cert}`, 'self-signed', 'sslrootcert'],
      [`sslmode=verify-ca&sslrootcert=${junk}`, 'self-signed', 'sslrootcert'],
      [`sslmode=verify-full&${root}`, "not in the cert's", 'host name'],
      [`sslmode=require&sslcert=${stranger.cert}&sslkey=${stranger.key}`, 'unknown ca', 'sslcert'],
      [`sslmode=require&sslcert=${stranger.cert}&sslkey=${key}`, 'mismatch', 'belong together'],
      [`sslmode=require&sslcert=${cert}&sslkey=${locked}`, 'decrypt', 'passphrase'],
      [`sslmode=require&sslcert=${junk}&sslkey=${key}`, 'no start line', 'PEM'],
    ] as const) {
      const failure = await failureOf(attempt(parameters));
      assert.is(failure.code, 'STORAGE_REFUSED', parameters);
      assert.match(failure.message, message);
      assert.not.match(failure.message, 'error:');
      assert.match(failure.hint ?? '', hint);
    }
    await cluster.sql('ALTER SYSTEM RESET ALL');
    await cluster.restart('fast');
  });

  test('notifications arrive, also after the connection was cut', async () => {
    const server = await migratedServer(cluster);
    let count = 0;
    const stop = server.listen('svc_news', () => {
      count += 1;
    });
    const until = async (least: number): Promise<void> => {
      while (count < least) {
        await server.run(`NOTIFY svc_news`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await until(3);
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
    await until(count + 3);
    await stop();
    await server.close();
  });

  test('a server that hangs does not delay the end of listening', async () => {
    const server = await migratedServer(cluster);
    let isListening = false;
    const stop = server.listen('svc_news', () => {
      isListening = true;
    });
    await waitFor('a connection', () => isListening);
    const [backend] = await server.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
    assert.ok(backend !== undefined);
    process.kill(backend.pid, 'SIGSTOP');
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    try {
      await waitFor('the end of listening', () => isStopped);
    } finally {
      process.kill(backend.pid, 'SIGCONT');
      await stopped;
      await server.close();
    }
  });

  test('a server that cuts connections again and again leaves nothing behind in this process', async () => {
    const server = await migratedServer(cluster);
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    let connections = 0;
    const stop = server.listen('svc_news', () => {
      connections += 1;
    });
    // Node.js reports more than ten listeners of one signal.
    for (let cuts = 0; cuts < 11; cuts += 1) {
      await waitFor('a connection', () => connections > cuts);
      await server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
      );
    }
    await waitFor('the last connection', () => connections > 11);
    await stop();
    process.off('warning', warn);
    assert.equal(warnings, []);
    await server.close();
  });

  test.run();
}

const addresses = suite('storage.url');

addresses('is never quoted when it is wrong', () => {
  for (const url of [
    'mysql://u:hush@h/d',
    'postgres://u:hush@h:99999/d',
    'postgres://u:hush@h',
    'postgres://u:hush@[/d',
    'postgres://u:hush/x@h/d',
    'postgres://u:1/hush@h/d',
    'postgres://u:p@hush/x#y@h/d',
    'postgres://u:p@hush/x@h/d',
    'postgres://u:hush@h/d?sslmode=verify-ful',
    'postgres://u:hush@h/d?sslmode=no-verify',
    'postgres://u:hush@h/d?sslmode=verify-ca',
    'postgres://u:hush@h/d?sslmode=require&sslrootcert=system',
    'postgres://u:hush@h/d?sslMode=verify-full',
    'postgres://u:hush@h/d?ssl_mode=verify-full',
    'postgres://u:hush@h/d?ssl-mode=REQUIRED',
    'postgres://u:hush@h/d?ssl=verify-full',
    'postgres://u:hush@h/d?sslmode=verify-full&sslcrl=/x',
    'postgres://u:hush@h/d?sslmode=require&sslcert=/x',
    'postgres://u:h%ush@h/d',
    'postgres://u:hush@h:1,i:2/d',
    'postgres://u:hush@h,i/d',
  ]) {
    const thrown = (() => {
      try {
        serverAt(url);
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    assert.instance(thrown, SvcError, url);
    assert.is(Object(thrown).code, 'STORAGE_URL_INVALID');
    assert.not.match(String(thrown), 'hush');
  }
});

addresses('names what is wrong with a certificate file', () => {
  for (const file of ['/nowhere/root.pem', '/']) {
    const url = `postgres://u:hush@h/d?sslmode=verify-full&sslrootcert=${file}`;
    assert.throws(
      () => serverAt(url),
      ({ code, message, hint }: SvcError) =>
        code === 'STORAGE_URL_INVALID' &&
        /no such file or folder|it is a folder/u.test(message) &&
        hint?.includes('sslrootcert') === true,
    );
  }
});

addresses('is read as psql does', () => {
  const read = (url: string) => parseServerUrl(url).options;
  const odd = read('postgres://o%40%2F:a b%25%2F%C3%BC+@h:1/my%20db%2F%3F');
  assert.is(odd.user, 'o@/');
  assert.is(odd.password, 'a b%/ü+');
  assert.is(odd.database, 'my db/?');
  const socket = read('postgres://u:p@/d?host=/cloudsql/a:b');
  assert.equal([socket.host, socket.user, socket.database], ['/cloudsql/a:b', 'u', 'd']);
  for (const mode of ['disable', 'require', 'verify-full', 'require&sslnegotiation=direct']) {
    const { ssl, sslnegotiation } = read(`postgres://u:p@/d?host=/run/postgresql&sslmode=${mode}`);
    assert.equal([ssl, sslnegotiation], [false, undefined]);
  }
  assert.is(read('postgres://h/d?user=u&password=a+b').password, 'a+b');
  assert.is(read('postgres://u:a,b@h/d').password, 'a,b');
  assert.is(read('postgres://u@h/d?options=-c%20jit%3Doff').options, '-c jit=off');
  const { host, port } = read('postgres:///d?user=u');
  assert.equal([host, port], ['localhost', 5432]);
  const { ssl } = read('postgres://u@h/d?sslmode=verify-full&sslrootcert=system');
  assert.type(ssl, 'object');
  assert.is(Object(ssl).ca, undefined);
  assert.is.not(Object(ssl).rejectUnauthorized, false);
});

addresses('exposes a password unless it has none, or encrypts', () => {
  const exposes = (url: string) => serverAt(url).exposesPassword;
  assert.ok(exposes('postgres://u:p@h/d'));
  assert.not(exposes('postgres://u@h/d'));
  assert.not(exposes('postgres://u:p@h/d?sslmode=require'));
});

addresses.after(async () => {
  for (const one of servers) await one.stop();
});

addresses.run();
