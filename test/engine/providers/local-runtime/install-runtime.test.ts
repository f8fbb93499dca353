import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import type { InstallEvent } from '../../../../src/engine/install/install-packages.js';
import { findNpm } from '../../../../src/engine/install/npm.js';
import {
  installRuntime,
  type RuntimeInstallOptions,
  removeRuntime,
} from '../../../../src/engine/providers/local/runtime/install.js';
import {
  type Platform,
  RUNTIME_VERSION,
  runtimePackages,
  runtimeState,
} from '../../../../src/engine/providers/local/runtime/store.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { type FakeNpm, fakeNpm } from '../../../fakes/fake-npm.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const LINUX: Platform = { os: 'linux', arch: 'x64', glibc: true };

const test = suite<{ npm: FakeNpm; dir: string }>('installing the runtime');

test.before.each((context) => {
  context.npm = fakeNpm();
  context.dir = tempFolder().at('runtimes');
});

function install(
  { npm, dir }: { readonly npm: FakeNpm; readonly dir: string },
  change: Partial<RuntimeInstallOptions> = {},
) {
  return installRuntime({
    dir,
    platform: LINUX,
    gpu: false,
    force: false,
    env: { PATH: process.env['PATH'], ...npm.env },
    nodePath: process.execPath,
    signal: NEVER,
    onEvent: () => undefined,
    ...change,
  });
}

/** What lies in the folder besides the lock. */
function left(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name !== 'local.lock');
}

test('it is there afterwards, as a whole', async (context) => {
  const events: InstallEvent['type'][] = [];
  const onEvent = ({ type }: InstallEvent): void => void events.push(type);
  const { outcome, runtime, computesWith } = await install(context, { onEvent });
  assert.equal(
    [outcome, runtime.version, runtime.gpu, computesWith],
    ['installed', RUNTIME_VERSION, false, null],
  );
  assert.ok(existsSync(join(runtime.folder, 'node_modules/node-llama-cpp/dist/index.js')));
  assert.equal(runtimeState(context.dir, LINUX), { state: 'ready', runtime });
  assert.is(left(context.dir).length, 2);
  assert.equal([events[0], events.at(-1)], ['install.started', 'install.checking']);
});

test('once installed, npm is not asked again', async (context) => {
  const first = await install(context);
  const second = await install(context);
  assert.equal(second, { outcome: 'already', runtime: first.runtime });
  assert.is(context.npm.runs().length, 1);
});

test('forced, a new one takes the place of the old', async (context) => {
  const first = await install(context);
  const second = await install(context, { force: true });
  assert.is.not(second.runtime.folder, first.runtime.folder);
  assert.not.ok(existsSync(first.runtime.folder));
});

test('a runtime with GPU variants is separate, and also works without them', async (context) => {
  await install(context);
  const { outcome, runtime } = await install(context, { gpu: true });
  assert.equal([outcome, runtime.gpu], ['installed', true]);
  const manifest = readFileSync(join(runtime.folder, 'package.json'), 'utf8');
  assert.match(manifest, /linux-x64-cuda/u);
  assert.is((await install(context)).outcome, 'already');
});

test('one of another platform or major version is not used', async ({ npm, dir }) => {
  await install({ npm, dir });
  assert.is(runtimeState(dir, { os: 'linux', arch: 'arm64' }).state, 'missing');
  const pointer = join(dir, 'local.json');
  const text = readFileSync(pointer, 'utf8');
  writeFileSync(pointer, text.replace(RUNTIME_VERSION, '2.0.0'));
  assert.is(runtimeState(dir, LINUX).state, 'missing');
  assert.is((await install({ npm, dir })).outcome, 'installed');
});

for (const damage of ['', '{', '[]', '{"folder":"../../elsewhere","version":"3.0.0"}']) {
  test(`a pointer that says ${JSON.stringify(damage)} points nowhere`, async ({ npm, dir }) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'local.json'), damage);
    assert.is(runtimeState(dir, LINUX).state, 'missing');
    assert.is((await install({ npm, dir })).outcome, 'installed');
  });
}

for (const [words, reason] of [
  [
    'npm error code ENOTFOUND\nnpm error network request to https://u:pw@r.example/x?token=t failed\n',
    'network',
  ],
  ['npm error code ENOSPC\nnpm error nospc There is not enough space\n', 'disk_full'],
  ['npm error code E404\nnpm error 404 Not Found\n', 'registry'],
  ['npm error code EACCES\n', 'permission'],
  ['npm ERR! code EBADPLATFORM\n', 'platform'],
  ['something else\n', 'npm'],
] as const) {
  test(`npm failing as ${reason} leaves nothing and prints a hint`, async ({ npm, dir }) => {
    npm.behave('fails', words);
    const failure = await failureOf(install({ npm, dir }));
    assert.equal([failure.code, failure.details?.['reason']], ['PROVIDER_INSTALL_FAILED', reason]);
    assert.ok(failure.hint);
    assert.not.match(failure.message, /pw|token=t/u);
    assert.equal(left(dir), []);
  });
}

test('a failed update keeps the runtime that was there', async ({ npm, dir }) => {
  const { runtime } = await install({ npm, dir });
  npm.behave('fails', 'npm error code ENOTFOUND\n');
  await failureOf(install({ npm, dir }, { force: true }));
  assert.equal(runtimeState(dir, LINUX), { state: 'ready', runtime });
  assert.ok(existsSync(runtime.folder));
});

test('a runtime that does not load is not installed', async ({ npm, dir }) => {
  npm.behave('installs_broken');
  const failure = await failureOf(install({ npm, dir }));
  assert.is(failure.details?.['reason'], 'broken');
  assert.match(failure.message, /no such processor/u);
  assert.equal(left(dir), []);
});

test('stopped in the middle, it leaves nothing, and npm does not go on', async ({ npm, dir }) => {
  npm.behave('hangs');
  const stop = new AbortController();
  const reason = new Error('stopped');
  const work = install({ npm, dir }, { signal: stop.signal }).catch((error: unknown) => error);
  await npm.whenHanging();
  stop.abort(reason);
  assert.is(await work, reason);
  assert.equal(left(dir), []);
});

test('leftovers of a killed installation are removed by the next', async ({ npm, dir }) => {
  mkdirSync(join(dir, 'local-0123456789ab', 'node_modules'), { recursive: true });
  const { runtime } = await install({ npm, dir });
  assert.equal([...left(dir)].sort(), ['local.json', runtime.folder.slice(dir.length + 1)].sort());
});

test('two processes: one installs, the other waits and finds it', async ({ npm, dir }) => {
  npm.behave('waits');
  const events: InstallEvent['type'][] = [];
  const onEvent = ({ type }: InstallEvent): void => {
    events.push(type);
    if (type === 'install.waiting') npm.folder.write('go', '');
  };
  const both = await Promise.all([
    install({ npm, dir }, { onEvent }),
    install({ npm, dir }, { onEvent }),
  ]);
  assert.equal(both.map(({ outcome }) => outcome).sort(), ['already', 'installed']);
  assert.is(npm.runs().length, 1);
});

test('removed, it is gone, and can be installed again', async ({ npm, dir }) => {
  const { runtime } = await install({ npm, dir });
  const options = { dir, platform: LINUX, signal: NEVER };
  assert.equal(await removeRuntime(options), runtime);
  assert.equal(left(dir), []);
  assert.is(await removeRuntime(options), undefined);
  assert.is((await install({ npm, dir })).outcome, 'installed');
});

test('a system without binaries is told before anything is fetched', async ({ npm, dir }) => {
  for (const platform of [
    { os: 'sunos', arch: 'x64', glibc: false },
    { os: 'linux', arch: 'x64', glibc: false },
  ]) {
    const failure = await failureOf(install({ npm, dir }, { platform }));
    assert.is(failure.details?.['reason'], 'platform');
  }
  assert.equal(npm.runs(), []);
  assert.throws(() => runtimePackages({ os: 'linux', arch: 'arm64', glibc: true }, true), /GPU/u);
});

test('npm reads the global settings of the machine, such as a registry of the company', async ({
  npm,
  dir,
}) => {
  const asked: (string | undefined)[] = [];
  const registry = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(404).end();
  });
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  try {
    const machine = tempFolder();
    const { port } = z.object({ port: z.number() }).parse(registry.address());
    machine.write('etc/npmrc', `registry=http://127.0.0.1:${port}/\n`);
    const env = { PATH: process.env['PATH'], HOME: machine.path, PREFIX: machine.path };
    const signal = AbortSignal.timeout(120_000);
    const failure = await failureOf(install({ npm, dir }, { env, signal }));
    assert.is(failure.details?.['reason'], 'registry');
    assert.ok(asked.includes('/node-llama-cpp'), asked.join());
  } finally {
    registry.close();
  }
});

const SUBJECT = { code: 'PROVIDER_INSTALL_FAILED' } as const;

test('without npm it says where npm is looked for', () => {
  const nodePath = join(tempFolder().path, 'bin', 'node');
  assert.throws(
    () => findNpm({ env: { PATH: tempFolder().path }, nodePath }, SUBJECT),
    /npm not found/u,
  );
});

test('npm is taken from the PATH, and from no other package manager', () => {
  const bin = tempFolder();
  const npm = bin.write('npm', '');
  const pnpm = bin.write('pnpm.cjs', '');
  const nodePath = join(tempFolder().path, 'bin', 'node');
  const env = { PATH: bin.path, npm_execpath: pnpm };
  assert.equal(findNpm({ env, nodePath }, SUBJECT), { command: npm, args: [] });
});

test.run();
