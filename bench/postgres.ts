/**
 * `npm run bench -- postgres`: what a shared server costs, next to the same work on SQLite in the same run. It starts
 * a cluster of its own that syncs what it commits, or uses the server of SVC_TEST_POSTGRES_URL.
 */
import { migratedServer, realServer, startCluster } from '../test/support/postgres.js';
import { benchFlows } from './postgres-flows.js';
import { report } from './report.js';

const named = process.env['SVC_TEST_POSTGRES_URL'];
const postgres = named === undefined ? await startCluster({ syncs: true }) : await realServer();
if (postgres === undefined) throw new Error('PostgreSQL is not installed');
try {
  const server = await migratedServer(postgres);
  const { host, port, user, database } = server.address;
  await server.close();
  const rows = await benchFlows(`postgres://${user}@${host}:${port}/${database}`);
  report('postgres', 'A server on the same machine, 64 connections to each listener', rows);
} finally {
  await postgres.stop();
}
