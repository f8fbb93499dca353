import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SyncEvent } from '../../../src/engine/memory/sync/events.js';
import type { EmbeddingEvent } from '../../../src/engine/providers/embedding-event.js';
import {
  batchDone,
  embedDetailWords,
  embedEta,
  embedFraction,
  embedWorkWords,
  providerEventWords,
} from '../../../src/ui/memory/embed-progress.js';
import {
  type PhaseState,
  reduceSync,
  SYNC_PHASES,
  startSyncProgress,
  syncEta,
  syncFraction,
  syncRate,
} from '../../../src/ui/memory/sync-progress.js';
import { aSummary } from './sync-builders.js';

const amount = fc.nat({ max: 1_000_000 });

const aProviderEvent: fc.Arbitrary<EmbeddingEvent> = fc.oneof(
  fc.record({ type: fc.constant('request.finished' as const), tokens: amount }),
  fc.record({ type: fc.constant('rate.limited' as const), waitMs: amount, perSecond: fc.double() }),
  fc.record({
    type: fc.constant('batch.submitted' as const),
    inputs: amount,
    resumed: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('batch.progress' as const),
    job: fc.constantFrom('a', 'b'),
    done: fc.option(amount, { nil: undefined }),
    total: amount,
  }),
  fc.record({
    type: fc.constant('batch.ended' as const),
    job: fc.constantFrom('a', 'b'),
    embedded: amount,
    left: amount,
    why: fc.constant(undefined),
  }),
);

const anEvent: fc.Arbitrary<SyncEvent> = fc.oneof(
  fc.constant<SyncEvent>({ type: 'lock.waiting', holder: { pid: 7, sinceMs: 0 } }),
  fc.record({
    type: fc.constant('scan.finished' as const),
    files: amount,
    bytes: amount,
    filesToIndex: amount,
    workToIndex: amount,
  }),
  fc.constant<SyncEvent>({ type: 'rebuild.started', reason: 'first', detail: '' }),
  fc.record({
    type: fc.constant('document.indexed' as const),
    path: fc.string(),
    work: amount,
    chunks: amount,
  }),
  fc.constant<SyncEvent>({ type: 'document.removed', path: 'a.md', removed: 2, toRemove: 3 }),
  fc.constant<SyncEvent>({ type: 'document.skipped', path: 'a.md', reason: 'vanished' }),
  fc.record({ type: fc.constant('batch.committed' as const), documents: amount }),
  fc.constant<SyncEvent>({ type: 'publish.started' }),
  fc.record({
    type: fc.constant('embed.started' as const),
    provider: fc.constant('openai'),
    model: fc.constant('m'),
    passages: amount,
    known: amount,
  }),
  fc.record({ type: fc.constant('embed.stored' as const), passages: amount }),
  fc.constant<SyncEvent>({ type: 'embed.fallback', from: 'openai', to: 'gemini', why: 'x' }),
  aProviderEvent.map((event): SyncEvent => ({ type: 'embed.provider', event })),
  fc
    .constantFrom('stopped' as const, 'updated' as const)
    .map((outcome): SyncEvent => ({ type: 'sync.finished', summary: aSummary({ outcome }) })),
);

const RANK: Readonly<Record<PhaseState, number>> = { waiting: 0, running: 1, stopped: 2, done: 2 };

test('counts stay consistent for any events in any order, even when the clock goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anEvent, fc.integer({ min: -500, max: 5000 }))), (steps) => {
      let now = 1000;
      let state = startSyncProgress(now);
      for (const [event, passed] of steps) {
        now += passed;
        const before = state;
        state = reduceSync(state, event, now);
        const fraction = syncFraction(state);
        assert.ok(fraction >= 0 && fraction <= 1);
        assert.ok((syncEta(state) ?? 0) >= 0);
        assert.ok((syncRate(state) ?? 0) >= 0);
        assert.ok(state.handled.files <= state.planned.files);
        assert.ok(state.handled.work <= state.planned.work);
        const { embedding } = state;
        if (embedding !== undefined) {
          const part = embedFraction(embedding);
          assert.ok(part >= 0 && part <= 1);
          assert.ok(embedding.done <= embedding.planned);
          const { batch } = embedding;
          if (batch !== undefined) {
            assert.ok(batch.ended <= batch.jobs);
            assert.ok(batchDone(batch) <= batch.inputs);
          }
        }
        assert.ok(state.lastMs >= before.lastMs);
        assert.ok(state.committed >= before.committed);
        assert.ok(state.skipped.first.length <= state.skipped.count);
        for (const phase of SYNC_PHASES) {
          assert.ok(RANK[state.phases[phase]] >= RANK[before.phases[phase]], phase);
          if (RANK[before.phases[phase]] === 2)
            assert.is(state.phases[phase], before.phases[phase]);
        }
      }
    }),
  );
});

const SCAN: SyncEvent = {
  type: 'scan.finished',
  files: 100,
  bytes: 100_000,
  filesToIndex: 40,
  workToIndex: 40_000,
};

function indexed(bytes: number, chunks = 10): SyncEvent {
  return { type: 'document.indexed', path: 'memory/a.md', work: bytes, chunks };
}

test('a rate stays as it was when everything is read, however long the rest takes', () => {
  let state = reduceSync(startSyncProgress(0), SCAN, 0);
  for (let atMs = 500; atMs <= 2000; atMs += 500)
    state = reduceSync(state, indexed(10_000, 100), atMs);
  const before = syncRate(state);
  state = reduceSync(state, { type: 'publish.started' }, 2000);
  state = reduceSync(state, { type: 'batch.committed', documents: 40 }, 60_000);
  assert.equal([before, syncRate(state)], [200, 200]);
});

test('measures rate and time left over the last seconds only', () => {
  let state = reduceSync(startSyncProgress(0), SCAN, 0);
  assert.is(syncRate(state), undefined);
  assert.is(syncEta(state), undefined);
  // A slow second, then faster ones: after the window the slow one is forgotten.
  state = reduceSync(state, indexed(1000), 1000);
  assert.is(syncRate(state), 10);
  assert.is(syncEta(state), 39_000);
  for (let atMs = 1500; atMs <= 6000; atMs += 500)
    state = reduceSync(state, indexed(1000, 100), atMs);
  assert.is(syncRate(state), 200);
  assert.is(syncEta(state), 14_500);
});

test('estimates the time left also if several documents are done at once after a long time', () => {
  const done = (at: number) => ({ ...indexed(1000), path: `${at}.pdf` });
  let state = reduceSync(startSyncProgress(0), SCAN, 0);
  for (const atMs of [10_000, 20_000]) {
    for (let at = 0; at < 5; at++) state = reduceSync(state, done(at), atMs + at);
  }
  assert.is(Math.round((syncEta(state) ?? 0) / 1000), 60);
});

test('measures the speed of whole batches where many documents are counted at once, and then written', () => {
  let state = reduceSync(startSyncProgress(0), SCAN, 0);
  for (const atMs of [4000, 8000, 12_000, 16_000]) {
    for (let at = 0; at < 10; at++) {
      state = reduceSync(state, indexed(100, 100), atMs + at * 30);
      const rate = syncRate(state) ?? 0;
      assert.ok(atMs < 12_000 || (rate > 150 && rate < 300), `${rate} at ${atMs + at * 30}`);
    }
  }
});

test('follows a sync from waiting to the end', () => {
  let state = startSyncProgress(0);
  state = reduceSync(state, { type: 'lock.waiting', holder: undefined }, 1);
  assert.equal(state.waitingFor, { pid: undefined, part: undefined });
  state = reduceSync(state, { type: 'document.skipped', path: 'x', reason: 'symlink' }, 2);
  state = reduceSync(state, SCAN, 3);
  assert.is(state.waitingFor, undefined);
  assert.equal(state.phases, {
    scan: 'done',
    chunk: 'running',
    write: 'waiting',
    embed: 'waiting',
  });
  state = reduceSync(state, { type: 'document.skipped', path: 'y', reason: 'vanished' }, 4);
  assert.equal(state.handled, { files: 1, work: 0 });
  assert.equal(state.skipped.first, [
    { path: 'x', reason: 'symlink' },
    { path: 'y', reason: 'vanished' },
  ]);
  state = reduceSync(state, { type: 'batch.committed', documents: 9 }, 5);
  assert.is(state.committed, 9);
  state = reduceSync(state, { type: 'publish.started' }, 6);
  assert.equal(state.phases, {
    scan: 'done',
    chunk: 'done',
    write: 'running',
    embed: 'waiting',
  });
  assert.is(syncFraction(state), 1);
  state = reduceSync(state, { type: 'sync.finished', summary: aSummary() }, 7);
  assert.equal(state.phases, { scan: 'done', chunk: 'done', write: 'done', embed: 'done' });
});

test('a stop marks finished phases done and the rest stopped', () => {
  let state = reduceSync(startSyncProgress(0), SCAN, 1);
  const summary = aSummary({ outcome: 'stopped' });
  state = reduceSync(state, { type: 'sync.finished', summary }, 2);
  assert.equal(state.phases, {
    scan: 'done',
    chunk: 'stopped',
    write: 'stopped',
    embed: 'stopped',
  });
});

/** The state after these events, a second apart. */
function after(...events: readonly SyncEvent[]) {
  return events.reduce(
    (state, event, at) => reduceSync(state, event, (at + 1) * 1000),
    startSyncProgress(0),
  );
}

function providerEvent(event: EmbeddingEvent): SyncEvent {
  return { type: 'embed.provider', event };
}

const EMBED: SyncEvent = {
  type: 'embed.started',
  provider: 'openai',
  model: 'text-embedding-3-small',
  passages: 1000,
  known: 1920,
};

test('follows embedding: done, cost and remaining', () => {
  const finished = providerEvent({ type: 'request.finished', tokens: 211_600 });
  const limited = providerEvent({ type: 'rate.limited', waitMs: 1000, perSecond: 1 });
  const state = after(SCAN, EMBED, finished, limited, { type: 'embed.stored', passages: 250 });
  assert.equal(
    [state.phases.chunk, state.phases.write, state.phases.embed],
    ['done', 'done', 'running'],
  );
  // A quarter in three seconds.
  assert.is(syncEta(state), 9000);
  assert.ok(state.embedding);
  assert.is(embedWorkWords(state.embedding), 'openai · 1 request');
  assert.is(
    embedDetailWords(state.embedding),
    'cache 1,920 hits · 212k tokens · 429: slowed to 1.0 req/s',
  );
  const later = reduceSync(state, finished, 60_000);
  assert.not.match(later.embedding === undefined ? '' : embedDetailWords(later.embedding), /429/);
});

test('while a model is downloaded, that is what the provider does', () => {
  const wordsFor = (bytes: number, total: number | undefined): string | undefined => {
    const download = { type: 'model.download', bytes, total, bytesPerSecond: 9 } as const;
    const { embedding } = after(SCAN, EMBED, providerEvent(download));
    return embedding && embedWorkWords(embedding);
  };
  assert.is(wordsFor(75e6, 300e6), 'downloading the model · 25 %');
  assert.is(wordsFor(75e6, undefined), 'downloading the model · 75.0 MB');
});

test('nothing to embed is all done, and how long the rest takes is unknown at first', () => {
  const { embedding } = after(SCAN, { ...EMBED, passages: 0 });
  assert.is(embedding && embedFraction(embedding), 1);
  // It began at the second 2.
  const begun = reduceSync(after(SCAN, EMBED), { type: 'embed.stored', passages: 9 }, 2100);
  assert.is(embedEta(begun.embedding, 2100), undefined);
  assert.is(embedEta(begun.embedding, 11_000), 991_000);
});

test('the fallback starts over, and the failed provider is remembered', () => {
  const fallback: SyncEvent = { type: 'embed.fallback', from: 'openai', to: 'gemini', why: 'x' };
  const second = { ...EMBED, provider: 'gemini', known: 0 } as const;
  for (const first of [[EMBED, { type: 'embed.stored', passages: 900 }], []] as const) {
    const { embedding } = after(SCAN, ...first, fallback, second);
    assert.equal([embedding?.provider, embedding?.done], ['gemini', 0]);
    assert.is(embedding && embedDetailWords(embedding), 'instead of openai');
  }
});

test('batch jobs are counted, with their progress as reported by the provider', () => {
  const submitted = providerEvent({ type: 'batch.submitted', inputs: 500, resumed: false });
  const { embedding } = after(
    EMBED,
    submitted,
    submitted,
    providerEvent({ type: 'batch.progress', job: 'b', done: 100, total: 500 }),
    providerEvent({ type: 'batch.ended', job: 'a', embedded: 499, left: 1, why: undefined }),
  );
  assert.ok(embedding);
  assert.is(embedWorkWords(embedding), 'openai · 1 of 2 jobs');
  assert.match(embedDetailWords(embedding), 'batch 599/1,000');
});

test('lines about batch jobs count texts, of which a passage can have several', () => {
  const submitted = { type: 'batch.submitted', job: 'a', inputs: 132, resumed: false } as const;
  assert.is(
    providerEventWords(submitted, 'openai', false),
    'openai: started a batch job of 132 texts',
  );
  assert.is(
    providerEventWords({ ...submitted, resumed: true }, 'openai', false),
    'openai: resumed a batch job of 132 texts',
  );
  const progress = { type: 'batch.progress', job: 'a', done: 40, total: 132 } as const;
  assert.is(providerEventWords(progress, 'openai', false), undefined);
  assert.is(providerEventWords(progress, 'openai', true), 'openai: 40 of 132 of a batch job done');
  const ended = { type: 'batch.ended', job: 'a', embedded: 130, left: 2, why: undefined } as const;
  assert.is(
    providerEventWords(ended, 'openai', false),
    'openai: batch job ended with 130 vectors; 2 left, embedded inline if still needed',
  );
  assert.is(
    providerEventWords({ ...ended, embedded: 132, left: 0 }, 'openai', false),
    'openai: batch job ended with 132 vectors',
  );
});

test('counts every skipped file and keeps only the first ones', () => {
  let state = startSyncProgress(0);
  for (let at = 0; at < 5000; at += 1) {
    state = reduceSync(state, { type: 'document.skipped', path: `${at}`, reason: 'missing' }, at);
  }
  assert.is(state.skipped.count, 5000);
  assert.is(state.skipped.first.length, 20);
});

test.run();
