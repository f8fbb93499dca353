import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddingStatus } from '../../../../src/engine/memory/embedding-status.js';
import { openIndex } from '../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import type { OpenedMemory } from '../../../../src/engine/memory/open-memory.js';
import type { SearchResponse } from '../../../../src/engine/memory/search/types.js';
import type { SyncSummary } from '../../../../src/engine/memory/sync/events.js';
import { MemoryWatcher } from '../../../../src/engine/memory/watch/memory-watcher.js';
import { watchTargetOf } from '../../../../src/engine/memory/watch/watch-events.js';
import { OPENAI_KEY, type OpenAiFake, startOpenAiFake } from '../../../fakes/openai.js';
import { pathsOf, warningCodes } from '../../../support/memory.js';
import { rawDatabase } from '../../../support/raw-database.js';
import {
  type SemanticMemory,
  semanticMemory,
  textsSent,
} from '../../../support/semantic-memory.js';
import { waitFor } from '../../../support/wait.js';

const test = suite<{ fake: OpenAiFake }>('embedding again');

test.before.each(async (context) => {
  context.fake = await startOpenAiFake({ dimensions: 128 });
});
test.after.each(({ fake }) => fake.close());

/** More than two searches embed, and fewer than three do. */
const NOTES = 600;
/** What one search embeds at most. */
const A_PART = 256;

const SMALL = 'text-embedding-3-small';
const LARGE = 'text-embedding-3-large';

function manyNotes(fake: OpenAiFake): SemanticMemory {
  const notes = semanticMemory(fake, {
    'car.md': '# Car\n\nThe automobile was serviced in May.\n',
  });
  for (let n = 1; n < NOTES; n++) {
    notes.folder.write(`memory/n${n}.md`, `# Note ${n}\n\nAbout thing ${n}.\n`);
  }
  return notes;
}

async function indexed(notes: SemanticMemory, settings: Readonly<Record<string, unknown>> = {}) {
  const memory = await notes.open(settings);
  await memory.backend.sync({});
  await memory.backend.close();
}

/** Texts that a search sent besides its question. */
async function searching(
  fake: OpenAiFake,
  memory: OpenedMemory,
): Promise<{ readonly sent: number; readonly response: SearchResponse }> {
  const before = textsSent(fake).length;
  const response = await memory.backend.search({ query: 'vehicle' });
  return {
    response,
    sent: textsSent(fake)
      .slice(before)
      .filter((text) => text !== 'vehicle').length,
  };
}

async function spacesOf(memory: OpenedMemory): Promise<readonly number[]> {
  const opened = openIndex(memory.agent.memorySearch.store.path, 'read');
  if (opened.state !== 'ready') throw new Error(opened.state);
  const spaces = await opened.index.vectorSpaces();
  opened.index.close();
  return spaces.map(({ chunks }) => chunks);
}

for (const [what, before, after] of [
  ['model', { model: SMALL }, { model: LARGE }],
  ['outputDimensionality', { outputDimensionality: 96 }, { outputDimensionality: 64 }],
] as const) {
  test(`a changed ${what}: each search re-embeds a part, and the earlier vectors answer`, async ({
    fake,
  }) => {
    const notes = manyNotes(fake);
    await indexed(notes, before);
    const memory = await notes.open(after);
    const first = await searching(fake, memory);
    assert.is(first.sent, A_PART);
    assert.equal([first.response.mode, pathsOf(first.response)[0]], ['hybrid', 'memory/car.md']);
    assert.is(first.response.model, SMALL);
    assert.equal(warningCodes(first.response), ['EMBEDDINGS_PENDING']);
    assert.match(first.response.warnings[0]?.message ?? '', String(NOTES - A_PART));
    assert.is((await searching(fake, memory)).sent, A_PART);
    const last = await searching(fake, memory);
    assert.is(last.sent, NOTES - 2 * A_PART);
    assert.equal([last.response.mode, last.response.warnings], ['hybrid', []]);
    assert.is(last.response.model, 'model' in after ? after.model : SMALL);
    assert.equal(await spacesOf(memory), [NOTES], 'the earlier vectors are gone');
    assert.is((await searching(fake, memory)).sent, 0);
    await memory.backend.close();
  });
}

test('vectors of an earlier model count as cached, if there is a cache', async ({ fake }) => {
  const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'tea.md': 'Green tea.\n' });
  for (const enabled of [true, false]) {
    await indexed(notes, { model: SMALL, cache: { enabled } });
    const memory = await notes.open({ model: LARGE, cache: { enabled } });
    await memory.backend.sync({});
    const { coverage } = embeddingStatus(memory, await memory.backend.status());
    assert.equal([coverage.done, coverage.cached], [2, enabled ? 2 : 0]);
    await memory.backend.close();
  }
});

test('a search embeds all pieces of as many passages as it may, and leaves the others', async ({
  fake,
}) => {
  const notes = semanticMemory(fake);
  for (let n = 0; n < A_PART + 40; n++) {
    const line = `What was said about thing ${n}, in about as many letters as a line of a talk has.\n`;
    notes.folder.write(`memory/n${n}.md`, line.repeat(1 + (n % 14)));
  }
  const memory = await notes.open();
  await memory.backend.sync({ embeds: false });
  await searching(fake, memory);
  assert.equal(await spacesOf(memory), [A_PART]);
  await memory.backend.close();
});

test('an index of the previous format is rebuilt without sending any text', async ({ fake }) => {
  const notes = manyNotes(fake);
  for (let n = 0; n < NOTES; n++)
    notes.folder.write(`memory/m${n}.md`, `# More ${n}\n\nAnd ${n}.\n`);
  await indexed(notes);
  const memory = await notes.open();
  const database = rawDatabase(memory.agent.memorySearch.store.path);
  // Codes of vectors were kept otherwise; nothing reads them.
  database.exec(`
    DROP TABLE code_pages;
    CREATE TABLE code_pages (id INTEGER PRIMARY KEY, space_id INTEGER NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE codes (page_id INTEGER PRIMARY KEY, codes BLOB NOT NULL);
    PRAGMA user_version = 5`);
  database.close();
  const before = textsSent(fake).length;
  const { response, sent } = await searching(fake, memory);
  await memory.backend.sync({});
  assert.equal([sent, response.mode, pathsOf(response)[0]], [0, 'hybrid', 'memory/car.md']);
  assert.is(textsSent(fake).length, before + 1);
  assert.equal(await spacesOf(memory), [2 * NOTES]);
  await memory.backend.close();
});

test('a new memory is embedded by searching, too', async ({ fake }) => {
  const memory = await manyNotes(fake).open();
  const { response } = await searching(fake, memory);
  assert.equal([response.mode, warningCodes(response)], ['hybrid', ['EMBEDDINGS_PENDING']]);
  await searching(fake, memory);
  assert.equal((await searching(fake, memory)).response.warnings, []);
  assert.equal(await spacesOf(memory), [NOTES]);
  await memory.backend.close();
});

test('"memory index" finishes what searches began', async ({ fake }) => {
  const notes = manyNotes(fake);
  await indexed(notes, { model: SMALL });
  const memory = await notes.open({ model: LARGE });
  await searching(fake, memory);
  const { embedding } = await memory.backend.sync({});
  assert.equal([embedding?.embedded, embedding?.pending], [NOTES - A_PART, 0]);
  await memory.backend.close();
});

/** Settings with which indexing uses batch jobs. */
function byJobs(fake: OpenAiFake, batch: Readonly<Record<string, unknown>>) {
  return {
    remote: {
      baseUrl: `${fake.origin}/v1`,
      apiKey: OPENAI_KEY,
      batch: { enabled: true, ...batch },
    },
  };
}

test('passages of jobs under way are not embedded by searches, too', async ({ fake }) => {
  const few = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'b.md': 'A boat.\n' });
  for (const notes of [manyNotes(fake), few]) {
    const memory = await notes.open(byJobs(fake, { wait: false }));
    await memory.backend.sync({});
    await memory.backend.search({ query: 'vehicle' });
    assert.is(fake.inlineTexts.filter((text) => text !== 'vehicle').length, 0);
    const { batchJobs } = embeddingStatus(memory, await memory.backend.status());
    assert.is(batchJobs.length, 1);
    await memory.backend.close();
    const other = await notes.open({ ...byJobs(fake, {}), model: 'text-embedding-3-large' });
    const status = embeddingStatus(other, await other.backend.status());
    assert.equal([status.batchJobs, status.otherJobs], [[], 1]);
    await other.backend.close();
  }
});

test('a search explains which passages wait for a job', async ({ fake }) => {
  const hint = 'a batch job is embedding them; "svc memory index" collects what is ready';
  for (const areSomeEmbedded of [true, false]) {
    const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n' });
    if (areSomeEmbedded) await indexed(notes);
    for (let at = 0; at < 60; at++) notes.folder.write(`memory/n${at}.md`, `Note ${at}.\n`);
    const memory = await notes.open(byJobs(fake, { wait: false }));
    await memory.backend.sync({});
    const { warnings } = await memory.backend.search({ query: 'vehicle' });
    assert.equal(
      warnings.map((warning) => [warning.code, warning.hint]),
      [['EMBEDDINGS_PENDING', hint]],
    );
    await memory.backend.close();
  }
});

test('a job of another model is not named as what embeds the passages', async ({ fake }) => {
  const notes = manyNotes(fake);
  await indexed(notes, byJobs(fake, { wait: false }));
  const memory = await notes.open({ ...byJobs(fake, {}), model: LARGE });
  const { warnings } = await memory.backend.search({ query: 'vehicle' });
  await memory.backend.close();
  assert.equal(
    warnings.map((warning) => [warning.code, warning.hint]),
    [['EMBEDDINGS_PENDING', 'run "svc memory index" to embed them']],
  );
});

test('after batches were turned off, searches leave passages of jobs alone, and the next run ends the jobs', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'b.md': 'A boat.\n' });
  await indexed(notes, byJobs(fake, { wait: false }));
  const off = byJobs(fake, { enabled: false, pollIntervalMs: 1 });
  const memory = await notes.open(off);
  await memory.backend.search({ query: 'vehicle' });
  await memory.backend.close();
  assert.equal(fake.inlineTexts, []);
  await indexed(notes, off);
  assert.equal([fake.batch.jobs[0]?.status, fake.batch.files.size], ['cancelled', 0]);
});

test('a job whose texts are gone is collected without waiting for it', async ({ fake }) => {
  const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'b.md': 'A boat.\n' });
  await indexed(notes, byJobs(fake, { wait: false }));
  for (const name of ['car.md', 'b.md']) rmSync(notes.folder.at(`memory/${name}`));
  fake.batch.paused = true;
  await indexed(notes, byJobs(fake, {}));
  assert.is(fake.batch.files.size, 1);
  fake.batch.finishAll();
  await indexed(notes, byJobs(fake, {}));
  assert.is(fake.batch.files.size, 0);
});

test('a watcher indexes changes while a batch job is running, and collects it later', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'b.md': 'A boat.\n' });
  fake.batch.paused = true;
  const memory = await notes.open(byJobs(fake, { pollIntervalMs: 1 }));
  const synced: SyncSummary[] = [];
  const watcher = new MemoryWatcher(watchTargetOf(memory, false), {
    clock: { now: Date.now },
    timing: { pendingMs: 1 },
    onEvent: (event) => {
      if (event.type === 'synced') synced.push(event.summary);
    },
  });
  await watcher.start();
  notes.folder.write('memory/c.md', 'A bicycle.\n');
  await waitFor('the new note', () => synced.some(({ added }) => added === 1));
  assert.equal(fake.batch.paid, []);
  fake.batch.paused = false;
  await waitFor('all vectors', () => synced.at(-1)?.embedding?.pending === 0);
  await watcher.close();
  assert.equal([...fake.inlineTexts, ...fake.batch.paid].toSorted(), [
    'A bicycle.',
    'A boat.',
    'The automobile.',
  ]);
  await memory.backend.close();
});

test('a fallback at the same address leaves the jobs of the provider alone', async ({ fake }) => {
  const baseUrl = `${fake.origin}/v1`;
  const second = { api: 'openai', baseUrl, apiKey: OPENAI_KEY };
  const notes = semanticMemory(
    fake,
    { 'car.md': 'The automobile.\n' },
    { models: { providers: { second } } },
  );
  const settings = { ...byJobs(fake, { wait: false }), fallback: 'second' };
  fake.batch.paused = true;
  await indexed(notes, settings);
  await indexed(notes, { ...settings, remote: { ...settings.remote, apiKey: 'sk-refused' } });
  assert.equal(fake.inlineTexts, ['The automobile.']);
  assert.equal(
    fake.requests.filter(({ path, method }) => path.endsWith('/cancel') || method === 'DELETE'),
    [],
  );
});

test('a job embeds a new index of any size, and inline requests a few changes', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n', 'b.md': 'A boat.\n' });
  const settings = byJobs(fake, { pollIntervalMs: 1 });
  await indexed(notes, settings);
  const sent = (): readonly number[] => [fake.batch.jobs.length, fake.inlineTexts.length];
  assert.equal(
    [fake.batch.paid.toSorted(), sent()],
    [
      ['A boat.', 'The automobile.'],
      [1, 0],
    ],
  );
  notes.folder.write('memory/c.md', 'A bicycle.\n');
  await indexed(notes, settings);
  assert.equal(sent(), [1, 1]);
  await indexed(notes, { ...settings, model: LARGE });
  assert.equal(sent(), [2, 1]);
});

test('without usable vectors, keyword search answers with a warning', async ({ fake }) => {
  const notes = manyNotes(fake);
  await indexed(notes);
  const elsewhere = await startOpenAiFake({ dimensions: 128 });
  try {
    elsewhere.trouble('overloaded');
    const memory = await notes.open({
      remote: { baseUrl: `${elsewhere.origin}/v1`, apiKey: 'sk-test-openai-0123456789' },
    });
    const response = await memory.backend.search({ query: 'automobile' });
    assert.equal([response.mode, pathsOf(response)[0]], ['lexical', 'memory/car.md']);
    assert.equal(warningCodes(response), ['PROVIDER_UNAVAILABLE']);
    await memory.backend.close();
  } finally {
    await elsewhere.close();
  }
});

test('going back to a model whose vectors are in the cache costs one search and no text', async ({
  fake,
}) => {
  const notes = manyNotes(fake);
  const cache = { enabled: true };
  await indexed(notes, { model: SMALL, cache });
  await indexed(notes, { model: LARGE, cache });
  const memory = await notes.open({ model: SMALL, cache });
  const { response, sent } = await searching(fake, memory);
  assert.equal([sent, response.mode, response.model, response.warnings], [0, 'hybrid', SMALL, []]);
  await memory.backend.close();
});

test('a forced re-embedding sends every passage again, with the cache none that is unchanged', async ({
  fake,
}) => {
  for (const enabled of [false, true]) {
    const notes = semanticMemory(fake, { 'a.md': 'Alpha.\n', 'b.md': 'Beta.\n' });
    const memory = await notes.open({ cache: { enabled } });
    await memory.backend.sync({});
    for (let times = 0; times < 2; times++) {
      const sentBefore = fake.requests.length;
      const { embedding } = await memory.backend.sync({ force: true, reembeds: true });
      const [embedded, known] = enabled ? [0, 2] : [2, 0];
      assert.equal(
        [embedding?.embedded, embedding?.known, embedding?.pending],
        [embedded, known, 0],
      );
      assert.is(fake.requests.length > sentBefore, !enabled);
      assert.equal(await spacesOf(memory), [2]);
    }
    await memory.backend.close();
  }
});

test('a forced re-embedding that fails leaves the earlier vectors answering', async ({ fake }) => {
  const notes = manyNotes(fake);
  await indexed(notes);
  const memory = await notes.open();
  fake.trouble('quota_spent');
  for (let times = 0; times < 2; times++) {
    const { embedding } = await memory.backend.sync({ force: true, reembeds: true });
    assert.equal([embedding?.failure?.code, embedding?.pending], ['PROVIDER_QUOTA', NOTES]);
  }
  fake.trouble(undefined);
  await memory.backend.close();
  const later = await notes.open();
  const { response, sent } = await searching(fake, later);
  assert.is(sent, A_PART);
  assert.equal([response.mode, pathsOf(response)[0]], ['hybrid', 'memory/car.md']);
  assert.equal(warningCodes(response), ['EMBEDDINGS_PENDING']);
  assert.is((await later.backend.sync({})).embedding?.embedded, NOTES - A_PART);
  assert.equal(await spacesOf(later), [NOTES]);
  await later.backend.close();
});

test('a provider that hangs holds a search for query.timeoutSeconds, and is named with the key', async ({
  fake,
}) => {
  const notes = semanticMemory(fake, { 'a.md': 'The automobile.\n' });
  await indexed(notes);
  const query = { timeoutSeconds: 0.3 };
  // The question alone, and a question with a new passage on its way.
  for (const isNew of [false, true]) {
    if (isNew) notes.folder.write('memory/b.md', 'Another automobile.\n');
    const memory = await notes.open({ query });
    fake.trouble('slow');
    const response = await memory.backend.search({ query: 'automobile' });
    assert.is(response.mode, 'lexical');
    assert.ok(pathsOf(response).includes('memory/a.md'));
    assert.equal(warningCodes(response), ['PROVIDER_UNAVAILABLE']);
    const { message, hint } = response.warnings[0] ?? { message: '' };
    assert.match(message, 'no answer within 0.3 s');
    assert.match(hint ?? '', 'memorySearch.query.timeoutSeconds');
    fake.trouble(undefined);
    await memory.backend.close();
  }
});

test('time limits may be any fraction of a second', async ({ fake }) => {
  const notes = semanticMemory(fake, { 'a.md': 'The automobile.\n' });
  const memory = await notes.open({
    query: { timeoutSeconds: 30.0001 },
    sync: { embeddingBatchTimeoutSeconds: 30.00005 },
  });
  const response = await memory.backend.search({ query: 'automobile' });
  assert.equal([response.mode, warningCodes(response)], ['hybrid', []]);
  await memory.backend.close();
});

for (const onSearch of [true, false]) {
  const when = onSearch ? 'before a search' : 'for a query';
  test(`a damaged index that shows when vectors are counted ${when} is made again`, async ({
    fake,
  }) => {
    const notes = semanticMemory(fake, { 'car.md': 'The automobile.\n' });
    await indexed(notes);
    const memory = await notes.open({ sync: { onSearch } });
    const database = rawDatabase(memory.agent.memorySearch.store.path);
    database.exec('DROP TABLE refused_contents; UPDATE spaces SET whole_to = 0');
    database.close();
    const response = await memory.backend.search({ query: 'vehicle' });
    assert.equal([response.mode, warningCodes(response)], ['hybrid', ['INDEX_REBUILT']]);
    await memory.backend.close();
  });
}

test.run();
