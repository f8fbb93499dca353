import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';

const test = suite('svc memory scope test');

const TEST = ['memory', 'scope', 'test'];

const CONFIG = JSON.stringify({
  agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } },
});

function homeWith(scope: object): TempFolder {
  return folderOf({ 'svc.json': JSON.stringify({ memory: { ext: { scope } } }) });
}

test('the default scope admits direct conversations and denies groups', async () => {
  const { path: home } = tempFolder();
  const direct = await runInSession([...TEST, '--session-key', 'agent:main:telegram:direct:42'], {
    home,
  });
  assert.is(direct.code, 0);
  assert.match(direct.stdout, /^allowed: rule 1 matched/);
  assert.match(direct.stdout, /^→ +1 +allow +chatType direct +matches$/m);
  const group = await runInSession([...TEST, '--session-key', 'agent:main:telegram:group:7'], {
    home,
  });
  assert.is(group.code, 1);
  assert.match(group.stdout, /^refused: no rule matched, and the default is deny/);
  assert.match(group.stdout, /^→ +deny +all others/m);
});

test('a configured scope is explained rule by rule', async () => {
  const { path: home } = homeWith({
    rules: [
      { action: 'deny', match: { keyPrefix: 'telegram:' } },
      { action: 'deny', match: { rawKeyPrefix: 'agent:home:' } },
    ],
  });
  const run = await runInSession([...TEST, '--session-key', 'agent:Home:slack:dm:U1', '--json'], {
    home,
  });
  assert.is(run.code, 1);
  const document = jsonOf.scopeTest(run);
  assert.equal([document.allowed, document.rule, document.default], [false, 2, 'allow']);
  assert.equal(
    document.rules.map((rule) => rule.matches),
    [false, true],
  );
  assert.equal(document.session, {
    key: 'agent:home:slack:dm:u1',
    normalizedKey: 'slack:dm:u1',
    agent: 'home',
    chatType: 'direct',
    chatTypeFrom: 'key',
    channel: 'slack',
    conversation: 'u1',
  });
});

test('the session key and details passed by the agent are used, also from the environment', async () => {
  const { path: home } = tempFolder();
  const env = { SVC_SESSION_KEY: 'agent:main:main', SVC_CHANNEL: 'telegram' };
  assert.is((await runInSession(TEST, { home, env })).code, 0);
  assert.is((await runInSession([...TEST, '--chat-type', 'group'], { home, env })).code, 1);
  assert.is((await runInSession([...TEST, '--chat-type', 'crowd'], { home })).code, 2);
});

test('control characters in a session key are escaped', async () => {
  const { path: home } = tempFolder();
  const run = await runInSession([...TEST, '--session-key', 'a\u001B[2Jb'], { home });
  assert.not.ok(run.stdout.includes('\u001B'));
});

test('a denied conversation gets nothing from search and get, and no error', async () => {
  const home = folderOf({ 'ws/MEMORY.md': 'The heron nests.\n', 'svc.json': CONFIG }).path;
  const group = ['--session-key', 'agent:main:telegram:group:7', '--json'];
  const search = await runInSession(['memory', 'search', 'heron', ...group], { home });
  const found = jsonOf.search(search);
  assert.equal([search.code, found.results, found.matches], [0, [], 0]);
  assert.equal(
    found.warnings?.map(({ code }) => code),
    ['SCOPE_DENIED'],
  );
  const get = await runInSession(['memory', 'get', 'MEMORY.md', ...group], { home });
  assert.equal([get.code, jsonOf.get(get).text], [0, '']);
  const env = { SVC_SESSION_KEY: 'agent:main:telegram:group:7' };
  const denied = await runInSession(['memory', 'search', 'heron'], { home, env });
  assert.equal([denied.code, denied.stdout], [0, '']);
  assert.match(denied.stderr, /^warning: memory is closed to this conversation/m);
});

test('an admitted conversation gets results with citations, in channels too', async () => {
  const home = folderOf({ 'ws/MEMORY.md': 'The heron nests.\n', 'svc.json': CONFIG }).path;
  const ask = async (...session: readonly string[]) => {
    const args = ['memory', 'search', 'heron', ...session, '--json'];
    const [result] = jsonOf.search(await runInSession(args, { home })).results;
    return [result?.citation, result?.snippet];
  };
  const cited = ['MEMORY.md#L1', 'The heron nests.\n\nSource: MEMORY.md#L1'];
  assert.equal(await ask(), cited);
  assert.equal(await ask('--session-key', 'agent:main:telegram:direct:42'), cited);
  assert.equal(await ask('--session-key', 'agent:main:slack:channel:c1'), cited);
});

test.run();
