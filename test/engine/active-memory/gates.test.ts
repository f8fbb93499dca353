import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decideGates,
  GATES,
  type Gate,
  type GateFacts,
} from '../../../src/engine/active-memory/gates.js';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { ConfigInput } from '../../../src/engine/config/schema/index.js';

const test = suite('gates of active memory');

type Plugin = NonNullable<
  NonNullable<NonNullable<ConfigInput['plugins']>['entries']>['active-memory']
>;

function settingsOf(config: Plugin['config'] = {}, enabled = true): GateFacts['settings'] {
  const written = { enabled, config: { agents: ['main'], ...config } };
  return resolveConfig({ plugins: { entries: { 'active-memory': written } } }).plugins.entries[
    'active-memory'
  ];
}

const KEY = 'agent:main:telegram:direct:42';
const OPEN: GateFacts = {
  settings: settingsOf(),
  configFile: '/etc/svc.json',
  agent: { id: 'main', from: 'session key' },
  session: { sessionKey: KEY, channel: 'telegram' },
  sessionId: undefined,
  trigger: 'user',
  switchedOff: false,
  scope: resolveConfig({}).memory.ext.scope,
};

const DENY_ALL: GateFacts['scope'] = { default: 'deny', rules: [] };

/** One way to close each gate that can be closed, and nothing before it. */
const CLOSED: Readonly<Record<Exclude<Gate, 'agent' | 'config' | 'session'>, Partial<GateFacts>>> =
  {
    toggle: { switchedOff: true },
    plugin: { settings: settingsOf({ agents: ['other'] }) },
    interactive: { trigger: 'cron' },
    chat_type: { settings: settingsOf({ allowedChatTypes: ['group'] }) },
    chat_id: { settings: settingsOf({ deniedChatIds: [' 42 '] }) },
    scope: { scope: DENY_ALL },
  };

test('with everything valid all gates are open, and each gives its reason', () => {
  const { checked, closed } = decideGates(OPEN);
  assert.is(closed, undefined);
  assert.equal(
    checked.map(({ gate }) => gate),
    [...GATES],
  );
  assert.ok(checked.every(({ why, open }) => open && why !== ''));
});

test('truth table: the first closed gate decides, whatever else is closed', () => {
  const names = Object.keys(CLOSED) as (keyof typeof CLOSED)[];
  // All 64 combinations; settings of several gates are laid over each other.
  for (let bits = 0; bits < 2 ** names.length; bits++) {
    const closed = names.filter((_, at) => (bits & (1 << at)) !== 0);
    const config = {
      ...(closed.includes('plugin') ? { agents: ['other'] } : {}),
      ...(closed.includes('chat_type') ? { allowedChatTypes: ['group' as const] } : {}),
      ...(closed.includes('chat_id') ? { deniedChatIds: ['42'] } : {}),
    };
    const others = closed.map((name) => ('settings' in CLOSED[name] ? {} : CLOSED[name]));
    const facts = Object.assign({}, OPEN, ...others, { settings: settingsOf(config) });
    const decision = decideGates(facts);
    const first = GATES.find((gate) => closed.some((name) => name === gate));
    assert.is(decision.closed?.gate, first);
    if (first === undefined) continue;
    assert.ok(decision.closed?.why);
    assert.equal(
      decision.checked.map(({ gate, open }) => [gate, open]),
      GATES.slice(0, GATES.indexOf(first) + 1).map((gate) => [gate, gate !== first]),
    );
  }
});

function closedBy(facts: Partial<GateFacts>): Gate | 'open' {
  return decideGates({ ...OPEN, ...facts }).closed?.gate ?? 'open';
}

test('gate 1: the plugin is on, not switched off for all, and meant for this agent', () => {
  const cases: [boolean, boolean, readonly string[], Gate | 'open'][] = [
    [true, true, ['main'], 'open'],
    [true, true, ['a', 'main'], 'open'],
    [false, true, ['main'], 'plugin'],
    [true, false, ['main'], 'plugin'],
    [true, true, [], 'plugin'],
    [true, true, ['other'], 'plugin'],
    [false, false, [], 'plugin'],
  ];
  for (const [enabled, on, agents, expected] of cases) {
    const settings = settingsOf({ enabled: on, agents: [...agents] }, enabled);
    assert.is(closedBy({ settings }), expected, JSON.stringify([enabled, on, agents]));
  }
});

test('gate 1 is closed where nothing is configured', () => {
  const settings = resolveConfig({}).plugins.entries['active-memory'];
  assert.is(closedBy({ settings }), 'plugin');
});

test('gate 2: a person started the turn, in a known session, on a channel', () => {
  const direct = { chatType: 'direct' } as const;
  const cases: [Partial<GateFacts>, Gate | 'open'][] = [
    [{ trigger: 'user' }, 'open'],
    [{ trigger: 'heartbeat' }, 'interactive'],
    [{ trigger: 'cron' }, 'interactive'],
    [{ trigger: 'subagent' }, 'interactive'],
    [{ trigger: '' }, 'interactive'],
    [{ trigger: 'User' }, 'interactive'],
    [{ session: { ...direct, channel: 'telegram' } }, 'interactive'],
    [{ session: { ...direct, channel: 'telegram', sessionKey: ' ' } }, 'interactive'],
    [{ session: { ...direct, channel: 'telegram' }, sessionId: 's-1' }, 'open'],
    [{ session: { ...direct, sessionKey: KEY } }, 'interactive'],
    [{ session: { ...direct, sessionKey: KEY, channel: ' ' } }, 'interactive'],
  ];
  for (const [facts, expected] of cases) {
    assert.is(closedBy(facts), expected, JSON.stringify(facts));
  }
});

test('the chat type must be known and allowed', () => {
  const allow = (...types: ('channel' | 'direct' | 'explicit' | 'group')[]) =>
    settingsOf({ allowedChatTypes: types });
  const of = (sessionKey: string) => ({ session: { sessionKey, channel: 'x' } });
  assert.is(closedBy(of('agent:main:x:group:7')), 'chat_type');
  assert.is(closedBy(of('agent:main:strange')), 'chat_type');
  assert.is(closedBy(of('agent:main:main')), 'open');
  assert.is(closedBy({ ...of('agent:main:x:channel:7'), settings: allow('channel') }), 'open');
  assert.is(closedBy({ ...of('agent:main:x:direct:7'), settings: allow('channel') }), 'chat_type');
  assert.is(closedBy({ ...of('agent:main:x:direct:7'), settings: allow() }), 'chat_type');
  // Allowed here, and refused by the scope that all tools have.
  assert.is(closedBy({ ...of('agent:main:x:group:7'), settings: allow('group') }), 'scope');
});

test('single conversations can be selected, in any case and with surrounding blanks', () => {
  const by = (config: Plugin['config'], sessionKey = KEY) =>
    closedBy({
      settings: settingsOf(config),
      session: { sessionKey, channel: 'x', chatType: 'direct' },
    });
  assert.is(by({ allowedChatIds: ['42'] }), 'open');
  assert.is(by({ allowedChatIds: ['43'] }), 'chat_id');
  assert.is(by({ allowedChatIds: [' ABC '] }, 'agent:main:x:direct:abc'), 'open');
  assert.is(by({ allowedChatIds: ['42'], deniedChatIds: ['42'] }), 'chat_id');
  assert.is(by({ deniedChatIds: ['43'] }), 'open');
  // Unknown: refused where only some are allowed, let through where only some are denied.
  assert.is(by({ allowedChatIds: ['42'] }, 'agent:main:main'), 'chat_id');
  assert.is(by({ deniedChatIds: ['42'] }, 'agent:main:main'), 'open');
  assert.is(by({ allowedChatIds: ['42'] }, `${KEY}:thread:9`), 'open');
});

test('any caller gets a decision, with its reason and the earlier gates', () => {
  const text = fc.option(fc.string(), { nil: undefined });
  const facts = fc.record({
    sessionKey: fc.oneof(text, fc.constantFrom(KEY, 'agent:main:main', 'agent:x:group:1')),
    channel: text,
    provider: text,
    sessionId: text,
    trigger: fc.oneof(fc.constant('user'), fc.string()),
    switchedOff: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, ({ sessionKey, channel, provider, sessionId, trigger, switchedOff }) => {
      const session = { sessionKey, channel, provider };
      const world = { ...OPEN, session, sessionId, trigger, switchedOff };
      const { checked, closed } = decideGates(world);
      if (closed === undefined) {
        assert.is(trigger, 'user');
        assert.not(switchedOff);
        assert.is(checked.length, GATES.length);
      } else {
        assert.ok(closed.why);
        assert.is(checked.length, GATES.indexOf(closed.gate) + 1);
      }
    }),
  );
});

test.run();
