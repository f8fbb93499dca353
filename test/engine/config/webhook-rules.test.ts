import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';

const test = suite('rules for webhook routes');

const KEY = 'a-signing-key-of-tests-0123456789';
const GITHUB = { scheme: 'github', secrets: [KEY] };

/** What is reported about a route, as `code path: message`; paths are relative to the route. */
function reports(route: object): readonly string[] {
  const routes = { r: { sessionKey: 's', ...route } };
  const text = JSON.stringify({ plugins: { entries: { webhooks: { config: { routes } } } } });
  const { faults, warnings } = checkConfigText('/svc.json', text);
  return [...faults, ...warnings].map(({ code, path, message, severity }) => {
    const place = path.replace('plugins.entries.webhooks.config.routes.r', '');
    return `${severity} ${code} ${place}: ${message}`;
  });
}

function mapped(...map: readonly object[]): readonly string[] {
  return reports({ verify: GITHUB, map });
}

test('a route has a secret or verify, not both', () => {
  assert.equal(reports({ secret: KEY }), []);
  assert.equal(reports({ verify: GITHUB }), []);
  assert.match(
    reports({}).join('\n'),
    /^fault missing-key : "secret" is missing in plugins\.entries\.webhooks\.config\.routes\.r$/u,
  );
  assert.match(
    reports({ secret: KEY, verify: GITHUB }).join('\n'),
    /^fault verify-invalid .secret: /u,
  );
});

test('a session and a controller are not blank', () => {
  for (const key of ['sessionKey', 'controllerId']) {
    for (const blank of ['', ' ', '\t\n']) {
      const found = reports({ secret: KEY, [key]: blank });
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.match(found.join('\n'), `fault invalid-value .${key}: `);
    }
  }
});

test('a session is short enough for an index of PostgreSQL, and is compared without surrounding spaces', () => {
  const found = (sessionKey: string) => reports({ secret: KEY, sessionKey });
  for (const fits of ['s', 'agent:main: two  words', 'ü'.repeat(255), '😀'.repeat(255)]) {
    assert.equal(found(fits), [], fits);
  }
  for (const refused of [' s', 's ', 's\n', 's'.repeat(256)]) {
    assert.match(found(refused).join('\n'), /^fault invalid-value .sessionKey: .* 255 characters/u);
  }
});

test('a route that ignores everything, and settings that it ignores, are reported', () => {
  const verify = GITHUB;
  const unsigned = { ...verify, toleranceSeconds: 60 };
  const hmac = { scheme: 'hmac', secrets: [KEY], header: 'X-S', toleranceSeconds: 60 };
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ verify, map: [] }, /^warning rule-never-matches .map: .*every request is ignored$/u],
    [{ verify, map: [], unmatched: 'reject' }, / .map: .*every request is refused$/u],
    [{ verify, unmatched: 'reject' }, /^warning setting-unused .unmatched: .* no map$/u],
    [{ verify: unsigned }, /^warning setting-unused .verify.toleranceSeconds: .* no signed time$/u],
    [{ verify: hmac }, / .verify.toleranceSeconds: .* no signed time$/u],
    [{ secret: KEY, dedupeHours: 2 }, /^warning setting-unused .dedupeHours: .* no deliveryId$/u],
  ];
  for (const [route, expected] of cases) {
    const found = reports(route);
    assert.is(found.length, 1, JSON.stringify([route, found]));
    assert.match(found.join('\n'), expected);
  }
  assert.equal(reports({ verify: { ...hmac, timestamp: '/sentAt' } }), []);
  assert.equal(reports({ verify: { ...unsigned, scheme: 'stripe' }, dedupeHours: 2 }), []);
  assert.equal(reports({ secret: KEY, dedupeHours: 2, deliveryId: 'X-Id' }), []);
});

test('accepted requests are answered with 200 or 202', () => {
  for (const acceptedStatus of [200, 202]) {
    assert.equal(reports({ secret: KEY, acceptedStatus }), []);
  }
  assert.equal(reports({ secret: KEY, acceptedStatus: 204 }), [
    'fault invalid-value .acceptedStatus: "acceptedStatus" must be 200 or 202 (got 204)',
  ]);
});

test('a route that no request can reach is refused', () => {
  const unreachable = [
    ['/a%zz', '"%" that starts no valid escape'],
    ['/b%ff', '"%" that starts no valid escape'],
    ['100%', '"%" that starts no valid escape'],
    ['/a/../b', 'clients remove'],
    ['/a/%2e', 'clients remove'],
    ['/a\ud800', 'not valid Unicode'],
  ] as const;
  for (const [path, why] of unreachable) {
    const found = reports({ secret: KEY, path });
    assert.equal(found.length, 1, path);
    assert.match(found.join('\n'), /^fault route-unreachable .path: no request can reach/u);
    assert.match(found.join('\n'), why);
    assert.equal(reports({ secret: KEY, path, enabled: false }), []);
  }
  for (const path of ['/a%20b', '/100%25', '/a%2Fb', '/ü', '/a..b/.c', '/healthz']) {
    assert.equal(reports({ secret: KEY, path }), [], path);
  }
});

test('a route whose id makes no reachable path needs a path', () => {
  const found = (id: string, more: object) => {
    const routes = { [id]: { sessionKey: 's', secret: KEY, ...more } };
    const plugins = { entries: { webhooks: { config: { routes } } } };
    return checkConfigText('/svc.json', JSON.stringify({ plugins })).faults.map(({ code }) => code);
  };
  for (const id of ['a?b', 'a#b', '..']) {
    assert.equal(found(id, {}), ['route-unreachable'], id);
    assert.equal(found(id, { path: '/a' }), [], id);
  }
  for (const id of ['a b', 'ü', 'a%20b', '50%']) assert.equal(found(id, {}), [], id);
});

test('a secret of an undeclared provider only affects its route', () => {
  const secret = { source: 'file', provider: 'vault', id: '/ci' };
  const verify = { scheme: 'github', secrets: [KEY, secret] };
  const callback = { url: 'https://example.com/', secret };
  const said = 'unknown secret provider "vault"';
  assert.equal(reports({ secret }), [`warning unknown-secret-provider .secret: ${said}`]);
  assert.equal(reports({ verify }), [
    `warning unknown-secret-provider .verify.secrets[1]: ${said}`,
  ]);
  assert.equal(reports({ secret: KEY, callback }), [
    `fault unknown-secret-provider .callback.secret: ${said}`,
  ]);
});

test('two routes can have one path if only one of them is enabled', () => {
  const routes = (enabled: boolean) => ({
    old: { sessionKey: 's', secret: KEY, path: '/hooks/ci', enabled },
    new: { sessionKey: 's', secret: KEY, path: '/hooks/ci' },
  });
  const codes = (enabled: boolean) => {
    const plugins = { entries: { webhooks: { config: { routes: routes(enabled) } } } };
    return checkConfigText('/svc.json', JSON.stringify({ plugins })).faults.map(({ code }) => code);
  };
  assert.equal(codes(false), []);
  assert.equal(codes(true), ['duplicate-route-path']);
});

test('an empty list of networks would refuse everyone, and is not the same as none', () => {
  assert.match(reports({ secret: KEY, allow: [] }).join('\n'), /allow: .* at least 1 item/u);
  assert.equal(reports({ secret: KEY, allow: ['loopback'] }), []);
});

test('an invalid secret is not also reported as missing', () => {
  const secret = { source: 'vault', provider: 'default', id: 'CI' };
  assert.equal(reports({ secret }), [
    'fault invalid-value .secret.source: "source" must be one of "env", "file", "exec"',
  ]);
  assert.match(reports({ secrt: KEY }).join('\n'), /"secret" is missing/u);
});

test('for an unknown key, the keys of its scheme are listed', () => {
  const unknownIn = (scheme: string) => {
    const verify = { scheme, secrets: [KEY], headr: 'X' };
    const routes = { r: { sessionKey: 's', verify } };
    const text = JSON.stringify({ plugins: { entries: { webhooks: { config: { routes } } } } });
    const { faults } = checkConfigText('/svc.json', text);
    return faults.find(({ code }) => code === 'unknown-key');
  };
  assert.is(unknownIn('github')?.expected, 'one of scheme, secrets, toleranceSeconds');
  assert.is(unknownIn('github')?.suggestion, undefined);
  assert.is(unknownIn('hmac')?.suggestion, 'header');
});

test('secrets in plain text should be long', () => {
  const verify = { scheme: 'github', secrets: [KEY, 'short'] };
  assert.match(reports({ verify }).join('\n'), /^warning weak-secret .verify.secrets\[1\]: /u);
});

test('each scheme has its own keys', () => {
  assert.match(reports({ verify: { scheme: 'github', secrets: [] } }).join('\n'), /invalid-value/u);
  assert.match(
    reports({ verify: { ...GITHUB, header: 'X' } }).join('\n'),
    /unknown-key .verify.header/u,
  );
  assert.match(reports({ verify: { scheme: 'hmac', secrets: [KEY] } }).join('\n'), /missing-key/u);
  const hmac = { scheme: 'hmac', secrets: [KEY], header: 'X-Signature' };
  assert.equal(reports({ verify: hmac }), []);
  for (const payload of ['{timestamp}', '{body}{body}', '{id}.{body}', 'x']) {
    assert.match(reports({ verify: { ...hmac, payload } }).join('\n'), /invalid-value/u, payload);
  }
  const payload = '{timestamp}.{body}';
  assert.match(
    reports({ verify: { ...hmac, payload } }).join('\n'),
    /no header with the timestamp/u,
  );
  assert.equal(reports({ verify: { ...hmac, payload, timestamp: 'X-Time' } }), []);
  for (const unsigned of [{}, { payload: '{body}' }]) {
    assert.match(
      reports({ verify: { ...hmac, ...unsigned, timestamp: 'X-Time' } }).join('\n'),
      /^fault verify-invalid .verify.timestamp: .* X-Time is not signed/u,
    );
  }
  assert.equal(reports({ verify: { ...hmac, timestamp: '/sentAt' } }), []);
});

const FLOW = { action: 'create_flow', set: { goal: 'Build {/ref}' } };

test('rules that produce valid actions are accepted', () => {
  assert.equal(
    mapped(
      { when: { event: 'star' }, ignore: true },
      { when: { event: ['push', 'create'], '/deleted': false, '/ref': { exists: true } }, ...FLOW },
      {
        action: 'create_flow',
        set: { goal: '{x} {/a~1b/0} {', stateJson: { a: ['{/x}', 1, null] }, controllerId: 'c' },
        task: { runtime: 'acp', task: '{/x}', agentId: 'main' },
      },
    ),
    [],
  );
  assert.equal(
    mapped({ action: 'finish_flow', set: { flowId: '{/id}', expectedRevision: '{/n}' } }),
    [],
  );
});

test('numbers that fit, and texts of others, can be conditions', () => {
  const when = { '/id': [2 ** 53 - 1, '9007199254740992', -1.5] };
  assert.equal(mapped({ when, ...FLOW }), []);
});

test('each rule that cannot work is named, with the reason', () => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /mapping-invalid .map\[0\]: the rule does nothing/u],
    [{ ...FLOW, ignore: true }, /has an action and ignores too/u],
    [{ when: { ref: 'x' }, ...FLOW }, /.map\[0\].when.ref: "ref" is not a JSON pointer/u],
    [{ when: { '/a~2': 'x' }, ...FLOW }, /is not a JSON pointer/u],
    [{ when: { event: [] }, ...FLOW }, /warning rule-never-matches .* no value is allowed/u],
    [{ when: { event: 1 }, ...FLOW }, /warning rule-never-matches .* an event is a string/u],
    [{ when: { event: ['push', true] }, ...FLOW }, /an event is a string/u],
    [{ when: { event: 2 ** 53 }, ...FLOW }, /an event is a string/u],
    [{ when: { '/id': 2 ** 53 }, ...FLOW }, /warning rule-never-matches .* read as a string/u],
    [
      { when: { '/id': [1, -(2 ** 60)] }, ...FLOW },
      /warning rule-never-matches .* read as a string/u,
    ],
    [{ action: 'create_flow' }, /create_flow needs the field "goal"/u],
    [{ action: 'create_flow', set: { gaol: 'x', goal: 'x' } }, /has no field "gaol"/u],
    [{ action: 'create_flow', set: { goal: 'x {/a~2}' } }, /\/a~2 is not a JSON pointer/u],
    [{ action: 'create_flow', set: { goal: 'x {/a' } }, /is not closed/u],
    [{ action: 'create_flow', set: { goal: '' } }, /goal must not be empty \(got ""\)/u],
    [
      { action: 'create_flow', set: { goal: 'x', status: 'done' } },
      /status must be one of: .* \(got "done"\)/u,
    ],
    [
      { action: 'create_flow', set: { goal: 'x', controllerId: '{/c}' } },
      /controllerId cannot come from the body/u,
    ],
    [{ action: 'create_flow', set: { goal: 'x', sessionKey: 's' } }, /has no field "sessionKey"/u],
    [{ ...FLOW, task: { runtime: '{/r}', task: 'x' } }, /runtime cannot come from the body/u],
    [{ ...FLOW, task: { runtime: 'acp' } }, /task needs the field "task"/u],
    [{ ...FLOW, task: { runtime: 'acp', task: 'x', flowId: 'y' } }, /task has no field "flowId"/u],
    [
      { action: 'cancel_flow', set: { flowId: '{/id}' }, task: { runtime: 'acp', task: 'x' } },
      /cancel_flow creates no flow/u,
    ],
    [{ action: 'drop_flow' }, /invalid-value .map\[0\].action/u],
  ];
  for (const [rule, expected] of cases) {
    const found = mapped(rule);
    assert.is(found.length, 1, JSON.stringify([rule, found]));
    assert.match(found.join('\n'), expected);
  }
});

test('a condition on the event of a route whose requests have none is reported', () => {
  const never = /^warning rule-never-matches .map\[0\].when.event: .* have no event$/u;
  const verify = { scheme: 'hmac', header: 'X-S', secrets: [KEY] };
  for (const event of ['push', ['push'], { exists: true }]) {
    const map = [{ when: { event }, ...FLOW }];
    for (const route of [{ secret: KEY }, { verify }]) {
      assert.match(reports({ ...route, map }).join('\n'), never);
      assert.equal(reports({ ...route, map, eventName: 'X-Event' }), []);
    }
  }
  const absent = [{ when: { event: { exists: false } }, ...FLOW }];
  assert.equal(reports({ secret: KEY, map: absent }), []);
});

test('a rule after one that matches the same never matches', () => {
  const push = { when: { event: 'push' }, ...FLOW };
  const never = /^warning rule-never-matches .map\[1\]: rule 2 never matches: rule 1 /u;
  for (const [first, second] of [
    [FLOW, push],
    [push, push],
    [push, { when: { event: 'push', '/a': 1 }, ...FLOW }],
    [{ when: { event: ['push', 'star'] }, ignore: true }, push],
    [{ when: { event: { exists: true } }, ignore: true }, push],
  ] as const) {
    assert.match(mapped(first, second).join('\n'), never, JSON.stringify([first, second]));
  }
  for (const [first, second] of [
    [push, FLOW],
    [{ when: { event: 'push', '/a': 1 }, ...FLOW }, push],
    [push, { when: { event: ['push', 'star'] }, ...FLOW }],
    [
      { when: { '/a': { exists: false } }, ignore: true },
      { when: { '/a': 1 }, ...FLOW },
    ],
    [push, { when: { event: { exists: true } }, ...FLOW }],
  ] as const) {
    assert.equal(mapped(first, second), []);
  }
});

test.run();
