import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EmbeddingEvent } from '../../../../src/engine/providers/embedding-event.js';
import {
  createPacer,
  INTERACTIVE,
  ONCE,
  PATIENT,
  type Pacer,
  withRetries,
} from '../../../../src/engine/providers/requests/pacer.js';
import {
  VendorFault,
  type VendorFaultKind,
} from '../../../../src/engine/providers/vendor-fault.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { errorOf } from '../../../support/failure.js';

const test = suite('pacing and retries');

const fault = (kind: VendorFaultKind, waitMs?: number): VendorFault =>
  new VendorFault(kind, kind, { waitMs });

/** A pacer on a clock that the test moves. */
function pacerAt(clock: { ms: number }): Pacer {
  return createPacer(
    () => clock.ms,
    () => 0.5,
  );
}

const quiet = (): void => undefined;

test('permanent failures are not retried', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(PATIENT, quiet);
  const kinds = [
    'auth',
    'quota',
    'model',
    'input',
    'too_large',
    'request',
    'answer',
    'setup',
  ] as const;
  for (const kind of kinds) assert.is(pacing.delayAfter(fault(kind), 1), undefined, kind);
});

test('a passing failure is tried five times, with waits that double', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(PATIENT, quiet);
  const waits = [1, 2, 3, 4, 5].map((tries) => pacing.delayAfter(fault('overload'), tries));
  assert.equal(waits, [500, 1000, 2000, 4000, undefined]);
});

test('a request that got no answer in time is tried twice, one that the vendor ended five times', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(PATIENT, quiet);
  const lastTryOf = (one: VendorFault) =>
    [1, 2, 3, 4, 5].find((tries) => pacing.delayAfter(one, tries) === undefined);
  assert.is(lastTryOf(fault('timeout')), 2);
  assert.is(lastTryOf(new VendorFault('timeout', 'timeout', { status: 408 })), 5);
});

test('no wait is longer than a minute, whatever the vendor asks', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(PATIENT, quiet);
  assert.is(pacing.delayAfter(fault('overload', 3_600_000), 1), 60_000);
  assert.is(pacing.delayAfter(fault('rate', 3_600_000), 1), 60_000);
});

test('a question does not wait for a vendor that asks for long', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(INTERACTIVE, quiet);
  assert.is(pacing.delayAfter(fault('rate', 30_000), 1), undefined);
  assert.is(pacing.delayAfter(fault('rate', 2_000), 1), 2_000);
});

test('a question does not wait for the long pause of another request', async () => {
  const clock = { ms: 0 };
  const pacer = pacerAt(clock);
  pacer.pacing(PATIENT, quiet).delayAfter(fault('rate', 30_000), 1);
  const { signal } = new AbortController();
  clock.ms = 10_000;
  for (const rules of [INTERACTIVE, ONCE]) {
    const error = await pacer
      .pacing(rules, quiet)
      .ready(signal)
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof VendorFault);
    assert.equal([error.details.kind, error.details.waitMs], ['rate', 20_000]);
  }
  clock.ms = 30_000;
  await pacer.pacing(INTERACTIVE, quiet).ready(signal);
});

test('a question whose request was in flight when a long pause began does not wait for it', () => {
  const pacer = pacerAt({ ms: 0 });
  const question = pacer.pacing(INTERACTIVE, quiet);
  pacer.pacing(PATIENT, quiet).delayAfter(fault('rate', 30_000), 1);
  assert.is(question.delayAfter(fault('rate'), 1), undefined);
});

test('a run that gave up takes no tries from the next one', () => {
  const clock = { ms: 0 };
  const pacer = pacerAt(clock);
  for (const run of ['first', 'second']) {
    const pacing = pacer.pacing(INTERACTIVE, quiet);
    const waits = [1, 2, 3].map(() => {
      const wait = pacing.delayAfter(fault('rate', 1000), 1);
      clock.ms += 1000;
      return wait;
    });
    assert.equal(waits, [1000, 1000, undefined], run);
  }
});

test('a probe is sent once', () => {
  const pacing = pacerAt({ ms: 0 }).pacing(ONCE, quiet);
  for (const kind of ['network', 'overload', 'timeout', 'rate'] as const) {
    assert.is(pacing.delayAfter(fault(kind), 1), undefined);
  }
});

test('a rate limit makes all requests wait, and is one round for those under way', async () => {
  const clock = { ms: 0 };
  const pacer = pacerAt(clock);
  const events: EmbeddingEvent[] = [];
  const pacing = pacer.pacing(PATIENT, (event) => events.push(event));
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map(() => pacing.delayAfter(fault('rate', 1000), 1));
  assert.ok(waits.every((wait) => wait === 1000));
  assert.is(events.length, 1);
  let isReady = false;
  const ready = pacing.ready(NEVER).then(() => {
    isReady = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.not.ok(isReady, 'others wait, too');
  clock.ms = 1000;
  await ready;
});

test('rate limits without any success in between end it after five rounds', () => {
  const clock = { ms: 0 };
  const pacing = pacerAt(clock).pacing(PATIENT, quiet);
  const rounds = [1, 2, 3, 4, 5].map(() => {
    const wait = pacing.delayAfter(fault('rate', 1000), 1);
    clock.ms += 1000;
    return wait;
  });
  assert.equal(rounds, [1000, 1000, 1000, 1000, undefined]);
  clock.ms += 2 * 3_600_000;
  assert.is(pacing.delayAfter(fault('rate', 1000), 1), 1000, 'a later run begins anew');
});

test('rate limits without a time are waited out for longer than a minute', () => {
  const clock = { ms: 0 };
  const pacing = pacerAt(clock).pacing(PATIENT, quiet);
  for (;;) {
    const wait = pacing.delayAfter(fault('rate'), 1);
    if (wait === undefined) break;
    clock.ms += wait;
  }
  assert.ok(clock.ms > 90_000 && clock.ms < 180_000, String(clock.ms));
});

test('a run that makes progress is slowed down but never ended by rate limits', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (answers) => {
      const clock = { ms: 0 };
      const pacing = pacerAt(clock).pacing(PATIENT, quiet);
      let since = 0;
      for (const succeeds of answers) {
        clock.ms += 120_000;
        if (succeeds) {
          pacing.succeeded();
          since = 0;
          continue;
        }
        since += 1;
        const wait = pacing.delayAfter(fault('rate'), 1);
        if (wait === undefined) {
          assert.ok(since >= 9);
          return;
        }
        assert.ok(wait > 0 && wait <= 60_000);
      }
    }),
  );
});

test('the pace recovers with success', async () => {
  const clock = { ms: 0 };
  const events: EmbeddingEvent[] = [];
  const pacing = pacerAt(clock).pacing(PATIENT, (event) => events.push(event));
  pacing.delayAfter(fault('rate', 100), 1);
  clock.ms = 100;
  pacing.delayAfter(fault('rate', 100), 1);
  const paces = events.map((event) => (event.type === 'rate.limited' ? event.perSecond : 0));
  assert.ok((paces[1] ?? 0) < (paces[0] ?? 0), 'slower after each round');
  for (let i = 0; i < 40; i++) pacing.succeeded();
  clock.ms = 10_000;
  const { signal } = new AbortController();
  await pacing.ready(signal);
  await pacing.ready(signal);
});

test('requests after a rate limit keep a distance, whoever sends them', async () => {
  const clock = { ms: 0 };
  const pacer = pacerAt(clock);
  const pacing = pacer.pacing(PATIENT, quiet);
  // Each round doubles the distance, and a success between two runs of rounds hardly shortens it.
  for (let round = 0; round < 6; round++) {
    clock.ms += 60_000;
    pacing.delayAfter(fault('rate', 1000), 1);
    if (round === 3) pacing.succeeded();
  }
  clock.ms += 60_000;
  const { signal } = new AbortController();
  await pacing.ready(signal);
  const next = pacer.pacing(INTERACTIVE, quiet).ready(signal);
  const { details } = await errorOf(VendorFault, next);
  assert.equal([details.kind, details.waitMs], ['rate', 6800]);
});

test('a success in between lets a request be tried again as often', async () => {
  const clock = { ms: 0 };
  const pacing = pacerAt(clock).pacing(PATIENT, quiet);
  const limited = () => {
    clock.ms += 120_000;
    // The shortest wait: this test does wait for it.
    return pacing.delayAfter(fault('rate', 1), 1);
  };
  for (let run = 0; run < 3; run++) {
    assert.equal([limited(), limited(), limited()], [1, 1, 1]);
    clock.ms += 120_000;
    assert.is(await withRetries(pacing, NEVER, async () => 'answer'), 'answer');
  }
});

test('an abort while waiting throws the signal’s reason', async () => {
  const pacing = pacerAt({ ms: 0 }).pacing(PATIENT, quiet);
  pacing.delayAfter(fault('rate', 60_000), 1);
  const controller = new AbortController();
  const reason = new Error('enough');
  const waiting = pacing.ready(controller.signal);
  controller.abort(reason);
  try {
    await waiting;
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
});

test.run();
