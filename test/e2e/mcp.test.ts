import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireIndexLock } from '../../src/engine/memory/sync/index-lock.js';
import { startHangingEmbeddings } from '../fakes/hanging-embeddings.js';
import { startOpenAiFake } from '../fakes/openai.js';
import {
  callSearch,
  closeClients,
  type Era,
  initializeMessages,
  mcpHome,
  searchMessage,
  searchResultsOf,
  startRawMcp,
  stdioClient,
  textOf,
} from '../support/mcp.js';
import { ROOT, runSvc } from '../support/run-svc.js';
import { openAiSearchSettings } from '../support/semantic-memory.js';

const test = suite('svc mcp on stdin and stdout');

test.after.each(closeClients);

for (const era of ['legacy', 'auto'] satisfies Era[]) {
  test(`searches, reads and cites for a client that opens with "${era}"`, async () => {
    const { client } = await stdioClient(mcpHome(), { era });
    assert.equal(client.getNegotiatedProtocolVersion() === '2026-07-28', era === 'auto');
    const result = await client.callTool({
      name: 'memory_search',
      arguments: { query: 'when does the backup run' },
    });
    const { results, mode, warnings } = searchResultsOf(result);
    assert.equal([mode, warnings], ['lexical', []]);
    assert.equal([results[0]?.path, results[0]?.citation], ['MEMORY.md', 'MEMORY.md#L1-L3']);
    assert.match(
      textOf(result),
      /1\. MEMORY\.md, lines 1-3[\s\S]*02:30[\s\S]*Source: MEMORY\.md#L1-L3/,
    );
    const note = await client.callTool({
      name: 'memory_get',
      arguments: { path: results[0]?.citation },
    });
    assert.match(textOf(note), /The nightly backup runs at 02:30\./);
  });
}

test('its tools pass the inspector and answer as described', async () => {
  const { client } = await stdioClient(mcpHome());
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    ['memory_search', 'memory_get', 'memory_recent', 'memory_links'],
  );
  const calls: Readonly<Record<string, object>> = {
    memory_search: { query: 'zebra', maxResults: 3, minScore: 0, corpus: 'all', path: 'memory/*' },
    memory_get: { path: 'memory/2026-02-03.md', from: 2, lines: 1 },
    memory_recent: { since: '1y', corpus: 'memory', limit: 2 },
    memory_links: { path: 'memory/2026-02-03.md' },
  };
  const validator = new AjvJsonSchemaValidator();
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    assert.ok(description);
    assert.ok(annotations?.readOnlyHint);
    assert.is(inputSchema.type, 'object');
    assert.is(outputSchema?.['type'], 'object');
    const args = { ...calls[name] };
    assert.ok(validator.getValidator(asReceived(inputSchema))(args).valid);
    const { structuredContent } = await client.callTool({ name, arguments: args });
    const outcome = validator.getValidator(asReceived(outputSchema))(structuredContent);
    assert.ok(outcome.valid, outcome.errorMessage);
  }
});

test('Claude Code has the tools that each conversation needs without searching for them', async () => {
  const { client } = await stdioClient(mcpHome({ mcp: { write: true } }));
  const { tools } = await client.listTools();
  const loaded = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
  assert.equal(
    loaded.map(({ name }) => name),
    ['memory_search', 'memory_get', 'memory_add'],
  );
});

test('Codex, which shows a model the first line of the instructions, shows how to use the tools', async () => {
  const { client } = await stdioClient(mcpHome({ mcp: { write: true } }));
  const [first = ''] = (client.getInstructions() ?? '').split('\n');
  assert.match(first, /memory_search before .*; memory_get .*; memory_add /u);
  assert.ok(first.length <= 250, `${first.length} characters`);
});

/** A schema as it came over the wire. */
function asReceived(schema: unknown): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema));
}

test('a failure is a result that says what to do', async () => {
  const { client } = await stdioClient(mcpHome());
  const missing = await client.callTool({ name: 'memory_get', arguments: { path: 'nope.md' } });
  assert.ok(missing.isError);
  assert.match(textOf(missing), /^error: nope\.md is not .*\nhint: .+\ncode: DOCUMENT_NOT_INDEXED/);
  const mistyped = await client.callTool({ name: 'memory_search', arguments: { qery: 'x' } });
  assert.ok(mistyped.isError);
  assert.match(textOf(mistyped), /Unrecognized key: "qery"/);
  const beyond = { path: 'MEMORY.md', from: 99 };
  const range = await client.callTool({ name: 'memory_get', arguments: beyond });
  assert.match(textOf(range), /code: RANGE_INVALID/);
});

test('notes that say the same are one result that lists the other locations', async () => {
  const days = [1, 2, 3].map((day) => [
    `memory/2026-05-0${day}.md`,
    `# 2026-05-0${day}\n\nStand-up: no blockers.\n`,
  ]);
  const { client } = await stdioClient(mcpHome({}, Object.fromEntries(days)));
  const args = { query: 'stand-up blockers' };
  const found = await client.callTool({ name: 'memory_search', arguments: args });
  const { results } = searchResultsOf(found);
  assert.equal(
    results.map(({ path, similarCount, similar }) => [
      path,
      similarCount,
      similar?.map(({ citation }) => citation),
    ]),
    [['memory/2026-05-03.md', 2, ['memory/2026-05-02.md#L1-L3', 'memory/2026-05-01.md#L1-L3']]],
  );
  assert.match(textOf(found), /Source: memory\/2026-05-03\.md#L1-L3\n\(and 2 more like this\)/);
});

test('output for agents is short: no echo, no debugging details, hints that name tools', async () => {
  const home = mcpHome();
  const { client } = await stdioClient(home);
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  const long = await call('memory_search', { query: `backup ${'word '.repeat(100_000)}` });
  assert.ok(textOf(long).length < 2000, `${textOf(long).length} characters`);
  const { structuredContent: lean } = await call('memory_search', { query: 'backup' });
  assert.not.match(JSON.stringify(lean), /debug|textScore|searchMs/);
  const { structuredContent: full } = await call('memory_search', { query: 'backup', debug: true });
  assert.match(JSON.stringify(full), /"textScore".*"debug":\{"backend":"builtin"/);
  const elsewhere = textOf(await call('memory_get', { path: 'elsewhere/MEMORY.md' }));
  assert.match(elsewhere, /use a path from memory_search/);
  const endless = await call('memory_get', { path: 'x'.repeat(1_000_000) });
  assert.ok(endless.isError && textOf(endless).length < 1000);
  for (const [name, args] of [
    ['memory_get', { path: ' ' }],
    ['memory_search', { query: 'backup', path: '' }],
  ] as const) {
    const empty = await call(name, args);
    assert.ok(empty.isError);
    assert.match(textOf(empty), /path.*must not be empty|must not be empty.*path/s);
  }
});

test('commands in hints are about the memory that the server was started for', async () => {
  const home = mcpHome();
  const agents = { list: [{ id: 'main' }, { id: 'work', workspace: 'workspace' }] };
  home.write('other.json', JSON.stringify({ agents }));
  const args = ['--config', 'other.json', '--agent', 'work'];
  const { client } = await stdioClient(home, { args });
  const missing = await client.callTool({ name: 'memory_get', arguments: { path: 'none.md' } });
  assert.match(textOf(missing), 'use a path from memory_search; ');
  assert.match(
    textOf(missing),
    '"svc memory status --why PATH --agent work --config other.json" shows',
  );
});

test('a long file is read in parts that name the next', async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `Line ${at} of the log.`);
  const { client } = await stdioClient(mcpHome({}, { 'memory/log.md': lines.join('\n') }));
  const parts: string[] = [];
  let uri: string | undefined = 'memory://workspace/memory/log.md';
  while (uri !== undefined) {
    const [content] = (await client.readResource({ uri })).contents;
    const text: string = content !== undefined && 'text' in content ? content.text : '';
    assert.ok(text.length < 210_000);
    const rest: RegExpExecArray | null = /\n\n\[lines .+; continue with (\S+)\]$/.exec(text);
    parts.push(text.slice(0, rest?.index));
    uri = rest?.[1];
  }
  assert.ok(parts.length > 1);
  assert.equal(parts.join('\n').split('\n'), lines);
});

test('the text of memory_get names the lines it has, and where to continue', async () => {
  const lines = Array.from({ length: 300 }, (_, at) => `Line ${at + 1}.`);
  const { client } = await stdioClient(mcpHome({}, { 'memory/log.md': lines.join('\n') }));
  const textFrom = async (from: number): Promise<string> =>
    textOf(
      await client.callTool({ name: 'memory_get', arguments: { path: 'memory/log.md', from } }),
    );
  assert.match(
    await textFrom(11),
    /Line 130\.\n\n\[lines 11-130 of 300; continue with from: 131\]\n\n/u,
  );
  assert.not.match(await textFrom(181), 'continue with');
});

test('every call reports an invalid configuration until it is fixed', async () => {
  const home = mcpHome();
  home.write('svc.json', '{ "agents": 3 }');
  const { client } = await stdioClient(home);
  const ask = () => callSearch(client, 'backup');
  const broken = await ask();
  assert.ok(broken.isError);
  assert.match(textOf(broken), /svc\.json[\s\S]*code: CONFIG_INVALID/);
  const { stderr } = await runSvc(['mcp'], { home: home.path });
  assert.match(stderr, /^warning: .*\n {5}at: .*svc\.json:1:\d+\n {3}hint: /u);
  home.write('svc.json', '{}');
  assert.is(searchResultsOf(await ask()).results[0]?.path, 'MEMORY.md');
});

test("serves the named agent's memory, and reports an unknown agent", async () => {
  const home = mcpHome({
    agents: {
      defaults: { memorySearch: { provider: 'none' } },
      list: [{ id: 'main' }, { id: 'work', workspace: 'work' }],
    },
  });
  home.write('work/MEMORY.md', 'The lion hunts at dusk.');
  home.write('notes/animals.md', 'The lion hunts at dawn.');
  const firstFor = async (args: readonly string[]): Promise<string> => {
    const { client } = await stdioClient(home, { args });
    const result = await callSearch(client, 'lion');
    return result.isError ? textOf(result) : String(searchResultsOf(result).results[0]?.snippet);
  };
  assert.match(await firstFor(['--agent', 'work']), /dusk/);
  assert.match(await firstFor(['--workspace', 'notes']), /dawn/);
  assert.match(await firstFor(['--agent', 'nobody']), /^error: .*nobody[\s\S]*AGENT_UNKNOWN/);
  assert.match(await firstFor(['--config', 'none.json']), /CONFIG_NOT_FOUND/);
});

test('notes written while it runs are found and announced', async () => {
  const home = mcpHome();
  const { client } = await stdioClient(home);
  const announced = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
  });
  await callSearch(client, 'zebra');
  home.write('workspace/memory/new.md', 'The giraffe eats leaves.');
  const { results } = searchResultsOf(await callSearch(client, 'giraffe'));
  assert.is(results[0]?.path, 'memory/new.md');
  await announced;
  const { resources } = await client.listResources();
  assert.ok(resources.some(({ name }) => name === 'memory/new.md'));
});

test('lists only files of the index', async () => {
  const memorySearch = { provider: 'none', documents: ['txt', 'html'] };
  const notes = {
    'memory/ä b.md': 'Umlauts.\n',
    'memory/page.html': '<p>A page.</p>',
    'memory/plain.txt': 'Plain.\n',
    'secret.md': 'not memory',
  };
  const home = mcpHome({ agents: { defaults: { memorySearch } } }, notes);
  const { client } = await stdioClient(home);
  const { resources } = await client.listResources();
  assert.equal(
    resources.map(({ name, mimeType }) => [name, mimeType]),
    [
      ['MEMORY.md', 'text/markdown'],
      ['memory/2026-02-03.md', 'text/markdown'],
      ['memory/page.html', 'text/plain'],
      ['memory/plain.txt', 'text/plain'],
      ['memory/ä b.md', 'text/markdown'],
    ],
  );
  const texts = await Promise.all(
    resources.slice(2).map(async ({ uri }) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    }),
  );
  assert.equal(texts, ['A page.', 'Plain.', 'Umlauts.']);
  const others = [
    'secret.md',
    '../svc.json',
    '%2e%2e/svc.json',
    'memory/../../svc.json',
    '/etc/passwd',
  ];
  for (const path of others) {
    const reading = client.readResource({ uri: `memory://workspace/${path}` });
    assert.match(await failureText(reading), /not found/i, path);
  }
});

function failureText(work: Promise<unknown>): Promise<string> {
  return work.then(() => 'no failure', String);
}

test('a conversation that scope denies gets nothing but the reason', async () => {
  const args = ['--session-key', 'agent:main:telegram:group:7'];
  const home = mcpHome({ mcp: { write: true } });
  const { client } = await stdioClient(home, { args });
  const search = await callSearch(client, 'backup');
  const { results, disabled, warnings } = searchResultsOf(search);
  assert.equal([results, disabled], [[], true]);
  assert.equal(
    warnings.map(({ code }) => code),
    ['SCOPE_DENIED'],
  );
  for (const [name, input] of Object.entries({
    memory_get: { path: 'MEMORY.md' },
    memory_links: { path: 'MEMORY.md' },
    memory_recent: {},
    memory_add: { text: 'Zebras nap at two', file: 'MEMORY.md' },
  })) {
    const result = await client.callTool({ name, arguments: input });
    assert.not.match(JSON.stringify(result), /nightly/);
    const answer = textOf(result);
    assert.match(answer, /^warning: .*this session cannot use memory.*\nhint: /u);
    assert.not.match(answer, /no links|no changes/u);
  }
  assert.equal((await client.listResources()).resources, []);
  const reading = client.readResource({ uri: 'memory://workspace/MEMORY.md' });
  assert.match(await failureText(reading), /this session cannot use memory/);
  assert.not.match(readFileSync(home.at('workspace/MEMORY.md'), 'utf8'), /Zebras/u);
});

test('a line with two links to a note is listed once', async () => {
  const home = mcpHome();
  home.write('workspace/memory/twice.md', '# Twice\n\n[[MEMORY#One]] and [[MEMORY#Two]]\n');
  const { client } = await stdioClient(home);
  const answer = await client.callTool({
    name: 'memory_links',
    arguments: { path: 'MEMORY.md' },
  });
  const { back } = Object(answer.structuredContent);
  assert.equal(back, [{ path: 'memory/twice.md', line: 3 }]);
});

test('more links than an answer has are counted', async () => {
  const home = mcpHome();
  const links = Array.from({ length: 203 }, (_, at) => `[[missing-${at}]]`).join('\n');
  home.write('workspace/memory/hub.md', `# Hub\n\n${links}\n`);
  home.write('workspace/memory/back.md', '[[hub]]\n'.repeat(202));
  const { client } = await stdioClient(home);
  const answer = await client.callTool({
    name: 'memory_links',
    arguments: { path: 'memory/hub.md' },
  });
  const { back, broken, more } = Object(answer.structuredContent);
  assert.equal([back.length, broken.length, more], [200, 200, 5]);
  assert.match(textOf(answer), /\[5 more\]$/u);
});

test('a key in a warning is masked by every tool', async () => {
  const key = 'sk-abcdefghij1234567890abcd';
  const memorySearch = { extraPaths: [`/nowhere/${key}`] };
  const { client } = await stdioClient(mcpHome({ agents: { defaults: { memorySearch } } }));
  for (const [name, input] of Object.entries({
    memory_search: { query: 'backup' },
    memory_get: { path: 'MEMORY.md' },
    memory_recent: {},
    memory_links: { path: 'MEMORY.md' },
  })) {
    const answer = await client.callTool({ name, arguments: input });
    assert.match(textOf(answer), /warning: .*nowhere/u, name);
    assert.not.match(JSON.stringify(answer), key, name);
  }
});

test('a wrong argument is reported by its field, not by a flag', async () => {
  const { client } = await stdioClient(mcpHome());
  for (const [name, input, message] of [
    ['memory_search', { query: 'backup', since: 'soonish' }, /error: since must be a date/u],
    ['memory_search', { query: 'backup', where: ['open'] }, /error: where must be key=value/u],
    ['memory_search', { query: 'backup', kinds: ['poem'] }, /error: kinds must be one of/u],
    ['memory_recent', { since: 'soonish' }, /error: since must be a date/u],
  ] as const) {
    const answer = textOf(await client.callTool({ name, arguments: input }));
    assert.match(answer, message);
    assert.not.match(answer, /--\w/u);
  }
});

test('in a channel, results are cited as memory.citations says', async () => {
  for (const [citations, cited] of [
    ['auto', true],
    ['off', false],
  ] as const) {
    const home = mcpHome({ memory: { citations } });
    const { client } = await stdioClient(home, { args: ['--chat-type', 'channel'] });
    const result = await callSearch(client, 'backup');
    const [first] = searchResultsOf(result).results;
    assert.equal([first?.path, first?.citation !== undefined], ['MEMORY.md', cited]);
    assert.is(/Source: MEMORY\.md#/.test(textOf(result)), cited);
    const note = await client.callTool({ name: 'memory_get', arguments: { path: 'MEMORY.md' } });
    assert.is(JSON.stringify(note.structuredContent).includes('"citation"'), cited);
  }
});

test('while the provider is down, keyword search answers and a warning says why', async () => {
  const fake = await startOpenAiFake({ dimensions: 8 });
  try {
    const home = mcpHome({ agents: { defaults: { memorySearch: openAiSearchSettings(fake) } } });
    await runSvc(['memory', 'index'], { home: home.path });
    fake.trouble('quota_spent');
    const { client } = await stdioClient(home);
    const result = await callSearch(client, 'backup');
    const { results, mode, warnings } = searchResultsOf(result);
    assert.equal([mode, results[0]?.path], ['lexical', 'MEMORY.md']);
    assert.equal(
      warnings.map(({ code }) => code),
      ['PROVIDER_UNAVAILABLE'],
    );
    assert.match(textOf(result), /\nwarning: keyword search only: /);
  } finally {
    await fake.close();
  }
});

test('what answers instead of the provider, or of a word without a match, is named', async () => {
  const [fake, spare] = [await startOpenAiFake(), await startOpenAiFake()];
  try {
    fake.trouble('quota_spent');
    const { remote } = Object(openAiSearchSettings(spare));
    const home = mcpHome({
      models: { providers: { spare: { api: 'openai', ...remote } } },
      agents: { defaults: { memorySearch: { ...openAiSearchSettings(fake), fallback: 'spare' } } },
    });
    await runSvc(['memory', 'index'], { home: home.path });
    const { client } = await stdioClient(home);
    const args = { query: 'nightly bakcup', debug: true };
    const result = await client.callTool({ name: 'memory_search', arguments: args });
    const answer = Object(result.structuredContent);
    assert.equal(
      [answer.mode, answer.provider, answer.fallback?.from],
      ['hybrid', 'spare', 'openai'],
    );
    assert.match(answer.fallback?.reason, /spare embedded the query instead/);
    assert.equal([answer.debug.configuredMode, answer.debug.effectiveMode], ['hybrid', 'hybrid']);
    assert.match(textOf(result), /^no match for "bakcup", searched for: backup$/m);
  } finally {
    await fake.close();
    await spare.close();
  }
});

test('a cancelled call ends its work and is not answered', async () => {
  const vendor = await startHangingEmbeddings('backup');
  try {
    const home = mcpHome({ agents: { defaults: { memorySearch: openAiSearchSettings(vendor) } } });
    await runSvc(['memory', 'index'], { home: home.path });
    const server = startRawMcp(home);
    for (const message of [...initializeMessages(1), searchMessage(2, 'backup')])
      server.send(message);
    await vendor.whenAsked;
    const params = { requestId: 2, reason: 'the person pressed escape' };
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await vendor.whenDropped;
    // After a failure of its own, the vendor would be left alone for a while.
    server.send(searchMessage(3, 'zebra'));
    assert.match(JSON.stringify(await server.answer(3)), /"mode":"hybrid".*"warnings":\[\]/);
    assert.not.ok(server.lines.some((line) => JSON.parse(line).id === 2));
    server.child.stdin?.end();
    assert.is((await server.done).code, 0);
    assert.not.match(server.stderr(), /warning|AbortError|escape/u);
  } finally {
    await vendor.close();
  }
});

test('a client that asks for progress gets the progress of a first index', async () => {
  const files = Array.from({ length: 60 }, (_, at) => [`memory/n${at}.md`, `Note ${at}, zebra.`]);
  const home = mcpHome({}, Object.fromEntries(files));
  const holder = { nowMs: Date.now(), waitMs: 0 };
  const lock = await acquireIndexLock(home.at('memory/main.sqlite'), holder);
  // The SDK's client drops progress that arrives together with the answer.
  const server = startRawMcp(home);
  const params = {
    name: 'memory_search',
    arguments: { query: 'zebra' },
    _meta: { progressToken: 'asking' },
  };
  for (const message of [
    ...initializeMessages(1),
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
    { jsonrpc: '2.0', id: 3, method: 'ping' },
  ])
    server.send(message);
  // Answered after the call has come in.
  await server.answer(3);
  lock?.release();
  const { result } = await server.answer(2);
  assert.is(Object(result).structuredContent.results.length, 6);
  server.child.stdin?.end();
  assert.is((await server.done).code, 0);
  const messages = server.lines.map((line) => JSON.parse(line));
  const answerAt = messages.findIndex(({ id }) => id === 2);
  const notes = messages
    .slice(0, answerAt)
    .filter(({ method }) => method === 'notifications/progress');
  const steps = notes.map(({ params: { progressToken, progress } }) => {
    assert.is(progressToken, 'asking');
    return progress;
  });
  assert.ok(steps.length > 0);
  assert.equal(
    steps,
    [...new Set(steps)].toSorted((a, b) => a - b),
  );
});

test('invalid lines are refused, and stdout carries only the protocol', async () => {
  const server = startRawMcp(mcpHome(), ['--verbose']);
  const strange = ['{', '', 'hello', '[]', '{"jsonrpc":"2.0"}', '\u0000', '{"jsonrpc":"1.0"}'];
  for (const line of strange) server.send(line);
  server.send('{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}');
  for (const message of [...initializeMessages(1), searchMessage(2, 'zebra')]) server.send(message);
  const { result } = await server.answer(2);
  assert.match(JSON.stringify(result), /memory\/2026-02-03\.md/);
  server.send({ jsonrpc: '2.0', id: 3, method: 'no/such' });
  assert.match(JSON.stringify(await server.answer(3)), /-32601/);
  const get = { name: 'memory_get', arguments: { path: '' } };
  server.send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: get });
  const empty = JSON.stringify(await server.answer(4));
  assert.match(empty, /must not be empty/);
  assert.not.match(empty, /omit it/);
  const uri = 'memory://workspace/MEMORY.md?from=999';
  server.send({ jsonrpc: '2.0', id: 5, method: 'resources/read', params: { uri } });
  assert.match(JSON.stringify(await server.answer(5)), /"code":-32602.*RANGE_INVALID/);
  server.child.stdin?.end();
  assert.is((await server.done).code, 0);
  const answers = server.lines.map((line) => JSON.parse(line));
  for (const { jsonrpc } of answers) assert.is(jsonrpc, '2.0');
  assert.equal(
    answers.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error.code]])),
    [
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32700],
      [null, -32600],
      [7, -32600],
      [3, -32601],
      [5, -32602],
    ],
  );
  assert.match(server.stderr(), /index is up to date/);
  assert.match(server.stderr(), /refused a line that is not JSON\n/);
  assert.match(server.stderr(), /refused a message that is not JSON-RPC\n/);
});

test('a warning about a name shows its control characters as escapes', async () => {
  const server = startRawMcp(mcpHome(), ['--workspace', 'no\u001B[2J\u202Esuch']);
  for (const message of [...initializeMessages(1), searchMessage(2, 'zebra')]) server.send(message);
  await server.answer(2);
  server.child.stdin?.end();
  await server.done;
  assert.match(server.stderr(), 'no\\e[2J\\u{202e}such');
  for (const raw of ['\u001B', '\u202E']) assert.not.match(server.stderr(), raw);
});

test('each request of a batch is answered', async () => {
  const server = startRawMcp(mcpHome());
  for (const message of initializeMessages(1, '2025-03-26')) server.send(message);
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  server.send([ping(2), { id: 3 }, searchMessage(4, 'zebra')]);
  assert.equal((await server.answer(2))['result'], {});
  assert.match(JSON.stringify(await server.answer(3)), /-32600/);
  assert.match(JSON.stringify(await server.answer(4)), /memory\/2026-02-03\.md/);
  server.child.stdin?.end();
  assert.is((await server.done).code, 0);
});

test('many answers that a client does not read yet are no reason for a warning', async () => {
  const server = startRawMcp(mcpHome());
  for (const message of initializeMessages(1)) server.send(message);
  await server.answer(1);
  // More than fits into the pipe.
  const ids = Array.from({ length: 200 }, (_, index) => index + 2);
  server.send(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })));
  await server.answer(201);
  server.child.stdin?.end();
  assert.is((await server.done).code, 0);
  assert.is(server.stderr(), '');
});

test('the last line of a file needs no line break', async () => {
  const home = mcpHome();
  const messages = [...initializeMessages(1), searchMessage(2, 'zebra')].map((one) =>
    JSON.stringify(one),
  );
  home.write('messages.jsonl', messages.join('\n'));
  const stdin = openSync(home.at('messages.jsonl'), 'r');
  const run = spawnSync(process.execPath, [join(ROOT, 'bin/run.js'), 'mcp'], {
    stdio: [stdin, 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { HOME: home.path, SVC_HOME: home.path },
  });
  closeSync(stdin);
  assert.is(run.status, 0);
  assert.match(run.stdout, /memory\/2026-02-03\.md/);
});

test('requests sent before stdin ended are answered', async () => {
  const server = startRawMcp(mcpHome());
  for (const message of [...initializeMessages(1), searchMessage(2, 'zebra')]) server.send(message);
  server.child.stdin?.end();
  assert.match(JSON.stringify(await server.answer(2)), /memory\/2026-02-03\.md/);
  assert.is((await server.done).code, 0);
});

test('an oversized message is refused, and the next one is answered', async () => {
  const server = startRawMcp(mcpHome());
  for (const message of initializeMessages(1)) server.send(message);
  await server.answer(1);
  server.send('x'.repeat(5 * 1024 * 1024));
  server.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  assert.equal((await server.answer(2))['result'], {});
  const answers = server.lines.map((line) => JSON.parse(line));
  assert.is(answers.find(({ id }) => id === null).error.code, -32600);
  assert.match(server.stderr(), /a line of more than 4 MiB/);
  server.child.stdin?.end();
  assert.is((await server.done).code, 0);
});

for (const [signal, code] of [
  ['SIGTERM', 0],
  ['SIGINT', 130],
] as const) {
  test(`ends in order on ${signal} while its client is still there`, async () => {
    const server = startRawMcp(mcpHome());
    for (const message of initializeMessages(1)) server.send(message);
    await server.answer(1);
    server.child.kill(signal);
    assert.equal(await server.done, { code, signal: null });
  });
}

test('ends when stdin ends', async () => {
  const run = await runSvc(['mcp'], { home: mcpHome().path });
  assert.equal([run.code, run.stdout, run.stderr], [0, '', '']);
});

test('two servers keep one memory up to date without conflicts', async () => {
  const home = mcpHome();
  const both = await Promise.all([stdioClient(home), stdioClient(home)]);
  const ask = (query: string) =>
    both.flatMap(({ client }) => [1, 2, 3].map(() => callSearch(client, query)));
  for (const result of await Promise.all(ask('backup'))) {
    assert.is(searchResultsOf(result).results[0]?.path, 'MEMORY.md');
  }
  home.write('workspace/memory/new.md', 'The giraffe eats leaves.');
  for (const result of await Promise.all(ask('backup'))) {
    assert.is(searchResultsOf(result).results[0]?.path, 'MEMORY.md');
  }
});

test('flags that contradict the protocol on stdout are refused', async () => {
  const home = mcpHome().path;
  const json = await runSvc(['mcp', '--json'], { home });
  assert.equal([json.code, json.stdout], [2, '']);
  const port = await runSvc(['mcp', '--port', '1'], { home });
  assert.is(port.code, 2);
});

test('an agent can add notes only where allowed, and each write is logged', async () => {
  const closed = await stdioClient(mcpHome());
  const names = (await closed.client.listTools()).tools.map(({ name }) => name);
  assert.not.ok(names.includes('memory_add'), names.join(' '));
  const home = mcpHome({ mcp: { write: true } });
  const { client } = await stdioClient(home);
  const { tools } = await client.listTools();
  const { annotations } = tools.find(({ name }) => name === 'memory_add') ?? {};
  assert.equal([annotations?.readOnlyHint, annotations?.destructiveHint], [false, false]);
  const add = (input: Record<string, unknown>) =>
    client.callTool({ name: 'memory_add', arguments: input });
  const added = await add({ text: 'Zebras nap at two', file: 'MEMORY.md' });
  assert.match(JSON.stringify(added.structuredContent), /"outcome":"added","id":"w1"/u);
  const known = await add({ text: 'Zebras nap at two', file: 'MEMORY.md' });
  assert.is(textOf(known), 'MEMORY.md#L5 already has it; nothing was added');
  const secret = await add({ text: 'the key is sk-abcdefghij1234567890abcd' });
  assert.is(secret.isError, true);
  assert.match(JSON.stringify(secret.content), /NOTE_SECRET/u);
  assert.match(textOf(await add({ text: ' ' })), /^hint: pass the text$/mu);
  const outside = await add({ text: 'Obey', file: 'AGENTS.md' });
  assert.match(JSON.stringify(outside.content), /NOTE_INVALID/u);
  const notes = readFileSync(home.at('workspace/MEMORY.md'), 'utf8');
  assert.ok(notes.endsWith('\n- Zebras nap at two\n'));
  const log = readFileSync(home.at('logs/mcp.log'), 'utf8');
  assert.match(log, /"write":"w1","citation":"MEMORY.md#L5"/u);
  assert.not.match(log, /Zebras/u);
});

test.run();
