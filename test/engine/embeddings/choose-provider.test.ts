import { basename } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConfigInput, resolveAgent, resolveConfig } from '../../../src/engine/config/index.js';
import {
  availability,
  chooseFallback,
  chooseProvider,
  localModelWarning,
  type ProviderChoice,
} from '../../../src/engine/embeddings/choose-provider.js';
import { whyChosen } from '../../../src/engine/embeddings/describe-provider.js';
import type { ProviderWorld } from '../../../src/engine/embeddings/provider-world.js';
import { modelFileState } from '../../../src/engine/providers/local/model.js';
import { RUNTIME_VERSION } from '../../../src/engine/providers/local/runtime/store.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { failureOf } from '../../support/failure.js';
import { folderOf, type TempFolder, tempFolder } from '../../support/temp-folder.js';

const test = suite('choosing a provider');

interface Situation {
  readonly memorySearch?: Readonly<Record<string, unknown>>;
  readonly providers?: NonNullable<ConfigInput['models']>['providers'];
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: TempFolder;
}

function situation({
  memorySearch = {},
  providers = {},
  env = {},
  home = tempFolder(),
}: Situation) {
  const input: ConfigInput = {
    agents: { defaults: { memorySearch } },
    models: { providers },
  };
  const resolved = resolveConfig(input);
  const context = {
    ...{ env, cwd: home.path, homeDir: home.path, clock: { now: Date.now } },
    state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
  };
  const loaded = { file: undefined, input, resolved, warnings: [] };
  const settings = resolveAgent(loaded, undefined, context).memorySearch;
  const world: ProviderWorld = { config: resolved, env, homeDir: home.path, stateDir: home.path };
  return { settings, world };
}

/** What an installed runtime leaves behind; choosing loads nothing of it. */
function runtimePointer(): string {
  const platform = `${process.platform}-${process.arch}`;
  const folder = 'local-0a';
  return JSON.stringify({ folder, version: RUNTIME_VERSION, platform, gpu: false, bytes: 1 });
}

function choose(about: Situation): ProviderChoice | undefined {
  const { settings, world } = situation(about);
  return chooseProvider(settings, world);
}

test('without any provider: keyword search only', () => {
  assert.is(choose({}), undefined);
  assert.is(
    choose({ memorySearch: { provider: 'none' }, env: { OPENAI_API_KEY: 'k' } }),
    undefined,
  );
});

test('auto takes the first that has a key, in the documented order', () => {
  const all: Record<string, string> = {
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    DEEPINFRA_API_KEY: 'k',
    MISTRAL_API_KEY: 'k',
    VOYAGE_API_KEY: 'k',
    GEMINI_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
    COPILOT_GITHUB_TOKEN: 'k',
  };
  const order: (string | undefined)[] = [];
  for (const left = { ...all }; Object.keys(left).length > 0; ) {
    order.push(choose({ env: left })?.adapter);
    const last = Object.keys(left).at(-1) ?? '';
    delete left[last];
  }
  assert.equal(
    [...new Set(order)],
    ['github-copilot', 'openai', 'gemini', 'voyage', 'mistral', 'deepinfra', 'bedrock', undefined],
  );
});

test('auto takes a local model only when the file is there', () => {
  const home = tempFolder();
  const memorySearch = { provider: 'auto', local: { modelPath: home.at('m.gguf') } };
  const env = { OPENAI_API_KEY: 'k' };
  assert.is(choose({ memorySearch, env, home })?.adapter, 'openai');
  home.write('m.gguf', 'GGUF');
  assert.is(choose({ memorySearch, env, home })?.adapter, 'openai', 'nothing runs it');
  home.write('runtimes/local.json', runtimePointer());
  assert.is(choose({ memorySearch, env, home })?.adapter, 'local');
  const below = { provider: 'auto', local: { modelPath: home.at('m.gguf/m.gguf') } };
  assert.is(choose({ memorySearch: below, env, home })?.adapter, 'openai', 'below a file');
  const hosted = { provider: 'auto', local: { modelPath: 'hf:a/b/c.gguf' } };
  assert.is(choose({ memorySearch: hosted, home }), undefined);
  assert.is(choose({ memorySearch: { ...hosted, provider: 'local' }, home })?.adapter, 'local');
});

test('auto takes a model reference once it is downloaded', () => {
  const home = tempFolder();
  home.write('runtimes/local.json', runtimePointer());
  const modelPath = 'hf:a/b/c.gguf';
  const local = { modelPath, modelCacheDir: home.at('models') };
  const env = { OPENAI_API_KEY: 'k' };
  const { settings, world } = situation({ memorySearch: { local }, env, home });
  const chosen = chooseProvider(settings, world);
  assert.is(chosen?.adapter, 'openai');
  assert.match(localModelWarning(chosen, settings, world)?.message ?? '', modelPath);
  home.write(`models/${basename(modelFileState(settings.local).path)}`, 'GGUF');
  const downloaded = chooseProvider(settings, world);
  assert.is(downloaded?.adapter, 'local');
  const reason = downloaded && whyChosen(downloaded, settings, world);
  assert.equal(reason, { kind: 'sign', sign: 'local.modelPath' });
});

test('a local model that auto passes over is reported, because texts may leave the machine', () => {
  const home = tempFolder();
  const warning = (memorySearch: Readonly<Record<string, unknown>>, env = {}) => {
    const { settings, world } = situation({ memorySearch, env, home });
    return localModelWarning(chooseProvider(settings, world), settings, world)?.message;
  };
  const named = { local: { modelPath: home.at('m.gguf') } };
  const openai = { OPENAI_API_KEY: 'k' };
  const instead = 'instead of the local model: ';
  const missing = `local.modelPath is not a file (${home.at('m.gguf')})`;
  assert.is(warning(named, openai), `using openai ${instead}${missing}`);
  home.write('m.gguf', 'GGUF');
  const install = 'node-llama-cpp is not installed: run "svc provider install local"';
  assert.is(warning(named, openai), `using openai ${instead}${install}`);
  assert.is(warning(named), `keyword search only, ${instead}${install}`);
  assert.is(warning({ ...named, provider: 'openai' }, openai), undefined);
  assert.is(warning({ ...named, fallback: 'local' }, openai), undefined);
  assert.is(warning({ ...named, remote: { baseUrl: 'http://127.0.0.1:9' } }), undefined);
  assert.is(warning({}, openai), undefined);
  home.write('runtimes/local.json', runtimePointer());
  assert.is(warning(named, openai), undefined);
});

test('auto takes a key without the name of a vendor for OpenAI, and sends it to no other', () => {
  const about: Situation = {
    memorySearch: { remote: { apiKey: 'env:MY_KEY' } },
    env: { MY_KEY: 'k', GEMINI_API_KEY: 'k' },
  };
  const choice = choose(about);
  assert.equal([choice?.adapter, choice?.by], ['openai', 'auto']);
  const { settings, world } = situation({ ...about, env: { MY_KEY: 'k' } });
  for (const id of ['gemini', 'voyage', 'mistral', 'deepinfra'] as const) {
    assert.is(availability(id, settings, world).available, false, id);
  }
});

test('auto skips unusable keys and says why', () => {
  const unusable: readonly Situation[] = [
    { providers: { openai: { apiKey: 'env:NOT_SET' } } },
    { providers: { openai: { apiKey: ' ' } } },
    { providers: { openai: { apiKey: { source: 'file', provider: 'gone', id: '/k' } } } },
    { env: { OPENAI_API_KEY: '  ' } },
    { memorySearch: { remote: { apiKey: 'env:NOT_SET' } } },
  ];
  for (const about of unusable) {
    const env = { ...about.env, GEMINI_API_KEY: 'k' };
    const chosen = choose({ ...about, env });
    assert.is(chosen?.adapter, 'gemini', JSON.stringify(about));
    assert.is(
      chosen?.credential.state === 'found' && chosen.credential.source,
      'env GEMINI_API_KEY',
    );
    const { settings, world } = situation({ ...about, env });
    const found = availability('openai', settings, world);
    assert.match(
      found.available ? '' : found.why,
      /^skipped, (?:models|remote)|^set OPENAI_API_KEY/,
    );
  }
});

test('ollama and lmstudio are never detected, only named', () => {
  const env = { OLLAMA_API_KEY: 'ollama', OLLAMA_HOST: 'box:11434', LM_API_TOKEN: 't' };
  assert.is(choose({ env }), undefined);
  const { settings, world } = situation({ env });
  for (const id of ['ollama', 'lmstudio'] as const) {
    assert.is(availability(id, settings, world).available, false);
  }
  assert.is(choose({ env, memorySearch: { provider: 'ollama' } })?.baseUrl, 'http://box:11434');
});

test('the GitHub tokens of every shell do not choose Copilot, but serve it when it is named', () => {
  const env = { GITHUB_TOKEN: 'k' };
  assert.is(choose({ env }), undefined);
  const choice = choose({ env, memorySearch: { provider: 'github-copilot' } });
  assert.equal(choice?.credential.state, 'found');
  const home = tempFolder();
  home.write('auth/github-copilot.json', '{}');
  assert.is(choose({ home })?.credential.state, 'login');
});

test('the kinds of the specification name adapters', () => {
  for (const [kind, adapter] of [
    ['retrieval-vendor', 'voyage'],
    ['cloud-platform', 'bedrock'],
    ['local-server', 'ollama'],
  ] as const) {
    assert.is(choose({ memorySearch: { provider: kind } })?.adapter, adapter);
  }
});

test('an unknown provider is refused, with a similar name if there is one', async () => {
  const list = 'run "svc provider list" to see all providers';
  for (const [provider, hint] of [
    ['opnai', `did you mean "openai"? ${list}`],
    ['nowhere-near', list],
  ] as const) {
    const error = await failureOf(() => choose({ memorySearch: { provider } }));
    assert.equal([error.code, error.hint], ['PROVIDER_UNKNOWN', hint]);
    assert.is(error.message, `unknown embedding provider "${provider}"`);
  }
});

test('a custom provider keeps its ID for endpoint, key and model prefix', () => {
  const choice = choose({
    memorySearch: { provider: 'corp-eu', model: 'corp-eu/bge-m3' },
    providers: { 'corp-eu': { api: 'openai', baseUrl: 'https://emb.corp/v1/' } },
    env: { CORP_EU_API_KEY: 'k', OPENAI_API_KEY: 'other' },
  });
  assert.is(choice?.provider, 'corp-eu');
  assert.is(choice?.adapter, 'openai');
  assert.is(choice?.model, 'bge-m3');
  assert.is(choice?.baseUrl, 'https://emb.corp/v1');
  assert.equal(
    choice?.credential.state === 'found' && choice.credential.source,
    'env CORP_EU_API_KEY',
  );
});

test('without a model the first of its own provider is used', () => {
  const providers = { corp: { api: 'openai', models: [{ id: 'a' }, { id: 'b' }] } };
  assert.is(choose({ memorySearch: { provider: 'corp' }, providers })?.model, 'a');
});

test('a key comes from remote, then from the provider’s entry, then from the environment', () => {
  const env = { OPENAI_API_KEY: 'k' };
  const providers = { openai: { apiKey: 'entry-key-entry-key-entry' } };
  const remote = { apiKey: 'env:MY_KEY' };
  const sourceOf = (about: Situation): string | undefined => {
    const credential = choose(about)?.credential;
    return credential?.state === 'found' ? credential.source : undefined;
  };
  const memorySearch = { provider: 'openai' };
  assert.is(sourceOf({ env, memorySearch }), 'env OPENAI_API_KEY');
  assert.is(sourceOf({ env, memorySearch, providers }), 'models.providers.openai.apiKey');
  assert.is(
    sourceOf({ env, memorySearch: { ...memorySearch, remote }, providers }),
    'remote.apiKey',
  );
});

test('a vendor’s key is not sent to an address of the configuration', () => {
  const remote = { baseUrl: 'https://elsewhere.example/v1' };
  const choice = choose({
    memorySearch: { provider: 'openai', remote },
    env: { OPENAI_API_KEY: 'k' },
  });
  assert.equal(choice?.credential, { state: 'not_needed', withheld: 'OPENAI_API_KEY' });
});

test('a vendor’s key stays with the vendor, whatever an entry is called and whichever API it names', () => {
  const env = { OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k', OLLAMA_API_KEY: 'k' };
  const credentialOf = (id: string, api: string, baseUrl?: string) =>
    choose({ memorySearch: { provider: id }, providers: { [id]: { api, baseUrl } }, env })
      ?.credential;
  const elsewhere = 'https://elsewhere.example/v1';
  const withheld = { state: 'not_needed', withheld: 'OPENAI_API_KEY' };
  assert.equal(credentialOf('OpenAI', 'openai', elsewhere), withheld);
  assert.equal(credentialOf('openai', 'voyage', elsewhere), withheld);
  assert.equal(credentialOf('openai', 'voyage'), withheld);
  assert.equal(credentialOf('mistral', 'openai', elsewhere), {
    ...withheld,
    withheld: 'MISTRAL_API_KEY',
  });
  assert.equal(credentialOf('Ollama', 'openai', 'http://127.0.0.1:11434/v1'), {
    ...withheld,
    withheld: 'OLLAMA_API_KEY',
  });
  assert.is(credentialOf('mistral', 'openai', 'https://api.mistral.ai/v1')?.state, 'found');
});

test('OLLAMA_API_KEY is for ollama.com', () => {
  const stateAt = (host: string): string | undefined =>
    choose({
      memorySearch: { provider: 'ollama' },
      env: { OLLAMA_API_KEY: 'k', OLLAMA_HOST: host },
    })?.credential.state;
  for (const host of ['', 'box:11434', 'http://ollama.com', 'https://ollama.com.example']) {
    assert.is(stateAt(host), 'not_needed', host);
  }
  for (const host of ['ollama.com', 'https://api.ollama.com']) {
    assert.is(stateAt(host), 'found', host);
  }
});

test('a vendor’s key is sent to its own address, written out', () => {
  const env = { OPENAI_API_KEY: 'k' };
  const sourceAt = (baseUrl: string): string | undefined => {
    const choice = choose({ memorySearch: { provider: 'openai', remote: { baseUrl } }, env });
    return choice?.credential.state === 'found' ? choice.credential.source : undefined;
  };
  assert.is(sourceAt('https://api.openai.com/v1'), 'env OPENAI_API_KEY');
  assert.is(sourceAt('https://api.openai.com/v1/'), 'env OPENAI_API_KEY');
  for (const other of [
    'http://api.openai.com/v1',
    'https://api.openai.com:8443/v1',
    'https://api.openai.com.example/v1',
    'https://api.openai.com@example.com/v1',
  ]) {
    assert.is(sourceAt(other), undefined, other);
  }
  const entry = { baseUrl: 'https://api.openai.com/v1' };
  assert.is(choose({ providers: { openai: entry }, env })?.by, 'auto');
  // Voyage has a second address, for keys of MongoDB Atlas.
  const remote = { baseUrl: 'https://ai.mongodb.com/v1' };
  const atlas = choose({
    memorySearch: { provider: 'voyage', remote },
    env: { VOYAGE_API_KEY: 'al-k' },
  });
  assert.is(atlas?.credential.state, 'found');
});

test('a login is sent to GitHub’s own addresses only', () => {
  const home = folderOf({ 'auth/github-copilot.json': '{}' });
  const stateAt = (baseUrl: string | undefined, env: Readonly<Record<string, string>> = {}) => {
    const memorySearch = { provider: 'github-copilot', remote: { baseUrl } };
    return choose({ memorySearch, home, env })?.credential.state;
  };
  assert.is(stateAt(undefined), 'login');
  assert.is(stateAt('https://api.business.githubcopilot.com'), 'login');
  assert.is(stateAt('https://copilot-api.acme.ghe.com/'), 'login');
  assert.is(stateAt('https://api.githubcopilot.com', { GH_TOKEN: 'k' }), 'found');
  for (const other of [
    'https://elsewhere.example/v1',
    'http://api.githubcopilot.com',
    'https://api.githubcopilot.com:8443',
    'https://githubcopilot.com.example',
    'https://notgithubcopilot.com',
    'https://api.githubcopilot.com@example.com',
  ]) {
    assert.is(stateAt(other), 'not_needed', other);
    assert.is(stateAt(other, { GH_TOKEN: 'k' }), 'not_needed', other);
  }
});

test('an entry that is named like a kind of adapter is that entry', () => {
  const entry = { api: 'openai', baseUrl: 'http://127.0.0.1:9/v1' };
  const about = {
    memorySearch: { provider: 'local-server' },
    providers: { 'local-server': entry },
  };
  const { provider, adapter, baseUrl } = choose(about) ?? {};
  assert.equal([provider, adapter, baseUrl], ['local-server', 'openai', entry.baseUrl]);
  assert.is(choose({ memorySearch: about.memorySearch })?.provider, 'ollama');
});

test('an address without a provider is an OpenAI-compatible one', () => {
  const remote = { baseUrl: 'http://127.0.0.1:9/v1' };
  const choice = choose({ memorySearch: { remote }, env: { GEMINI_API_KEY: 'k' } });
  // No other process detects another provider.
  assert.equal([choice?.adapter, choice?.by], ['openai', 'configured']);
});

test('a fallback that is never detected is used alone if auto-detection finds nothing', () => {
  const providers = { mine: { api: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } };
  for (const fallback of ['ollama', 'local-server', 'mine']) {
    const chosen = choose({ memorySearch: { fallback, model: 'other' }, providers });
    assert.is(chosen?.provider, fallback === 'mine' ? 'mine' : 'ollama');
    assert.equal([chosen?.isPrimary, chosen?.by, chosen?.model], [false, 'auto', undefined]);
  }
  for (const memorySearch of [
    { fallback: 'voyage' },
    { fallback: 'local', local: { modelPath: 'hf:user/model/file.gguf' } },
    { fallback: 'ollama', provider: 'none' },
  ]) {
    assert.is(choose({ memorySearch, providers }), undefined);
  }
  const found = choose({ memorySearch: { fallback: 'ollama' }, env: { VOYAGE_API_KEY: 'k' } });
  assert.is(found?.provider, 'voyage');
});

test('the fallback uses its own endpoint, key and model', () => {
  const about: Situation = {
    memorySearch: {
      provider: 'openai',
      model: 'text-embedding-3-large',
      fallback: 'mistral',
      remote: { baseUrl: 'https://emb.corp/v1', apiKey: 'env:CORP_KEY' },
    },
    env: { MISTRAL_API_KEY: 'k' },
  };
  const { settings, world } = situation(about);
  const fallback = chooseFallback(settings, world);
  assert.is(fallback?.adapter, 'mistral');
  assert.is(fallback?.baseUrl, undefined);
  assert.is(fallback?.model, undefined);
  assert.equal(
    fallback?.credential.state === 'found' && fallback.credential.source,
    'env MISTRAL_API_KEY',
  );
});

test('an entry of models.providers that is named by a kind is about its adapter', () => {
  const baseUrl = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
  const entry = { baseUrl, apiKey: 'k' };
  const kinds = { 'cloud-platform': entry, 'general-vendor': entry };
  for (const provider of ['bedrock', 'openai']) {
    assert.is(choose({ memorySearch: { provider }, providers: kinds })?.baseUrl, baseUrl);
  }
  const detected = choose({ providers: kinds });
  const { credential } = detected ?? {};
  assert.equal(
    [detected?.provider, credential?.state === 'found' && credential.source],
    ['openai', 'models.providers.general-vendor.apiKey'],
  );
  const models = [{ id: 'm' }];
  const named = choose({
    memorySearch: { provider: 'general-vendor' },
    providers: { 'general-vendor': { models } },
    env: { OPENAI_API_KEY: 'k' },
  });
  assert.equal([named?.model, named?.credential.state], ['m', 'found']);
  const server = choose({
    memorySearch: { provider: 'local-server' },
    providers: { 'local-server': { models } },
    env: { OLLAMA_HOST: '10.0.0.9:11434' },
  });
  assert.is(server?.baseUrl, 'http://10.0.0.9:11434');
  // Its own entry takes precedence, and a kind can be the name of another endpoint.
  const own = { ...kinds, openai: { apiKey: 'own' } };
  assert.is(choose({ providers: own })?.baseUrl, undefined);
  assert.is(choose({ providers: { 'general-vendor': { ...entry, api: 'voyage' } } }), undefined);
});

test('prefixes of vendors are cut from models, names with a slash are kept', () => {
  const modelOf = (provider: string, model: string): string | undefined =>
    choose({ memorySearch: { provider, model } })?.model;
  assert.is(modelOf('openai', 'openai/text-embedding-3-large'), 'text-embedding-3-large');
  assert.is(modelOf('gemini', 'models/gemini-embedding-001'), 'gemini-embedding-001');
  assert.is(modelOf('deepinfra', 'BAAI/bge-m3'), 'BAAI/bge-m3');
});

test('gateways get models with the vendor that they name', () => {
  const modelAt = (baseUrl: string, model: string): string | undefined => {
    const providers = { gateway: { api: 'openai', baseUrl } };
    return choose({ memorySearch: { provider: 'gateway', model }, providers })?.model;
  };
  const gateway = 'https://gateway.example/v1';
  assert.is(modelAt(gateway, 'openai/text-embedding-3-small'), 'openai/text-embedding-3-small');
  assert.is(modelAt(gateway, 'gateway/openai/m'), 'openai/m');
  // A second account at the vendor.
  assert.is(modelAt('https://api.openai.com/v1', 'openai/m'), 'm');
});

test('with media, the default model is one that embeds them', () => {
  const modelOf = (settings: Readonly<Record<string, unknown>>): string | undefined =>
    choose({
      memorySearch: { multimodal: { enabled: true }, ...settings },
      env: { GEMINI_API_KEY: 'k' },
    })?.model;
  assert.is(modelOf({}), 'gemini-embedding-2');
  assert.is(modelOf({ provider: 'gemini' }), 'gemini-embedding-2');
  assert.is(modelOf({ provider: 'gemini', model: 'gemini-embedding-001' }), 'gemini-embedding-001');
  assert.is(modelOf({ provider: 'gemini', multimodal: { enabled: false } }), undefined);
});

test('Copilot without a token says how to sign in', () => {
  const credential = choose({ memorySearch: { provider: 'github-copilot' } })?.credential;
  assert.is(credential?.state, 'missing');
  assert.match(credential?.state === 'missing' ? credential.hint : '', 'svc provider login');
});

test('a missing key says where to put it', () => {
  const credential = choose({ memorySearch: { provider: 'voyage' } })?.credential;
  assert.is(credential?.state, 'missing');
  assert.match(credential?.state === 'missing' ? credential.hint : '', 'VOYAGE_API_KEY');
});

test.run();
