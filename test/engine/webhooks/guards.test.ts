import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebhookActivity } from '../../../src/engine/webhooks/activity/activity.js';
import { InFlight } from '../../../src/engine/webhooks/guards/in-flight.js';
import { RateLimiter } from '../../../src/engine/webhooks/guards/rate-limiter.js';
import { AnswerLog } from '../../../src/engine/webhooks/listener/answer-log.js';
import { testLog } from '../../support/services.js';

const RATES = { ratePerWindow: 3, windowSeconds: 60, trackedClients: 4 };

test('a window lets so many requests pass, says how long it still is, and ends', () => {
  const limiter = new RateLimiter();
  const admit = (nowMs: number) => limiter.admit('a', nowMs, RATES);
  assert.equal([admit(0), admit(1), admit(2)], [0, 0, 0]);
  assert.equal([admit(2), admit(30_000), admit(59_999)], [60, 30, 1]);
  assert.is(admit(60_000), 0);
  assert.is(limiter.admit('b', 60_000, RATES), 0);
});

test('a window that began in the future is begun anew: a clock was set back', () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 5; n++) limiter.admit('a', 1_000_000, RATES);
  assert.is(limiter.admit('a', 0, RATES), 0);
});

test('no more than so many clients are remembered, whoever comes; the newest are', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(90_000)), { maxLength: 200 }), (requests) => {
      const limiter = new RateLimiter();
      let nowMs = 0;
      for (const [client, laterMs] of requests) {
        nowMs += laterMs;
        limiter.admit(String(client), nowMs, RATES);
        assert.ok(limiter.size <= RATES.trackedClients);
      }
    }),
  );
});

test('in any window of any course of requests no client gets more than its share', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30_000), { maxLength: 300 }), (laters) => {
      const limiter = new RateLimiter();
      let nowMs = 0;
      let windowMs = Number.NEGATIVE_INFINITY;
      let passed = 0;
      for (const laterMs of laters) {
        nowMs += laterMs;
        if (nowMs - windowMs >= 60_000) {
          windowMs = nowMs;
          passed = 0;
        }
        if (limiter.admit('a', nowMs, RATES) === 0) passed += 1;
        assert.ok(passed <= RATES.ratePerWindow);
      }
    }),
  );
});

test('places are given back, each once, and clients without requests are forgotten', () => {
  const limits = { inFlight: 2, trackedClients: 2 };
  const inFlight = new InFlight();
  assert.equal(
    [1, 2, 3].map(() => inFlight.enter('a', limits)),
    [true, true, false],
  );
  assert.is(inFlight.enter('b', limits), true);
  assert.is(inFlight.enter('c', limits), false, 'no third client while two have requests');
  inFlight.leave('a');
  assert.is(inFlight.enter('a', limits), true);
  for (const client of ['a', 'a', 'b']) inFlight.leave(client);
  assert.is(inFlight.size, 0);
  assert.is(inFlight.enter('c', limits), true);
});

function answered(code: 'unauthorized' | null = null, routeId = 'ci') {
  const status = code === null ? 200 : 401;
  const action = code === null ? 'list_flows' : null;
  return { routeId, requestId: 'r', status, code, action, clientIp: '::1', ms: 1 };
}

test('activity counts by second for a minute, and by code', () => {
  const activity = new WebhookActivity({ ci: { requests: 5, rejected: 1, last: null } });
  activity.record(answered(), 1_000_000);
  activity.record(answered('unauthorized'), 1_030_000);
  activity.record(answered('unauthorized'), 1_030_500);
  const live = activity.live('ci', 1_031_000);
  assert.equal([live.requests, live.rejected], [8, 3]);
  assert.equal(live.perSecond.slice(-2), [2, 0]);
  assert.is(live.perSecond[60 - 32], 1);
  assert.equal(live.rejections, [['unauthorized', 2]]);
  assert.equal(live.last, { atMs: 1_030_500, status: 401, code: 'unauthorized', action: null });
  const later = activity.live('ci', 1_200_000).perSecond;
  assert.is(
    later.reduce((sum, count) => sum + count, 0),
    0,
  );
  assert.is(activity.live('other', 0).requests, 0);
});

test('of like rejections one a second is logged, with how many were left out', () => {
  const { logger, lines } = testLog();
  const log = new AnswerLog(logger);
  for (let ms = 0; ms < 1500; ms += 100) log.record(answered('unauthorized'), ms);
  log.record(answered('unauthorized', 'other'), 1500);
  log.record(answered(), 1500);
  const told = lines.map((line) => JSON.parse(line));
  assert.equal(
    told.map(({ route, msg, more = 0 }) => [route, msg, more]),
    [
      ['ci', 'rejected', 0],
      ['ci', 'rejected', 9],
      ['other', 'rejected', 0],
      ['ci', 'performed', 0],
    ],
  );
});

test.run();
