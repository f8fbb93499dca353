import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Server, withLease } from '../../../src/engine/postgres/index.js';
import { migratedServer, testServers } from '../../support/postgres.js';
import { waitFor } from '../../support/wait.js';

const NEVER = new AbortController().signal;

/** When the lease ends, in milliseconds. */
async function expiryOf(server: Server): Promise<number> {
  const [row] = await server.query<{ readonly ms: number }>(
    'SELECT (extract(epoch FROM expires_at) * 1000)::bigint AS ms FROM svc.leases',
  );
  return row?.ms ?? 0;
}

for (const postgres of await testServers()) {
  const test = suite(`leases on ${postgres.name}`);
  test.after(() => postgres.stop());

  test('one holder at a time; others wait, and are notified once', async () => {
    const server = await migratedServer(postgres);
    const log: string[] = [];
    const work = (name: string) =>
      withLease(server, 'sweep', { signal: NEVER, onWait: () => log.push('waits') }, async () => {
        log.push(`begins ${name}`);
        // As long as the other one is not known to wait.
        while (!log.includes('waits')) await new Promise((resolve) => setImmediate(resolve));
        log.push(`ends ${name}`);
      });
    await Promise.all([work('a'), work('b')]);
    const ends = log.filter((line) => line.startsWith('ends')).length;
    assert.equal([ends, log.filter((line) => line === 'waits').length], [2, 1]);
    const spans = log.filter((line) => line !== 'waits').map((line) => line.split(' ')[0]);
    assert.equal(spans, ['begins', 'ends', 'begins', 'ends']);
    await server.close();
  });

  test('a lease outlasts long work, and ends a while after its holder has died', async () => {
    const server = await migratedServer(postgres);
    // A busy machine may not run a process for a second.
    const lastsMs = 2000;
    const dead = `INSERT INTO svc.leases VALUES ('sweep', 'dead', clock_timestamp() + interval '1 s')`;
    await server.run(dead);
    await withLease(server, 'sweep', { signal: NEVER, lastsMs }, async (signal) => {
      const first = await expiryOf(server);
      // It is renewed until longer than it would have lasted.
      while ((await expiryOf(server)) < first + 2 * lastsMs) {
        assert.is(signal.aborted, false);
        await sleep(lastsMs / 20);
      }
    });
    assert.equal(await server.query('SELECT name FROM svc.leases'), []);
    await server.close();
  });

  test('a lease is kept although the server did not answer for a while', async () => {
    const server = await migratedServer(postgres);
    let mayFail = false;
    const flaky: Server = Object.assign(Object.create(server), {
      run: async (...asked: Parameters<Server['run']>) => {
        if (!mayFail) return server.run(...asked);
        mayFail = false;
        throw new Error('no answer');
      },
    });
    await withLease(flaky, 'sweep', { signal: NEVER, lastsMs: 4000 }, async (signal) => {
      const first = await expiryOf(server);
      mayFail = true;
      await waitFor('the next answer', async () => (await expiryOf(server)) > first);
      assert.equal([mayFail, signal.aborted], [false, false]);
    });
    await server.close();
  });

  test('work is aborted when its lease is lost', async () => {
    const server = await migratedServer(postgres);
    await withLease(server, 'sweep', { signal: NEVER, lastsMs: 200 }, async (signal) => {
      await server.run(
        "UPDATE svc.leases SET holder = 'other', expires_at = clock_timestamp() + interval '1 h'",
      );
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    await server.close();
  });

  test('waiting ends with the signal', async () => {
    const server = await migratedServer(postgres);
    await server.run(
      "INSERT INTO svc.leases VALUES ('sweep', 'other', clock_timestamp() + interval '1 h')",
    );
    const stop = new AbortController();
    const stopped = withLease(
      server,
      'sweep',
      { signal: stop.signal, onWait: () => stop.abort(new Error('stopped')) },
      async () => assert.unreachable(),
    );
    await stopped.then(
      () => assert.unreachable(),
      (error: unknown) => assert.match(String(error), 'stopped'),
    );
    await server.close();
  });

  test.run();
}
