import { chmodSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import type { SyncSummary } from '../../../../src/engine/memory/sync/events.js';
import { acquireIndexLock } from '../../../../src/engine/memory/sync/index-lock.js';
import {
  type OpenWatch,
  openSystemWatch,
  type WatchListener,
} from '../../../../src/engine/memory/watch/folder-watches.js';
import type { WatchEvent, WatchTarget } from '../../../../src/engine/memory/watch/watch-events.js';
import { deferred } from '../../../../src/engine/support/async.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';
import { testWatcher } from '../../../support/watcher.js';

const test = suite('failures of a watcher');

function workspace(): TempFolder {
  return folderOf({ 'memory/a.md': 'Amber.\n', 'memory/deep/b.md': 'Basil.\n' });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: no more, watch '/x'`), { code });
}

const ofType =
  <T extends WatchEvent['type']>(type: T) =>
  (event: WatchEvent): event is Extract<WatchEvent, { type: T }> =>
    event.type === type;

type Sync = WatchTarget['backend']['sync'];
type Request = Parameters<Sync>[0];

/** Records the calls of a memory, and does something before the first ones. */
function steppedSync(calls: string[], ...steps: readonly ((request: Request) => unknown)[]) {
  return (real: WatchTarget['backend']): Sync =>
    async (request) => {
      const step = steps[calls.length];
      calls.push(request.embeds === false ? 'mirror' : 'embed');
      await step?.(request);
      return real.sync(request);
    };
}

function startEmbedding({ onEvent }: Request): void {
  onEvent?.({ type: 'embed.started', provider: 'p', model: 'm', passages: 1, known: 0 });
}

for (const code of ['EMFILE', 'ENOSPC']) {
  test(`out of watches (${code}) it releases all, polls, and watches again when possible`, async () => {
    const folder = workspace();
    let allowed = 1;
    let open = 0;
    const openWatch: OpenWatch = (path, recursive, listener) => {
      if (open >= allowed) throw systemError(code);
      const watch = openSystemWatch(path, recursive, listener);
      open += 1;
      return {
        close: () => {
          open -= 1;
          watch.close();
        },
      };
    };
    const live = testWatcher(folder.path, { openWatch, timing: { pollMs: 10, rewatchMs: 50 } });
    try {
      await live.watcher.start();
      const polling = live.events.find(ofType('polling'));
      assert.match(polling?.why ?? '', /watch/);
      assert.is(live.mode(), 'polling');
      assert.is(open, 0);
      folder.write('memory/c.md', 'Cedar.\n');
      await live.whenUpToDate();
      rmSync(folder.at('memory/deep'), { recursive: true });
      await live.whenUpToDate();
      rmSync(folder.path, { recursive: true });
      await live.until(ofType('failed'));
      folder.write('memory/again.md', 'Again.\n');
      await live.whenUpToDate();
      assert.is(live.events.filter(ofType('polling')).length, 1);
      allowed = Number.POSITIVE_INFINITY;
      await live.until(ofType('watching'));
      assert.is(live.mode(), 'watching');
      folder.write('memory/d.md', 'Delta.\n');
      await live.whenUpToDate();
    } finally {
      await live.close();
    }
    assert.is(open, 0);
  });
}

test('a watch lost for lack of handles falls back to polling; one lost otherwise is restored', async () => {
  const folder = workspace();
  const listeners = new Map<string, WatchListener>();
  const openWatch: OpenWatch = (path, recursive, listener) => {
    listeners.set(path, listener);
    return openSystemWatch(path, recursive, listener);
  };
  const live = testWatcher(folder.path, { openWatch, timing: { pollMs: 10 } });
  try {
    await live.watcher.start();
    const open = live.openWatches();
    const since = live.events.length;
    listeners.get(folder.at('memory'))?.onError(systemError('EPERM'));
    await live.until(ofType('synced'), since);
    assert.equal([live.mode(), live.openWatches()], ['watching', open]);
    listeners.get(folder.at('memory'))?.onError(systemError('EMFILE'));
    assert.equal([live.mode(), live.openWatches()], ['polling', 0]);
    folder.write('memory/c.md', 'Cedar.\n');
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('what changes before new watches report anything is noticed where they start late', async () => {
  const folder = workspace();
  const openWatch: OpenWatch = () => ({ close: () => undefined });
  let syncs = 0;
  const live = testWatcher(folder.path, {
    openWatch,
    timing: { settleMs: 10 },
    sync: (real) => async (request) => {
      const summary = await real.sync(request);
      syncs += 1;
      if (syncs === 1) folder.write('memory/early.md', 'After the scan.\n');
      return summary;
    },
  });
  try {
    await live.watcher.start();
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('a folder named by an event is watched again, even if it looks the same', async () => {
  const folder = workspace();
  const opened: string[] = [];
  const listeners = new Map<string, WatchListener>();
  const openWatch: OpenWatch = (path, recursive, listener) => {
    opened.push(path);
    listeners.set(path, listener);
    return openSystemWatch(path, recursive, listener);
  };
  const live = testWatcher(folder.path, { openWatch });
  try {
    await live.watcher.start();
    const since = live.events.length;
    opened.length = 0;
    // As if it was deleted and made again with the same number, on a file system without birth times.
    listeners.get(folder.path)?.onChange('rename', 'memory');
    await live.until(ofType('synced'), since);
    assert.equal(opened.sort(), [folder.at('memory'), folder.at('memory/deep')]);
  } finally {
    await live.close();
  }
});

/** The real sync, but the first ones fail like this. */
function failing(errors: readonly unknown[]): (real: WatchTarget['backend']) => Sync {
  let at = 0;
  return (real) => async (request) => {
    const error = errors[at++];
    if (error !== undefined) throw error;
    return real.sync(request);
  };
}

test('a failed sync is reported, retried with growing delays, and cleared on success', async () => {
  const folder = workspace();
  const errors = [
    new SvcError('INDEX_DISK_FULL', 'the disk is full', { hint: 'free some space' }),
    systemError('EIO'),
    Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' }),
  ];
  const live = testWatcher(folder.path, {
    sync: failing(errors),
    timing: { firstRetryMs: 5, longestRetryMs: 12 },
  });
  try {
    await live.watcher.start();
    await live.until(ofType('synced'));
    const failed = live.events.filter(ofType('failed'));
    assert.equal(
      failed.map(({ failure, attempt, retryInMs }) => [failure.code, attempt, retryInMs]),
      [
        ['INDEX_DISK_FULL', 1, 5],
        ['EIO', 2, 10],
        ['SQLITE_IOERR_READ', 3, 12],
      ],
    );
    assert.is(failed[0]?.failure.hint, 'free some space');
    assert.is(live.failure(), undefined);
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('while the provider is down, keywords are indexed and it is retried', async () => {
  const folder = workspace();
  const failure = { code: 'PROVIDER_UNREACHABLE', message: 'nobody answers' };
  let down = true;
  const sync = (real: WatchTarget['backend']): Sync => {
    return async (request): Promise<SyncSummary> => {
      const summary = await real.sync(request);
      const embedding = { provider: 'p', model: 'm', embedded: 0, known: 0, refused: 0, tokens: 0 };
      const requests = { requests: 0, pending: down ? 2 : 0 };
      return {
        ...summary,
        embedding: { ...embedding, ...requests, ...(down ? { failure } : {}) },
      };
    };
  };
  const live = testWatcher(folder.path, { sync, timing: { firstRetryMs: 5 } });
  try {
    await live.watcher.start();
    assert.equal(live.failure(), failure);
    await live.whenUpToDate();
    down = false;
    await live.until((event) => event.type === 'synced' && event.cause === 'retry');
    await live.until(() => live.failure() === undefined);
  } finally {
    await live.close();
  }
});

test('pending vectors of a batch job are collected later', async () => {
  const folder = workspace();
  const sync = (real: WatchTarget['backend']): Sync => {
    return async (request): Promise<SyncSummary> => {
      const counts = { embedded: 0, known: 0, refused: 0, tokens: 0, requests: 0, pending: 7 };
      const embedding = { provider: 'p', model: 'm', ...counts };
      return { ...(await real.sync(request)), embedding };
    };
  };
  const live = testWatcher(folder.path, { sync, timing: { pendingMs: 5 } });
  try {
    await live.watcher.start();
    await live.until((event) => event.type === 'synced' && event.cause === 'interval');
    assert.is(live.events.filter(ofType('failed')).length, 0);
  } finally {
    await live.close();
  }
});

test('files that are mirrored until after the last passage was embedded get their vectors from another sync', async () => {
  const folder = workspace();
  const following = deferred<void>();
  const embedded = deferred<void>();
  const calls: string[] = [];
  const embed = (request: Request): Promise<void> => {
    startEmbedding(request);
    return following.promise;
  };
  const mirror = (): Promise<void> => {
    following.resolve();
    return embedded.promise;
  };
  const sync = steppedSync(calls, embed, mirror);
  const live = testWatcher(folder.path, { sync });
  try {
    const started = live.watcher.start();
    await live.until((event) => event.type === 'progress');
    folder.write('memory/new.md', 'The zebra crosses.\n');
    await live.until(ofType('synced'));
    embedded.resolve();
    await started;
    await live.until(() => live.syncs() >= 3);
    assert.equal(calls.slice(0, 3), ['embed', 'mirror', 'embed']);
  } finally {
    await live.close();
  }
});

test('a file that changed while others were mirrored does not wait until all passages are embedded', async () => {
  const folder = workspace();
  const mirrored = deferred<void>();
  const calls: string[] = [];
  const embed = async (request: Request): Promise<void> => {
    folder.write('memory/new.md', 'The zebra crosses.\n');
    await live.until(ofType('changed'));
    // Until the burst of changes is over.
    await sleep(200);
    startEmbedding(request);
    await Promise.race([mirrored.promise, sleep(3000)]);
  };
  const live = testWatcher(folder.path, {
    sync: steppedSync(calls, embed, () => mirrored.resolve()),
  });
  try {
    await live.watcher.start();
    await live.until(() => live.syncs() >= 2);
    assert.equal(calls.slice(0, 2), ['embed', 'mirror']);
  } finally {
    await live.close();
  }
});

test('a failed sync is retried once the files that changed meanwhile are mirrored', async () => {
  const folder = workspace();
  const mirrored = deferred<void>();
  const following = deferred<void>();
  const calls: string[] = [];
  const embed = async (request: Request): Promise<void> => {
    startEmbedding(request);
    await following.promise;
    throw new SvcError('INDEX_LOCKED', 'another process is writing it');
  };
  const mirror = async (): Promise<void> => {
    following.resolve();
    await mirrored.promise;
    calls.push('mirrored');
  };
  const sync = steppedSync(calls, embed, mirror);
  const live = testWatcher(folder.path, { sync, timing: { firstRetryMs: 1 } });
  try {
    const started = live.watcher.start();
    await live.until((event) => event.type === 'progress');
    folder.write('memory/new.md', 'The zebra crosses.\n');
    await live.until(ofType('failed'));
    await sleep(100);
    mirrored.resolve();
    await started;
    await live.until(() => live.syncs() >= 2);
    assert.equal(calls.slice(0, 4), ['embed', 'mirror', 'mirrored', 'embed']);
  } finally {
    await live.close();
  }
});

test('it waits for another process that writes the index, and retries', async () => {
  const folder = workspace();
  const live = testWatcher(folder.path, { timing: { lockWaitMs: 0, firstRetryMs: 5 } });
  const { indexFile } = live.target;
  const lock = await acquireIndexLock(indexFile, { nowMs: 0, waitMs: 0 });
  try {
    await live.watcher.start();
    assert.is(live.failure()?.code, 'INDEX_LOCKED');
    lock?.release();
    await live.until(ofType('synced'));
    await live.whenUpToDate();
  } finally {
    await live.close();
  }
});

test('one sync at a time, and what changes meanwhile is not lost', async () => {
  const folder = workspace();
  let running = 0;
  let most = 0;
  let goOn: () => void = () => undefined;
  const sync = (real: WatchTarget['backend']): Sync => {
    return async (request): Promise<SyncSummary> => {
      running += 1;
      most = Math.max(most, running);
      const summary = await real.sync(request);
      await new Promise<void>((resolve) => {
        goOn = resolve;
        if (live.syncs() !== 1) resolve();
      });
      running -= 1;
      return summary;
    };
  };
  const live = testWatcher(folder.path, { sync, debounceMs: 1 });
  try {
    await live.watcher.start();
    const since = live.events.length;
    folder.write('memory/before.md', 'Written before the scan.\n');
    await live.until((e) => e.type === 'progress' && e.event.type === 'sync.finished', since);
    folder.write('memory/meanwhile.md', 'Written after the scan.\n');
    await live.until(ofType('changed'), live.events.findIndex(ofType('syncing'), since));
    // A timer that was set later and is longer: the quiet is over by then, the sync is not.
    await sleep(20);
    goOn();
    await live.whenUpToDate();
    assert.is(most, 1);
  } finally {
    await live.close();
  }
});

test('without watching only the interval syncs', async () => {
  const folder = workspace();
  const openWatch: OpenWatch = () => {
    throw new Error('nothing is to be watched');
  };
  const live = testWatcher(folder.path, { watch: false, intervalMs: 5, openWatch });
  try {
    await live.watcher.start();
    folder.write('memory/c.md', 'Cedar.\n');
    await live.whenUpToDate();
    const { type, ...synced } = await live.until(
      (event) => event.type === 'synced' && event.cause === 'interval',
    );
    assert.ok('cause' in synced, type);
  } finally {
    await live.close();
  }
});

test('closing during a sync stops it between two transactions, with no events after', async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 1500; n++) files[`memory/n${n}.md`] = `Note ${n}.\n`;
  const folder = folderOf(files);
  const live = testWatcher(folder.path);
  const started = live.watcher.start();
  await live.until((e) => e.type === 'progress' && e.event.type === 'batch.committed');
  await live.close();
  await started;
  await live.watcher.ended;
  assert.equal([live.syncs(), live.openWatches()], [0, 0]);
});

test('a bug ends the watcher and is reported', async () => {
  const live = testWatcher(workspace().path, {
    sync: failing([new TypeError('x is no function')]),
  });
  const ended = live.watcher.ended.then(
    () => 'closed',
    (error: unknown) => String(error),
  );
  await live.watcher.start();
  assert.is(await ended, 'TypeError: x is no function');
  assert.is(live.openWatches(), 0);
  await live.close();
});

test('an unreadable folder does not stop the watcher', async () => {
  const folder = workspace();
  folder.write('memory/closed/c.md', 'Cedar.\n');
  chmodSync(folder.at('memory/closed'), 0);
  const live = testWatcher(folder.path);
  try {
    await live.watcher.start();
    assert.is(live.mode(), 'watching');
    chmodSync(folder.at('memory/closed'), 0o755);
    await live.whenUpToDate();
  } finally {
    chmodSync(folder.at('memory/closed'), 0o755);
    await live.close();
  }
});

test.run();
