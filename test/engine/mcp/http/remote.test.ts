import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { httpSettings } from '../../../../src/engine/mcp/http/http-settings.js';
import { listenHttp } from '../../../../src/engine/mcp/http/listen-http.js';
import { createLiveMemory } from '../../../../src/engine/mcp/live-memory.js';
import { sessionOf } from '../../../../src/engine/mcp/mcp-context.js';
import {
  createToken,
  type NewToken,
  revokeToken,
} from '../../../../src/engine/mcp/tokens/token-store.js';
import { openMemory } from '../../../../src/engine/memory/open-memory.js';
import { createLog } from '../../../../src/engine/serve/log/log.js';
import { startHangingEmbeddings } from '../../../fakes/hanging-embeddings.js';
import { contextOf } from '../../../support/context.js';
import { initializeMessages, mcpHome, searchResultsOf } from '../../../support/mcp.js';
import { openAiSearchSettings } from '../../../support/semantic-memory.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('svc mcp for other machines');

const ends: (() => Promise<void>)[] = [];

test.after.each(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const PUBLIC = 'https://memory.example';
const PAGE = 'https://app.example';
const PROXIED = {
  port: 0,
  trustedProxies: ['loopback'],
  publicUrl: PUBLIC,
  allowedOrigins: [PAGE],
};

/** A server behind a proxy on this machine, with a token for each of these clients. */
async function remote(
  clients: Readonly<Record<string, Partial<NewToken>>>,
  { http = {}, config = {} }: { readonly http?: object; readonly config?: object } = {},
) {
  const home = mcpHome({ ...config, mcp: { http: { ...PROXIED, ...http } } });
  const clock = { now: Date.now };
  const context = contextOf(home.path);
  const store = { ...context.state, nowMs: Date.now(), signal: new AbortController().signal };
  const values: Record<string, string> = {};
  for (const [name, more] of Object.entries(clients)) {
    const token: NewToken = {
      name,
      agent: null,
      scopes: ['search', 'read'],
      sessionKey: null,
      chatType: null,
      channel: null,
      lifetimeMs: undefined,
      ...more,
    };
    values[name] = (await createToken(token, store)).value;
  }
  const loaded = await loadConfig(context, {});
  const mask = createSecretMask();
  const log = { info: () => undefined, warn: () => undefined };
  const { logging } = loaded.resolved;
  const audit = createLog(
    { level: 'info', file: home.at('audit.log'), logging },
    { clock, pid: 1, mask },
  );
  const listener = await listenHttp({
    settings: httpSettings(loaded, { host: undefined, port: undefined }, context),
    stateDir: context.state.stateDir,
    clock,
    local: undefined,
    log,
    audit: audit.logger,
    contextOf: (holder, onCall) => {
      const { agent, sessionKey, chatType, scopes } = holder;
      const opened = openMemory(
        context,
        agent === null ? { kind: 'agent' } : { kind: 'agent', agentId: agent },
        {},
      );
      const memory = createLiveMemory({ open: () => opened, clock, log });
      ends.push(async () => {
        await memory.close();
        await (await opened).backend.close();
      });
      const session = sessionOf({
        sessionKey: sessionKey ?? undefined,
        chatType: chatType ?? undefined,
        channel: undefined,
      });
      return { memory, session, mask, log, version: '0', scopes, onCall };
    },
  });
  ends.push(() => listener.close());
  const connect = async (name: string): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${values[name]}`, 'x-forwarded-for': '203.0.113.9' };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(listener.url), { requestInit: { headers } }),
    );
    ends.push(() => client.close());
    return client;
  };
  const audited = (): readonly Record<string, unknown>[] =>
    readFileSync(home.at('audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { ...listener, home, values, store, connect, audited };
}

type Remote = Awaited<ReturnType<typeof remote>>;

/** The answer to a first message of the client "ada". */
function ask(
  { url, values }: Remote,
  headers: Readonly<Record<string, string | string[]>> = {},
  {
    method = 'POST',
    path = '/mcp',
    message = initializeMessages(1)[0] as unknown,
    agent = false as Agent | false,
  } = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  const all = {
    host: 'memory.example',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${values['ada']}`,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers: all, agent }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? JSON.stringify(message) : '');
  });
}

/** Opens a stream in a new session of the client "ada". @returns waits for its end */
async function streamOf(server: Remote): Promise<() => Promise<unknown>> {
  const begun = await ask(server);
  const headers = {
    host: 'memory.example',
    authorization: `Bearer ${server.values['ada']}`,
    accept: 'text/event-stream',
    'mcp-session-id': String(begun.headers['mcp-session-id']),
  };
  const sent = request(new URL(server.url), { headers, agent: false }).end();
  const [answer] = await once(sent, 'response');
  assert.is(answer.statusCode, 200);
  const ended = once(answer.resume(), 'close');
  return () => ended;
}

const SEARCH = { name: 'memory_search', arguments: { query: 'backup' } };

test('starts only with a valid token', async () => {
  const failure = await remote({ ada: { lifetimeMs: 1 } }).then(
    () => 'started',
    (error: { code: string; hint: string }) => error,
  );
  assert.equal(typeof failure === 'string' ? failure : failure.code, 'MCP_HTTP_INSECURE');
});

test('a client with a token searches and reads, and is logged by name without contents', async () => {
  const server = await remote({ ada: {} });
  const client = await server.connect('ada');
  assert.is(searchResultsOf(await client.callTool(SEARCH)).results[0]?.path, 'MEMORY.md');
  await client.callTool({ name: 'memory_get', arguments: { path: 'missing.md' } });
  assert.is((await client.listResources()).resources.length, 2);
  const calls = server.audited().filter(({ tool }) => tool !== undefined);
  assert.equal(
    calls.map(({ token, tool, outcome, client: from }) => [token, tool, outcome, from]),
    [
      ['ada', 'memory_search', 'ok', '203.0.113.9'],
      ['ada', 'memory_get', 'DOCUMENT_NOT_INDEXED', '203.0.113.9'],
      ['ada', 'resources/list', 'ok', '203.0.113.9'],
    ],
  );
  const text = readFileSync(server.home.at('audit.log'), 'utf8');
  for (const secret of ['backup', 'missing.md', server.values['ada'] ?? '']) {
    assert.not.ok(text.includes(secret), secret);
  }
});

test('a call that the client cancels is logged as cancelled', async () => {
  const vendor = await startHangingEmbeddings('backup');
  try {
    const config = { agents: { defaults: { memorySearch: openAiSearchSettings(vendor) } } };
    const server = await remote({ ada: {} }, { config });
    const client = await server.connect('ada');
    // Without vectors, the question would not be sent.
    await waitFor('vectors', async () => {
      const ready = { name: 'memory_search', arguments: { query: 'nightly' } };
      return searchResultsOf(await client.callTool(ready)).mode === 'hybrid';
    });
    const leaving = new AbortController();
    const calling = client.callTool(SEARCH, { signal: leaving.signal });
    await vendor.whenAsked;
    leaving.abort();
    await calling.then(
      () => assert.unreachable(),
      () => undefined,
    );
    const call = await waitFor('the log', () =>
      server.audited().find(({ outcome }) => outcome === 'cancelled'),
    );
    assert.is(call['tool'], 'memory_search');
  } finally {
    await vendor.close();
  }
});

test('a token opens the memory of its agent, and only what its scope allows', async () => {
  const agents = {
    defaults: { memorySearch: { provider: 'none' } },
    list: [{ id: 'main' }, { id: 'other', workspace: 'other' }],
  };
  const server = await remote(
    { ada: { agent: 'other' }, finder: { scopes: ['search'] }, reader: { scopes: ['read'] } },
    { config: { agents } },
  );
  server.home.write('other/MEMORY.md', 'The backup of the other team runs weekly.\n');
  const snippet = searchResultsOf(await (await server.connect('ada')).callTool(SEARCH)).results[0]
    ?.snippet;
  assert.match(snippet ?? '', /weekly/);
  const toolsOf = async (name: string): Promise<readonly string[]> =>
    (await (await server.connect(name)).listTools()).tools.map((tool) => tool.name);
  assert.equal(await toolsOf('finder'), ['memory_search']);
  assert.equal(await toolsOf('reader'), ['memory_get', 'memory_recent', 'memory_links']);
  const finder = await server.connect('finder');
  assert.is(finder.getServerCapabilities()?.resources, undefined);
  // An agent would call a tool that its instructions name.
  const textsFor = async (client: typeof finder) =>
    JSON.stringify([client.getInstructions(), await client.listTools()]);
  assert.not.match(await textsFor(finder), 'memory_get');
  assert.not.match(await textsFor(await server.connect('reader')), 'memory_search');
  assert.match((await server.connect('ada')).getInstructions() ?? '', 'memory_get');
  const refused = await finder
    .callTool({ name: 'memory_get', arguments: { path: 'MEMORY.md' } })
    .then(
      ({ isError }) => isError === true,
      () => true,
    );
  assert.ok(refused);
});

test('the conversation of a token is subject to the scope rules', async () => {
  const server = await remote({ room: { chatType: 'group' }, ada: {} });
  const room = searchResultsOf(await (await server.connect('room')).callTool(SEARCH));
  assert.equal([room.disabled, room.results.length], [true, 0]);
  assert.is(
    searchResultsOf(await (await server.connect('ada')).callTool(SEARCH)).disabled,
    undefined,
  );
});

test('revoking a token refuses its next request and ends its open streams', async () => {
  const server = await remote({ ada: {}, bob: {} });
  const [ada, bob] = [await server.connect('ada'), await server.connect('bob')];
  await ada.callTool(SEARCH);
  const streamEnds = await streamOf(server);
  await revokeToken('ada', server.store);
  assert.is((await ask(server)).status, 401);
  await streamEnds();
  assert.is(searchResultsOf(await bob.callTool(SEARCH)).results.length, 1);
});

test('a request whose token is revoked while its body arrives is refused', async () => {
  const server = await remote({ ada: {}, bob: {} });
  const body = JSON.stringify(initializeMessages(1)[0]);
  const headers = {
    host: 'memory.example',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${server.values['ada']}`,
    'content-length': body.length,
  };
  const slow = request(new URL(server.url), { method: 'POST', headers, agent: false });
  const answered = once(slow, 'response');
  slow.write(body.slice(0, 10));
  const streamEnds = await streamOf(server);
  await revokeToken('ada', server.store);
  await streamEnds();
  slow.end(body.slice(10));
  const [answer] = await answered;
  answer.destroy();
  assert.is(answer.statusCode, 401);
  assert.match(answer.headers['www-authenticate'], /^Bearer resource_metadata=.*"invalid_token"$/u);
});

test('a session belongs to the token that began it', async () => {
  const server = await remote({ ada: {}, bob: {} });
  const { sessionId = '' } = (await server.connect('ada')).transport ?? {};
  assert.ok(sessionId.length > 0);
  const foreign = { authorization: `Bearer ${server.values['bob']}`, 'mcp-session-id': sessionId };
  assert.is((await ask(server, foreign)).status, 404);
});

test('refuses wrong tokens, hosts, pages and plain HTTP', async () => {
  const server = await remote({ ada: {}, old: { lifetimeMs: 1 } });
  const ada = `Bearer ${server.values['ada']}`;
  const cases: readonly (readonly [number, Readonly<Record<string, string | string[]>>])[] = [
    [200, {}],
    [200, { host: 'memory.example:443', 'x-forwarded-proto': 'https' }],
    [200, { host: '127.0.0.1:1' }],
    [200, { host: 'localhost:1' }],
    [200, { host: '[::1]:1' }],
    [200, { origin: PAGE }],
    [401, { authorization: '' }],
    // A proxy could have checked the other one.
    [401, { authorization: [ada, 'Bearer wrong'] }],
    [401, { authorization: `Bearer ${server.values['old']}` }],
    [401, { authorization: `${ada}x` }],
    [403, { host: 'attacker.example' }],
    [403, { host: 'memory.example.attacker.example' }],
    [403, { host: '192.0.2.1' }],
    [403, { origin: 'https://attacker.example' }],
    [403, { origin: 'http://app.example' }],
    [403, { origin: 'http://localhost:3000' }],
    [403, { 'x-forwarded-proto': 'http' }],
  ];
  for (const [status, headers] of cases) {
    assert.is((await ask(server, headers)).status, status, JSON.stringify(headers));
  }
  assert.is((await ask(server, {}, { path: '/' })).status, 404);
  // Refused after its token was checked, and before anything was.
  assert.is((await ask(server, {}, { message: 'x'.repeat(3_000_000) })).status, 413);
  assert.is((await ask(server, { expect: 'gold' })).status, 417);
  const refused = server.audited().filter(({ msg }) => msg === 'refused');
  assert.equal(
    refused.map(({ status }) => status),
    [...cases.map(([status]) => status).filter((status) => status !== 200), 404, 413, 417],
  );
  assert.equal(
    refused.slice(-3).map(({ token }) => token),
    ['ada', 'ada', undefined],
  );
  assert.ok(refused.every(({ client }) => client === '127.0.0.1'));
});

test('a connection is still usable after a message that is too large', async () => {
  const server = await remote({ ada: {} });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  ends.push(async () => agent.destroy());
  assert.is((await ask(server, {}, { agent, message: 'x'.repeat(3_000_000) })).status, 413);
  assert.is((await ask(server, {}, { agent })).status, 200);
});

test('without TLS, only the proxy can connect', async () => {
  const server = await remote({ ada: {} }, { http: { trustedProxies: ['192.0.2.1'] } });
  const { status, body } = await ask(server);
  assert.is(status, 403);
  assert.match(body, /proxy/);
});

test('names its metadata to whoever has no token, and serves it', async () => {
  const server = await remote({ ada: {} });
  const { headers } = await ask(server, { authorization: 'Bearer nothing' });
  const challenge = String(headers['www-authenticate']);
  const metadata = `${PUBLIC}/.well-known/oauth-protected-resource/mcp`;
  assert.is(challenge, `Bearer resource_metadata="${metadata}", error="invalid_token"`);
  for (const path of [new URL(metadata).pathname, '/.well-known/oauth-protected-resource']) {
    const found = await ask(server, { authorization: '' }, { method: 'GET', path });
    assert.is(found.status, 200);
    const head = await ask(server, { authorization: '' }, { method: 'HEAD', path });
    assert.equal([head.status, head.body], [200, '']);
    assert.is(found.headers['access-control-allow-origin'], '*');
    assert.equal(JSON.parse(found.body), {
      resource: `${PUBLIC}/mcp`,
      resource_name: 'svc memory',
      bearer_methods_supported: ['header'],
      scopes_supported: ['search', 'read', 'write'],
    });
    const written = await ask(server, { authorization: '' }, { path });
    assert.equal([written.status, written.headers['allow']], [405, 'GET, HEAD']);
  }
});

test('an allowed page may ask in advance, and read the answer', async () => {
  const server = await remote({ ada: {} });
  const preflight = {
    authorization: '',
    origin: PAGE,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  };
  const asked = await ask(server, preflight, { method: 'OPTIONS' });
  assert.is(asked.status, 204);
  assert.is(asked.headers['access-control-allow-origin'], PAGE);
  assert.is(asked.headers['access-control-allow-headers'], 'authorization,content-type');
  const answered = await ask(server, { origin: PAGE });
  assert.is(answered.headers['access-control-allow-origin'], PAGE);
  const other = { ...preflight, origin: 'https://attacker.example' };
  const foreign = await ask(server, other, { method: 'OPTIONS' });
  assert.equal([foreign.status, foreign.headers['access-control-allow-origin']], [403, undefined]);
});

test('limits the requests of a token, and those of a client without one', async () => {
  const limits = { ratePerWindow: 3, windowSeconds: 600 };
  const server = await remote({ ada: {}, bob: {} }, { http: { limits } });
  const from = (client: string, name = 'ada') =>
    ask(server, {
      authorization: `Bearer ${server.values[name] ?? 'wrong'}`,
      'x-forwarded-for': client,
    });
  // One token from several addresses.
  for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    assert.is((await from(client)).status, 200);
  }
  const limited = await from('203.0.113.4');
  assert.is(limited.status, 429);
  assert.ok(Number(limited.headers['retry-after']) > 0);
  assert.is((await from('203.0.113.4', 'bob')).status, 200);
  // Guesses from one address.
  const guesses: number[] = [];
  for (let n = 0; n < 5; n++) guesses.push((await from('203.0.113.9', 'nobody')).status);
  assert.equal(guesses, [401, 401, 401, 429, 429]);
});

test.run();
