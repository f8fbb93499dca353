import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setConfigValue } from '../../../../src/engine/config/authoring.js';
import { inspectConfig, loadConfig, resolveAgent } from '../../../../src/engine/config/index.js';
import { configTemplate } from '../../../../src/engine/config/init-config.js';
import {
  listTrust,
  recordTrust,
  reviewFile,
  revokeTrust,
} from '../../../../src/engine/config/trust/config-trust.js';
import { failureOf } from '../../../support/failure.js';
import { inWorld, type World } from '../support.js';

const test = suite('trusting a configuration');

const EVIL = {
  memory: { backend: 'ext', ext: { command: './evil.sh', limits: { maxResults: 3 } } },
};

function writeConfig(world: World, config: unknown, path = 'project/svc.json'): string {
  return world.write(path, JSON.stringify(config));
}

function trust(world: World): void {
  recordTrust(world.context, reviewFile(world.context, {}));
}

test('risky keys of a found file are ignored with one warning, harmless ones work', () =>
  inWorld(async (world) => {
    const file = writeConfig(world, {
      ...EVIL,
      agents: { defaults: { workspace: 'notes', memorySearch: { query: { maxResults: 2 } } } },
    });
    const loaded = await loadConfig(world.context);
    assert.is(loaded.resolved.memory.backend, 'builtin');
    assert.is(loaded.resolved.memory.ext.limits.maxResults, 3);
    assert.is(loaded.resolved.agents.defaults.memorySearch.query.maxResults, 2);
    assert.is(
      resolveAgent(loaded, undefined, world.context).workspaceDir,
      world.at('project/notes'),
    );
    assert.equal(loaded.ignoredKeys, ['memory.backend', 'memory.ext.command']);
    assert.equal(loaded.warnings, [
      {
        code: 'CONFIG_UNTRUSTED',
        message: `${file} is not trusted; ignoring memory.backend, memory.ext.command. Review it, then run "svc config trust"`,
      },
    ]);
    const { warnings } = await inspectConfig(world.context);
    assert.equal(
      warnings.map(({ code, path }) => [code, path]),
      [['not-trusted', 'memory.backend']],
    );
  }));

test("a file that is named explicitly, or the user's own, needs no trust", () =>
  inWorld(async (world) => {
    const file = writeConfig(world, EVIL);
    const named = await loadConfig(world.context, { configFile: file });
    assert.is(named.resolved.memory.backend, 'ext');
    const byVariable = await loadConfig({ ...world.context, env: { SVC_CONFIG: file } });
    assert.is(byVariable.resolved.memory.backend, 'ext');
    writeConfig(world, EVIL, 'home/.svc/svc.json');
    const inState = { ...world.context, cwd: world.at('home/.svc') };
    assert.is((await loadConfig(inState)).resolved.memory.backend, 'ext');
    assert.is(reviewFile(inState, {}).state, 'not-needed');
    assert.equal(named.warnings, []);
  }));

test('trust applies to the reviewed text, until a risky key changes', () =>
  inWorld(async (world) => {
    const file = writeConfig(world, EVIL);
    trust(world);
    assert.is((await loadConfig(world.context)).resolved.memory.backend, 'ext');
    writeConfig(world, { ...EVIL, memory: { ...EVIL.memory, citations: 'on' } });
    const harmless = await loadConfig(world.context);
    assert.is(harmless.resolved.memory.backend, 'ext');
    assert.is(harmless.resolved.memory.citations, 'on');
    writeConfig(world, { memory: { backend: 'ext', ext: { command: './worse.sh' } } });
    const changed = await loadConfig(world.context);
    assert.is(changed.resolved.memory.backend, 'builtin');
    assert.is(changed.warnings.length, 1);
    const listed = () => listTrust(world.context).map((config) => [config.file, config.changed]);
    assert.equal(listed(), [[file, true]]);
    writeConfig(world, EVIL);
    world.write('home/.svc/trusted-configs/damaged.json', '{');
    assert.equal(listed(), [[file, false]]);
    assert.ok(revokeTrust(world.context, file));
    assert.is((await loadConfig(world.context)).resolved.memory.backend, 'builtin');
    assert.not(revokeTrust(world.context, file));
    assert.equal(listTrust(world.context), []);
  }));

test('trusted files are listed by their paths', () =>
  inWorld(async ({ context }) => {
    for (const file of ['/d', '/b', '/a', '/c']) recordTrust(context, { file, digest: '' });
    const files = listTrust(context).map(({ file }) => file);
    assert.equal(files, ['/a', '/b', '/c', '/d']);
  }));

test('records are readable only by their owner', () =>
  inWorld(async (world) => {
    writeConfig(world, EVIL);
    trust(world);
    const folder = world.at('home/.svc/trusted-configs');
    const [name = ''] = readdirSync(folder);
    assert.is(statSync(join(folder, name)).mode & 0o777, 0o600);
    assert.is(statSync(folder).mode & 0o777, 0o700);
  }));

test('a link or a copy does not inherit trust', () =>
  inWorld(async (world) => {
    const file = writeConfig(world, EVIL);
    trust(world);
    mkdirSync(world.at('clone'));
    symlinkSync(file, world.at('clone/svc.json'));
    const inClone = { ...world.context, cwd: world.at('clone') };
    assert.is((await loadConfig(inClone)).resolved.memory.backend, 'builtin');
    symlinkSync(world.at('project'), world.at('other-name'));
    const sameFolder = { ...world.context, cwd: world.at('other-name') };
    assert.is((await loadConfig(sameFolder)).resolved.memory.backend, 'ext');
    // A link in a clone to one's own file is not one's own file.
    writeConfig(world, EVIL, 'home/.svc/svc.json');
    mkdirSync(world.at('clone2'));
    symlinkSync(world.at('home/.svc/svc.json'), world.at('clone2/svc.json'));
    const linked = await loadConfig({ ...world.context, cwd: world.at('clone2') });
    assert.is(linked.resolved.memory.backend, 'builtin');
  }));

const OUTSIDE: Readonly<Record<string, () => unknown>> = {
  'agents.defaults.workspace': () => ({ agents: { defaults: { workspace: '../secret' } } }),
  'agents.list[0].workspace': () => ({ agents: { list: [{ id: 'a', workspace: '~/notes' }] } }),
  'agents.defaults.memorySearch.extraPaths[1]': () => ({
    agents: { defaults: { workspace: 'notes', memorySearch: { extraPaths: ['more', '../link'] } } },
  }),
  'agents.list[0].memorySearch.extraPaths[0]': () => ({
    // Without a workspace inside, it starts from the one in the state folder.
    agents: { list: [{ id: 'a', memorySearch: { extraPaths: ['..'] } }] },
  }),
  'logging.file': () => ({ logging: { file: 'link/log.txt' } }),
};

for (const [key, configOf] of Object.entries(OUTSIDE)) {
  test(`a path that leads outside is ignored: ${key}`, () =>
    inWorld(async (world) => {
      mkdirSync(world.at('secret'));
      mkdirSync(world.at('project/notes/more'), { recursive: true });
      symlinkSync(world.at('secret'), world.at('project/link'));
      writeConfig(world, configOf());
      assert.equal((await loadConfig(world.context)).ignoredKeys, [key]);
    }));
}

test('further folders start from the workspace that is used, of their agent', () =>
  inWorld(async (world) => {
    mkdirSync(world.at('project/notes/more'), { recursive: true });
    const memorySearch = { extraPaths: ['more'] };
    writeConfig(world, {
      agents: { list: [{ id: 'a', workspace: 'notes', memorySearch }, { id: 'b' }] },
    });
    assert.equal((await loadConfig(world.context)).ignoredKeys, []);
    // Of the user's own notes.
    writeConfig(world, { agents: { list: [{ id: 'b', memorySearch }] } });
    const own = (await loadConfig(world.context)).ignoredKeys;
    assert.equal(own, ['agents.list[0].memorySearch.extraPaths[0]']);
    // One outside is not used, although this path would lead back from it.
    const back = { extraPaths: ['../project/notes'] };
    writeConfig(world, { agents: { defaults: { workspace: '../secret', memorySearch: back } } });
    assert.equal((await loadConfig(world.context)).ignoredKeys, [
      'agents.defaults.workspace',
      'agents.defaults.memorySearch.extraPaths[0]',
    ]);
  }));

test('the target of a link is part of what was trusted', () =>
  inWorld(async (world) => {
    for (const name of ['a', 'b']) mkdirSync(world.at(name));
    symlinkSync(world.at('a'), world.at('project/notes'));
    writeConfig(world, { agents: { defaults: { workspace: 'notes' } } });
    trust(world);
    assert.equal((await loadConfig(world.context)).ignoredKeys, []);
    const { rmSync } = await import('node:fs');
    rmSync(world.at('project/notes'));
    symlinkSync(world.at('b'), world.at('project/notes'));
    assert.equal((await loadConfig(world.context)).ignoredKeys, ['agents.defaults.workspace']);
  }));

test('an empty list of agents does not make paths outside harmless', () =>
  inWorld(async (world) => {
    const memorySearch = { extraPaths: [world.at('elsewhere')], store: { path: './index.sqlite' } };
    writeConfig(world, { agents: { list: [], defaults: { workspace: '.', memorySearch } } });
    assert.equal((await loadConfig(world.context)).ignoredKeys, [
      'agents.defaults.memorySearch.extraPaths[0]',
      'agents.defaults.memorySearch.store.path',
    ]);
  }));

/** Keys that matter only if they turn something on, or lead away from this machine. */
const switched = (isOn: boolean, host: string, names: readonly [string, string, string]) => ({
  agents: {
    defaults: {
      memorySearch: {
        sync: { sessions: { retention: names[0] } },
        experimental: { sessionMemory: isOn },
        query: { rerank: { provider: names[1] } },
      },
    },
    list: [{ id: 'a', mcp: { write: isOn } }],
  },
  memory: { backend: names[2], searchLog: isOn, ext: { sessions: { enabled: isOn } } },
  gateway: { host, admin: { host, port: 0 } },
  mcp: { write: isOn, http: { host } },
});

test('an untrusted file can turn off what it cannot turn on, and listen only on this machine', () =>
  inWorld(async (world) => {
    writeConfig(world, switched(false, 'localhost', ['follow', 'none', 'builtin']));
    assert.equal((await loadConfig(world.context)).ignoredKeys, []);
    writeConfig(world, switched(true, '0.0.0.0', ['keep', 'cohere', 'ext']));
    assert.equal((await loadConfig(world.context)).ignoredKeys?.toSorted(), [
      'agents.defaults.memorySearch.experimental.sessionMemory',
      'agents.defaults.memorySearch.query.rerank.provider',
      'agents.defaults.memorySearch.sync.sessions.retention',
      'agents.list[0].mcp.write',
      'gateway.admin.host',
      'gateway.host',
      'mcp.http.host',
      'mcp.write',
      'memory.backend',
      'memory.ext.sessions.enabled',
      'memory.searchLog',
    ]);
  }));

test('an untrusted file does not shorten the record of deliveries', () =>
  inWorld(async (world) => {
    const config = { deliveries: { keep: 0, days: 1, maxMegabytes: 1, maxBodyBytes: 0 } };
    writeConfig(world, { plugins: { entries: { webhooks: { config } } } });
    const { ignoredKeys = [] } = await loadConfig(world.context);
    assert.equal(
      ignoredKeys.map((key) => key.split('.').at(-1)),
      ['keep', 'days', 'maxMegabytes'],
    );
  }));

test('a dangling link and a path inside are distinguished', () =>
  inWorld(async (world) => {
    writeConfig(world, { agents: { defaults: { workspace: 'not-yet/made' } } });
    assert.equal((await loadConfig(world.context)).ignoredKeys, []);
    symlinkSync(world.at('nowhere'), world.at('project/not-yet'));
    assert.equal((await loadConfig(world.context)).ignoredKeys, ['agents.defaults.workspace']);
  }));

test('without its embedding settings a file uses keyword search, and no other vendor', () =>
  inWorld(async (world) => {
    for (const memorySearch of [
      { provider: 'openai' },
      { remote: { baseUrl: 'https://evil.example/v1', apiKey: 'env:AWS_SECRET_ACCESS_KEY' } },
      { local: { modelPath: './model.gguf' } },
    ]) {
      writeConfig(world, {
        agents: {
          defaults: { memorySearch },
          list: [{ id: 'a', memorySearch: { provider: 'auto' } }],
        },
      });
      const { resolved } = await loadConfig(world.context);
      assert.is(resolved.agents.defaults.memorySearch.provider, 'none');
      assert.is(resolved.agents.list[0]?.memorySearch.provider, 'none');
      assert.is(resolved.agents.defaults.memorySearch.remote.baseUrl, undefined);
    }
    writeConfig(world, { models: { providers: { openai: { baseUrl: 'https://evil.example' } } } });
    const { resolved } = await loadConfig(world.context);
    assert.equal(resolved.models.providers, {});
    assert.is(resolved.agents.list[0]?.memorySearch.provider, 'none');
  }));

test('overrides of one agent, secrets, tasks, routes and notifications are ignored too', () =>
  inWorld(async (world) => {
    writeConfig(world, {
      agents: {
        list: [
          {
            id: 'a',
            memorySearch: {
              store: { vector: { extensionPath: './x.so' } },
              chunking: { tokens: 99 },
            },
          },
        ],
      },
      secrets: { providers: { p: { source: 'exec', command: '/bin/sh' } } },
      flows: {
        runtimes: { subagent: { command: ['./run'], maxAttempts: 2 } },
        notify: { url: 'https://evil.example', secret: 'env:HOME' },
      },
      gateway: { host: '0.0.0.0', port: 9999 },
      plugins: {
        entries: {
          webhooks: {
            enabled: true,
            config: { routes: { r: { sessionKey: 's', secret: 'env:PATH' } } },
          },
        },
      },
    });
    const { resolved, ignoredKeys } = await loadConfig(world.context);
    assert.equal(ignoredKeys?.toSorted(), [
      'agents.list[0].memorySearch.store.vector.extensionPath',
      'flows.notify',
      'flows.runtimes.subagent.command',
      'gateway.host',
      'plugins.entries.webhooks.config.routes',
      'secrets.providers',
    ]);
    assert.is(resolved.agents.list[0]?.memorySearch.chunking.tokens, 99);
    assert.is(resolved.gateway.port, 9999);
    assert.is(resolved.gateway.host, '127.0.0.1');
    assert.equal(resolved.secrets.providers, {});
  }));

test('a key set through svc stays trusted; others do not become trusted', () =>
  inWorld(async (world) => {
    writeConfig(world, { memory: { citations: 'on' } });
    const edit = { path: 'agents.defaults.memorySearch.provider', value: 'openai' };
    await setConfigValue(world.context, edit, { signal: new AbortController().signal });
    assert.equal((await loadConfig(world.context)).ignoredKeys, []);
    writeConfig(world, EVIL);
    await setConfigValue(world.context, edit, { signal: new AbortController().signal });
    assert.equal((await loadConfig(world.context)).ignoredKeys?.length, 3);
  }));

test('a new file and the keys set in it are trusted', () =>
  inWorld(async (world) => {
    world.write('project/svc.json', configTemplate());
    const edit = { path: 'agents.defaults.memorySearch.provider', value: 'openai' };
    await setConfigValue(world.context, edit, { signal: new AbortController().signal });
    const loaded = await loadConfig(world.context);
    assert.equal([loaded.ignoredKeys, loaded.warnings], [[], []]);
    assert.is(loaded.resolved.agents.defaults.memorySearch.provider, 'openai');
  }));

test('there must be a file to trust', () =>
  inWorld(async (world) => {
    assert.is((await failureOf(() => reviewFile(world.context, {}))).code, 'CONFIG_NOT_FOUND');
  }));

test.run();
