import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { jsonOf } from '../support/json.js';
import { assertTerminalRestored, runInPty } from '../support/pty.js';
import type { SvcRun } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';

/** The built program with an embedding provider: a strict fake of OpenAI. */
const test = suite('embedding providers');

const DIMENSIONS = 128;
const NOTES = {
  'ws/MEMORY.md': '# Cars\n\nWe bought an automobile in spring.\n',
  'ws/memory/2026-02-03.md': '# Backups\n\nThe nightly backup runs at 02:30.\n',
  'ws/memory/food.md': '# Lunch\n\nOn Tuesdays we eat soup.\n',
};

let fake: FakeVendor;
let spare: FakeVendor;
test.before(async () => {
  fake = await startOpenAiFake({ dimensions: DIMENSIONS });
  spare = await startOpenAiFake({ dimensions: 64 });
});
test.before.each(() => {
  fake.trouble(undefined);
  spare.trouble(undefined);
});
test.after(async () => {
  await fake.close();
  await spare.close();
});

/** A home with a configuration that leads to the fake; `corp` by default, without a fallback. */
function homeWith(memorySearch: object = {}): TempFolder {
  const entry = (vendor: FakeVendor) => {
    return { api: 'openai', baseUrl: `${vendor.origin}/v1`, apiKey: 'env:CORP_KEY' };
  };
  const config = {
    agents: {
      defaults: { workspace: 'ws', memorySearch: { provider: 'corp', ...memorySearch } },
    },
    models: { providers: { corp: entry(fake), spare: entry(spare) } },
  };
  return folderOf({ ...NOTES, 'svc.json': JSON.stringify(config, null, 2) });
}

const ENV = { CORP_KEY: OPENAI_KEY };

async function svc(
  home: TempFolder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = ENV,
): Promise<SvcRun> {
  const run = await runInSession(args, { home: home.path, env });
  for (const secret of [OPENAI_KEY, 'sk-wrong']) {
    assert.not.match(run.stdout + run.stderr, secret);
  }
  return run;
}

function checkOf(run: SvcRun, name: string) {
  return jsonOf.providerTest(run).checks.find(({ check }) => check === name);
}

/** How many vectors of the provider, of its fallback and of others the index has. */
async function vectorsIn(home: TempFolder, env = ENV): Promise<readonly unknown[]> {
  const [agent] = jsonOf.status(await svc(home, ['memory', 'status', '--json'], env)).agents;
  const { embedded, ofFallback, cached } = Object(agent).vectorStore;
  return [embedded, ofFallback, cached];
}

test('processes that detect different providers do not delete the vectors of each other', async () => {
  const entry = (vendor: FakeVendor, name: string, model: string) => {
    const apiKey = `env:${name}`;
    return { api: 'openai', baseUrl: `${vendor.origin}/v1`, apiKey, models: [{ id: model }] };
  };
  const home = homeWith();
  const configure = (spareModel: string) => {
    const small = 'text-embedding-3-small';
    const providers = {
      openai: entry(fake, 'SHELL_KEY', small),
      spare: entry(spare, 'CORP_KEY', spareModel),
    };
    const agents = { defaults: { workspace: 'ws', memorySearch: { fallback: 'spare' } } };
    home.write('svc.json', JSON.stringify({ agents, models: { providers } }));
  };
  configure('text-embedding-3-small');
  const shell = { ...ENV, SHELL_KEY: OPENAI_KEY };
  const embedded: unknown[] = [];
  for (const env of [shell, ENV, shell, ENV]) {
    const run = await svc(home, ['memory', 'index', '--json'], env);
    const [agent] = jsonOf.index(run).agents;
    const embedding = agent !== undefined && 'embedding' in agent ? agent.embedding : undefined;
    embedded.push([embedding?.provider, embedding?.embedded]);
  }
  assert.equal(embedded, [
    ['openai', 3],
    ['spare', 3],
    ['openai', 0],
    ['spare', 0],
  ]);
  assert.equal(await vectorsIn(home, shell), [3, 3, 0]);
  assert.equal(await vectorsIn(home, ENV), [3, 0, 3]);
  // Those of an earlier model of the fallback are of no use to either.
  configure('text-embedding-3-large');
  await svc(home, ['memory', 'index'], shell);
  assert.equal(await vectorsIn(home, shell), [3, 0, 0]);
});

test('vectors of an earlier remote.baseUrl are deleted, which no other process can detect', async () => {
  const home = homeWith();
  for (const { origin } of [fake, spare]) {
    const remote = { baseUrl: `${origin}/v1`, apiKey: OPENAI_KEY };
    const agents = { defaults: { workspace: 'ws', memorySearch: { remote } } };
    home.write('svc.json', JSON.stringify({ agents }));
    await svc(home, ['memory', 'index']);
    assert.equal(await vectorsIn(home), [3, 0, 0]);
  }
});

test('the list shows which provider is used, why, and what the others need', async () => {
  const document = jsonOf.providerList(await svc(homeWith(), ['provider', 'list', '--json']));
  assert.equal([document.agent, document.primary, document.fallback], ['main', 'corp', null]);
  const of = (name: string) => document.providers.find(({ provider }) => provider === name);
  const corp = of('corp');
  assert.equal(
    [corp?.adapter, corp?.role, corp?.cost, corp?.why],
    ['openai', 'primary', 'unknown', 'memorySearch.provider'],
  );
  assert.equal(corp?.credential, {
    state: 'found',
    source: 'models.providers.corp.apiKey (env CORP_KEY)',
    set: true,
    hint: null,
  });
  assert.equal([of('voyage')?.autoPlace, of('ollama')?.autoPlace], [5, null]);
  assert.match(of('voyage')?.why ?? '', /VOYAGE_API_KEY/);
  const named = ['provider', 'list', '--json', '--config', 'svc.json'];
  const { providers } = jsonOf.providerList(await svc(homeWith(), named));
  const copilot = providers.find(({ provider }) => provider === 'github-copilot');
  for (const words of [copilot?.why, copilot?.credential.hint]) {
    assert.match(words ?? '', '"svc provider login github-copilot --config svc.json"');
  }
  const text = await svc(homeWith(), ['provider', 'list'], {});
  assert.match(text.stdout, /● +corp +models\.providers\.corp\.apiKey \(env CORP_KEY\), not set/);
  assert.match(text.stdout, /corp \(openai\) +used: memorySearch\.provider · http:/);
});

test('a working provider is reported check by check, with exit code 0', async () => {
  const home = homeWith({ fallback: 'spare' });
  assert.is((await svc(home, ['memory', 'index'])).code, 0);
  const run = await svc(home, ['provider', 'test', '--json']);
  const document = jsonOf.providerTest(run);
  assert.equal([run.code, document.ok, document.usable], [0, true, 'primary']);
  assert.equal(
    document.checks.map(({ check, state }) => `${check} ${state}`),
    ['selected ok', 'key ok', 'endpoint ok', 'embed ok', 'batch off', 'fallback ok', 'vectors ok'],
  );
  const selected = checkOf(run, 'selected');
  assert.is(selected?.note, 'agents.defaults.memorySearch.provider');
  const line = readFileSync(home.at('svc.json'), 'utf8').split('\n')[
    (selected?.location?.line ?? 0) - 1
  ];
  assert.match(line ?? '', /"provider": "corp"/);
  assert.is(checkOf(run, 'key')?.note, `set, ${OPENAI_KEY.length} characters`);
  assert.is(checkOf(run, 'embed')?.dimensions, DIMENSIONS);
  assert.equal(checkOf(run, 'vectors')?.passages, { done: 3, all: 3 });
  const text = await svc(home, ['provider', 'test']);
  assert.match(text.stdout, /^provider path of agent main\n {2}✓ selected +corp \(openai\)/);
  assert.match(text.stdout, /\n {2}works: corp embeds\n$/);
});

test('a refused key is reported with cause and fix, with exit code 1', async () => {
  const home = homeWith();
  const env = { CORP_KEY: 'sk-wrong' };
  const run = await svc(home, ['provider', 'test', '--json'], env);
  assert.equal([run.code, jsonOf.providerTest(run).usable], [1, null]);
  const embed = checkOf(run, 'embed');
  assert.equal([embed?.state, embed?.code], ['failed', 'PROVIDER_AUTH']);
  assert.match(embed?.cause ?? '', /^401 Incorrect API key/);
  assert.match(embed?.hint ?? '', /check the key from models\.providers\.corp\.apiKey/);
  const deep = await svc(home, ['memory', 'status', '--deep', '--agent', 'main'], env);
  assert.is(deep.code, 1);
  assert.match(deep.stdout, /✗ embed +text-embedding-3-small +PROVIDER_AUTH\n +401 Incorrect/);
  assert.match(deep.stdout, /broken: keyword search only until this is fixed\n$/);
  const shallow = await svc(home, ['memory', 'status'], env);
  assert.is(shallow.code, 0);
});

test('a missing key is reported, and nothing else is tried', async () => {
  const sent = fake.requests.length;
  const run = await svc(homeWith(), ['provider', 'test', '--json'], {});
  assert.is(run.code, 1);
  assert.equal([checkOf(run, 'key')?.state, checkOf(run, 'embed')?.state], ['failed', 'off']);
  assert.match(checkOf(run, 'key')?.cause ?? '', /CORP_KEY/);
  assert.is(fake.requests.length, sent);
});

test('a key that is withheld from an address is named where the address refuses', async () => {
  const remote = { baseUrl: `${fake.origin}/v1` };
  const env = { OPENAI_API_KEY: OPENAI_KEY };
  const run = await svc(
    homeWith({ provider: 'openai', remote }),
    ['provider', 'test', '--json'],
    env,
  );
  assert.is(run.code, 1);
  assert.match(checkOf(run, 'key')?.note ?? '', /^OPENAI_API_KEY is set but withheld/);
  assert.is(checkOf(run, 'embed')?.code, 'PROVIDER_AUTH');
  assert.match(checkOf(run, 'embed')?.hint ?? '', /^OPENAI_API_KEY is set but withheld/);
});

test('a working fallback counts as usable', async () => {
  fake.trouble('quota_spent');
  const home = homeWith({ fallback: 'spare' });
  const run = await svc(home, ['memory', 'status', '--deep', '--json']);
  const [agent] = jsonOf.status(run).agents;
  assert.equal([run.code, agent?.deep?.ok, agent?.deep?.usable], [0, true, 'fallback']);
  const indexed = await svc(home, ['memory', 'index']);
  assert.is(indexed.code, 0);
  assert.match(indexed.stdout, /3 passages embedded \(spare, text-embedding-3-small\)/);
  assert.match(indexed.stderr, /warning: spare embedded instead: .*429/);
  const after = await svc(home, ['memory', 'status', '--json']);
  const { state, ofFallback, differences } = jsonOf.status(after).agents[0]?.vectorStore ?? {};
  // Its vectors are where they belong, not left from other settings.
  assert.equal([state, ofFallback, differences], ['empty', 3, []]);
  spare.trouble('quota_spent');
  assert.is((await svc(home, ['provider', 'test'])).code, 1);
});

test('when the provider and its fallback fail, each is named once with its own hint', async () => {
  const home = homeWith({ fallback: 'spare' });
  fake.trouble('key_refused');
  spare.trouble('quota_spent');
  const wrong = (run: SvcRun): readonly string[] => {
    const lines = run.stderr
      .split('\n')
      .filter((line) => /^(?:warning|error|\s+hint):/u.test(line));
    return lines.map((line) => line.trim());
  };
  const corp = 'embedding provider corp: 401 ';
  const fresh = wrong(await svc(home, ['memory', 'search', 'car']));
  fake.trouble(undefined);
  spare.trouble(undefined);
  assert.is((await svc(home, ['memory', 'index'])).code, 0);
  home.write('ws/memory/new.md', '# New\n\nA zebra came by.\n');
  fake.trouble('key_refused');
  spare.trouble('quota_spent');
  const indexed = wrong(await svc(home, ['memory', 'index']));
  const found = wrong(await svc(home, ['memory', 'search', 'car']));
  for (const lines of [fresh, indexed, found]) {
    assert.is(lines.length, 4, lines.join('\n'));
    assert.match(lines[0] ?? '', corp);
    assert.match(lines[1] ?? '', /models\.providers\.corp\.apiKey/);
    assert.match(lines[2] ?? '', 'embedding provider spare: 429 ');
    assert.match(lines[3] ?? '', /spare/);
  }
  assert.match(indexed[0] ?? '', /; its fallback spare failed too$/);
  assert.match(found[2] ?? '', /^warning: the fallback failed too: /);
});

test('hints of a fallback name its own settings, not those of the provider', async () => {
  fake.trouble('key_refused');
  const hints = async (fallback: string, env: Readonly<Record<string, string>>) => {
    const home = homeWith({ fallback, remote: { batch: { enabled: false } } });
    const run = await svc(home, ['provider', 'test'], { ...ENV, ...env });
    assert.is(run.code, 1);
    return run.stdout + run.stderr;
  };
  const refused = await hints('ollama', { OLLAMA_HOST: '127.0.0.1:1' });
  assert.match(refused, 'set models.providers.ollama.baseUrl to where it runs');
  assert.not.match(refused, 'remote.baseUrl');
  spare.trouble('model_unknown');
  const unknown = await hints('spare', {});
  assert.match(unknown, 'check models.providers.spare.models');
  assert.not.match(unknown, 'memorySearch.model');
});

test('a provider is tried by its name, its kind, or with a suggestion', async () => {
  const home = homeWith();
  const run = await svc(home, ['provider', 'test', 'spare', '--json']);
  assert.equal([run.code, jsonOf.providerTest(run).provider], [0, 'spare']);
  assert.is(checkOf(run, 'vectors'), undefined);
  const kind = await svc(home, ['provider', 'test', 'retrieval-vendor', '--json']);
  assert.equal([kind.code, jsonOf.providerTest(kind).provider], [1, 'voyage']);
  const unknown = await svc(home, ['provider', 'test', 'vojage', '--json']);
  const error = jsonOf.error(unknown);
  assert.equal([unknown.code, error.code], [2, 'PROVIDER_UNKNOWN']);
  assert.match(error.hint ?? '', /did you mean "voyage"/);
});

test('having no provider is stated and is not a failure', async () => {
  const home = homeWith({ provider: 'none' });
  const run = await svc(home, ['memory', 'status', '--deep', '--json']);
  const [agent] = jsonOf.status(run).agents;
  assert.equal(
    [run.code, agent?.provider, agent?.mode, agent?.deep?.ok],
    [0, null, 'lexical', true],
  );
});

test('status sends no request, and names what differs when another model is configured', async () => {
  const home = homeWith();
  assert.is((await svc(home, ['memory', 'index'])).code, 0);
  const before = fake.requests.length;
  const whole = jsonOf.status(await svc(home, ['memory', 'status', '--json'])).agents[0];
  assert.equal([whole?.mode, whole?.provider], ['hybrid', 'corp']);
  assert.equal(
    [whole?.vectorStore.state, whole?.vectorStore.embedded, whole?.vectorStore.dimensions],
    ['whole', 3, DIMENSIONS],
  );
  const config = readFileSync(home.at('svc.json'), 'utf8');
  home.write(
    'svc.json',
    config.replace('"provider": "corp"', '"provider": "corp", "model": "text-embedding-3-large"'),
  );
  const other = jsonOf.status(await svc(home, ['memory', 'status', '--json'])).agents[0];
  assert.equal([other?.vectorStore.state, other?.vectorStore.pending], ['other', 3]);
  assert.equal(other?.vectorStore.differences, [
    'model: text-embedding-3-small → text-embedding-3-large',
  ]);
  assert.is(fake.requests.length, before);
  const again = await svc(home, ['memory', 'status', '--index', '--json']);
  assert.is(jsonOf.status(again).agents[0]?.vectorStore.state, 'whole');
});

test('indexing reports what was embedded; a failure exits with 1 but keywords are indexed', async () => {
  const home = homeWith();
  const first = await svc(home, ['memory', 'index']);
  assert.match(first.stdout, /3 passages embedded \(corp, text-embedding-3-small\) · \d+ tokens\n/);
  assert.match(first.stderr, /embedding 3 passages with corp \(text-embedding-3-small\)\n/);
  home.write('ws/memory/new.md', '# New\n\nA zebra came by.\n');
  fake.trouble('key_refused');
  const failed = await svc(home, ['memory', 'index']);
  assert.is(failed.code, 1);
  assert.match(failed.stdout, /1 added .*\n.*\n.*embedding failed: keyword search only/);
  assert.match(failed.stderr, /error: main: some passages have no vectors: .*401.*\n hint: /);
  const again = await svc(home, ['memory', 'index', '--json', '--config', 'svc.json']);
  const [agent] = jsonOf.index(again).agents;
  const failure =
    agent !== undefined && 'embedding' in agent ? agent.embedding?.failure : undefined;
  assert.match(failure?.hint ?? '', /"svc provider \w+.* --config svc\.json"/u);
  const found = await svc(home, ['memory', 'search', 'zebra', '--json']);
  assert.is(jsonOf.search(found).results[0]?.path, 'memory/new.md');
});

test('--explain shows the lexical and the vector score', async () => {
  const home = homeWith();
  await svc(home, ['memory', 'index']);
  const run = await svc(home, ['memory', 'search', 'which car', '--explain', '--json']);
  const [best] = jsonOf.search(run).results;
  assert.equal([best?.path, best?.explanation?.vectorShare], ['MEMORY.md', 0.7]);
  assert.ok((best?.explanation?.similarity ?? 0) > 0);
  const text = await svc(home, ['memory', 'search', 'which car', '--explain']);
  assert.match(
    text.stdout,
    /keyword [01]\.\d\d \(weight 0\.3\), vector [01]\.\d\d \(weight 0\.7\) · similarity 0\.\d\d/,
  );
  const plain = await svc(home, ['memory', 'search', 'which car']);
  assert.not.match(plain.stdout, /similarity/);
});

test('the diagnostics screen checks again, stays until closed, and leaves its lines', async () => {
  const home = homeWith();
  await svc(home, ['memory', 'index']);
  fake.trouble('key_refused');
  const session = runInPty(['provider', 'test'], {
    home: home.path,
    env: ENV,
  });
  await session.waitForText('svc · provider path of agent main');
  await session.waitForText('✗ embed');
  await session.waitForText('broken');
  await session.waitForText('e open svc.json:');
  assert.is(session.screen.broken, 0);
  fake.trouble(undefined);
  session.type('r');
  await session.waitForText('works: corp embeds');
  session.type('?');
  await session.waitForText('test again');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
  await session.waitForText('✓ vectors');
  assertTerminalRestored(session);
  assert.is(session.screen.scrolled, 0);
  assert.not.match(session.output(), OPENAI_KEY);
});

test.run();
