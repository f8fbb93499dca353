/**
 * PostgreSQL for tests: a throw-away cluster where its programs are installed, or the server that
 * SVC_TEST_POSTGRES_URL names, and PGlite everywhere, which has one connection only.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import pg from 'pg';
import { migrate, Server } from '../../src/engine/postgres/index.js';
import { replaceFile } from '../../src/engine/support/replace-file.js';
import { shortHash } from '../../src/engine/support/text.js';
import { freePort } from './free-port.js';
import { ROOT } from './run-svc.js';
import { tempFolder } from './temp-folder.js';
import { waitFor } from './wait.js';

/** A PostgreSQL server on which tests create databases. */
export interface TestPostgres {
  readonly name: 'PGlite' | 'PostgreSQL';
  /** How many connections it serves at once. */
  readonly connections: number;
  /** The URL of a new database without tables of svc. */
  newDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** A cluster of its own that a test can also kill and start again. */
export interface TestCluster extends TestPostgres {
  readonly port: number;
  /** The superuser's. */
  readonly url: string;
  /** Ends every connection, as a restart does. `immediate`: like a power cut. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Stops it, for {@link start}. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** Runs statements as the superuser. */
  sql(text: string, database?: string): Promise<readonly unknown[]>;
}

/** Every server that tests can use here: PGlite, and the real one if there is one. */
export async function testServers(): Promise<readonly TestPostgres[]> {
  const real = await realServer();
  return [await startPglite(), ...(real === undefined ? [] : [real])];
}

/** The server of the test run, the named one, or a new cluster; undefined where there is none. */
export async function realServer(): Promise<TestPostgres | undefined> {
  const url = process.env['SVC_TEST_POSTGRES_URL'];
  return url === undefined ? startCluster() : databasesOf(url);
}

/** A server for tests, with the tables of this svc. */
export async function migratedServer(
  postgres: TestPostgres,
  settings: Partial<ConstructorParameters<typeof Server>[0]> = {},
): Promise<Server> {
  const server = serverAt(await postgres.newDatabase(), {
    poolSize: Math.min(10, postgres.connections),
    ...settings,
  });
  await migrate(server);
  return server;
}

/** The URL of a new database with the tables of this svc. */
export async function migratedDatabase(postgres: TestPostgres): Promise<string> {
  const url = await postgres.newDatabase();
  const server = serverAt(url, { poolSize: 1 });
  await migrate(server);
  await server.close();
  return url;
}

/** A server with the settings of tests. */
export function serverAt(
  url: string,
  settings: Partial<ConstructorParameters<typeof Server>[0]> = {},
): Server {
  return new Server({ url, poolSize: 10, ...PATIENT, ...settings });
}

/** A machine that is busy with other tests may need half a minute for the tables. */
export const PATIENT = { connectTimeoutMs: 30_000, statementTimeoutMs: 120_000 };

const MAX_CONNECTIONS = 100;
let databaseCount = 0;

/** New databases on a server that a role with the right to create them can reach. */
function databasesOf(adminUrl: string): TestPostgres {
  const created: string[] = [];
  return {
    name: 'PostgreSQL',
    connections: MAX_CONNECTIONS,
    newDatabase: async () => {
      databaseCount += 1;
      const name = `svc_test_${process.pid}_${databaseCount}`;
      await runSql(adminUrl, `DROP DATABASE IF EXISTS ${name}`);
      await runSql(adminUrl, `CREATE DATABASE ${name}`);
      created.push(name);
      const url = new URL(adminUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    // The server may be one that goes on; some tests leave connections open.
    stop: async () => {
      for (const name of created.splice(0)) {
        await runSql(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      }
    },
  };
}

async function runSql(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(text);
    return rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL as WebAssembly in this process, reached over a socket like any other. */
export async function startPglite(): Promise<TestPostgres> {
  // Optimizing the code takes longer than it saves: a test runs it for seconds.
  setFlagsFromString('--liftoff-only');
  const { PGlite } = await import('@electric-sql/pglite');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const { vector } = await import('@electric-sql/pglite-pgvector');
  const running: { stop(): Promise<void> }[] = [];
  return {
    name: 'PGlite',
    connections: 1,
    newDatabase: async () => {
      emptyPglite ??= cachedPglite();
      const loadDataDir = await emptyPglite;
      const startParams = [...PGlite.defaultStartParams, ...SMALL_BUFFERS];
      const db = await PGlite.create({ extensions: { vector }, loadDataDir, startParams });
      const socket = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 8 });
      await socket.start();
      running.push({
        stop: async () => {
          await socket.stop();
          await db.close();
        },
      });
      return `postgres://postgres@${socket.getServerConn()}/postgres`;
    },
    stop: async () => {
      for (const one of running.splice(0)) await one.stop();
    },
  };
}

let emptyPglite: Promise<Blob> | undefined;

/** Its files are in memory anyway, and the default of 160 MB takes a third of its start to clear. */
const SMALL_BUFFERS = ['-c', 'shared_buffers=1MB'];

/** Less to load: small files for the log of changes, and no templates, since no database is created in it. */
const SMALL_LOG = ['--wal-segsize=1'];
const DROP_TEMPLATES = ['template0', 'template1'].flatMap((name) => [
  `ALTER DATABASE ${name} IS_TEMPLATE false`,
  `DROP DATABASE ${name}`,
]);

/** The files of an empty database, cached below node_modules: making them takes several times as long as loading. */
async function cachedPglite(): Promise<Blob> {
  const modules = join(ROOT, 'node_modules');
  const manifest = join(modules, '@electric-sql', 'pglite', 'package.json');
  const fingerprint = shortHash(
    [readFileSync(manifest, 'utf8'), ...SMALL_LOG, ...DROP_TEMPLATES].join(),
  );
  const file = join(modules, '.cache', `svc-test-pglite-${fingerprint}.tar`);
  if (!existsSync(file)) {
    const { PGlite } = await import('@electric-sql/pglite');
    const db = await PGlite.create({ initDbStartParams: SMALL_LOG });
    for (const statement of DROP_TEMPLATES) await db.exec(statement);
    const files = await db.dumpDataDir('none');
    await db.close();
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, new Uint8Array(await files.arrayBuffer()), 0o644);
  }
  return new Blob([readFileSync(file)]);
}

/** The folder of PostgreSQL's programs; undefined where they are not installed. */
function programFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newest = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((one) => join(debian, one, 'bin'));
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return [...onPath, ...newest].find((dir) => dir !== '' && existsSync(join(dir, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(spawnSync('id', [flag, 'postgres']).stdout);
  const uid = idOf('-u');
  const NOBODY = 65_534;
  return uid > 0 ? { uid, gid: idOf('-g') } : { uid: NOBODY, gid: NOBODY };
}

/** Runs a program until a signal ends it, or until this process is gone, however it ended. */
const GUARDED = '"$@" </dev/null & read -r signal || signal=QUIT; kill -"$signal" $!; wait $!';

/**
 * Starts a cluster in a temporary folder, for this process only: trusted logins on a free port of 127.0.0.1. What is
 * written is not synced, which only matters if the machine fails, unless that is measured.
 *
 * @returns undefined where PostgreSQL is not installed
 */
export async function startCluster({ syncs = false } = {}): Promise<TestCluster | undefined> {
  const bin = programFolder();
  if (bin === undefined) return undefined;
  const user = unprivileged();
  const { path } = tempFolder();
  chmodSync(path, 0o755);
  const data = join(path, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'svc', '--auth=trust', '--no-sync', '--no-locale', '-E', 'UTF8'],
    { ...user, cwd: '/', stdio: 'pipe' },
  );
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: String(MAX_CONNECTIONS),
    fsync: syncs ? 'on' : 'off',
    logging_collector: 'off',
    log_min_messages: 'panic',
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const url = `postgres://svc@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const halt = async (signal: 'INT' | 'QUIT'): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.ref();
    const ended = once(running, 'exit');
    running.stdin?.end(`${signal}\n`);
    await ended;
  };
  const start = async (): Promise<void> => {
    const program = [join(bin, 'postgres'), '-D', data, ...args];
    child = spawn('sh', ['-c', GUARDED, 'sh', ...program], {
      ...user,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.unref();
    await whenReachable(url);
  };
  await start();
  return {
    ...databasesOf(url),
    port,
    url,
    halt: () => halt('INT'),
    start,
    restart: async (mode) => {
      await halt(mode === 'fast' ? 'INT' : 'QUIT');
      await start();
    },
    sql: (text, database = 'postgres') => runSql(url.replace(/postgres$/u, database), text),
    stop: () => halt('QUIT'),
  };
}

async function whenReachable(url: string): Promise<void> {
  let failure: unknown;
  await waitFor(
    'PostgreSQL',
    () =>
      runSql(url, 'SELECT 1').catch((error: unknown) => {
        failure = error;
      }),
    () => String(failure),
  );
}
