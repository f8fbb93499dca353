import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SyncEvent } from '../../../src/engine/memory/sync/events.js';
import type { WatchEvent } from '../../../src/engine/memory/watch/watch-events.js';
import {
  createSyncLines,
  createWatchLines,
  type SyncLinesOptions,
} from '../../../src/ui/memory/sync-lines.js';
import { createProgressLine } from '../../../src/ui/progress-line.js';
import { createStyle } from '../../../src/ui/style.js';
import { waitFor } from '../../support/wait.js';
import { aSummary } from './sync-builders.js';

const style = createStyle(false);
const ERASE = '\r\u001B[2K';

/** A sync of a hundred files, one every `everyMs`. */
function events(): readonly SyncEvent[] {
  const read = Array.from(
    { length: 100 },
    (_, at): SyncEvent => ({ type: 'document.indexed', path: `${at}.md`, work: 10, chunks: 2 }),
  );
  return [
    { type: 'lock.waiting', holder: { pid: 4242, sinceMs: 0 } },
    { type: 'document.skipped', path: 'link.md', reason: 'symlink' },
    { type: 'document.skipped', path: 'o\nld.md', reason: 'permission_denied' },
    { type: 'rebuild.started', reason: 'damaged', detail: 'no header' },
    { type: 'scan.finished', files: 1283, bytes: 16.1e6, filesToIndex: 100, workToIndex: 1000 },
    ...read,
    { type: 'publish.started' },
    { type: 'sync.finished', summary: aSummary() },
  ];
}

/** The lines of events, each with the time of the clock when it happens. */
function linesOf(
  timed: readonly (readonly [atMs: number, event: SyncEvent])[],
  options: Partial<SyncLinesOptions> = {},
): readonly string[] {
  let nowMs = 0;
  const written: string[] = [];
  const onEvent = createSyncLines((line) => written.push(line), {
    style,
    verbose: false,
    now: () => nowMs,
    ...options,
  });
  for (const [atMs, event] of timed) {
    nowMs = atMs;
    onEvent(event);
  }
  return written;
}

function every(ms: number, all: readonly SyncEvent[]) {
  return all.map((event, at) => [(at + 1) * ms, event] as const);
}

function lines(everyMs: number, options: Partial<SyncLinesOptions> = {}): readonly string[] {
  return linesOf(every(everyMs, events()), options);
}

const BEGINNING = [
  'waiting for another process to finish writing this index (pid 4242)\n',
  'skipped o\\nld.md: permission denied\n',
  'building the index: the existing index is unusable: no header\n',
  'found 1,283 files, 16.1 MB; 100 to index\n',
];

test('quick work prints its steps and no progress', () => {
  assert.equal(lines(5), BEGINNING);
});

test('slow work reports every 10 percent, no more', () => {
  const written = lines(1000);
  assert.equal(written.slice(0, 4), BEGINNING);
  assert.is(written.length, 4 + 10);
  assert.is(written[4], '10 of 100 files · 10 % · 20 chunks · 2.0 chunks/s\n');
});

test('work that takes minutes for a tenth reports that it goes on', () => {
  const read = Array.from(
    { length: 9 },
    (_, at): SyncEvent => ({ type: 'document.indexed', path: `${at}.pdf`, work: 10, chunks: 2 }),
  );
  const scanned = { files: 900, bytes: 9000, filesToIndex: 900, workToIndex: 9000 };
  const written = linesOf(every(10_000, [{ type: 'scan.finished', ...scanned }, ...read]));
  assert.equal(
    written.slice(1).map((line) => line.split(' · ')[0]),
    ['3 of 900 files', '6 of 900 files', '9 of 900 files'],
  );
});

test('archiving is reported, and its percentage starts over with that of the index', () => {
  const archived = Array.from(
    { length: 100 },
    (_, at): SyncEvent => ({
      type: 'archive.updated',
      conversations: at * 20,
      fraction: at / 100,
    }),
  );
  const scanned = { files: 10, bytes: 100, filesToIndex: 10, workToIndex: 100 };
  const read: SyncEvent = { type: 'document.indexed', path: 'a.md', work: 20, chunks: 2 };
  const written = linesOf(every(500, [...archived, { type: 'scan.finished', ...scanned }]));
  assert.is(written.length, 9 + 1);
  assert.is(written[0], 'archiving conversations: 200 · 10 %\n');
  const after = linesOf(every(2000, [...archived, { type: 'scan.finished', ...scanned }, read]));
  assert.match(after.at(-1) ?? '', /^1 of 10 files · 20 %/u);
});

test('work of medium speed reports every two seconds, no more', () => {
  const written = lines(100).slice(BEGINNING.length);
  assert.equal(
    written.map((line) => line.split(' · ')[1]),
    ['20 %', '40 %', '60 %', '80 %', '100 %'],
  );
});

test('of faulty files, the first three are named', () => {
  const skips = ['a', 'b', 'c', 'd'].map(
    (path): SyncEvent => ({ type: 'document.skipped', path, reason: 'permission_denied' }),
  );
  const expected = ['a', 'b', 'c'].map((path) => `skipped ${path}: permission denied\n`);
  assert.equal(linesOf(every(5, skips)), expected);
  assert.is(linesOf(every(5, skips), { verbose: true }).length, 4);
});

test('files that were not indexed are named only by verbose', () => {
  const others: readonly SyncEvent[] = [
    { type: 'document.unchanged', path: 'same.md', work: 10 },
    { type: 'document.removed', path: 'gone.md', removed: 1, toRemove: 1 },
    { type: 'embed.started', provider: 'openai', model: 'small', passages: 0, known: 12 },
  ];
  assert.equal(linesOf(every(5, others)), []);
  assert.equal(linesOf(every(5, others), { verbose: true }), [
    'unchanged same.md\n',
    'removed gone.md\n',
    'embedding 0 passages with openai (small)\n',
  ]);
});

test('the removal of many files is progress, before others are read', () => {
  const removals = Array.from(
    { length: 20 },
    (_, at): SyncEvent => ({
      type: 'document.removed',
      path: `${at}.md`,
      removed: at + 1,
      toRemove: 20,
    }),
  );
  const scanned = { files: 1, bytes: 10, filesToIndex: 1, workToIndex: 10 };
  const read: SyncEvent = { type: 'document.indexed', path: 'a.md', work: 10, chunks: 2 };
  const events: readonly SyncEvent[] = [{ type: 'scan.finished', ...scanned }, ...removals, read];
  const written = linesOf(every(2000, events));
  assert.is(written.length, 1 + 10 + 1);
  assert.is(written[1], 'removed 2 of 20 files\n');
  assert.match(written.at(-1) ?? '', /^1 of 1 file · 100 %/u);
});

test('files that are only read again are progress, too, as after forgetting', () => {
  const read = Array.from(
    { length: 10 },
    (_, at): SyncEvent => ({ type: 'document.unchanged', path: `${at}.md`, work: 10 }),
  );
  const scanned = { files: 10, bytes: 100, filesToIndex: 10, workToIndex: 100 };
  const written = linesOf(every(2000, [{ type: 'scan.finished', ...scanned }, ...read]));
  assert.match(written[1] ?? '', /^1 of 10 files · 10 %/u);
  assert.is(written.length, 1 + 10);
});

test('a sync without changes prints nothing, and one that was stopped that it stopped', () => {
  const nothing = { filesToIndex: 0, workToIndex: 0 };
  const scanned: SyncEvent = { type: 'scan.finished', files: 7, bytes: 70, ...nothing };
  const finished = (outcome: 'stopped' | 'unchanged'): SyncEvent => {
    return { type: 'sync.finished', summary: aSummary({ outcome }) };
  };
  assert.equal(linesOf(every(5, [scanned, finished('unchanged')])), []);
  assert.equal(linesOf(every(5, [scanned, finished('stopped')])), ['stopped\n']);
});

test('verbose names every file and every skip', () => {
  const written = lines(5, { verbose: true, label: 'main' });
  assert.ok(written.includes('main: skipped link.md: symbolic link\n'));
  assert.ok(written.includes('main: indexed 99.md, 2 chunks\n'));
  assert.ok(written.includes('main: publishing the new index\n'));
});

const EMBEDDING: readonly SyncEvent[] = [
  { type: 'embed.fallback', from: 'openai', to: 'gemini', why: '401 no\n key' },
  {
    type: 'embed.started',
    provider: 'gemini',
    model: 'gemini-embedding-001',
    passages: 100,
    known: 12,
  },
  { type: 'embed.provider', event: { type: 'request.finished', tokens: 12_000 } },
  { type: 'embed.stored', passages: 50 },
  { type: 'embed.provider', event: { type: 'rate.limited', waitMs: 9, perSecond: 0.25 } },
  { type: 'embed.provider', event: { type: 'rate.limited', waitMs: 9, perSecond: 0.25 } },
  { type: 'embed.stored', passages: 50 },
];

test("a provider's request for a long wait is reported with its duration", () => {
  const event = {
    type: 'rate.limited',
    waitMs: 60_000,
    askedMs: 3_600_000,
    perSecond: 0.5,
  } as const;
  const lines = linesOf(every(2500, [...EMBEDDING.slice(0, 3), { type: 'embed.provider', event }]));
  assert.is(lines.at(-1), 'gemini rate limit: asks to wait 1 h 00 min\n');
});

test('embedding reports the provider, the fallback, the progress and what slows it down', () => {
  assert.equal(linesOf(every(2500, EMBEDDING)), [
    'openai failed, continuing with gemini: 401 no\\n key\n',
    'embedding 100 passages with gemini (gemini-embedding-001)\n',
    '50 of 100 passages · 50 % · instead of openai · cache 12 hits · 12k tokens\n',
    'gemini rate limit: slowed to 0.3 req/s\n',
    '100 of 100 passages · 100 % · instead of openai · cache 12 hits · 12k tokens · 429: slowed to 0.3 req/s\n',
  ]);
});

test('a retry is reported if nothing else was for ten seconds', () => {
  const begun = every(0, EMBEDDING.slice(0, 2));
  const event = { type: 'request.retried', why: 'no answer in time', waitMs: 500 } as const;
  // Quick ones; then those of requests that run at the same time.
  const retries = [500, 1000, 120_000, 120_010, 240_000].map((atMs) => {
    return [atMs, { type: 'embed.provider', event }] as const;
  });
  const line = 'gemini: retried after "no answer in time"\n';
  assert.equal(linesOf([...begun, ...retries]), [...linesOf(begun), line, line]);
});

test('the download of a model is reported every 10 percent', () => {
  const download = (bytes: number): SyncEvent => ({
    type: 'embed.provider',
    event: { type: 'model.download', bytes, total: 300e6, bytesPerSecond: undefined },
  });
  const begun = every(0, EMBEDDING.slice(1, 2));
  const written = linesOf([...begun, ...every(5, [0, 3e6, 30e6, 59e6, 90e6].map(download))]);
  const expected = ['0 %', '10 %', '30 %'].map(
    (part) => `gemini: downloading the model: ${part} of 300.0 MB\n`,
  );
  assert.equal(written.slice(1), expected);
});

test('the progress line continues with the passages', () => {
  let atMs = 0;
  const written: string[] = [];
  const options = { style, columns: 80, now: () => atMs };
  const progress = createProgressLine((text) => written.push(text), options);
  for (const event of EMBEDDING) {
    atMs += 1000;
    progress.onEvent(event);
  }
  assert.match(written[2]?.slice(ERASE.length) ?? '', /^embedding {2}█+░+ {2}50\/100 {2}0:02$/);
});

function progressWrites(everyMs: number, columns: number): readonly string[] {
  let atMs = 0;
  const written: string[] = [];
  const progress = createProgressLine((text) => written.push(text), {
    style,
    columns,
    now: () => atMs,
  });
  for (const event of events().slice(1)) {
    atMs += everyMs;
    progress.onEvent(event);
  }
  progress.clear();
  return written;
}

test('the progress line shows nothing for work of under half a second', () => {
  assert.equal(progressWrites(4, 80), []);
});

test('the progress line also appears without further events, and removes itself', async () => {
  const written: string[] = [];
  const options = { style, columns: 80, now: () => 0 };
  const progress = createProgressLine((text) => written.push(text), options);
  for (const event of EMBEDDING.slice(1, 2)) progress.onEvent(event);
  await waitFor('the line', () => written.length > 0);
  assert.match(written[0] ?? '', /embedding {2}░+ {2}0\/100$/);
  progress.clear();
  assert.equal(written.slice(1), [ERASE]);
});

test('the progress line is drawn at most ten times a second and removes itself', () => {
  const written = progressWrites(20, 80);
  // From 0.5 to 2.1 seconds, and once to take it away.
  assert.is(written.length, 18);
  assert.match(written[8]?.slice(ERASE.length) ?? '', /^indexing {2}█+░+ {2}\d+\/100 {2}0:0\d$/);
  assert.is(written.at(-1), ERASE);
});

test('the progress line never reaches the last column', () => {
  for (const columns of [10, 30, 60]) {
    for (const text of progressWrites(20, columns)) assert.ok(text.length - ERASE.length < columns);
  }
});

test('the progress line reports at once that another process is writing', () => {
  const written: string[] = [];
  const progress = createProgressLine((text) => written.push(text), {
    style,
    columns: 80,
    now: () => 0,
  });
  progress.onEvent({ type: 'lock.waiting', holder: { pid: 7, sinceMs: 0 } });
  assert.equal(written, [
    `${ERASE}waiting for another process to finish writing this index (pid 7)`,
  ]);
});

/** What a watcher named main writes, without the time and its name; other lines than those about syncs are marked. */
function watchLinesOf(events: readonly WatchEvent[], verbose = false): readonly string[] {
  const written: string[] = [];
  const add = (mark: string) => (text: string) => {
    assert.match(text, /^\d\d:\d\d:\d\d {2}main {2}[^\n]+\n/u);
    written.push(`${mark}${text.replace(/^\S+ {2}main {2}/u, '')}`);
  };
  const options = { style, name: 'main', verbose, now: () => 0, write: add(''), note: add('! ') };
  const onEvent = createWatchLines(options);
  for (const event of events) onEvent(event);
  return written;
}

function synced(cause: 'changed' | 'interval' | 'start', isUpdated = false): WatchEvent {
  const outcome = isUpdated ? 'updated' : 'unchanged';
  return { type: 'synced', cause, summary: aSummary({ outcome }) };
}

const FAILED: WatchEvent = {
  type: 'failed',
  failure: { code: 'INDEX_DISK_FULL', message: 'the disk is full', hint: 'free some space' },
  attempt: 1,
  retryInMs: 2000,
};
const FAILED_LINE = '! failed: the disk is full; retrying in 2.0 s\n   hint: free some space\n';
const UP_TO_DATE = 'up to date · 1,268 files · 0.6 s\n';
const UPDATED = '12 added · 3 changed · 1,268 unchanged\n';

test('a watcher reports its first sync, and of the others those that changed something', () => {
  const events: readonly WatchEvent[] = [
    { type: 'watching', folders: 2 },
    synced('start'),
    synced('interval'),
    { type: 'changed', path: 'a\nb.md' },
    { type: 'syncing', cause: 'changed' },
    synced('changed', true),
  ];
  const watching = '! watching 2 folders\n';
  assert.equal(watchLinesOf(events), [watching, UP_TO_DATE, UPDATED]);
  const changed = '! changed a\\nb.md\n';
  assert.equal(watchLinesOf(events, true), [watching, UP_TO_DATE, UP_TO_DATE, changed, UPDATED]);
});

test('a watcher reports a failure once while it repeats, and the sync that ends it', () => {
  const events = [FAILED, FAILED, synced('interval'), synced('interval'), FAILED];
  assert.equal(watchLinesOf(events), [FAILED_LINE, UP_TO_DATE, FAILED_LINE]);
  assert.is(watchLinesOf(events, true).length, events.length);
});

test('syncs that still leave vectors missing do not end a failure of embedding', () => {
  const failure = { code: 'PROVIDER_FAILED', message: 'no answer' };
  const failed: WatchEvent = { type: 'failed', failure, attempt: 1, retryInMs: 0 };
  const counts = { embedded: 0, known: 0, refused: 0, pending: 7, tokens: 0, requests: 0 };
  const embedding = { provider: 'p', model: 'm', ...counts, failure };
  const summary = aSummary({ outcome: 'unchanged', embedding });
  const partly: WatchEvent = { type: 'synced', cause: 'interval', summary };
  assert.equal(watchLinesOf([failed, partly, failed, synced('interval')]), [
    '! failed: no answer; retrying\n',
    UP_TO_DATE,
  ]);
});

test('a watcher that cannot follow changes reports how often it looks for them', () => {
  assert.equal(watchLinesOf([{ type: 'polling', why: 'too many\nwatches', everyMs: 5000 }]), [
    '! file watching is unavailable; polling every 5.0 s; too many\\nwatches\n',
  ]);
});

test.run();
