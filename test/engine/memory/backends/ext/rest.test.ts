import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  beginRest,
  currentRest,
  endRest,
  readExtState,
  restKeyOf,
  restWarning,
  updateExtState,
} from '../../../../../src/engine/memory/backends/ext/ext-state.js';
import { ToolFailure } from '../../../../../src/engine/memory/backends/ext/tool/open-tool.js';
import { tempFolder } from '../../../../support/temp-folder.js';

const test = suite('pausing a broken program');

const failure = new ToolFailure('BACKEND_TIMEOUT', 'it took too long', 'give it time');
const MINUTE_MS = 60_000;

/** How long a rest is that begins at a time; undefined where there is none. */
function restMs(dir: string, key: string, nowMs: number): number | undefined {
  const rest = currentRest(readExtState(dir), key, nowMs);
  return rest === undefined ? undefined : rest.untilMs - nowMs;
}

test('it is paused for a minute, then ever longer, up to ten minutes', () => {
  const { path: dir } = tempFolder();
  let nowMs = 1_000_000;
  const rests: (number | undefined)[] = [];
  for (let failures = 0; failures < 6; failures++) {
    beginRest(dir, 'a', failure, { now: () => nowMs });
    rests.push(restMs(dir, 'a', nowMs));
    nowMs += 20 * MINUTE_MS;
    assert.is(restMs(dir, 'a', nowMs), undefined);
  }
  assert.equal(
    rests,
    [1, 2, 4, 8, 10, 10].map((minutes) => minutes * MINUTE_MS),
  );
});

test('queries that fail together count as one failure', () => {
  const { path: dir } = tempFolder();
  for (let at = 0; at < 3; at++) beginRest(dir, 'a', failure, { now: () => 1000 + at });
  assert.is(restMs(dir, 'a', 1000), MINUTE_MS);
});

test('another program or mode is tried immediately', () => {
  const { path: dir } = tempFolder();
  beginRest(dir, restKeyOf({ key: 'p' }, 'query'), failure, { now: () => 0 });
  assert.is(restMs(dir, restKeyOf({ key: 'p' }, 'query'), 1), MINUTE_MS - 1);
  assert.is(restMs(dir, restKeyOf({ key: 'p' }, 'search'), 1), undefined);
  assert.is(restMs(dir, restKeyOf({ key: 'q' }, 'query'), 1), undefined);
});

test('an answer ends the pause and keeps the other state', () => {
  const { path: dir } = tempFolder();
  const collections = [{ name: 'a', root: '/a', pattern: '*' }];
  updateExtState(dir, (state) => ({ ...state, collections }));
  beginRest(dir, 'a', failure, { now: () => 0 });
  endRest(dir, readExtState(dir).rest);
  assert.equal(readExtState(dir), { collections });
});

test('no pause exceeds the maximum, even if the clock was wrong when it was written', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(), (untilMs, nowMs) => {
      const { code, message, hint } = failure;
      const rest = { key: 'a', failures: 1, untilMs, code, message, hint };
      const resting = currentRest({ rest }, 'a', nowMs);
      if (resting === undefined) return;
      assert.ok(untilMs > nowMs && untilMs - nowMs <= 10 * MINUTE_MS);
    }),
  );
});

test('the warning says for how long, why, and what to do', () => {
  const { path: dir } = tempFolder();
  beginRest(dir, 'a', failure, { now: () => 0 });
  const rest = currentRest(readExtState(dir), 'a', 30_500);
  assert.ok(rest !== undefined);
  const { code, message, hint } = restWarning(rest, 30_500);
  assert.is(code, 'BACKEND_PAUSED');
  assert.match(message, /failed: it took too long; using the built-in engine for another 30 s/);
  assert.match(hint ?? '', /^give it time; "svc memory index"/);
});

test('queries are answered even if the state cannot be written', () => {
  const folder = tempFolder();
  const file = folder.write('file', '');
  beginRest(file, 'a', failure, { now: () => 0 });
  endRest(file, { ...failure, key: 'a', failures: 1, untilMs: MINUTE_MS });
});

test.run();
