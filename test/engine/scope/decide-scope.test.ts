import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import {
  decideScope,
  type Scope,
  type SessionFacts,
} from '../../../src/engine/scope/decide-scope.js';

const test = suite('which conversations may search memory');

type ScopeInput = NonNullable<
  NonNullable<NonNullable<Parameters<typeof resolveConfig>[0]['memory']>['ext']>['scope']
>;

/** The scope that a configuration with these lines has. */
function scopeOf(written: ScopeInput | undefined): Scope {
  return resolveConfig(written === undefined ? {} : { memory: { ext: { scope: written } } }).memory
    .ext.scope;
}

type Verdict = 'allow' | 'deny';
/** A session, what is decided, and by which rule (from 0; none means the default). */
type Row = readonly [session: SessionFacts, verdict: Verdict, rule?: number];

function holdsFor(name: string, scope: Scope, rows: readonly Row[]): void {
  for (const [session, verdict, rule] of rows) {
    test(`${name}: ${JSON.stringify(session)} is ${verdict === 'allow' ? 'let in' : 'refused'}`, () => {
      const decision = decideScope(scope, session);
      assert.is(decision.allowed, verdict === 'allow');
      assert.is(decision.rule, rule);
      assert.ok(decision.why.length > 0);
    });
  }
}

holdsFor('shipped', scopeOf(undefined), [
  [{ sessionKey: 'agent:main:telegram:direct:42' }, 'allow', 0],
  [{ sessionKey: 'agent:main:signal:dm:42' }, 'allow', 0],
  [{ chatType: 'direct' }, 'allow', 0],
  [{ sessionKey: 'agent:main:slack:channel:c1' }, 'allow', 1],
  [{ sessionKey: 'agent:main:telegram:group:7' }, 'deny'],
  [{ sessionKey: 'agent:main:telegram:direct:42', chatType: 'group' }, 'deny'],
  [{ sessionKey: 'agent:main:explicit:x' }, 'deny'],
  [{ sessionKey: 'agent:main:cron:nightly' }, 'deny'],
  [{}, 'deny'],
  [{ sessionKey: '  ' }, 'deny'],
]);

holdsFor(
  'written without default',
  scopeOf({ rules: [{ action: 'deny', match: { chatType: 'group' } }] }),
  [
    [{ sessionKey: 'agent:main:telegram:group:7' }, 'deny', 0],
    [{ sessionKey: 'group:7' }, 'deny', 0],
    [{ sessionKey: 'agent:main:cron:nightly' }, 'allow'],
    [{}, 'allow'],
  ],
);

holdsFor('written with a default alone', scopeOf({ default: 'deny' }), [
  [{ sessionKey: 'agent:main:telegram:direct:42' }, 'deny'],
  [{ chatType: 'channel' }, 'deny'],
]);

holdsFor('empty', scopeOf({}), [
  [{ sessionKey: 'agent:main:telegram:group:7' }, 'allow'],
  [{}, 'allow'],
]);

holdsFor(
  'the first match',
  scopeOf({
    default: 'deny',
    rules: [
      { action: 'deny', match: { keyPrefix: 'telegram:direct:4' } },
      { action: 'allow', match: { chatType: 'direct' } },
      { action: 'deny', match: { chatType: 'direct' } },
    ],
  }),
  [
    [{ sessionKey: 'agent:main:telegram:direct:42' }, 'deny', 0],
    [{ sessionKey: 'agent:main:telegram:direct:52' }, 'allow', 1],
  ],
);

holdsFor(
  'all parts of a match',
  scopeOf({
    default: 'deny',
    rules: [
      {
        action: 'allow',
        match: { channel: 'Slack', chatType: 'channel', keyPrefix: 'slack:channel:c' },
      },
    ],
  }),
  [
    [{ sessionKey: 'agent:main:slack:channel:C1' }, 'allow', 0],
    [{ sessionKey: 'agent:main:slack:channel:D1' }, 'deny'],
    [{ sessionKey: 'agent:main:slack:group:c1' }, 'deny'],
    [{ sessionKey: 'agent:main:discord:channel:c1' }, 'deny'],
    [{ chatType: 'channel', channel: 'slack' }, 'deny'],
  ],
);

holdsFor(
  'keyPrefix without the agent, or with it when it names one',
  scopeOf({
    default: 'deny',
    rules: [
      { action: 'allow', match: { keyPrefix: 'telegram:' } },
      { action: 'allow', match: { keyPrefix: 'Agent:Home:' } },
    ],
  }),
  [
    [{ sessionKey: 'agent:main:telegram:group:7' }, 'allow', 0],
    [{ sessionKey: 'telegram:group:7' }, 'allow', 0],
    [{ sessionKey: 'AGENT:HOME:slack:x' }, 'allow', 1],
    [{ sessionKey: 'agent:main:slack:telegram:' }, 'deny'],
    [{ sessionKey: 'home:x' }, 'deny'],
  ],
);

holdsFor(
  'rawKeyPrefix with the agent',
  scopeOf({
    default: 'deny',
    rules: [{ action: 'allow', match: { rawKeyPrefix: 'agent:HOME:' } }],
  }),
  [
    [{ sessionKey: 'Agent:home:telegram:group:7' }, 'allow', 0],
    [{ sessionKey: 'agent:main:home:' }, 'deny'],
    [{ chatType: 'direct' }, 'deny'],
  ],
);

holdsFor(
  'channel from the key, unless one is given',
  scopeOf({ default: 'allow', rules: [{ action: 'deny', match: { channel: 'telegram' } }] }),
  [
    [{ sessionKey: 'agent:main:telegram:direct:42' }, 'deny', 0],
    [{ sessionKey: 'agent:main:telegram:direct:42', channel: 'slack' }, 'allow'],
    [{ channel: 'Telegram' }, 'deny', 0],
    [{ sessionKey: 'agent:main:main', channel: 'telegram' }, 'deny', 0],
    [{ sessionKey: 'agent:telegram:main' }, 'allow'],
  ],
);

holdsFor(
  'a rule for everybody',
  scopeOf({ default: 'allow', rules: [{ action: 'deny' }, { action: 'allow', match: {} }] }),
  [
    [{ sessionKey: 'agent:main:telegram:direct:42' }, 'deny', 0],
    // Of whom nothing is known, no rule is asked.
    [{}, 'allow'],
  ],
);

test('the deciding rule is described in words', () => {
  const scope = scopeOf({
    default: 'deny',
    rules: [{ action: 'allow', match: { channel: 'web', chatType: 'direct' } }],
  });
  const told = (session: SessionFacts) => decideScope(scope, session).why;
  assert.is(
    told({ sessionKey: 'web:direct:1' }),
    'rule 1 matched: allow channel "web" and chatType "direct"',
  );
  assert.is(told({ sessionKey: 'web:group:1' }), 'no rule matched, and the default is deny');
  assert.is(told({}), 'the session is unknown, and the default is deny');
});

test.run();
