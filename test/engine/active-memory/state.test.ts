import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isSwitchedOff,
  switchSession,
  togglesFile,
} from '../../../src/engine/active-memory/session-toggles.js';
import {
  afterTimeout,
  breakerOf,
  breakerState,
  type CachedRecall,
  readRecallState,
  recallInCache,
  recallStateFile,
  updateRecallState,
  withBreaker,
  withTrial,
} from '../../../src/engine/active-memory/state-file.js';

import type { EngineContext } from '../../../src/engine/support/context.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('what recalls remember');

const NEVER = new AbortController().signal;
const NOW = 1_000_000;

function recallOf(key: string, untilMs = NOW + 1000): CachedRecall {
  const source = { path: 'a.md', source: 'memory', startLine: 1, endLine: 2, score: 0.5 } as const;
  return { key, untilMs, summary: `text of ${key}`, sources: [source], model: null };
}

function add(stateDir: string, ...recalls: CachedRecall[]): void {
  updateRecallState(stateDir, NOW, (state) => {
    return { ...state, recalls: [...state.recalls, ...recalls] };
  });
}

test('state is read back as it was written, and is private to its owner', () => {
  const { path } = tempFolder();
  assert.equal(readRecallState(path), { recalls: [], breakers: [] });
  add(path, recallOf('a'));
  assert.equal(readRecallState(path).recalls, [recallOf('a')]);
  assert.is(statSync(recallStateFile(path)).mode & 0o777, 0o600);
  assert.is(statSync(dirname(recallStateFile(path))).mode & 0o777, 0o700);
});

test('expired recalls are dropped, and their number is limited', () => {
  const { path } = tempFolder();
  add(path, recallOf('old', NOW), recallOf('new'));
  assert.equal(
    readRecallState(path).recalls.map(({ key }) => key),
    ['new'],
  );
  add(path, ...Array.from({ length: 1500 }, (_, n) => recallOf(`k${n}`)));
  const { recalls } = readRecallState(path);
  assert.is(recalls.length, 1000);
  assert.is(recalls.at(-1)?.key, 'k1499');
});

test('a broken file is ignored, and replaced by the next recall', () => {
  const folder = tempFolder();
  const broken = [
    '',
    '{',
    'null',
    '[]',
    '{"recalls": 7, "breakers": {"a": 1}}',
    '{"recalls": [null, {}, {"key": "k", "untilMs": "x"}], "breakers": [{"key": "k"}]}',
    '\0'.repeat(100),
  ];
  for (const text of broken) {
    folder.write('plugins/active-memory/state.json', text);
    assert.equal(readRecallState(folder.path), { recalls: [], breakers: [] }, text);
    add(folder.path, recallOf('a'));
    assert.equal(readRecallState(folder.path).recalls, [recallOf('a')]);
  }
  mkdirSync(folder.at('other/plugins/active-memory/state.json'), { recursive: true });
  assert.equal(readRecallState(folder.at('other')), { recalls: [], breakers: [] });
  add(folder.at('other'), recallOf('a'));
  assert.equal(readdirSync(folder.at('other/plugins/active-memory')), ['state.json']);
});

test('a truncated file is ignored, wherever it ends', () => {
  const folder = tempFolder();
  add(folder.path, recallOf('a'), recallOf('b'));
  const whole = readFileSync(recallStateFile(folder.path));
  for (let end = 0; end < whole.length - 1; end++) {
    folder.write('plugins/active-memory/state.json', whole.subarray(0, end));
    assert.equal(readRecallState(folder.path), { recalls: [], breakers: [] });
  }
});

const BREAKER = { circuitBreakerMaxTimeouts: 3, circuitBreakerCooldownMs: 60_000 };

test('the breaker opens after enough consecutive timeouts, and allows one try after the pause', () => {
  let record = afterTimeout(undefined, 'k', NOW, BREAKER);
  assert.is(breakerState(record, NOW, BREAKER), 'closed');
  record = afterTimeout(record, 'k', NOW, BREAKER);
  assert.is(breakerState(record, NOW, BREAKER), 'closed');
  record = afterTimeout(record, 'k', NOW, BREAKER);
  assert.is(breakerState(record, NOW, BREAKER), 'open');
  assert.is(breakerState(record, NOW + 59_999, BREAKER), 'open');
  assert.is(breakerState(record, NOW + 60_000, BREAKER), 'half_open');
  const others = withTrial(record, NOW + 60_000, 15_000);
  assert.is(breakerState(others, NOW + 60_001, BREAKER), 'open');
  assert.is(breakerState(others, NOW + 75_000, BREAKER), 'half_open');
  const again = afterTimeout(others, 'k', NOW + 75_000, BREAKER);
  assert.is(breakerState(again, NOW + 76_000, BREAKER), 'open');
});

test('a clock that was set back keeps neither a breaker open nor a recall', () => {
  const opened = [1, 2, 3].reduce<ReturnType<typeof afterTimeout> | undefined>(
    (record) => afterTimeout(record, 'k', NOW, BREAKER),
    undefined,
  );
  assert.is(breakerState(opened, NOW - 1000, BREAKER), 'half_open');
  const state = { recalls: [recallOf('a')], breakers: [] };
  const cached = (nowMs: number) => recallInCache(state, 'a', nowMs, { cacheTtlMs: 1000 })?.key;
  assert.equal([cached(NOW), cached(NOW + 999)], ['a', 'a']);
  assert.equal([cached(NOW + 1000), cached(NOW - 1)], [undefined, undefined]);
});

test('breakers are independent, and a success closes one', () => {
  const record = afterTimeout(undefined, 'a', NOW, BREAKER);
  const none = { recalls: [], breakers: [] };
  const two = withBreaker(withBreaker(none, 'a', record), 'b', { ...record, key: 'b' });
  assert.is(two.breakers.length, 2);
  const one = withBreaker(two, 'a', undefined);
  assert.is(breakerOf(one, 'a'), undefined);
  assert.is(breakerOf(one, 'b')?.timeouts, 1);
});

function contextOf(stateDir: string): EngineContext {
  const state = { stateDir, cacheDir: stateDir, userConfigFile: `${stateDir}/svc.json` };
  return { env: {}, cwd: stateDir, homeDir: stateDir, state, clock: { now: () => NOW } };
}

test('a conversation is switched off and on, ignoring the case of its key, and no other', async () => {
  const { path } = tempFolder();
  const context = contextOf(path);
  assert.not(isSwitchedOff(path, 'main', 'agent:main:x:direct:Ada'));
  await switchSession(
    context,
    { agentId: 'main', sessionKey: 'agent:main:x:direct:Ada', on: false },
    NEVER,
  );
  assert.ok(isSwitchedOff(path, 'main', ' AGENT:main:x:direct:ada'));
  assert.not(isSwitchedOff(path, 'main', 'agent:main:x:direct:bob'));
  assert.not(isSwitchedOff(path, 'other', 'agent:main:x:direct:Ada'));
  assert.is(statSync(togglesFile(path)).mode & 0o777, 0o600);
  await switchSession(
    context,
    { agentId: 'main', sessionKey: 'agent:main:x:direct:ada', on: true },
    NEVER,
  );
  assert.not(isSwitchedOff(path, 'main', 'agent:main:x:direct:Ada'));
});

test('concurrent switches all take effect', async () => {
  const { path } = tempFolder();
  const keys = Array.from({ length: 12 }, (_, n) => `agent:main:x:direct:${n}`);
  await Promise.all(
    keys.map((key) =>
      switchSession(contextOf(path), { agentId: 'main', sessionKey: key, on: false }, NEVER),
    ),
  );
  assert.ok(keys.every((key) => isSwitchedOff(path, 'main', key)));
});

test('an unreadable switch counts as off, and can be rewritten', async () => {
  const folder = tempFolder();
  folder.write('plugins/active-memory/session-toggles.json', '{"broken');
  assert.ok(isSwitchedOff(folder.path, 'main', 'k'));
  const warning = await switchSession(
    contextOf(folder.path),
    { agentId: 'main', sessionKey: 'k', on: true },
    NEVER,
  );
  assert.not(isSwitchedOff(folder.path, 'main', 'k'));
  assert.is(warning?.code, 'RECALL_SWITCHES_RESET');
  const aside = folder.at('plugins/active-memory/session-toggles.json.broken');
  assert.is(readFileSync(aside, 'utf8'), '{"broken');
});

test('switches that cannot be read now are not replaced', async () => {
  const folder = tempFolder();
  const file = folder.at('plugins/active-memory/session-toggles.json');
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync('session-toggles.json', file);
  assert.ok(isSwitchedOff(folder.path, 'main', 'k'));
  const error = await failureOf(
    switchSession(contextOf(folder.path), { agentId: 'main', sessionKey: 'k', on: true }, NEVER),
  );
  assert.is(error.code, 'STATE_UNWRITABLE');
  assert.ok(lstatSync(file).isSymbolicLink());
});

test('a switch that cannot be written says so', async () => {
  const folder = tempFolder();
  folder.write('plugins', 'a file in the way');
  const error = await failureOf(
    switchSession(contextOf(folder.path), { agentId: 'main', sessionKey: 'k', on: false }, NEVER),
  );
  assert.is(error.code, 'STATE_UNWRITABLE');
  add(folder.path, recallOf('a'));
  assert.not(existsSync(recallStateFile(folder.path)));
});

test.run();
