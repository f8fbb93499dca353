import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordTrust, reviewFile } from '../../../src/engine/config/trust/config-trust.js';
import { chooseProvider } from '../../../src/engine/embeddings/choose-provider.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { resolveSecret } from '../../../src/engine/secrets/index.js';
import { applyPlan } from '../../../src/engine/set-up/apply.js';
import { openSetUp } from '../../../src/engine/set-up/open-set-up.js';
import { planSetUp, type SetUpChoices } from '../../../src/engine/set-up/plan.js';
import {
  keyState,
  offeredProviders,
  parseKey,
  storeKey,
  variableKey,
} from '../../../src/engine/set-up/provider-choices.js';
import {
  findWorkspaces,
  firstQuestion,
  makeWorkspace,
  workspaceState,
} from '../../../src/engine/set-up/workspace.js';
import type { EngineContext } from '../../../src/engine/support/context.js';
import { failureOf } from '../../support/failure.js';
import { inWorld, type World } from '../config/support.js';

const test = suite('setting svc up');

const KEY = 'sk-planted-0123456789-abcdef';
const { signal } = new AbortController();

function withEnv(context: EngineContext, env: Readonly<Record<string, string>>): EngineContext {
  return { ...context, env };
}

function choicesOf(world: World, some: Partial<SetUpChoices> = {}): SetUpChoices {
  return {
    workspace: world.at('home/.svc/workspace'),
    provider: 'openai',
    model: undefined,
    indexesAll: undefined,
    key: { kind: 'unchanged' },
    ...some,
  };
}

async function setUp(world: World, some: Partial<SetUpChoices>, force = false) {
  const opened = openSetUp(world.context, { force });
  const choices = choicesOf(world, some);
  const plan = planSetUp(opened, choices, world.context);
  const workspace = { dir: choices.workspace, withExample: false };
  return {
    plan,
    written: await applyPlan(opened, plan, { context: world.context, workspace, signal }),
  };
}

test('the workspace is the configured one, the current folder or the default location', () =>
  inWorld((world) => {
    const { context, at, write } = world;
    const dirs = () => {
      const { loaded } = openSetUp(context, { force: false });
      return findWorkspaces(loaded, context).map(({ dir, state }) => [dir, state]);
    };
    assert.equal(dirs(), [[at('home/.svc/workspace'), 'missing']]);
    write('project/deep/ideas.md', '# Ideas\n');
    assert.equal(dirs(), [
      [at('home/.svc/workspace'), 'missing'],
      [at('project/deep'), 'empty'],
    ]);
    write('project/deep/memory/2026-01-02.md', '# Day\n');
    assert.equal(dirs(), [
      [at('project/deep'), 'memory'],
      [at('home/.svc/workspace'), 'missing'],
    ]);
    write('home/.svc/svc.json', '{ "agents": { "defaults": { "workspace": "~/notes" } } }');
    assert.equal(dirs(), [
      [at('home/notes'), 'missing'],
      [at('project/deep'), 'memory'],
    ]);
  }));

test('an example is only added to a workspace on request, and existing files stay', () =>
  inWorld(async ({ at, write }) => {
    const none = async (): Promise<never> => {
      throw new Error('the newest notes have a heading');
    };
    makeWorkspace(at('a/b'), false);
    assert.is(workspaceState(at('a/b')), 'empty');
    makeWorkspace(at('a/b'), true);
    assert.is(workspaceState(at('a/b')), 'memory');
    assert.is(await firstQuestion(at('a/b'), none), 'How this works');
    write('a/b/MEMORY.md', 'mine');
    makeWorkspace(at('a/b'), true);
    assert.is(readFileSync(at('a/b/MEMORY.md'), 'utf8'), 'mine');
    write('a/b/memory/2026-01-01.md', '# Old\n');
    write('a/b/memory/2026-01-02.md', 'text\n\n## New day ##\n');
    assert.is(await firstQuestion(at('a/b'), none), 'New day');
    write('a/b/memory/2026-01-03.md', '# Z\n\n## Über Änderungen\n');
    assert.is(await firstQuestion(at('a/b'), none), 'Über Änderungen');
    write('a/b/memory/2026-01-04.md', '```sh\n# a comment\n```\n\n# Deploys\n');
    assert.is(await firstQuestion(at('a/b'), none), 'Deploys');
    write('c/people/ada.md', '# Ada Lindqvist\n');
    write('c/invoices.md', '# Not in memory\n');
    assert.is(await firstQuestion(at('c'), async () => ['people/ada.md']), 'Ada Lindqvist');
    const { code, hint } = await failureOf(() => workspaceState(at('a/b/MEMORY.md')));
    // It is shown at a question too, where no flag can be passed.
    assert.equal([code, hint], ['WORKSPACE_UNREADABLE', 'choose the path of a folder']);
  }));

test('providers with a key and running servers are offered; a running server is never preferred', () =>
  inWorld(async ({ context, write }) => {
    const offered = async (env: Readonly<Record<string, string>>, running: string) => {
      const { providers } = openSetUp(withEnv(context, env), { force: false });
      const isReachable = async (url: URL) => url.host === running;
      const { offers, preferred } = await offeredProviders(providers, signal, isReachable);
      return [offers.map(({ provider }) => provider), preferred];
    };
    assert.equal(await offered({}, ''), [[], undefined]);
    assert.equal(await offered({ VOYAGE_API_KEY: 'x', GEMINI_API_KEY: 'y' }, ''), [
      ['gemini', 'voyage'],
      'gemini',
    ]);
    assert.equal(await offered({ OLLAMA_HOST: '127.0.0.1:999' }, '127.0.0.1:999'), [
      ['ollama'],
      undefined,
    ]);
    assert.equal(await offered({}, 'localhost:1234'), [['lmstudio'], undefined]);
    write('home/.svc/svc.json', '{ "models": { "providers": { "work": { "api": "openai" } } } }');
    const { providers } = openSetUp(withEnv(context, { VOYAGE_API_KEY: 'x' }), { force: false });
    const { others } = await offeredProviders(providers, signal, async () => false);
    const names = others.map(({ provider }) => provider);
    assert.equal(
      [names[0], names.includes('openai'), names.includes('voyage')],
      ['work', true, false],
    );
    // Who chose no provider sends no notes to one because a key appeared.
    write(
      'home/.svc/svc.json',
      '{ "agents": { "defaults": { "memorySearch": { "provider": "none" } } } }',
    );
    assert.equal(await offered({ VOYAGE_API_KEY: 'x' }, ''), [['voyage'], 'none']);
  }));

test('a server is found by connecting to its address', () =>
  inWorld(async ({ context }) => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { OLLAMA_HOST: `127.0.0.1:${port}` };
    const { providers } = openSetUp(withEnv(context, env), { force: false });
    // Closed before anything is asserted: a server left open would keep the test from ending.
    const running = await offeredProviders(providers, signal).finally(
      () => new Promise((resolve) => server.close(resolve)),
    );
    assert.ok(running.offers.some(({ provider }) => provider === 'ollama'));
    const stopped = await offeredProviders(providers, signal);
    assert.not(stopped.offers.some(({ provider }) => provider === 'ollama'));
  }));

test('a key in the environment is stored as a reference, except placeholders for local servers', () =>
  inWorld(({ context }) => {
    const env = { OPENAI_API_KEY: KEY, OLLAMA_API_KEY: 'ollama' };
    const { providers } = openSetUp(withEnv(context, env), { force: false });
    assert.equal(keyState('openai', providers), { kind: 'variable', name: 'OPENAI_API_KEY' });
    assert.equal(keyState('ollama', providers), { kind: 'unchanged' });
    assert.is(keyState('mistral', providers).kind, 'missing');
  }));

test('input for a key is a key, a reference, or an error that does not reveal it', async () => {
  assert.equal(parseKey(` ${KEY}\n`), { kind: 'literal', value: KEY });
  assert.equal(parseKey('env:CORP_KEY'), { kind: 'variable', name: 'CORP_KEY' });
  for (const bad of ['', `${KEY} ${KEY}`, `${KEY}\u001B[A`, 'env:sk-planted', KEY.repeat(9999)]) {
    const error = await failureOf(() => parseKey(bad));
    assert.is(error.code, 'USAGE');
    assert.not.match(`${error.message}${error.hint}`, 'sk-planted');
  }
  assert.not.match((await failureOf(() => variableKey(KEY))).message, 'sk-planted');
});

test('a given key is stored in a private file that the configuration references', () =>
  inWorld(async (world) => {
    const { context, at } = world;
    const { plan, written } = await setUp(world, { key: { kind: 'literal', value: KEY } });
    const text = readFileSync(written.file, 'utf8');
    assert.is(text, plan.text);
    assert.not.match(text + JSON.stringify(plan.diff), KEY);
    assert.match(text, '// For completion and checks in editors');
    assert.is(written.secretsFile, at('home/.svc/secrets.json'));
    assert.is(statSync(at('home/.svc/secrets.json')).mode & 0o777, 0o600);
    assert.ok(existsSync(at('home/.svc/svc.schema.json')));
    assert.is(statSync(at('home/.svc/workspace')).mode & 0o777, 0o700);

    const { providers } = openSetUp(context, { force: false });
    const { apiKey } = providers.world.config.models.providers['openai'] ?? {};
    assert.ok(apiKey);
    const settings = providers.world.config.secrets;
    assert.is(await resolveSecret(apiKey, { env: {}, settings, signal }), KEY);
    assert.is(providers.settings.provider, 'openai');
  }));

test('repeating changes nothing; a second key finds the file by its name', () =>
  inWorld(async (world) => {
    await setUp(world, { key: { kind: 'literal', value: KEY } });
    const before = readFileSync(world.at('home/.svc/svc.json'), 'utf8');
    const again = await setUp(world, { key: { kind: 'literal', value: `${KEY}-2` } });
    assert.equal(again.plan.diff, []);
    assert.is(again.written.schemaFile, null);
    assert.is(readFileSync(world.at('home/.svc/svc.json'), 'utf8'), before);
    await setUp(world, { provider: 'voyage', key: { kind: 'literal', value: 'pa-1' } });
    const secrets = JSON.parse(readFileSync(world.at('home/.svc/secrets.json'), 'utf8'));
    assert.equal(secrets, { providers: { openai: `${KEY}-2`, voyage: 'pa-1' } });
    const { loaded } = openSetUp(world.context, { force: false });
    assert.equal(Object.keys(loaded.input.secrets?.providers ?? {}), ['svc']);
  }));

test('an existing configuration keeps its comments, and loses settings of another provider', () =>
  inWorld(async (world) => {
    const file = world.write(
      'project/svc.json',
      `{
  // ours
  "agents": {
    "list": [{ "id": "ada", "workspace": "/old" /* here */, "memorySearch": { "model": "m" } }],
    "defaults": { "memorySearch": { "provider": "gemini", "fallback": "openai" } }, // shared
  },
}
`,
    );
    const refused = await failureOf(() => setUp(world, {}));
    assert.is(refused.code, 'CONFIG_UNTRUSTED', 'it may be of somebody else');
    recordTrust(world.context, reviewFile(world.context, {}));
    const { written, plan } = await setUp(world, {
      workspace: world.at('home/notes'),
      key: { kind: 'variable', name: 'CORP_KEY' },
    });
    assert.equal([written.file, written.schemaFile], [file, null]);
    const text = readFileSync(file, 'utf8');
    for (const comment of ['// ours', '/* here */', '// shared']) assert.match(text, comment);
    const { loaded, providers } = openSetUp(world.context, { force: false });
    assert.is(loaded.input.agents?.list?.[0]?.workspace, '~/notes');
    assert.is(loaded.input.models?.providers?.['openai']?.apiKey, 'env:CORP_KEY');
    const { provider, model, fallback } = providers.settings;
    assert.equal([provider, model, fallback], ['openai', undefined, 'none']);
    assert.ok(plan.diff.length > 1);
  }));

test('a new key replaces remote.apiKey where that is in effect, and removes it with its provider', () =>
  inWorld(async (world) => {
    const file = world.write(
      'home/.svc/svc.json',
      '{ "agents": { "defaults": { "memorySearch": { "provider": "openai", "remote": { "apiKey": "env:OLD" } } } } }',
    );
    await setUp(world, { key: { kind: 'variable', name: 'NEW' } });
    const same = JSON.parse(readFileSync(file, 'utf8'));
    assert.is(same.agents.defaults.memorySearch.remote.apiKey, 'env:NEW');
    assert.is(same.models, undefined);

    await setUp(world, { provider: 'voyage', key: { kind: 'variable', name: 'VOYAGE' } });
    const other = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(other.agents.defaults.memorySearch, { provider: 'voyage', remote: {} });
    assert.is(other.models.providers.voyage.apiKey, 'env:VOYAGE');
  }));

test('the first provider gets the settings that a fallback, which was used alone, did not have', () =>
  inWorld(async (world) => {
    world.write(
      'home/.svc/svc.json',
      '{ "agents": { "defaults": { "memorySearch": { "model": "m", "fallback": "ollama" } } } }',
    );
    await setUp(world, { provider: 'openai', key: { kind: 'variable', name: 'NEW' } });
    const { provider, model, fallback } = openSetUp(world.context, { force: false }).providers
      .settings;
    assert.equal([provider, model, fallback], ['openai', 'm', 'ollama']);
  }));

test('with no provider "for now", a later key is picked up; with "never", it is not', () =>
  inWorld(async (world) => {
    const later = withEnv(world.context, { OPENAI_API_KEY: KEY });
    const used = () => {
      const { providers } = openSetUp(later, { force: false });
      return [
        providers.settings.provider,
        chooseProvider(providers.settings, providers.world)?.provider,
      ];
    };
    await setUp(world, { provider: undefined });
    assert.equal(used(), ['auto', 'openai']);
    await setUp(world, { provider: 'none' });
    assert.equal(used(), ['none', undefined]);
    await setUp(world, { provider: undefined });
    assert.equal(used(), ['auto', 'openai']);
  }));

test('an unknown provider is refused', () =>
  inWorld(async (world) => {
    const error = await failureOf(() => setUp(world, { provider: 'opnai' }));
    assert.is(error.code, 'PROVIDER_UNKNOWN');
  }));

test('a key is tried from memory: nothing is on disk before the plan is accepted', () =>
  inWorld(async (world) => {
    const opened = openSetUp(world.context, { force: false });
    const plan = planSetUp(
      opened,
      choicesOf(world, { key: { kind: 'literal', value: KEY } }),
      world.context,
    );
    const { models } = plan.trial.world.config;
    assert.equal(models.providers['openai']?.apiKey, { kind: 'plain', value: KEY });
    assert.not(existsSync(world.at('home/.svc')));
  }));

test('a concurrent change by someone else is not undone', () =>
  inWorld(async (world) => {
    const opened = openSetUp(world.context, { force: false });
    const choices = choicesOf(world, { key: { kind: 'literal', value: KEY } });
    const plan = planSetUp(opened, choices, world.context);
    world.write('home/.svc/svc.json', '{}');
    const workspace = { dir: choices.workspace, withExample: true };
    const error = await failureOf(() =>
      applyPlan(opened, plan, { context: world.context, workspace, signal }),
    );
    assert.is(error.code, 'CONFIG_WRITE_FAILED');
    assert.not(existsSync(world.at('home/.svc/secrets.json')));
    assert.not(existsSync(choices.workspace));
  }));

test('force starts over, even over an invalid configuration', () =>
  inWorld(async (world) => {
    const file = world.write('home/.svc/svc.json', '{ broken');
    assert.is((await failureOf(() => setUp(world, {}))).code, 'CONFIG_SYNTAX');
    await setUp(world, {}, true);
    assert.match(readFileSync(file, 'utf8'), '"provider": "openai"');
  }));

test('a file of secrets keeps its other content, and a different file is not overwritten', () =>
  inWorld(async ({ at, write }) => {
    const file = write('s/secrets.json', '{"mine":"x","providers":{"a/b":"1"}}');
    const key = (provider: string) => storeKey(file, { provider, key: KEY }, signal);
    await Promise.all([key('one'), key('two'), key('three')]);
    const secrets = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(secrets.mine, 'x');
    assert.equal(Object.keys(secrets.providers), ['a/b', 'one', 'two', 'three']);
    assert.is(statSync(file).mode & 0o777, 0o600);
    for (const text of [`${KEY} {`, '[]', '{"providers":[]}']) {
      write('s/secrets.json', text);
      const error = await failureOf(() => key('one'));
      assert.is(error.code, 'CONFIG_WRITE_FAILED');
      assert.not.match(`${error.message}${String(error.cause)}`, KEY);
      assert.is(readFileSync(file, 'utf8'), text);
    }
    symlinkSync(file, at('s/link.json'));
    const linked = storeKey(at('s/link.json'), { provider: 'one', key: KEY }, signal);
    assert.ok((await linked.catch((error: unknown) => error)) instanceof SvcError);
  }));

test('a folder of notes can be indexed as a whole, in addition to what is already indexed', () =>
  inWorld(async (world) => {
    world.write(
      'home/.svc/svc.json',
      JSON.stringify({ agents: { defaults: { memorySearch: { extraPaths: ['../more'] } } } }),
    );
    const { plan } = await setUp(world, { provider: undefined, indexesAll: true });
    const { agents } = JSON.parse(plan.text);
    assert.equal(agents.defaults.memorySearch.extraPaths, ['../more', '.']);
    const extraPaths = async (indexesAll: boolean | undefined) => {
      const { text } = (await setUp(world, { provider: undefined, indexesAll })).plan;
      return JSON.parse(text).agents.defaults.memorySearch.extraPaths;
    };
    assert.equal(await extraPaths(true), ['../more', '.']);
    assert.equal(await extraPaths(undefined), ['../more', '.']);
    assert.equal(await extraPaths(false), ['../more']);
  }));

test.run();
