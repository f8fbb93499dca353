import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { showConfig } from '../../../src/engine/config/index.js';
import { maskSecrets } from '../../../src/engine/config/secret-input.js';
import { failureOf } from '../../support/failure.js';
import { inWorld } from './support.js';

const test = suite('showing the effective configuration');

const TEXT = `{
  "agents": {
    "defaults": {
      "memorySearch": { "provider": "openai", "extraPaths": ["a"],
        "remote": { "apiKey": "plain-text-key-0123456789" } }
    },
    "list": [
      { "id": "x", "memorySearch": { "query": { "maxResults": 9 }, "extraPaths": ["b"] } }
    ]
  },
  "memory": { "citations": "on", "ext": { "scope": { "default": "deny" } } }, "mcp": { "write": true },
  "plugins": { "entries": { "webhooks": { "config": { "routes": {
    "ci": { "sessionKey": "s", "secret": "0123456789abcdef0123456789" },
    "cd": { "sessionKey": "s", "secret": { "source": "env", "provider": "default", "id": "CD" } } } } } } }
}`;

test('each value of an agent says where it comes from', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', TEXT);
    const { values = [] } = await showConfig(context, {
      agent: 'x',
      origins: true,
      configFile: file,
    });
    const originOf = (path: string): string[] =>
      (values.find((value) => value.path === path)?.origins ?? []).map((origin) =>
        origin.kind === 'default'
          ? 'default'
          : `${origin.scope} ${origin.location.file === file ? origin.location.line : '?'}`,
      );
    assert.equal(originOf('id'), ['agents.list[0] 8']);
    assert.equal(originOf('citations'), ['memory 11']);
    assert.equal(originOf('backend'), ['default']);
    assert.equal(originOf('memorySearch.provider'), ['agents.defaults 4']);
    assert.equal(originOf('memorySearch.remote.apiKey'), ['agents.defaults 5']);
    assert.equal(originOf('memorySearch.query.maxResults'), ['agents.list[0] 8']);
    assert.equal(originOf('memorySearch.query.minScore'), ['default']);
    assert.equal(originOf('memorySearch.extraPaths'), ['agents.list[0] 8', 'agents.defaults 4']);
    assert.equal(originOf('memorySearch.store.path'), ['default']);
    assert.equal(originOf('scope.default'), ['memory 11']);
    assert.equal(originOf('mcpWrite'), ['mcp 11']);
  }));

test('in the whole view an agent’s inherited value points at the defaults', () =>
  inWorld(async ({ context, write }) => {
    const configFile = write('project/svc.json', TEXT);
    const { values = [] } = await showConfig(context, { origins: true, configFile });
    const found = values.find(({ path }) => path === 'agents.list[0].memorySearch.provider');
    assert.is(found?.value, 'openai');
    assert.equal(
      found?.origins.map((origin) => (origin.kind === 'file' ? origin.location.line : 0)),
      [4],
    );
  }));

test('without a file everything is a default', () =>
  inWorld(async ({ context }) => {
    const { values = [], file } = await showConfig(context, { origins: true });
    assert.is(file, undefined);
    assert.ok(values.length > 100);
    assert.ok(values.every(({ origins }) => origins.every(({ kind }) => kind === 'default')));
  }));

test('plain-text secrets are never shown, references are', () =>
  inWorld(async ({ context, write }) => {
    const configFile = write('project/svc.json', TEXT);
    for (const options of [{ origins: true }, { agent: 'x', origins: true }]) {
      const shown = JSON.stringify(await showConfig(context, { ...options, configFile }));
      assert.not.match(shown, 'plain-text-key');
      assert.not.match(shown, '0123456789abcdef');
    }
    const { config } = await showConfig(context, { origins: false, configFile });
    assert.match(JSON.stringify(config), '{"source":"env","provider":"default","id":"CD"}');
  }));

test('an unknown agent is an error', () =>
  inWorld(async ({ context }) => {
    assert.is(
      (await failureOf(() => showConfig(context, { agent: 'q', origins: false }))).code,
      'AGENT_UNKNOWN',
    );
  }));

test('every place that holds a secret is masked', () => {
  const secret = 'S3CRET';
  const search = { remote: { apiKey: secret, headers: { authorization: secret } } };
  const config = {
    agents: { defaults: { memorySearch: search }, list: [{ id: 'a', memorySearch: search }] },
    models: { providers: { 'a.b': { apiKey: secret, headers: { 'x-key': secret } } } },
    plugins: { entries: { webhooks: { config: { routes: { r: { secret } } } } } },
    flows: { notify: { secret }, runtimes: { acp: { env: { TOKEN: secret } } } },
    secrets: { providers: { tool: { env: { TOKEN: secret } } } },
  };
  assert.not.match(JSON.stringify(maskSecrets(config)), secret);
  // What looks like a reference but names no variable could be a secret.
  assert.is(maskSecrets(`env:${secret}-x`, ['flows', 'notify', 'secret']), '********');
  assert.is(maskSecrets('env:NAME', ['flows', 'notify', 'secret']), 'env:NAME');
});

test.run();
