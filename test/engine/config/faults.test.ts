import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';

const test = suite('faults of a configuration');

interface Case {
  readonly text: string;
  /** `line:column path: message` of every fault, in order. */
  readonly faults: readonly string[];
  /** Null if there must be none. */
  readonly suggestion?: string | null;
}

const CASES: Readonly<Record<string, Case>> = {
  'nothing at all': { text: '', faults: ['1:1 : the file is empty'] },
  'only a comment': { text: '// later\n', faults: ['1:1 : the file is empty'] },
  'a word': { text: 'hello', faults: ['1:1 : this word is not JSON'] },
  'a missing comma': {
    text: '{\n  "memory": {}\n  "agents": {}\n}',
    faults: ['3:3 : a comma is missing'],
  },
  'an open object': { text: '{ "memory": {', faults: ['1:14 : an object is not closed'] },
  'two syntax faults': {
    text: '{\n  "a": tru,\n  "b": "x\n}',
    faults: ['2:8 : this word is not JSON', '3:8 : a string is not closed'],
  },
  'text after the end': {
    text: '{}\n{}',
    faults: ['2:1 : there is text after the end of the configuration'],
  },
  'deep nesting': {
    text: `{"a":${'['.repeat(100_000)}`,
    faults: ['1:1 : objects and lists are nested too deeply'],
  },
  'a list as a whole': {
    text: '[]',
    faults: ['1:1 : the configuration must be an object (got a list)'],
  },
  'an unknown root, after an empty line': {
    text: '\n{\n  "memry": {}\n}',
    faults: ['3:3 memry: unknown key "memry" in the configuration'],
    suggestion: 'memory',
  },
  'a right key in a wrong place': {
    text: '{ "memory": { "hybrid": {} } }',
    faults: ['1:15 memory.hybrid: unknown key "hybrid" in memory'],
    suggestion: 'agents.defaults.memorySearch.query.hybrid',
  },
  'a key of the top level in a wrong place': {
    text: '{ "flows": { "schedules": {} } }',
    faults: ['1:14 flows.schedules: unknown key "schedules" in flows: it belongs at the top level'],
    suggestion: null,
  },
  'an empty list': {
    text: '{ "agents": { "defaults": { "memorySearch": { "sources": [] } } } }',
    faults: [
      '1:58 agents.defaults.memorySearch.sources: "sources" must be a list of at least 1 item, each one of "memory", "sessions"',
    ],
  },
  'an empty text instead of a list': {
    text: '{ "agents": { "defaults": { "memorySearch": { "sources": "" } } } }',
    faults: [
      '1:58 agents.defaults.memorySearch.sources: "sources" must be a list of at least 1 item, each one of "memory", "sessions" (got a string)',
    ],
  },
  'a wrong type': {
    text: '{ "gateway": {\n\t"port": "8787" } }',
    faults: ['2:10 gateway.port: "port" must be a whole number between 0 and 65535 (got "8787")'],
  },
  'a number out of range': {
    text: '{ "gateway": { "port": 70000 } }',
    faults: ['1:24 gateway.port: "port" must be a whole number between 0 and 65535 (got 70000)'],
  },
  'addresses that nothing can be appended to, and that are none': {
    text: '{ "models": { "providers": {\n"a": { "baseUrl": "http://h/v1?version=2" },\n"b": { "baseUrl": "http://h:99999/v1" } } } }',
    faults: [
      '2:19 models.providers.a.baseUrl: "baseUrl" must be a URL starting with http:// or https://, without "?" or "#"',
      '3:19 models.providers.b.baseUrl: "baseUrl" must be a URL starting with http:// or https://, without "?" or "#"',
    ],
  },
  'a fraction': {
    text: '{ "gateway": { "port": 80.5 } }',
    faults: ['1:24 gateway.port: "port" must be a whole number between 0 and 65535 (got 80.5)'],
  },
  'a number too large for any': {
    text: '{ "gateway": { "port": 1e309 } }',
    faults: ['1:24 gateway.port: "port" must be a whole number between 0 and 65535 (got Infinity)'],
  },
  'a mistyped choice': {
    text: '{ "memory": { "backend": "bultin" } }',
    faults: ['1:26 memory.backend: "backend" must be one of "builtin", "ext" (got "bultin")'],
    suggestion: 'builtin',
  },
  'a missing key': {
    text: '{ "agents": { "list": [\n  { "default": true }\n] } }',
    faults: ['2:3 agents.list[0].id: "id" is missing in agents.list[0]'],
  },
  'a key written twice': {
    text: '{\n  "memory": {},\n  "memory": {}\n}',
    faults: ['3:3 memory: duplicate key "memory", first on line 2'],
  },
  'an id that the source of its reference does not take': {
    text: '{ "flows": { "notify": { "secret": { "source": "exec", "id": "a/../b" } } } }',
    faults: [
      '1:62 flows.notify.secret.id: "id" must be letters, digits and . _ : / -, without a .. part',
    ],
  },
  'an unknown kind of reference': {
    text: '{ "flows": { "notify": { "secret": { "source": "exce", "id": "a" } } } }',
    faults: ['1:48 flows.notify.secret.source: "source" must be one of "env", "file", "exec"'],
  },
  'an item of a list where an object is another form': {
    text: '{ "plugins": { "entries": { "webhooks": { "config": { "routes": {\n"ci": { "sessionKey": "s", "map": [{ "when": { "/n": [1, null] }, "ignore": true }] } } } } } } }',
    faults: [
      '2:58 plugins.entries.webhooks.config.routes.ci.map[0].when["/n"][1]: item 2 of plugins.entries.webhooks.config.routes.ci.map[0].when["/n"] must be a string, or a number, or true or false (got null)',
    ],
  },
  'a text in place of an object of any keys': {
    text: '{ "models": { "providers": "x" } }',
    faults: [
      '1:28 models.providers: "providers" must be an object of values, each an object (got a string)',
    ],
  },
  'an unknown time zone': {
    text: '{ "agents": { "defaults": { "userTimezone": "Mars/Base" } } }',
    faults: [
      '1:45 agents.defaults.userTimezone: "userTimezone" must be a time zone like "Europe/Paris" or "UTC"',
    ],
  },
  'faults of the schema and across keys together': {
    text: `{
  "agents": { "defaults": { "memorySearch": { "provider": "opnai", "enabled": 1 } } },
  "logging": { "levl": "info" }
}`,
    faults: [
      '2:59 agents.defaults.memorySearch.provider: unknown embedding provider "opnai"',
      '2:79 agents.defaults.memorySearch.enabled: "enabled" must be true or false (got 1)',
      '3:16 logging.levl: unknown key "levl" in logging',
    ],
    suggestion: 'openai',
  },
  'a fault after wide characters, tabs and CRLF': {
    text: '{\r\n\t// 日本語 😀\r\n\t"memory": { "citations": "😀", "x": 1 }\r\n}',
    faults: [
      '3:27 memory.citations: "citations" must be one of "auto", "on", "off" (got "😀")',
      '3:33 memory.x: unknown key "x" in memory',
    ],
  },
};

for (const [name, { text, faults, suggestion }] of Object.entries(CASES)) {
  test(name, () => {
    const found = checkConfigText('/etc/svc.json', text).faults;
    assert.equal(
      found.map(({ location, path, message }) => {
        assert.is(location.file, '/etc/svc.json');
        return `${location.line}:${location.column} ${path}: ${message}`;
      }),
      faults,
    );
    if (suggestion !== undefined) assert.is(found[0]?.suggestion ?? null, suggestion);
  });
}

test('a host is a name or an address, not a URL or a part of one', () => {
  const faultsOf = (host: string) =>
    checkConfigText('/svc.json', JSON.stringify({ gateway: { host, admin: { host, port: 0 } } }))
      .faults;
  for (const host of ['::1', '0.0.0.0', '127.1', 'my-host.local', 'fe80::1%eth0', 'größe.example'])
    assert.equal(faultsOf(host), [], host);
  for (const host of ['[::1]', '127.0.0.1:80', 'http://x', 'a b', 'x/y', '::1::'])
    assert.equal(
      faultsOf(host).map(({ path }) => path),
      ['gateway.host', 'gateway.admin.host'],
      host,
    );
});

test('a proxy is an address, a network or the name of one', () => {
  const faultsOf = (proxy: string) =>
    checkConfigText('/svc.json', JSON.stringify({ gateway: { trustedProxies: [proxy] } })).faults;
  for (const proxy of ['192.0.2.7', '2001:db8::1', '10.0.0.0/32', '2001:db8::/128', 'loopback'])
    assert.equal(faultsOf(proxy), [], proxy);
  for (const proxy of ['10.0.0.0/33', '10.0.0.0/0', '::/129', '10.0.0.0/', 'proxy.example'])
    assert.is(faultsOf(proxy).length, 1, proxy);
});

test('comments and trailing commas are no faults', () => {
  const text = '// a\n{ /* b */ "memory": { "citations": "on", }, // c\n}\n';
  const { faults, input } = checkConfigText('svc.json', text);
  assert.equal(faults, []);
  assert.is(input?.memory?.citations, 'on');
});

test('the first of two equal keys is named as a related place', () => {
  const [fault] = checkConfigText('f', '{\n "memory": {},\n "memory": {}\n}').faults;
  assert.equal(fault?.related, [{ file: 'f', line: 2, column: 2 }]);
});

test('no fault contains the value of a secret', () => {
  const secret = 'hunter2-hunter2';
  const text = JSON.stringify({
    models: {
      providers: { x: { apiKey: { source: secret, id: secret }, headers: { 'a b': secret } } },
    },
    flows: { notify: { secret: [secret] } },
    plugins: { entries: { webhooks: { config: { routes: { r: { secret: `env:${secret}` } } } } } },
  });
  const { faults, warnings } = checkConfigText('f', text);
  assert.ok(faults.length >= 4);
  assert.not.match(JSON.stringify([...faults, ...warnings]), secret);
});

test('thousands of faults are all reported, each in its place', () => {
  const keys = Array.from({ length: 3000 }, (_, at) => `"unknown${at}": 1`);
  const { faults } = checkConfigText('f', `{${keys.join(',\n')}}`);
  assert.is(faults.length, 3000);
  assert.is(faults.at(-1)?.location.line, 3000);
});

test('a large file of another program is refused at once', () => {
  const keys = Array.from({ length: 30_000 }, (_, at) => `"word${at}": 1`);
  const start = performance.now();
  assert.is(checkConfigText('f', `{${keys.join(',\n')}}`).faults.length, 30_000);
  assert.ok(performance.now() - start < 10_000);
});

test.run();
