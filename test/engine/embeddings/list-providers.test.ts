import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListedProvider } from '../../../src/engine/embeddings/index.js';
import { listProviders } from '../../../src/engine/embeddings/list-providers.js';
import { loadAgentProviders } from '../../../src/engine/embeddings/provider-world.js';
import { AUTO_ORDER } from '../../../src/engine/providers/registry.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { folderOf } from '../../support/temp-folder.js';

const test = suite('the list of providers');

const SECRET = 'sk-plainly-written-0123456789';

async function listWith(
  memorySearch: object,
  env: Readonly<Record<string, string>> = {},
  entries: object = {},
): Promise<readonly ListedProvider[]> {
  const providers = {
    ...entries,
    corp: {
      api: 'general-vendor',
      baseUrl: 'https://emb.corp.example/v1/',
      apiKey: SECRET,
      models: [{ id: 'corp/text-embedding-3-large' }],
    },
    chat: { api: 'anthropic-messages', apiKey: SECRET },
  };
  const config = { agents: { defaults: { memorySearch } }, models: { providers } };
  const home = folderOf({ 'svc.json': JSON.stringify(config) });
  const context = {
    env,
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
    clock: { now: () => 0 },
  };
  const { settings, world } = await loadAgentProviders(context, {
    configFile: home.at('svc.json'),
  });
  const list = listProviders(settings, world);
  assert.not.match(JSON.stringify(list), SECRET);
  return list;
}

function find(list: readonly ListedProvider[], provider: string): ListedProvider {
  const found = list.find((one) => one.provider === provider);
  if (found === undefined) throw new Error(`no ${provider}`);
  return found;
}

test('lists adapters in the order of auto-detection, then those that are never detected, then custom ones', async () => {
  const list = await listWith({});
  assert.equal(
    list.map(({ provider }) => provider),
    [...AUTO_ORDER, 'lmstudio', 'ollama', 'corp'],
  );
  assert.equal(
    list.map(({ autoPlace }) => autoPlace),
    [...AUTO_ORDER.map((_, at) => at + 1), null, null, null],
  );
  assert.ok(list.every(({ role }) => role === null));
});

test('auto-detection: the first usable provider is chosen, and later ones name it', async () => {
  const list = await listWith({}, { VOYAGE_API_KEY: SECRET, GEMINI_API_KEY: SECRET });
  const gemini = find(list, 'gemini');
  assert.equal([gemini.role, gemini.why], ['primary', 'auto-detected by env GEMINI_API_KEY']);
  assert.is(find(list, 'voyage').why, 'gemini takes precedence');
  assert.match(find(list, 'openai').why, /^set OPENAI_API_KEY/);
  assert.is(find(list, 'local').why, 'local.modelPath is unset');
});

test('providers are configured that have an entry or are named by the settings', async () => {
  const list = await listWith({ provider: 'gemini', fallback: 'ollama' });
  assert.equal(
    list.filter(({ configured }) => configured).map(({ provider }) => provider),
    ['gemini', 'ollama', 'corp'],
  );
});

test('an entry that is named by a kind is listed as its adapter, or as itself if the settings name it', async () => {
  const entries = { 'european-vendor': { apiKey: SECRET } };
  const list = await listWith({}, {}, entries);
  assert.equal(
    [find(list, 'mistral').role, find(list, 'mistral').why],
    ['primary', 'auto-detected by models.providers.european-vendor.apiKey'],
  );
  assert.is(list.at(-1)?.provider, 'corp');
  const named = await listWith({ provider: 'european-vendor' }, {}, entries);
  assert.is(find(named, 'european-vendor').role, 'primary');
});

test('what embedding costs is unknown at an address of the configuration', async () => {
  const costOf = (list: readonly ListedProvider[], provider: string) => find(list, provider).cost;
  const usual = await listWith({ provider: 'openai' });
  assert.equal(
    ['openai', 'corp', 'ollama'].map((provider) => costOf(usual, provider)),
    ['per_token', 'unknown', 'self_hosted'],
  );
  const remote = { baseUrl: 'https://elsewhere.example/v1' };
  assert.is(costOf(await listWith({ provider: 'openai', remote }), 'openai'), 'unknown');
  assert.is(costOf(await listWith({ provider: 'ollama', remote }), 'ollama'), 'self_hosted');
});

test('a custom entry keeps its address, model and key', async () => {
  const list = await listWith({ provider: 'corp', fallback: 'voyage' }, { VOYAGE_API_KEY: SECRET });
  assert.equal(find(list, 'corp'), {
    provider: 'corp',
    adapter: 'openai',
    kind: 'general-vendor',
    role: 'primary',
    configured: true,
    credential: {
      state: 'found',
      source: 'models.providers.corp.apiKey',
      set: true,
      hint: null,
    },
    model: 'text-embedding-3-large',
    dimensions: 3072,
    endpoint: 'https://emb.corp.example/v1',
    cost: 'unknown',
    batch: true,
    autoPlace: null,
    available: false,
    why: 'memorySearch.provider',
  });
  const voyage = find(list, 'voyage');
  assert.equal([voyage.role, voyage.why], ['fallback', 'memorySearch.fallback']);
});

test('`model` and `outputDimensionality` are about the chosen provider alone', async () => {
  const search = { provider: 'openai', model: 'openai/text-embedding-3-large' };
  const list = await listWith({ ...search, outputDimensionality: 512 });
  const openai = find(list, 'openai');
  assert.equal([openai.model, openai.dimensions], ['text-embedding-3-large', 512]);
  const voyage = find(list, 'voyage');
  assert.equal([voyage.model, voyage.dimensions], ['voyage-4-large', 1024]);
});

test('a referenced key is shown as present or missing, without reading files', async () => {
  const remote = { apiKey: 'env:MY_KEY', baseUrl: 'https://x.example/v1' };
  const unset = find(await listWith({ provider: 'openai', remote }), 'openai');
  assert.equal(unset.credential, {
    state: 'found',
    source: 'remote.apiKey (env MY_KEY)',
    set: false,
    hint: null,
  });
  const set = find(await listWith({ provider: 'openai', remote }, { MY_KEY: SECRET }), 'openai');
  assert.is(set.credential.set, true);
});

test('a key that is withheld from an address is named as such', async () => {
  const remote = { baseUrl: 'https://x.example/v1' };
  const list = await listWith({ provider: 'openai', remote }, { OPENAI_API_KEY: SECRET });
  const { state, source, hint } = find(list, 'openai').credential;
  assert.equal([state, source], ['not_needed', 'env OPENAI_API_KEY']);
  assert.match(hint ?? '', /OPENAI_API_KEY is set but withheld/);
});

test('with the provider none, all are shown as switched off', async () => {
  const list = await listWith({ provider: 'none' }, { OPENAI_API_KEY: SECRET });
  assert.ok(list.every(({ role, why }) => role === null && why.includes('"none"')));
});

test.run();
