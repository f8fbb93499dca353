import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { clientNetworkOf } from '../../../src/engine/listener/listen.js';
import { RateLimiter } from '../../../src/engine/listener/rate-limiter.js';
import { WebhookActivity } from '../../../src/engine/webhooks/activity.js';
import { AnswerLog } from '../../../src/engine/webhooks/answer-log.js';
import { InFlight } from '../../../src/engine/webhooks/pipeline.js';
import { testLog } from '../../support/services.js';

const RATES = { ratePerWindow: 3, windowSeconds: 60, trackedClients: 4 };

test('a window admits its number of requests, reports the time left, and ends', () => {
  const limiter = new RateLimiter();
  const admit = (nowMs: number) => limiter.admit('a', nowMs, RATES);
  assert.equal([admit(0), admit(1), admit(2)], [0, 0, 0]);
  assert.equal([admit(2), admit(30_000), admit(59_999)], [60, 30, 1]);
  assert.is(admit(60_000), 0);
  assert.is(limiter.admit('b', 60_000, RATES), 0);
});

test('a window that began in the future is restarted: the clock was set back', () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 5; n++) limiter.admit('a', 1_000_000, RATES);
  assert.is(limiter.admit('a', 0, RATES), 0);
});

test('the number of remembered clients is limited to the newest', () => {
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

test('a client keeps its window however many others come; those beyond share one', () => {
  const limiter = new RateLimiter();
  const admit = (key: string, nowMs: number) => limiter.admit(key, nowMs, RATES);
  for (let n = 0; n < 3; n++) admit('a', n);
  for (const other of ['b', 'c', 'd']) assert.is(admit(other, 10), 0);
  const beyond = Array.from({ length: 10 }, (_, n) => admit(`x${n}`, 20));
  assert.equal(beyond.slice(0, 4), [0, 0, 0, 60]);
  assert.is(admit('a', 30), 60, 'the first window is still there');
  assert.is(admit('x9', 60_020), 0, 'places are free again');
  assert.is(limiter.size, 1);
});

test('what is counted is an IPv4 address or an IPv6 network of 64 bits', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ] as const;
  for (const [address, network] of cases) assert.is(clientNetworkOf(address), network, address);
});

test('for any sequence of requests, no client exceeds its limit in a window', () => {
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

test('slots are released once each, and clients without requests are forgotten', () => {
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
  const reason = code === null ? null : 'The secret of the route is missing or wrong.';
  const request = { routeId, requestId: 'r', method: 'POST', clientIp: '::1', ms: 1, bytes: 9 };
  return { ...request, status, code, action, reason };
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

test('similar rejections are logged once a second, with the number omitted', () => {
  const { logger, lines } = testLog();
  const log = new AnswerLog(logger);
  for (let ms = 0; ms < 1500; ms += 100) log.record(answered('unauthorized'), ms);
  log.record(answered('unauthorized', 'other'), 1500);
  log.record(answered(), 1500);
  const entries = lines.map((line) => JSON.parse(line));
  assert.equal(
    entries.map(({ route, msg, more = 0 }) => [route, msg, more]),
    [
      ['ci', 'rejected', 0],
      ['ci', 'rejected', 9],
      ['other', 'rejected', 0],
      ['ci', 'performed', 0],
    ],
  );
});

test('a long reason of a rejection is visibly cut in the log', () => {
  const { logger, lines } = testLog();
  const reason = `action: must be one of: ${'create_flow, '.repeat(20)}`;
  new AnswerLog(logger).record({ ...answered('unauthorized'), reason }, 0);
  assert.match(JSON.parse(lines[0] ?? '').reason, /^action: .{191}…$/u);
});

test('a full disk is logged once a minute, however many requests meet it', () => {
  const { logger, lines } = testLog();
  const log = new AnswerLog(logger);
  const full = new SvcError('FLOWS_PERSIST_FAILED', 'database or disk is full');
  for (let ms = 0; ms <= 60_000; ms += 500) {
    log.failed(full, ms);
    log.record({ ...answered(), status: 503, code: 'persist_failed' }, ms);
  }
  const entries = lines.map((line) => JSON.parse(line));
  assert.equal(
    entries.map(({ level, more = 0 }) => [level, more]),
    [
      ['error', 0],
      ['error', 0],
      ['error', 119],
      ['error', 119],
    ],
  );
  const cause = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
  log.failed(new SvcError('FLOWS_PERSIST_FAILED', 'disk I/O error', { cause }), 60_001);
  assert.match(lines.at(-1) ?? '', /disk I\/O error/, 'another fault is not suppressed');
});

test.run();
