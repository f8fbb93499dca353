import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSearchLog, searchLogFile } from '../../src/engine/memory/lookups/search-log.js';
import { logOutputSchema } from '../../src/engine/memory/output-schemas.js';
import { createDatabase } from '../../src/engine/sqlite/database.js';
import { callSearch, closeClients, mcpHome, stdioClient } from '../support/mcp.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc memory log');

const FACT = 'The nightly backup of the storage server runs at 02:30.';

function homeWith(memory: object) {
  const home = tempFolder();
  home.write('workspace/memory/servers.md', `# Servers\n\n${FACT}\n`);
  const agents = { defaults: { memorySearch: { provider: 'none' } } };
  home.write('svc.json', JSON.stringify({ agents, memory }));
  const svc = async (...args: readonly string[]) => {
    const run = await runSvc([...args], { home: home.path });
    assert.is(run.code, 0, run.stderr);
    return run;
  };
  const log = async () =>
    logOutputSchema.parse(JSON.parse((await svc('memory', 'log', '--json')).stdout));
  return { home, svc, log };
}

test('nothing is logged by default, and the command says how to turn it on', async () => {
  const { home, svc, log } = homeWith({});
  await svc('memory', 'search', 'nightly backup');
  assert.not(existsSync(home.at('searches')));
  const { agent, enabled, searches } = await log();
  assert.equal({ agent, enabled, searches }, { agent: 'main', enabled: false, searches: [] });
  const shown = await svc('memory', 'log');
  assert.is(shown.stdout, 'no searches\n');
  assert.match(shown.stderr, /svc config set memory\.searchLog true/u);
});

test('searches, hits and opened files are logged; forgotten text is removed', async () => {
  const { svc, log } = homeWith({ searchLog: true });
  await svc('memory', 'search', 'nightly backup');
  await svc('memory', 'get', 'memory/servers.md#L3');
  await svc('memory', 'search', FACT);
  const { enabled, searches } = await log();
  assert.is(enabled, true);
  assert.equal(
    searches.map(({ query, hits, opened }) => [query, hits.length, opened.length]),
    [
      [FACT, 1, 0],
      ['nightly backup', 1, 1],
    ],
  );
  assert.match((await svc('memory', 'log')).stdout, /✓ \d\.\d{3} {2}memory\/servers\.md#L1-L3/u);
  await svc('memory', 'forget', 'memory/servers.md#L3', '--yes');
  assert.equal((await log()).searches, []);
});

test('every answered search of several MCP servers is logged, even if the log is locked meanwhile', async () => {
  const home = mcpHome({ memory: { searchLog: true } });
  const file = searchLogFile({ stateDir: home.path }, 'main');
  const clients = await Promise.all(
    Array.from({ length: 3 }, async () => (await stdioClient(home)).client),
  );
  const ask = (query: string) =>
    Promise.all(clients.map((client, at) => callSearch(client, `${query} ${at}`)));
  await ask('nightly backup');
  await waitFor('the log', () => readSearchLog(file, { limit: 9 }).length === 3);
  const other = createDatabase(file, 10_000);
  other.exec('BEGIN IMMEDIATE');
  await ask('zebra');
  assert.is(readSearchLog(file, { limit: 9 }).length, 3);
  other.exec('COMMIT');
  other.close();
  // A client that disconnects waits for its server, which finishes what it answered.
  await ask('noon');
  await closeClients();
  const logged = readSearchLog(file, { limit: 20 }).map(({ query }) => query);
  const expected = ['nightly backup', 'zebra', 'noon'].flatMap((query) =>
    clients.map((_, at) => `${query} ${at}`),
  );
  assert.equal(logged.toSorted(), expected.toSorted());
});

test.run();
