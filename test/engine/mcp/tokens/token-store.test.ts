import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createToken,
  isExpired,
  liveTokens,
  type NewToken,
  readTokens,
  revokeToken,
  tokensFile,
  withHash,
} from '../../../../src/engine/mcp/tokens/token-store.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('tokens of remote MCP clients');

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-20T09:00:00Z');

function wanted(name: string, more: Partial<NewToken> = {}): NewToken {
  return {
    name,
    agent: null,
    scopes: ['search', 'read'],
    sessionKey: null,
    chatType: null,
    channel: null,
    lifetimeMs: DAY_MS,
    ...more,
  };
}

function store(stateDir = tempFolder().path) {
  return { stateDir, nowMs: NOW_MS, signal: new AbortController().signal };
}

function live(stateDir: string, clock = { now: () => NOW_MS }, troubles: string[] = []) {
  const valid = liveTokens(stateDir, clock, (why) => troubles.push(why));
  return { valid, find: (value: string) => withHash(valid(), value) };
}

test('a token is stored as its hash, for its owner alone', async () => {
  const context = store(tempFolder().at('not/there/yet'));
  const { value, token } = await createToken(wanted('ada'), context);
  assert.match(value, /^svc_mcp_[\w-]{43}$/);
  const file = tokensFile(context.stateDir);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.not.ok(readFileSync(file, 'utf8').includes(value));
  assert.equal(readTokens(context.stateDir), [token]);
  assert.is(token.expiresAt, '2026-11-21T09:00:00.000Z');
});

test('an interrupted creation fails with the reason of its signal', async () => {
  const signal = AbortSignal.abort(new Error('interrupted'));
  const created = createToken(wanted('ada'), { ...store(), signal });
  assert.is(await created.catch(String), 'Error: interrupted');
});

test('two processes that create tokens at once both keep theirs', async () => {
  const context = store();
  const names = Array.from({ length: 8 }, (_, at) => `client-${at}`);
  await Promise.all(names.map((name) => createToken(wanted(name), context)));
  const stored = readTokens(context.stateDir).map(({ name }) => name);
  assert.equal(stored.toSorted(), names);
});

test('a name is used once, and has a form that is safe to show', async () => {
  const context = store();
  await createToken(wanted('ada'), context);
  assert.is((await failureOf(createToken(wanted('ada'), context))).code, 'MCP_TOKEN_EXISTS');
  for (const name of ['', ' ', '-x', 'a b', 'a\u001b[0m', 'x'.repeat(65)]) {
    assert.is((await failureOf(createToken(wanted(name), context))).code, 'USAGE', name);
  }
});

test('revoking an unknown name suggests one that exists', async () => {
  const context = store();
  await createToken(wanted('ada-laptop'), context);
  const failure = await failureOf(revokeToken('ada-labtop', context));
  assert.is(failure.code, 'MCP_TOKEN_UNKNOWN');
  assert.match(failure.hint ?? '', /ada-laptop/);
});

test('a running server sees new and revoked tokens at once', async () => {
  const context = store();
  const tokens = live(context.stateDir);
  assert.equal(tokens.valid(), []);
  const ada = await createToken(wanted('ada'), context);
  const bob = await createToken(wanted('bob'), context);
  assert.is(tokens.find(ada.value)?.name, 'ada');
  await revokeToken('ada', context);
  assert.is(tokens.find(ada.value), undefined);
  assert.is(tokens.find(bob.value)?.name, 'bob');
  assert.is(tokens.find(`${bob.value}x`), undefined);
  assert.is(tokens.find(''), undefined);
});

test('a token is valid until its end, and without an end forever', async () => {
  const context = store();
  const short = await createToken(wanted('short'), context);
  const lasting = await createToken(wanted('lasting', { lifetimeMs: undefined }), context);
  let nowMs = NOW_MS + DAY_MS - 1;
  const tokens = live(context.stateDir, { now: () => nowMs });
  assert.is(tokens.find(short.value)?.name, 'short');
  nowMs += 1;
  assert.is(tokens.find(short.value), undefined);
  assert.is(tokens.find(lasting.value)?.name, 'lasting');
  assert.ok(isExpired(short.token, nowMs));
});

test('no token is valid while its file is damaged, a link, or readable by others', async () => {
  const breaks: Readonly<Record<string, (file: string) => void>> = {
    damaged: (file) => writeFileSync(file, '{"version":1,"tokens":[{"name":"x"}]}'),
    'cut off': (file) => writeFileSync(file, '{"version":1,'),
    readable: (file) => chmodSync(file, 0o644),
  };
  for (const [what, breakIt] of Object.entries(breaks)) {
    const context = store();
    const { value } = await createToken(wanted('ada'), context);
    const troubles: string[] = [];
    const tokens = live(context.stateDir, undefined, troubles);
    assert.is(tokens.find(value)?.name, 'ada', what);
    breakIt(tokensFile(context.stateDir));
    assert.is(tokens.find(value), undefined, what);
    assert.is(tokens.find(value), undefined, what);
    assert.is(troubles.length, 1, what);
    const failure = await failureOf(createToken(wanted('bob'), context));
    assert.equal([failure.code, failure.hint !== undefined], ['MCP_TOKEN_UNUSABLE', true], what);
  }
  const linked = store();
  symlinkSync('/dev/null', tokensFile(linked.stateDir));
  const failure = await failureOf(createToken(wanted('ada'), linked));
  assert.is(failure.code, 'MCP_TOKEN_UNUSABLE');
});

test('only a file that others can read is fixed by its permissions', async () => {
  const exposed = store();
  writeFileSync(tokensFile(exposed.stateDir), '{"version":1,"tokens":[]}', { mode: 0o644 });
  const readable = await failureOf(createToken(wanted('ada'), exposed));
  assert.match(readable.hint ?? '', /^run: chmod 600/);
  const blocked = store();
  mkdirSync(tokensFile(blocked.stateDir));
  const folder = await failureOf(createToken(wanted('ada'), blocked));
  assert.match(folder.message, /not a regular file/);
  assert.match(folder.hint ?? '', /delete it and create the tokens again/);
});

test.run();
