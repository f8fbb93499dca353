import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIndex } from '../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import { openMemory } from '../../../../src/engine/memory/open-memory.js';
import type { SyncEvent } from '../../../../src/engine/memory/sync/events.js';
import { acquireIndexLock } from '../../../../src/engine/memory/sync/index-lock.js';
import { storeLogin } from '../../../../src/engine/providers/github-copilot/stored-login.js';
import type { FakeVendor } from '../../../fakes/fake-vendor.js';
import { GITHUB_TOKEN, startCopilotFake } from '../../../fakes/github-copilot.js';
import { meaningOf } from '../../../fakes/meaning.js';
import { OPENAI_KEY, type OpenAiFake, startOpenAiFake } from '../../../fakes/openai.js';
import { contextOf } from '../../../support/context.js';
import { failureOf } from '../../../support/failure.js';
import { pathsOf, warningCodes } from '../../../support/memory.js';
import {
  openAiSearchSettings,
  semanticMemory,
  textsSent,
} from '../../../support/semantic-memory.js';
import { tempFolder } from '../../../support/temp-folder.js';

interface Context {
  fake: OpenAiFake;
  other: FakeVendor;
}

const test = suite<Context>('vectors in the index');

test.before.each(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: 128 });
  context.other = await startOpenAiFake({ dimensions: 96 });
});
test.after.each(async ({ fake, other }) => {
  await fake.close();
  await other.close();
});

/** Several requests more than are under way at once. */
const MANY = 1500;

const NOTES = {
  'car.md': '# Car\n\nThe automobile was serviced in May.\n',
  'piano.md': '# Piano\n\nThe piano was tuned in June.\n',
  'bread.md': '# Bread\n\nBake it for an hour.\n',
};

test('every passage gets a vector, once', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open();
  const { embedding } = await memory.backend.sync({});
  assert.is(embedding?.embedded, 3);
  assert.is(embedding?.pending, 0);
  const sent = textsSent(fake).length;
  assert.is((await memory.backend.sync({})).embedding?.embedded, 0);
  assert.is(textsSent(fake).length, sent);
  await memory.backend.close();
});

test('semantic search finds passages without any of the words', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open();
  const response = await memory.backend.search({ query: 'vehicle' });
  assert.is(response.mode, 'hybrid');
  assert.is(response.provider, 'openai');
  assert.is(pathsOf(response)[0], 'memory/car.md');
  assert.is(response.matches, 0);
  assert.equal(response.warnings, []);
  await memory.backend.close();
});

test('only what changed is sent again; a renamed file and equal passages cost nothing', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, NOTES);
  const memory = await notes.open();
  await memory.backend.sync({});
  const before = textsSent(fake).length;
  notes.folder.write('memory/moved.md', NOTES['piano.md']);
  notes.folder.write('memory/piano.md', '# Other\n\nA new line about trams.\n');
  const { embedding } = await memory.backend.sync({});
  assert.is(embedding?.embedded, 1);
  assert.equal(textsSent(fake).slice(before), ['# Other\n\nA new line about trams.']);
  await memory.backend.close();
});

test('a forced rebuild does not pay again', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open();
  await memory.backend.sync({});
  const before = textsSent(fake).length;
  const { embedding, rebuild } = await memory.backend.sync({ force: true });
  assert.is(rebuild?.reason, 'forced');
  assert.equal([embedding?.embedded, embedding?.pending], [0, 0]);
  assert.is(textsSent(fake).length, before);
  assert.is(pathsOf(await memory.backend.search({ query: 'vehicle' }))[0], 'memory/car.md');
  await memory.backend.close();
});

test('a run that fails halfway keeps paid vectors, and the next one continues from there', async ({
  fake,
}) => {
  const notes = semanticMemory(fake);
  for (let n = 0; n < MANY; n++)
    notes.folder.write(`memory/n${n}.md`, `# Note ${n}\n\nAbout thing ${n}.\n`);
  const memory = await notes.open();
  let stored = 0;
  const failed = await memory.backend.sync({
    onEvent: (event) => {
      if (event.type !== 'embed.stored') return;
      stored += event.passages;
      fake.trouble('quota_spent');
    },
  });
  assert.is(failed.embedding?.failure?.code, 'PROVIDER_QUOTA');
  assert.ok(stored > 0 && stored < MANY, `${stored} were stored`);
  assert.is(failed.embedding?.embedded, stored);
  fake.trouble(undefined);
  const rest = await memory.backend.sync({});
  assert.is(rest.embedding?.embedded, MANY - stored);
  await memory.backend.close();
});

test('stopping is not a failure and keeps what is done', async ({ fake }) => {
  const notes = semanticMemory(fake);
  for (let n = 0; n < 600; n++)
    notes.folder.write(`memory/n${n}.md`, `# Note ${n}\n\nAbout thing ${n}.\n`);
  const memory = await notes.open();
  const controller = new AbortController();
  const stopped = await memory.backend.sync({
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === 'embed.stored') controller.abort(new Error('enough'));
    },
  });
  assert.is(stopped.outcome, 'stopped');
  const rest = await memory.backend.sync({});
  assert.ok((rest.embedding?.embedded ?? 600) < 600);
  assert.is(rest.embedding?.pending, 0);
  await memory.backend.close();
});

test("without the cache the old model's vectors are dropped; with it, switching back is free", async ({
  fake,
}) => {
  for (const enabled of [false, true]) {
    const notes = semanticMemory(fake, NOTES);
    const settings = { cache: { enabled } };
    const run = async (model: string): Promise<number | undefined> => {
      const memory = await notes.open({ ...settings, model });
      const { embedding } = await memory.backend.sync({});
      await memory.backend.close();
      return embedding?.embedded;
    };
    assert.is(await run('text-embedding-3-small'), 3);
    assert.is(await run('text-embedding-3-large'), 3);
    assert.is(await run('text-embedding-3-small'), enabled ? 0 : 3);
  }
});

test('the cache keeps vectors of removed text, up to its limit', async ({ fake }) => {
  const notes = semanticMemory(fake, NOTES);
  const cache = { enabled: true, maxEntries: 1 };
  const memory = await notes.open({ cache });
  await memory.backend.sync({});
  notes.folder.write('memory/car.md', 'short\n');
  await memory.backend.sync({});
  notes.folder.write('memory/car.md', NOTES['car.md']);
  assert.is((await memory.backend.sync({})).embedding?.embedded, 0);
  await memory.backend.close();
});

test('the fallback takes over when the provider fails, and its vectors stay apart', async ({
  fake,
  other,
}) => {
  const notes = semanticMemory(fake, NOTES);
  const withFallback = () => openWithFallback(notes.home, notes.folder.path, fake, other);
  fake.trouble('key_refused');
  const memory = await withFallback();
  const { embedding } = await memory.backend.sync({});
  assert.is(embedding?.provider, 'spare');
  assert.is(embedding?.embedded, 3);
  assert.is(embedding?.insteadOf?.failure.code, 'PROVIDER_AUTH');
  const found = await memory.backend.search({ query: 'vehicle' });
  assert.is(found.provider, 'spare');
  assert.is(pathsOf(found)[0], 'memory/car.md');
  assert.ok(warningCodes(found).includes('PROVIDER_FALLBACK'));
  await memory.backend.close();

  fake.trouble(undefined);
  const again = await withFallback();
  assert.is((await again.backend.sync({})).embedding?.provider, 'openai');
  assert.is((await again.backend.search({ query: 'vehicle' })).provider, 'openai');
  const opened = openIndex(again.agent.memorySearch.store.path, 'read');
  if (opened.state !== 'ready') throw new Error(opened.state);
  const spaces = await opened.index.vectorSpaces();
  assert.equal(spaces.map(({ dimensions }) => dimensions).sort(), [128, 96].sort());
  opened.index.close();
  await again.backend.close();

  fake.trouble('key_refused');
  const third = await withFallback();
  assert.is((await third.backend.search({ query: 'vehicle' })).provider, 'spare');
  await third.backend.close();
});

test('the fallback takes over when the vector of a query has another length than the index', async ({
  other,
}) => {
  let size = 96;
  const fake = await startOpenAiFake({ vectorOf: (text) => meaningOf(text, size) });
  const notes = semanticMemory(fake, NOTES);
  const memory = await openWithFallback(notes.home, notes.folder.path, fake, other);
  await memory.backend.sync({});
  await memory.backend.close();
  // The server has another model of the same name now.
  size = 64;
  const later = await openWithFallback(notes.home, notes.folder.path, fake, other);
  const found = await later.backend.search({ query: 'vehicle' });
  assert.equal([found.mode, found.provider], ['hybrid', 'spare']);
  assert.is(pathsOf(found)[0], 'memory/car.md');
  assert.ok(warningCodes(found).includes('PROVIDER_FALLBACK'));
  await later.backend.close();
  await fake.close();
});

test('a fallback that is the detected provider itself is not tried after it', async ({ fake }) => {
  const openai = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const notes = semanticMemory(fake, NOTES, { models: { providers: { openai } } });
  const memory = await notes.open({ provider: 'auto', remote: {}, fallback: 'openai' });
  fake.trouble('key_refused');
  const { embedding } = await memory.backend.sync({});
  assert.equal([embedding?.failure?.code, embedding?.insteadOf], ['PROVIDER_AUTH', undefined]);
  assert.is(fake.requests.length, 1);
  await memory.backend.close();
});

test('a key that was refused is read again, and a new one is used without a restart', async ({
  fake,
}) => {
  const secrets = tempFolder();
  const path = secrets.write('key', 'sk-replaced-0123456789');
  chmodSync(path, 0o600);
  const provider = { source: 'file', path, mode: 'singleValue' };
  const config = { secrets: { providers: { vault: provider } } };
  const apiKey = { source: 'file', provider: 'vault', id: 'value' };
  const notes = semanticMemory(fake, NOTES, config);
  const memory = await notes.open({ remote: { baseUrl: `${fake.origin}/v1`, apiKey } });
  assert.is((await memory.backend.sync({})).embedding?.failure?.code, 'PROVIDER_AUTH');
  secrets.write('key', OPENAI_KEY);
  assert.is((await memory.backend.sync({})).embedding?.embedded, 3);
  await memory.backend.close();
});

test('a login is used without a restart', async () => {
  const copilot = await startCopilotFake();
  const home = tempFolder();
  home.write('workspace/memory/car.md', NOTES['car.md']);
  const agents = { defaults: { memorySearch: { provider: 'github-copilot' } } };
  const configFile = home.write('svc.json', JSON.stringify({ agents }));
  const memory = await openMemory(contextOf(home.path), { kind: 'agent' }, { configFile });
  try {
    assert.is((await memory.backend.sync({})).embedding?.failure?.code, 'PROVIDER_AUTH');
    storeLogin(home.path, { token: GITHUB_TOKEN, apiUrl: `${copilot.origin}/api/v3` });
    assert.is((await memory.backend.sync({})).embedding?.embedded, 1);
  } finally {
    await memory.backend.close();
    await copilot.close();
  }
});

test('a search falls back even when only the provider has embedded passages so far', async ({
  fake,
  other,
}) => {
  const notes = semanticMemory(fake, NOTES);
  const open = () => openWithFallback(notes.home, notes.folder.path, fake, other);
  const memory = await open();
  assert.is((await memory.backend.sync({})).embedding?.provider, 'openai');
  await memory.backend.close();
  fake.trouble('key_refused');
  const later = await open();
  const found = await later.backend.search({ query: 'vehicle' });
  assert.equal([found.mode, found.provider], ['hybrid', 'spare']);
  assert.is(pathsOf(found)[0], 'memory/car.md');
  assert.ok(warningCodes(found).includes('PROVIDER_FALLBACK'));
  await later.backend.close();
});

async function openWithFallback(
  home: string,
  workspace: string,
  fake: FakeVendor,
  spare: FakeVendor,
) {
  const configFile = join(home, 'svc.json');
  const entry = { api: 'openai', baseUrl: `${spare.origin}/v1`, apiKey: OPENAI_KEY };
  const memorySearch = { ...openAiSearchSettings(fake), fallback: 'spare' };
  const config = {
    models: { providers: { spare: entry } },
    agents: { defaults: { workspace, memorySearch } },
  };
  writeFileSync(configFile, JSON.stringify(config));
  return openMemory(contextOf(home), { kind: 'agent' }, { configFile });
}

test('if the provider is down, keyword search answers with a warning', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open();
  await memory.backend.sync({});
  fake.trouble('key_refused');
  const response = await memory.backend.search({ query: 'piano tuned' });
  assert.is(response.mode, 'lexical');
  assert.is(pathsOf(response)[0], 'memory/piano.md');
  assert.ok(warningCodes(response).includes('PROVIDER_UNAVAILABLE'));
  const before = fake.requests.length;
  await memory.backend.search({ query: 'bread' });
  assert.is(fake.requests.length, before, 'the next search does not try again at once');
  await memory.backend.close();
});

test('a search that lacks only vectors does not wait for another writer', async ({ fake }) => {
  const notes = semanticMemory(fake, NOTES);
  const indexFile = join(notes.home, 'index.sqlite');
  const { backend } = await notes.open({ store: { path: indexFile } });
  await backend.sync({ embeds: false });
  const lock = await acquireIndexLock(indexFile, { nowMs: 0, waitMs: 0 });
  const events: SyncEvent['type'][] = [];
  const onEvent = ({ type }: SyncEvent): number => events.push(type);
  const found = await backend.search({ query: 'piano' }, { onEvent });
  assert.equal([pathsOf(found), found.mode, events], [['memory/piano.md'], 'lexical', []]);
  lock?.release();
  const next = await backend.search({ query: 'piano' });
  assert.is(next.mode, 'hybrid');
  await backend.close();
});

test('a passage that the provider refuses affects no other, and is sent once', async ({ fake }) => {
  const notes = semanticMemory(fake, { ...NOTES, 'odd.md': 'Something unspeakable.\n' });
  fake.refuse((text) => text.includes('unspeakable'));
  const memory = await notes.open();
  const { embedding } = await memory.backend.sync({});
  assert.equal([embedding?.embedded, embedding?.refused, embedding?.pending], [3, 1, 0]);
  const before = fake.requests.length;
  assert.is((await memory.backend.sync({})).embedding?.refused, 0);
  assert.is(fake.requests.length, before);
  const found = await memory.backend.search({ query: 'something' });
  assert.equal([found.mode, pathsOf(found)[0]], ['hybrid', 'memory/odd.md']);
  assert.equal(found.warnings, []);
  await memory.backend.sync({ force: true });
  assert.ok(fake.requests.length > before, 'a forced rebuild tries it again');
  await memory.backend.close();
});

test('phrases and excluded words also apply to semantic results', async ({ fake }) => {
  const memory = await semanticMemory(fake, {
    ...NOTES,
    'taxi.md': '# Taxi\n\nThe automobile of the taxi driver.\n',
  }).open();
  const paths = async (query: string) =>
    pathsOf(await memory.backend.search({ query, minScore: 0 }));
  assert.ok((await paths('vehicle')).includes('memory/taxi.md'));
  assert.not.ok((await paths('vehicle -taxi')).includes('memory/taxi.md'));
  assert.equal(await paths('vehicle "serviced in May"'), ['memory/car.md']);
  await memory.backend.close();
});

test('with hybrid search off, vectors alone answer', async ({ fake }) => {
  const query = { hybrid: { enabled: false } };
  const memory = await semanticMemory(fake, NOTES).open({ query });
  const response = await memory.backend.search({ query: 'vehicle' });
  assert.is(response.mode, 'vector');
  assert.is(response.results[0]?.textScore, undefined);
  assert.ok((response.results[0]?.vectorScore ?? 0) > 0);
  await memory.backend.close();
});

test('a configured minimum score applies in every mode', async ({ fake }) => {
  const notes = semanticMemory(fake, NOTES);
  for (const settings of [{}, { provider: 'none' }, { hybrid: { enabled: false } }]) {
    const { hybrid, ...search } = { hybrid: undefined, ...settings };
    for (const minScore of [0.05, 0.2, 0.5, 1]) {
      const query = { minScore, ...(hybrid === undefined ? {} : { hybrid }) };
      const memory = await notes.open({ ...search, query });
      const { results, belowMinScore } = await memory.backend.search({ query: 'piano automobile' });
      for (const { score } of results) assert.ok(score >= minScore, `${score} of ${minScore}`);
      if (minScore === 1) assert.ok(results.length === 0 && belowMinScore > 0);
      await memory.backend.close();
    }
  }
});

test('an explanation adds up to the score', async ({ fake }) => {
  const query = {
    hybrid: { temporalDecay: { enabled: true, halfLifeDays: 30 }, mmr: { enabled: true } },
  };
  const memory = await semanticMemory(fake, {
    ...NOTES,
    '2020-01-01.md': '# Day\n\nThe automobile broke down.\n',
  }).open({ query });
  const { results } = await memory.backend.search({
    query: 'automobile',
    explain: true,
    minScore: 0,
  });
  assert.ok(results.length >= 2);
  for (const { score, textScore = 0, vectorScore = 0, explanation, path } of results) {
    const { textShare, vectorShare, decay, similarity } = explanation ?? {};
    assert.equal([textShare, vectorShare], [0.3, 0.7]);
    const both = (1 - (1 - textScore) * (1 - vectorScore)) * (decay?.factor ?? 1);
    assert.ok(Math.abs(both - score) < 0.001, path);
    assert.is(decay === null, !path.includes('2020'));
    assert.is(typeof similarity, 'number', path);
    assert.ok((explanation?.diversity?.placeBefore ?? 0) >= 1);
  }
  await memory.backend.close();
});

test('a long passage is found by the lines that answer, and is paid for once', async ({ fake }) => {
  const filler = Array.from({ length: 24 }, (_, n) => `Remark ${n} about bread and its crust.\n`);
  const answer = 'The automobile broke down near the bridge.\n'.repeat(6);
  const day = ['# Day\n\n', ...filler, answer].join('');
  const memory = await semanticMemory(fake, { ...NOTES, 'day.md': day }).open();
  await memory.backend.sync({});
  const sent = textsSent(fake).filter((text) => /Remark|near the bridge/.test(text));
  assert.is(sent.length, 4);
  assert.equal(sent.join('').match(/Remark/g)?.length, 24);
  const query = 'automobile near a bridge';
  const { results } = await memory.backend.search({ query, minScore: 0 });
  const long = results.find(({ path }) => path === 'memory/day.md');
  assert.ok((long?.vectorScore ?? 0) > 0.15);
  await memory.backend.close();
});

test('passages whose text has a vector already are told apart from those to be embedded', async ({
  fake,
}) => {
  const memory = await semanticMemory(fake, NOTES).open();
  await memory.backend.sync({});
  const started: SyncEvent[] = [];
  const { embedding } = await memory.backend.sync({
    force: true,
    onEvent: (event) => {
      if (event.type === 'embed.started') started.push(event);
    },
  });
  assert.equal([embedding?.embedded, embedding?.known], [0, 3]);
  assert.equal(
    started.map((event) => event.type === 'embed.started' && [event.passages, event.known]),
    [[0, 3]],
  );
  await memory.backend.close();
});

test('keyword search sends no request, neither for the query nor for new passages', async ({
  fake,
}) => {
  const { folder, open } = semanticMemory(fake, NOTES);
  const memory = await open();
  await memory.backend.sync({});
  const sent = textsSent(fake).length;
  folder.write('memory/zebra.md', '# Zebra\n\nA zebra came by.\n');
  // The first indexes the new file, the second finds it without a vector.
  for (let times = 0; times < 2; times++) {
    const quick = await memory.backend.search({ query: 'zebra', lexicalOnly: true });
    assert.equal(
      [quick.mode, pathsOf(quick), quick.warnings],
      ['lexical', ['memory/zebra.md'], []],
    );
    assert.is(textsSent(fake).length, sent);
  }
  assert.is((await memory.backend.search({ query: 'zebra' })).mode, 'hybrid');
  assert.is(textsSent(fake).length, sent + 2);
  await memory.backend.close();
});

test('an invalid filter sends no request', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open();
  await memory.backend.sync({});
  const before = fake.requests.length;
  const where = ['what'];
  const wrong = await failureOf(memory.backend.search({ query: 'piano', filters: { where } }));
  assert.is(wrong.code, 'USAGE');
  assert.is(fake.requests.length, before);
  await memory.backend.close();
});

test('provider "none" uses keyword search and sends no request', async ({ fake }) => {
  const memory = await semanticMemory(fake, NOTES).open({ provider: 'none' });
  assert.is((await memory.backend.sync({})).embedding, undefined);
  const response = await memory.backend.search({ query: 'piano' });
  assert.equal([response.mode, response.provider, response.warnings.length], ['lexical', null, 0]);
  assert.is(fake.requests.length, 0);
  await memory.backend.close();
});

test('an unreadable secret is named, and keyword search still answers', async ({ fake }) => {
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: 'env:NOT_SET_HERE' };
  const memory = await semanticMemory(fake, NOTES).open({ remote });
  const { embedding } = await memory.backend.sync({});
  assert.is(embedding?.failure?.code, 'SECRET_UNRESOLVED');
  assert.match(embedding?.failure?.message ?? '', 'NOT_SET_HERE');
  assert.is(pathsOf(await memory.backend.search({ query: 'piano' }))[0], 'memory/piano.md');
  await memory.backend.close();
});

test('an endpoint whose vectors change their length is named, and keyword search still answers', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, NOTES);
  const memory = await notes.open();
  await memory.backend.sync({});
  await memory.backend.close();
  const { port } = new URL(fake.origin);
  await fake.close();
  const changed = await startOpenAiFake({ dimensions: 64, port: Number(port) });
  try {
    const later = await notes.open();
    const found = await later.backend.search({ query: 'piano' });
    assert.is(found.mode, 'lexical');
    assert.ok(warningCodes(found).includes('PROVIDER_UNAVAILABLE'));
    notes.folder.write('memory/new.md', 'Something new.\n');
    const { embedding } = await later.backend.sync({});
    assert.is(embedding?.failure?.code, 'PROVIDER_ANSWER_INVALID');
    await later.backend.close();
  } finally {
    await changed.close();
  }
});

test.run();
