import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askMemory } from '../../../../src/engine/eval/ask-memory.js';
import { parseQuestions } from '../../../../src/engine/eval/question-file.js';
import { openIndex } from '../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import type { SearchResponse } from '../../../../src/engine/memory/search/index.js';
import type { SyncEvent, SyncSummary } from '../../../../src/engine/memory/sync/index.js';
import { MemoryWatcher } from '../../../../src/engine/memory/watch/memory-watcher.js';
import {
  type WatchEvent,
  watchTargetOf,
} from '../../../../src/engine/memory/watch/watch-events.js';
import { deferred } from '../../../../src/engine/support/async.js';
import {
  type HangingEmbeddings,
  startHangingEmbeddings,
} from '../../../fakes/hanging-embeddings.js';
import { OPENAI_KEY, startOpenAiFake } from '../../../fakes/openai.js';
import { failureOf } from '../../../support/failure.js';
import { pathsOf, warningCodes } from '../../../support/memory.js';
import { semanticMemory } from '../../../support/semantic-memory.js';
import { waitFor } from '../../../support/wait.js';

interface Context {
  vendor: HangingEmbeddings;
}

const test = suite<Context>('an index whose passages are being embedded');

const SLOW = 'The tortoise takes its time.';

test.before.each(async (context) => {
  context.vendor = await startHangingEmbeddings(SLOW);
});
test.after.each(async ({ vendor }) => vendor.close());

/** A memory that two processes have open, of which one embeds until the vendor answers. */
async function embeddingMemory(
  vendor: HangingEmbeddings,
  others: Readonly<Record<string, string>> = {},
) {
  const notes = semanticMemory(vendor, { ...others, 'slow.md': SLOW });
  const [embedder, other] = [await notes.open(), await notes.open()];
  const syncing = embedder.backend.sync({});
  await vendor.whenAsked;
  const close = async (): Promise<void> => {
    await embedder.backend.close();
    await other.backend.close();
  };
  return { notes, embedder, other, syncing, close };
}

test('has what changes meanwhile at once, for every process, and then its vectors', async ({
  vendor,
}) => {
  const { notes, embedder, other, syncing, close } = await embeddingMemory(vendor, {
    'old.md': 'The ferry sails.',
  });
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  const inOther = await other.backend.search({ query: 'zebra' });
  // Not that the index is out of date.
  const lacksVectors = ['EMBEDDINGS_PENDING'];
  assert.equal([pathsOf(inOther)[0], warningCodes(inOther)], ['memory/new.md', lacksVectors]);
  notes.folder.write('memory/newer.md', 'The heron waits.');
  const hintOf = ({ warnings }: SearchResponse) => warnings.map(({ hint }) => hint);
  assert.equal(hintOf(inOther), ['being embedded now']);
  const inOwn = await embedder.backend.search({ query: 'heron' });
  assert.equal([pathsOf(inOwn)[0], warningCodes(inOwn)], ['memory/newer.md', lacksVectors]);
  rmSync(notes.folder.at('memory/old.md'));
  const { removed } = await other.backend.sync({ embeds: false });
  assert.is(removed, 1);
  vendor.answer();
  const { embedding } = await syncing;
  assert.equal([embedding?.embedded, embedding?.pending], [4, 0]);
  await close();
});

test('is searched by keyword while it only has vectors of another provider, which a warning says', async ({
  vendor,
}) => {
  const notes = semanticMemory(vendor, { 'slow.md': SLOW });
  const fake = await startOpenAiFake();
  const remote = { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY };
  const earlier = await notes.open({ remote });
  await earlier.backend.sync({});
  await earlier.backend.close();
  await fake.close();
  const [embedder, other] = [await notes.open(), await notes.open()];
  const syncing = embedder.backend.sync({});
  await vendor.whenAsked;
  const { mode, warnings } = await other.backend.search({ query: 'tortoise' });
  const message =
    'keyword search only: the vectors in the index are from another provider or model';
  assert.equal([mode, warnings.map((warning) => warning.message)], ['lexical', [message]]);
  vendor.answer();
  await syncing;
  await embedder.backend.close();
  await other.backend.close();
});

test('is left to the process that embeds, by one that has waited long enough', async ({
  vendor,
}) => {
  const { notes, other, syncing, close } = await embeddingMemory(vendor);
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  const { added, embedding, warnings = [] } = await other.backend.sync({ embedWaitMs: 10 });
  assert.equal(
    [added, embedding, warnings.map(({ code }) => code)],
    [1, undefined, ['EMBEDDINGS_PENDING']],
  );
  vendor.answer();
  const all = await syncing;
  assert.equal([all.embedding?.embedded, all.embedding?.pending], [2, 0]);
  await close();
});

test('has what a process has mirrored that was stopped while it waited to embed', async ({
  vendor,
}) => {
  const { notes, other, syncing, close } = await embeddingMemory(vendor);
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  const stopping = new AbortController();
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'lock.waiting') stopping.abort();
  };
  const { outcome, added } = await other.backend.sync({ signal: stopping.signal, onEvent });
  assert.equal([outcome, added], ['stopped', 1]);
  vendor.answer();
  await syncing;
  await close();
});

test('is evaluated only afterwards, with all vectors', async ({ vendor }) => {
  const { other, syncing, close } = await embeddingMemory(vendor);
  const sync: typeof other.backend.sync = (request) => {
    return other.backend.sync({ lockWaitMs: 10, ...request });
  };
  const questions = parseQuestions('{"question": "ferry", "expect": ["memory/slow.md"]}', 'q');
  const options = { maxResults: 1, minScore: 0, signal: AbortSignal.timeout(60_000) };
  const memory = { ...other, backend: { ...other.backend, sync } };
  const asking = askMemory(memory, questions, options);
  // Until it has waited for as long as for other writers.
  await Promise.race([asking, sleep(100)]);
  vendor.answer();
  const [answered] = (await asking).questions;
  assert.equal([answered?.response.mode, answered?.response.warnings], ['hybrid', []]);
  await syncing;
  await close();
});

test('is replaced only afterwards, with all vectors', async ({ vendor }) => {
  const { notes, other, syncing, close } = await embeddingMemory(vendor);
  const refused = await failureOf(other.backend.sync({ force: true, lockWaitMs: 0 }));
  assert.is(refused.code, 'INDEX_LOCKED');
  assert.match(refused.message, 'is embedding the passages of');
  const waiting = deferred<void>();
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'lock.waiting') waiting.resolve();
  };
  const forced = other.backend.sync({ force: true, onEvent });
  await waiting.promise;
  // It keeps nobody else waiting.
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  const third = await notes.open();
  const { added } = await third.backend.sync({ embeds: false, lockWaitMs: 0 });
  assert.is(added, 1);
  await third.backend.close();
  vendor.answer();
  await syncing;
  const { rebuild, embedding } = await forced;
  assert.equal([rebuild?.reason, embedding?.embedded, embedding?.pending], ['forced', 0, 0]);
  await close();
});

test('is searched without delay by a process that embeds many, and by one that waits for it', async ({
  vendor,
}) => {
  const many = Array.from({ length: 300 }, (_, at) => [`${at}.md`, `Ferry ${at} sails.`]);
  const memory = await embeddingMemory(vendor, Object.fromEntries(many));
  const { embedder, other, syncing: embedding, close } = memory;
  const waiting = deferred<void>();
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'lock.waiting') waiting.resolve();
  };
  const syncing = other.backend.sync({ onEvent });
  await waiting.promise;
  for (const { backend } of [embedder, other]) {
    const tookMs: number[] = [];
    for (let searches = 0; searches < 10; searches++) {
      const startedMs = performance.now();
      await backend.search({ query: 'tortoise' });
      tookMs.push(performance.now() - startedMs);
    }
    // Each search waited for so long.
    assert.ok(Math.min(...tookMs) < 250, `${tookMs} ms`);
  }
  vendor.answer();
  await Promise.all([embedding, syncing]);
  await close();
});

test('is kept fresh by the watcher that embeds', async ({ vendor }) => {
  const notes = semanticMemory(vendor, { 'slow.md': SLOW });
  const memory = await notes.open({ sync: { watchDebounceMs: 20 } });
  const synced: SyncSummary[] = [];
  const onEvent = (event: WatchEvent): void => {
    if (event.type === 'synced') synced.push(event.summary);
  };
  const watcher = new MemoryWatcher(watchTargetOf(memory), { clock: { now: Date.now }, onEvent });
  const started = watcher.start();
  await vendor.whenAsked;
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  await waitFor('the new note', () => synced.some(({ added }) => added === 1));
  // The system may report one change as two.
  const embedded = (): SyncSummary[] => synced.filter(({ embedding }) => embedding !== undefined);
  assert.is(embedded().length, 0);
  vendor.answer();
  await started;
  const [first] = embedded();
  assert.equal([first?.embedding?.embedded, first?.embedding?.pending], [2, 0]);
  await watcher.close();
  await memory.backend.close();
});

test('is kept fresh by a watcher that waits, and continues if the other process ends early', async ({
  vendor,
}) => {
  const notes = semanticMemory(vendor, { 'slow.md': SLOW });
  const [embedder, memory] = [
    await notes.open(),
    await notes.open({ sync: { watchDebounceMs: 20 } }),
  ];
  const stop = new AbortController();
  const syncing = embedder.backend.sync({ signal: stop.signal });
  await vendor.whenAsked;
  const events: WatchEvent[] = [];
  const onEvent = (event: WatchEvent): number => events.push(event);
  const watcher = new MemoryWatcher(watchTargetOf(memory), { clock: { now: Date.now }, onEvent });
  const started = watcher.start();
  const waits = ({ event }: { event?: SyncEvent | undefined }) =>
    event?.type === 'lock.waiting' && event.part === 'vectors';
  await waitFor('the wait', () => events.some((one) => one.type === 'progress' && waits(one)));
  notes.folder.write('memory/new.md', 'The zebra crosses.');
  const synced = () => events.flatMap((one) => (one.type === 'synced' ? [one.summary] : []));
  await waitFor('the new note', () => synced().some(({ added }) => added === 1));
  stop.abort();
  assert.is((await syncing).outcome, 'stopped');
  vendor.answer();
  await started;
  const [first] = synced().filter(({ embedding }) => embedding !== undefined);
  assert.equal([first?.embedding?.embedded, first?.embedding?.pending], [2, 0]);
  await watcher.close();
  await embedder.backend.close();
  await memory.backend.close();
});

test('forgets at once, and does not keep the vector of what was forgotten', async ({ vendor }) => {
  const { notes, other, syncing, close } = await embeddingMemory(vendor);
  const forgetting = await other.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'memory/slow.md' }), { fromFile: false });
  const { changed, clean } = await forgetting.store.follow(await forgetting.forgotten());
  assert.equal([changed, clean], [1, true]);
  vendor.answer();
  const { embedding } = await syncing;
  assert.equal([embedding?.embedded, embedding?.pending], [1, 0]);
  await close();
  const index = readFileSync(join(notes.home, 'memory/main.sqlite'), 'latin1');
  assert.not.match(index, 'tortoise');
  const opened = openIndex(join(notes.home, 'memory/main.sqlite'), 'read');
  assert.ok(opened.state === 'ready');
  assert.equal(
    (await opened.index.vectorSpaces()).map(({ chunks, cached }) => [chunks, cached]),
    [[0, 0]],
  );
  opened.index.close();
});

test.run();
