/**
 * `npm run bench -- postgres`: what a shared server costs, next to the same work on SQLite in the same run. It starts
 * a cluster of its own that syncs what it commits, or uses the server of SVC_TEST_POSTGRES_URL. With `--large`, also a
 * million passages, which take 3 GB and a quarter of an hour.
 */
import { migratedServer, realServer, startCluster } from '../test/support/postgres.js';
import { benchCommands } from './postgres-commands.js';
import { benchFlows } from './postgres-flows.js';
import { benchMemories } from './postgres-index.js';
import { report } from './report.js';

const serverUrl = process.env['SVC_TEST_POSTGRES_URL'];
const postgres = serverUrl === undefined ? await startCluster({ syncs: true }) : await realServer();
if (postgres === undefined) throw new Error('PostgreSQL is not installed');
try {
  const server = await migratedServer(postgres);
  const { host, port, user, database } = server.address;
  await server.close();
  const url = `postgres://${user}@${host}:${port}/${database}`;
  const commands = benchCommands(url);
  const { rows, notes } = await benchMemories(url, process.argv.includes('--large'));
  const flows = await benchFlows(url);
  const what = 'A server on the same machine, 64 connections to each listener';
  report('postgres', what, [...commands, ...rows, ...flows]);
  console.log(`\n${notes.join('\n\n')}`);
} finally {
  await postgres.stop();
}
