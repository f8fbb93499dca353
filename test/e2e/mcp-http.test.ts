import { chmodSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startHangingEmbeddings } from '../fakes/hanging-embeddings.js';
import { createCertificate } from '../support/certificate.js';
import { jsonOf } from '../support/json.js';
import {
  callSearch,
  closeClients,
  type Era,
  httpClient,
  initializeMessages,
  type ListeningMcp,
  mcpHome,
  searchResultsOf,
  startHttpMcp,
} from '../support/mcp.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { openAiSearchSettings } from '../support/semantic-memory.js';
import { runInSession } from '../support/svc-session.js';
import { PATIENCE_MS } from '../support/wait.js';

const test = suite('svc mcp over HTTP');

const running = new Set<ListeningMcp>();

test.after.each(async () => {
  await closeClients();
  for (const { child } of running) child.kill('SIGKILL');
  running.clear();
});

async function listening(home = mcpHome(), args: readonly string[] = []): Promise<ListeningMcp> {
  const server = await startHttpMcp(home, args);
  running.add(server);
  return server;
}

for (const era of ['legacy', 'auto'] satisfies Era[]) {
  test(`serves several clients at once that open with "${era}"`, async () => {
    const server = await listening();
    const clients = await Promise.all([1, 2, 3].map(() => httpClient(server, era)));
    const results = await Promise.all(
      clients.flatMap((client) => [1, 2].map(() => callSearch(client, 'backup'))),
    );
    for (const result of results) assert.is(searchResultsOf(result).results[0]?.path, 'MEMORY.md');
    for (const client of clients) assert.is((await client.listResources()).resources.length, 2);
  });

  test(`a call that a client of "${era}" cancels ends its work`, async () => {
    const vendor = await startHangingEmbeddings('backup');
    try {
      const home = mcpHome({
        agents: { defaults: { memorySearch: openAiSearchSettings(vendor) } },
      });
      await runInSession(['memory', 'index'], { home: home.path });
      const client = await httpClient(await listening(home), era);
      const stop = new AbortController();
      const asking = callSearch(client, 'backup', { signal: stop.signal });
      await vendor.whenAsked;
      stop.abort(new Error('escape'));
      assert.match(await asking.then(() => 'answered', String), /escape|abort/i);
      await vendor.whenDropped;
      // After a failure of its own, the vendor would be left alone for a while.
      const { mode, warnings } = searchResultsOf(await callSearch(client, 'zebra'));
      assert.equal([mode, warnings], ['hybrid', []]);
    } finally {
      await vendor.close();
    }
  });
}

test('the response to a cancelled call ends, and the session goes on', async () => {
  const vendor = await startHangingEmbeddings('backup');
  try {
    const home = mcpHome({ agents: { defaults: { memorySearch: openAiSearchSettings(vendor) } } });
    await runInSession(['memory', 'index'], { home: home.path });
    const { url, token } = await listening(home);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const [initialize, ...initialized] = initializeMessages(1);
    const began = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) });
    await began.text();
    const session = { 'mcp-session-id': began.headers.get('mcp-session-id') ?? '' };
    const post = (message: object): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, ...session },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    for (const message of initialized) await post(message);
    const params = { name: 'memory_search', arguments: { query: 'backup' } };
    const call = await post({ id: 7, method: 'tools/call', params });
    await vendor.whenAsked;
    await post({ method: 'notifications/cancelled', params: { requestId: 7 } });
    assert.is(await call.text(), '');
    assert.is((await (await post({ id: 8, method: 'ping' })).text()).includes('"id":8'), true);
  } finally {
    await vendor.close();
  }
});

test('files that come and go are announced over HTTP, and writes are logged with their token', async () => {
  const home = mcpHome({ mcp: { write: true } });
  const client = await httpClient(await listening(home));
  const announced = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
  });
  await callSearch(client, 'backup');
  home.write('workspace/memory/new.md', 'The giraffe eats leaves.');
  await announced;
  const note = { text: 'Zebras nap at two', file: 'MEMORY.md' };
  await client.callTool({ name: 'memory_add', arguments: note });
  const log = readFileSync(home.at('logs/mcp.log'), 'utf8');
  assert.match(log, /"token":"local","write":"w1","citation":"MEMORY.md#L5"/u);
});

test('the token is created once, readable only by its owner, and never shown', async () => {
  const home = mcpHome();
  const first = await listening(home);
  assert.is(statSync(home.at('mcp-token')).mode & 0o777, 0o600);
  first.child.kill('SIGTERM');
  const { code, stdout, stderr } = await first.done;
  assert.is(code, 0);
  assert.not.ok((stdout + stderr).includes(first.token));
  assert.ok(stderr.includes(home.at('mcp-token')));
  const second = await listening(home);
  assert.is(second.token, first.token);
});

test('two servers that start together share one token', async () => {
  const home = mcpHome();
  const both = await Promise.all([listening(home), listening(home)]);
  for (const server of both) await httpClient(server);
  assert.is(both[0].token, both[1].token);
});

test('a token that other users can read is refused with a hint', async () => {
  const home = mcpHome();
  chmodSync(home.write('mcp-token', `${'x'.repeat(43)}\n`), 0o644);
  const run = await runSvc(['mcp', '--http', '--port', '0', '--json'], { home: home.path });
  const { code, hint } = jsonOf.error(run);
  assert.equal([run.code, code], [1, 'MCP_TOKEN_UNUSABLE']);
  assert.match(hint ?? '', /delete it/);
});

/** The status of an answer to a first message with these headers. */
function statusFor(
  { url, token }: ListeningMcp,
  headers: Readonly<Record<string, string>>,
  { method = 'POST', body = JSON.stringify(initializeMessages(1)[0]), path = '/mcp' } = {},
): Promise<number> {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers: all, agent: false, path };
    const sent = request(new URL(url), options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test('refuses requests without a token, from a web page, or under another host name', async () => {
  const server = await listening();
  const port = new URL(server.url).port;
  const requests: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
    [200, {}],
    [200, { host: `localhost:${port}`, origin: 'http://localhost:3000' }],
    [200, { authorization: `bearer ${server.token}` }],
    [401, { authorization: '' }],
    [401, { authorization: 'Bearer' }],
    [401, { authorization: `Bearer ${server.token}x` }],
    [401, { authorization: `Bearer ${server.token.slice(0, -1)}` }],
    [401, { authorization: `Basic ${server.token}` }],
    [403, { host: 'attacker.example' }],
    [403, { host: `attacker.example:${port}` }],
    [403, { host: '127.0.0.1.attacker.example' }],
    [403, { host: `192.168.0.1:${port}` }],
    [403, { origin: 'https://attacker.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://localhost.attacker.example' }],
    [415, { 'content-type': 'text/plain' }],
  ];
  for (const [status, headers] of requests) {
    assert.is(await statusFor(server, headers), status, JSON.stringify(headers));
  }
  assert.is(await statusFor(server, {}, { path: '/' }), 404);
  // Neither can be a web request.
  assert.is(await statusFor(server, {}, { path: '//[' }), 404);
  assert.is(await statusFor(server, {}, { method: 'TRACE', body: '' }), 404);
  assert.is(await statusFor(server, { authorization: '' }, { path: '//[' }), 401);
  const stranger = await fetch(server.url, { method: 'POST', body: '{}' });
  assert.not.match(await stranger.text(), /mcp-token/);
  assert.is(await statusFor(server, {}, { method: 'OPTIONS', body: '' }), 405);
});

test('invalid and oversized bodies are refused and change nothing', async () => {
  const server = await listening();
  const bad: readonly (readonly [number, string])[] = [
    [400, '{'],
    [400, ''],
    [400, '{"jsonrpc":"1.0"}'],
    [400, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ];
  for (const [status, body] of bad) {
    assert.is(await statusFor(server, {}, { body }), status, body);
  }
  // Its length is enough. A slow machine could not send all of it before the connection is closed.
  const tooLong = { 'content-length': String(3 * 1024 * 1024) };
  assert.is(await statusFor(server, tooLong, { body: '"' }), 413);
  assert.is(await statusFor(server, { 'mcp-session-id': 'nobody' }), 404);
  const client = await httpClient(server);
  assert.is(searchResultsOf(await callSearch(client, 'backup')).results[0]?.path, 'MEMORY.md');
});

test('a port in use is reported with a hint', async () => {
  const home = mcpHome();
  const { url } = await listening(home);
  const args = ['mcp', '--http', '--port', new URL(url).port, '--json'];
  const { code, hint } = jsonOf.error(await runSvc(args, { home: home.path }));
  assert.is(code, 'LISTEN_FAILED');
  assert.match(hint ?? '', /--port/);
});

test('serves other machines only over TLS and with a token that svc created', async () => {
  const home = mcpHome();
  const open = await runSvc(['mcp', '--http', '--host', '0.0.0.0', '--json'], {
    home: home.path,
  });
  assert.equal([open.code, jsonOf.error(open).code], [2, 'MCP_HTTP_INSECURE']);
  const tls = createCertificate(home, 'memory.example');
  const http = { port: 0, tls, publicUrl: 'https://memory.example' };
  const agents = { defaults: { memorySearch: { provider: 'none' } } };
  home.write('svc.json', JSON.stringify({ agents, mcp: { http } }));
  const without = await runSvc(['mcp', '--http', '--json'], { home: home.path });
  assert.match(jsonOf.error(without).hint ?? '', /svc mcp token create/);
  const created = await runInSession(['mcp', 'token', 'create', 'ada'], { home: home.path });
  const token = created.stdout.trim();
  assert.match(token, /^svc_mcp_/);
  const server = startSvc(['mcp', '--http'], { home: home.path });
  try {
    await server.waitForText('audit log: ');
    assert.match(server.stderr(), /address for clients: https:\/\/memory\.example\/mcp/);
    const url = /listening on (\S+)/.exec(server.stderr())?.[1] ?? '';
    const status = await new Promise((resolve, reject) => {
      const headers = {
        host: 'memory.example',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      };
      const options = { ca: readFileSync(tls.cert), servername: 'memory.example', headers };
      requestTls(url, { ...options, method: 'POST', agent: false }, (answer) => {
        resolve(answer.statusCode);
        answer.destroy();
      })
        .on('error', reject)
        .end(JSON.stringify(initializeMessages(1)[0]));
    });
    assert.is(status, 200);
    assert.not.ok(server.stderr().includes(token));
  } finally {
    server.child.kill('SIGTERM');
    await server.done;
  }
});

test('a new token is explained on stderr, unless --quiet leaves only the token', async () => {
  const { path: home } = mcpHome();
  const explained = await runInSession(['mcp', 'token', 'create', 'ada'], { home });
  assert.match(explained.stderr, /created ada; expires in 90 days\n/u);
  const quiet = await runInSession(['mcp', 'token', 'create', 'bob', '--quiet'], { home });
  assert.equal([quiet.code, quiet.stderr], [0, '']);
  assert.match(quiet.stdout, /^svc_mcp_\S+\n$/u);
});

test("a token without a conversation uses the server's", async () => {
  const home = mcpHome();
  const server = await listening(home, ['--chat-type', 'group']);
  const isDenied = async (...flags: readonly string[]): Promise<boolean> => {
    const name = `t${flags.length}`;
    const run = await runInSession(['mcp', 'token', 'create', name, ...flags], { home: home.path });
    const client = await httpClient({ ...server, token: run.stdout.trim() });
    return searchResultsOf(await callSearch(client, 'backup')).disabled === true;
  };
  assert.is(await isDenied(), true);
  assert.is(await isDenied('--chat-type', 'direct', '--expires', '2h'), false);
  const listed = await runInSession(['mcp', 'token', 'list'], { home: home.path });
  assert.match(listed.stdout, /^t0 +the server's +search, read +the server's +\S.* in 90 days$/m);
  assert.match(listed.stdout, /^t4 +the server's +search, read +direct +\S.* in 2 h$/m);
});

test('shuts down cleanly while clients hold streams open, and reports that with --json', async () => {
  const home = mcpHome();
  const server = await listening(home, ['--json']);
  await callSearch(await httpClient(server), 'backup');
  server.child.kill('SIGINT');
  const run = await server.done;
  assert.is(run.code, 130);
  const end = jsonOf.mcp(run);
  assert.equal(
    [end.transport, end.reason, end.url, end.tokenFile],
    ['http', 'SIGINT', server.url, home.at('mcp-token')],
  );
  assert.is(readFileSync(home.at('mcp-token'), 'utf8').trim(), server.token);
});

test.run();
