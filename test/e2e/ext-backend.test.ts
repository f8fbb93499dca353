import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExtMemory, extMemory } from '../support/ext-memory.js';
import { isRunning, type QmdMisbehaviour, type QmdVersion } from '../support/qmd.js';

const test = suite('the external backend');

/** What would load a model. */
const LOADS = /^(?:embed|query|status|vsearch)$/;

function codesOf({ warnings = [] }: { readonly warnings?: readonly { code: string }[] | undefined }) {
  return warnings.map(({ code }) => code);
}

test('the program answers, in folders of its own, and nothing loads a model', async () => {
  const { home, qmd, search, status, svc, ran } = extMemory();
  const found = await search('heron');
  assert.equal([found.backend, found.mode, codesOf(found)], ['ext', 'lexical', []]);
  assert.equal(
    found.results.map(({ path, startLine, endLine }) => [path, startLine <= 3 && endLine >= 3]).sort(),
    [
      ['MEMORY.md', true],
      ['memory/2026-11-01.md', true],
    ],
  );
  const { env } = qmd.log()[0] ?? {};
  const its = home.at('agents/main/qmd');
  for (const name of ['QMD_CONFIG_DIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME']) {
    assert.ok(env?.[name]?.startsWith(`${its}/`), name);
  }
  assert.is((await status('--deep'))?.backend, 'ext');
  assert.is((await svc('memory', 'index')).code, 0);
  assert.not.ok(ran().some((command) => LOADS.test(command)));
  assert.not.ok(existsSync(home.at('.config')) || existsSync(home.at('.cache')));
});

const RELEASES: Readonly<Record<Exclude<QmdVersion, '0.1.0'>, number>> = {
  '0.6.0': 2,
  '0.9.0': 2,
  '1.0.7': 2,
  '1.1.6': 1,
  '2.0.1': 1,
  '2.8.3': 1,
};

for (const [version, processes] of Object.entries(RELEASES)) {
  test(`asks ${version} as it wants to be asked, with as few processes as it can`, async () => {
    const { search, ran, status, qmd } = extMemory({ version: version as QmdVersion });
    const first = await search('egrets');
    assert.equal([first.backend, codesOf(first)], ['ext', []]);
    assert.equal(
      first.results.map(({ path, startLine }) => [path, startLine]),
      [['memory/2026-11-01.md', first.results[0]?.startLine]],
    );
    ran();
    const second = await search('heron');
    assert.equal([second.results.length, codesOf(second)], [2, []]);
    assert.equal(ran(), Array.from({ length: processes }, () => 'search'));
    assert.is((await status())?.ext?.release, version);
    assert.equal(qmd.log(), []);
  });
}

/** What goes wrong with a search, and how it is told. */
const FAILURES: Readonly<Record<string, readonly [QmdMisbehaviour, string, RegExp]>> = {
  'garbage on stdout': [{ kind: 'garbage' }, 'BACKEND_FAILED', /printed/],
  'half of an answer': [{ kind: 'truncated' }, 'BACKEND_FAILED', /printed/],
  'an end by a signal': [{ kind: 'killed' }, 'BACKEND_FAILED', /SIGKILL/],
  'an answer without end': [{ kind: 'huge' }, 'BACKEND_FAILED', /200000 characters/],
  'an exit code': [{ kind: 'fails', status: 4, stderr: 'disk is on fire\n' }, 'BACKEND_FAILED', /exit code 4: disk is on fire/],
  'another Node.js': [{ kind: 'wrong_node' }, 'BACKEND_UNAVAILABLE', /Node/],
  'a Node.js that is too old': [{ kind: 'old_node' }, 'BACKEND_UNAVAILABLE', /node \(>=22\) not found/],
  'no bun': [{ kind: 'no_bun' }, 'BACKEND_UNAVAILABLE', /bun not found/],
};

for (const [name, [misbehaviour, code, words]] of Object.entries(FAILURES)) {
  test(`after ${name} the builtin engine answers, and for a while nobody asks again`, async () => {
    const memory = extMemory();
    await memory.search('heron');
    memory.qmd.become({ on: { search: misbehaviour } });
    await assertBelow(memory, code, words);
  });

  test(`so it does when ${name} is all there ever was`, async () => {
    await assertBelow(extMemory({ on: { '*': misbehaviour } }), ...[code, /./] as const);
  });
}

/** One warning that says what to do, the answer of the builtin engine, and a status that says so. */
async function assertBelow(memory: ExtMemory, code: string, words: RegExp): Promise<void> {
  const { search, status, ran, svc } = memory;
  const found = await search('heron');
  assert.equal([codesOf(found), found.backend, found.results.length], [[code], 'builtin', 2]);
  assert.match(found.warnings?.[0]?.message ?? '', words);
  assert.match(found.warnings?.[0]?.message ?? '', /the builtin engine answers/);
  assert.ok(found.warnings?.[0]?.hint);
  ran();
  const again = await search('heron');
  assert.equal([codesOf(again), again.results.length], [['BACKEND_PAUSED'], 2]);
  const state = await status();
  assert.equal([state?.backend, state?.configuredBackend], ['builtin', 'ext']);
  assert.is(state?.ext?.why?.code, code);
  assert.equal(ran(), []);
  const told = await svc('memory', 'search', 'heron');
  assert.is(told.stderr.match(/warning/g)?.length, 1, told.stderr);
  assert.match(told.stdout, 'MEMORY.md');
}

test.run();
