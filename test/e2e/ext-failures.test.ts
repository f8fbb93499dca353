import { chmodSync, mkdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExtMemory, extMemory } from '../support/ext-memory.js';
import { callSearch, closeClients, searchResultsOf, stdioClient } from '../support/mcp.js';
import { warningCodes } from '../support/memory.js';
import { whenEnded } from '../support/processes.js';
import type { QmdMisbehaviour, QmdSwitches } from '../support/qmd.js';

const test = suite('failures of the external program');

test.after.each(closeClients);

const DISK = { kind: 'fails', status: 4, stderr: 'disk is on fire\n' } as const;

/** Ways in which a search fails after one that worked: the code of the warning, and part of its text. */
const FAILURES: readonly (readonly [QmdMisbehaviour, string, RegExp])[] = [
  [{ kind: 'garbage' }, 'BACKEND_FAILED', /printed an unreadable answer/],
  [{ kind: 'truncated' }, 'BACKEND_FAILED', /printed an unreadable answer/],
  [{ kind: 'killed' }, 'BACKEND_FAILED', /SIGKILL/],
  [{ kind: 'huge' }, 'BACKEND_FAILED', /600000 bytes/],
  [DISK, 'BACKEND_FAILED', /exit code 4: disk is on fire/],
  [{ kind: 'wrong_node' }, 'BACKEND_UNAVAILABLE', /better_sqlite3/],
  [{ kind: 'old_node' }, 'BACKEND_UNAVAILABLE', /node \(>=22\) not found/],
  [{ kind: 'no_bun' }, 'BACKEND_UNAVAILABLE', /bun not found/],
];

test('each failure is reported once, the built-in engine answers, and the program is paused', async () => {
  await Promise.all(
    FAILURES.map(async ([misbehaviour, code, words]) => {
      const memory = extMemory();
      await memory.search('heron');
      memory.qmd.become({ on: { search: misbehaviour } });
      await assertFallsBack(memory, code, words);
      memory.newCommands();
      const again = await memory.search('heron');
      assert.equal([warningCodes(again), again.results.length], [['BACKEND_PAUSED'], 2]);
      assert.match(again.warnings?.[0]?.message ?? '', words);
      assert.equal(memory.newCommands(), []);
    }),
  );
});

test('a program that never worked is reported in the same way', async () => {
  const failures: readonly (readonly [QmdSwitches, string, RegExp])[] = [
    [
      { on: { '*': { kind: 'garbage' } } },
      'BACKEND_UNAVAILABLE',
      /its help does not mention collections/,
    ],
    [{ on: { '*': { kind: 'wrong_node' } } }, 'BACKEND_UNAVAILABLE', /better_sqlite3/],
    [{ on: { '*': DISK } }, 'BACKEND_FAILED', /disk is on fire/],
    [{ on: { add: DISK } }, 'BACKEND_FAILED', /collection add.*disk is on fire/],
    [{ version: '0.1.0' }, 'BACKEND_UNAVAILABLE', /not a supported release/],
  ];
  await Promise.all(
    failures.map(([switches, code, words]) => assertFallsBack(extMemory(switches), code, words)),
  );
});

test('the test step by step does not suggest itself', async () => {
  const memory = extMemory({ on: { '*': DISK } });
  const { stdout } = await memory.svc('memory', 'status', '--deep');
  const [, checks = ''] = stdout.split('external search of agent main');
  assert.match(checks, /disk is on fire\n +→ run the program yourself/u);
  assert.not.match(checks, '--deep');
});

test('a missing or non-executable program is reported with a hint', async () => {
  const memory = extMemory();
  const { home } = memory;
  memory.configure({ command: '/nowhere/qmd' });
  await assertFallsBack(memory, 'BACKEND_UNAVAILABLE', /\/nowhere\/qmd/);
  const plain = home.write('plain', 'no program');
  memory.configure({ command: plain });
  await assertFallsBack(memory, 'BACKEND_UNAVAILABLE', /plain/);
  mkdirSync(home.at('folder'));
  memory.configure({ command: home.at('folder') });
  await assertFallsBack(memory, 'BACKEND_UNAVAILABLE', /folder/);
  const lost = home.write('lost', '#!/nowhere/interpreter\n');
  chmodSync(lost, 0o755);
  memory.configure({ command: lost });
  await assertFallsBack(memory, 'BACKEND_UNAVAILABLE', /lost/);
});

test('a hanging program is killed with its children when its time is up', async () => {
  const memory = extMemory({}, { limits: { timeoutMs: 700 } });
  // Only the search must run into the limit, on a slow machine too.
  assert.is((await memory.svc('memory', 'index')).code, 0);
  memory.qmd.become({ on: { search: { kind: 'hangs' } } });
  await assertFallsBack(memory, 'BACKEND_TIMEOUT', /\(search\) timed out after \d+ ms/);
  await whenEnded(memory.qmd.hanging());
});

test('a hanging update is killed too', async () => {
  const memory = extMemory();
  await memory.search('heron');
  memory.configure({ update: { updateTimeoutMs: 1000 } });
  memory.qmd.become({ on: { update: { kind: 'hangs' } } });
  memory.home.write('workspace/memory/2026-11-02.md', 'A heron at the weir.\n');
  const found = await memory.search('heron');
  assert.equal(
    [warningCodes(found), found.backend, found.results.length],
    [['BACKEND_TIMEOUT'], 'builtin', 3],
  );
  const pids = memory.qmd.hanging();
  assert.is(pids.length, 2);
  await whenEnded(pids);
});

test('a paused program is tried again once it is updated, or with svc memory index', async () => {
  const { qmd, search, svc, status } = extMemory();
  await search('heron');
  qmd.become({ on: { search: DISK } });
  await search('heron');
  assert.is((await status())?.backend, 'builtin');
  qmd.become({ version: '2.0.1', on: {} });
  const updated = await search('heron');
  assert.equal([updated.backend, warningCodes(updated)], ['ext', []]);
  qmd.become({ on: { search: DISK } });
  assert.equal(warningCodes(await search('heron')), ['BACKEND_FAILED']);
  qmd.become({ on: {} });
  assert.equal(warningCodes(await search('heron')), ['BACKEND_PAUSED']);
  assert.is((await svc('memory', 'index')).code, 0);
  const indexed = await search('heron');
  assert.equal([indexed.backend, warningCodes(indexed)], ['ext', []]);
});

test('text output has one warning with its cause', async () => {
  const { qmd, svc, search } = extMemory();
  await search('heron');
  qmd.become({ on: { search: DISK } });
  const run = await svc('memory', 'search', 'heron');
  assert.is(run.code, 0);
  assert.match(run.stdout, 'MEMORY.md');
  assert.is(run.stderr.match(/^warning: /gm)?.length, 1, run.stderr);
  assert.match(run.stderr, 'disk is on fire');
  assert.match((await svc('memory', 'status')).stdout, 'disk is on fire');
  assert.match((await svc('memory', 'index')).stdout, /./);
});

test('an MCP server restarts a program that died, and falls back to the built-in engine when it hangs', async () => {
  for (const kind of ['dies_in_call', 'hangs_in_call'] as const) {
    const timeoutMs = kind === 'hangs_in_call' ? 1000 : 60_000;
    const { home, qmd, svc } = extMemory({ on: { mcp: { kind } } }, { limits: { timeoutMs } });
    assert.is((await svc('memory', 'index')).code, 0);
    const { client } = await stdioClient(home);
    const ask = async () => searchResultsOf(await callSearch(client, 'heron'));
    const answers = [await ask(), await ask(), await ask()];
    assert.ok(
      answers.every(({ results }) => results.length === 2),
      kind,
    );
    const codes = answers.flatMap(warningCodes);
    const paused = ['BACKEND_TIMEOUT', 'BACKEND_PAUSED', 'BACKEND_PAUSED'];
    assert.equal(codes, kind === 'dies_in_call' ? [] : paused);
    await closeClients();
    await whenEnded(qmd.log().map(({ pid }) => pid));
  }
});

test('an MCP server keeps the program running between queries', async () => {
  const { home, qmd, svc } = extMemory();
  assert.is((await svc('memory', 'index')).code, 0);
  const { client } = await stdioClient(home);
  const ask = async (query: string) => searchResultsOf(await callSearch(client, query));
  const first = await ask('heron');
  assert.equal([warningCodes(first), first.results.length], [[], 2]);
  await ask('egrets');
  await ask('oak');
  const starts = qmd.log().map(({ args }) => args[0]);
  assert.is(starts.filter((command) => command === 'mcp').length, 1);
  const calls = qmd.requests().filter(({ mcp }) => mcp === 'tools/call');
  assert.ok(calls.length >= 3 && calls.every(({ tool }) => tool === 'query'));
  assert.ok(calls.every((request) => request.arguments?.['rerank'] === false));
  await closeClients();
  await whenEnded(qmd.log().map(({ pid }) => pid));
});

/** A search has one warning with its cause and a hint, the built-in engine answers, and the status shows both. */
async function assertFallsBack(memory: ExtMemory, code: string, words: RegExp): Promise<void> {
  const found = await memory.search('heron');
  assert.equal([warningCodes(found), found.backend, found.results.length], [[code], 'builtin', 2]);
  const [warning] = found.warnings ?? [];
  assert.match(`${warning?.message} ${warning?.hint}`, words);
  assert.match(warning?.message ?? '', /using the built-in engine$/);
  assert.ok(warning?.hint);
  const state = await memory.status();
  assert.equal([state?.backend, state?.configuredBackend], ['builtin', 'ext']);
  assert.equal([state?.ext?.answers, state?.ext?.why?.code], ['builtin', code]);
}

test.run();
