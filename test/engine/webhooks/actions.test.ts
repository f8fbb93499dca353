import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { ACTION_NAMES } from '../../../src/engine/flow-model/action-schemas.js';
import { actionAnswer } from '../../../src/engine/webhooks/answers.js';
import {
  openApiDocument,
  rejectionSchema,
  successSchema,
} from '../../../src/engine/webhooks/openapi-document.js';
import {
  act,
  SECRET,
  SESSION,
  send,
  type TestAnswer,
  testWebhooks,
} from '../../support/webhooks.js';

const test = suite('actions over HTTP');

const answerSchema = z.union([successSchema, rejectionSchema]);

/** The answer, checked against the OpenAPI document. */
function answerOf({ status, body }: TestAnswer) {
  const parsed = answerSchema.safeParse(body);
  assert.ok(parsed.success, `${JSON.stringify(body)} ${JSON.stringify(parsed.error?.issues)}`);
  const { ok, result } = parsed.data;
  return { status, ok, code: parsed.data.code, result, flow: result.flow };
}

test('a NUL in a text is returned as both stores keep it', async () => {
  const { url, close } = await testWebhooks();
  const action = { action: 'create_flow', goal: 'a\0b', stateJson: { kept: 'a\0b' } };
  const { flow } = answerOf(await act(url, action));
  assert.equal([flow?.goal, flow?.stateJson], ['a\ufffdb', { kept: 'a\0b' }]);
  await close();
});

test('a flow is created, waits, resumes, runs a task and ends; each answer is as documented', async () => {
  const { url, close } = await testWebhooks();
  const done = async (action: object) => answerOf(await act(url, action));
  const created = await done({ action: 'create_flow', goal: ' Ship it ', stateJson: null });
  assert.is(created.status, 200);
  const flowId = created.flow?.flowId ?? '';
  assert.equal(
    [created.flow?.goal, created.flow?.status, created.flow?.revision, created.flow?.stateJson],
    ['Ship it', 'queued', 0, null],
  );
  assert.is(created.flow?.controllerId, 'webhooks/ci');
  const waiting = await done({
    action: 'set_waiting',
    flowId,
    expectedRevision: 0,
    waitJson: { for: 'approval' },
    blockedSummary: 'waits for Ada',
  });
  assert.equal([waiting.flow?.status, waiting.flow?.revision], ['blocked', 1]);
  const stale = await done({ action: 'resume_flow', flowId, expectedRevision: 0 });
  assert.equal(
    [stale.status, stale.code, stale.result.current?.revision],
    [409, 'revision_conflict', 1],
  );
  const running = await done({
    action: 'resume_flow',
    flowId,
    expectedRevision: 1,
    status: 'running',
  });
  assert.is(running.flow?.status, 'running');
  const task = { action: 'run_task', flowId, runtime: 'subagent', task: 'Write the notes' };
  const ran = await done({ ...task, status: 'running', startedAt: 1, progressSummary: null });
  assert.equal([ran.result.created, ran.result.task?.status], [true, 'running']);
  const taskId = ran.result.task?.taskId ?? '';
  assert.is((await done({ action: 'get_task', taskId })).result.task?.taskId, taskId);
  assert.is((await done({ action: 'get_task', taskId: flowId })).result.task, null);
  assert.is((await done({ action: 'list_tasks', flowId, limit: 1 })).result.tasks?.length, 1);
  const { result } = await done({ action: 'get_task_summary', flowId });
  assert.equal([result.summary?.total, result.summary?.byRuntime['subagent']], [1, 1]);
  const seen = await done({ action: 'get_flow', flowId });
  const asked = await done({
    action: 'request_cancel',
    flowId,
    expectedRevision: seen.flow?.revision ?? -1,
  });
  assert.equal([asked.status, asked.flow?.status], [200, 'running']);
  const late = await done(task);
  assert.equal([late.status, late.code], [409, 'cancel_requested']);
  const expectedRevision = asked.flow?.revision ?? -1;
  const finished = await done({ action: 'finish_flow', flowId, expectedRevision });
  assert.equal([finished.flow?.status, finished.status], ['succeeded', 200]);
  for (const action of ['fail_flow', 'request_cancel']) {
    const ended = await done({ action, flowId, expectedRevision: expectedRevision + 1 });
    assert.equal([ended.status, ended.code], [409, 'terminal'], action);
  }
  assert.is((await done({ action: 'find_latest_flow' })).flow?.flowId, flowId);
  assert.is((await done({ action: 'resolve_flow', token: SESSION })).flow?.flowId, flowId);
  assert.is((await done({ action: 'list_flows' })).result.flows?.length, 1);
  await close();
});

test('cancelling ends a flow at once, or answers 202 while a worker still holds a task', async () => {
  const { url, close } = await testWebhooks();
  const flowId = answerOf(await act(url, { action: 'create_flow', goal: 'a' })).flow?.flowId ?? '';
  const cancelled = answerOf(await act(url, { action: 'cancel_flow', flowId }));
  assert.equal([cancelled.status, cancelled.flow?.status], [200, 'cancelled']);
  const again = answerOf(await act(url, { action: 'cancel_flow', flowId }));
  assert.equal([again.status, again.code], [409, 'terminal']);
  await close();
  const pending = actionAnswer('ci', { ok: true, code: 'cancel_pending', result: {} }, 202);
  assert.equal(
    [pending.status, pending.body],
    [202, { ok: true, routeId: 'ci', code: 'cancel_pending', result: {} }],
  );
});

test('a missing record is null to reads and 404 to changes', async () => {
  const { url, close } = await testWebhooks();
  const flowId = 'nobody-s';
  for (const action of ['get_flow', 'get_task_summary']) {
    assert.is((await act(url, { action, flowId })).status, 200);
  }
  const refused = answerOf(await act(url, { action: 'finish_flow', flowId, expectedRevision: 0 }));
  assert.equal([refused.status, refused.code], [404, 'not_found']);
  assert.is((await act(url, { action: 'cancel_flow', flowId })).status, 404);
  await close();
});

test('a route only sees the flows of its session, and no answer names the session', async () => {
  const routes = { other: { sessionKey: 'agent:main:other', secret: `${SECRET}-other` } };
  const { url, close } = await testWebhooks({ routes });
  const created = await act(url, { action: 'create_flow', goal: 'mine' });
  const flowId = answerOf(created).flow?.flowId ?? '';
  assert.not(JSON.stringify(created.body).includes(SESSION));
  const elsewhere = (action: object) =>
    send(url, {
      path: '/plugins/webhooks/other',
      secret: `${SECRET}-other`,
      body: JSON.stringify(action),
    });
  assert.is(answerOf(await elsewhere({ action: 'get_flow', flowId })).flow, null);
  const refused = answerOf(await elsewhere({ action: 'cancel_flow', flowId }));
  assert.equal([refused.status, refused.code], [404, 'not_found']);
  assert.is((await send(url, { path: '/plugins/webhooks/other' })).status, 401);
  await close();
});

test('an idempotency key makes a create or a task happen once, and refuses another body', async () => {
  const { url, close } = await testWebhooks();
  const key = { 'idempotency-key': 'build-1.2.3' };
  const first = await act(url, { action: 'create_flow', goal: 'once' }, key);
  const flowId = answerOf(first).flow?.flowId ?? '';
  const again = await send(url, {
    body: '{ "goal": "once",\n "action": "create_flow" }',
    headers: key,
  });
  assert.equal(again.body, first.body);
  assert.equal(
    [first, again].map(({ headers }) => headers.get('idempotent-replayed')),
    [null, 'true'],
  );
  const stored = { 'idempotency-key': 'build-1.2.4' };
  const create = { action: 'create_flow', goal: 'stored' };
  const kept = await act(url, { ...create, stateJson: { a: 1, b: { c: 2, d: [3] } } }, stored);
  const reordered = await act(url, { ...create, stateJson: { b: { d: [3], c: 2 }, a: 1 } }, stored);
  assert.equal(reordered.body, kept.body);
  const other = answerOf(await act(url, { action: 'create_flow', goal: 'twice' }, key));
  assert.equal([other.status, other.code], [422, 'idempotency_mismatch']);
  // The same key for another action is another key.
  const task = { action: 'run_task', flowId, runtime: 'acp', task: 't' };
  const ran = await act(url, task, key);
  assert.equal((await act(url, task, key)).body, ran.body);
  assert.is(answerOf(await act(url, { action: 'list_flows' }, key)).result.flows?.length, 2);
  for (const bad of ['', 'k'.repeat(256), 'a b']) {
    const answer = await act(url, { action: 'create_flow', goal: 'x' }, { 'idempotency-key': bad });
    assert.equal([answer.status, answer.body['code']], [400, 'invalid_request'], bad);
  }
  await close();
});

test('an object in the place of a text is refused, whatever its length is', async () => {
  const { url, lines, close } = await testWebhooks();
  for (const length of [{ toString: 1, valueOf: 1 }, {}, 5_000_000, 3]) {
    const answer = await act(url, { action: 'create_flow', goal: { length } });
    assert.equal([answer.status, answer.body['error']], [400, 'goal: must be a string']);
  }
  assert.not.match(lines.join(''), /TypeError/);
  await close();
});

test('the OpenAPI document has every action, every status and every route', () => {
  const routes = [{ id: 'ci', path: '/hooks/ci', description: 'Builds' }];
  const document = openApiDocument({ serverUrl: 'https://hooks.example.com', routes });
  const text = JSON.stringify(document);
  assert.is(document['openapi'], '3.1.0');
  for (const name of ACTION_NAMES) assert.ok(text.includes(`"const":"${name}"`), name);
  const statuses = ['200', '202', '400', '401', '404', '405', '408', '409', '413', '415'];
  for (const status of [...statuses, '422', '429', '503'])
    assert.ok(text.includes(`"${status}":{"desc`));
  assert.ok(text.includes('"/hooks/ci":{"post"'));
  const references = new Set(
    Array.from(text.matchAll(/"#\/components\/schemas\/(\w+)"/gu), ([, name]) => name),
  );
  const schemas: object = Object(Object(document['components'])['schemas']);
  assert.equal(
    [...references].toSorted(),
    Object.keys(schemas)
      .filter((name) => name !== 'x')
      .toSorted(),
  );
});

test('the OpenAPI document describes how senders are verified and what they get', () => {
  const verify = { scheme: 'github', secrets: [], toleranceSeconds: 300 } as const;
  const routes = [
    { id: 'ci', path: '/ci' },
    { id: 'gh', path: '/gh', verify, map: [], allow: ['10.0.0.0/8'] },
    {
      id: 'own',
      path: '/own',
      verify: { ...verify, scheme: 'basic' } as const,
      acceptedStatus: 200 as const,
    },
  ];
  const document = openApiDocument({ serverUrl: undefined, routes });
  const { components, paths } = Object(document);
  const { ci, gh, own } = { ci: paths['/ci'].post, gh: paths['/gh'].post, own: paths['/own'].post };
  assert.equal(
    [ci.security, gh.security, own.security],
    [undefined, [{ github: [] }], [{ basic: [] }]],
  );
  assert.is(components.securitySchemes.github.name, 'x-hub-signature-256');
  assert.equal(Object.keys(gh.requestBody.content).length, 2);
  assert.equal(
    [ci, gh, own].map(({ responses }) => [responses[403]?.description, responses[422].description]),
    [
      [undefined, 'idempotency_mismatch'],
      ['forbidden', 'mapping_failed, unmatched, idempotency_mismatch'],
      [undefined, 'idempotency_mismatch'],
    ],
  );
  assert.equal(
    [ci, gh, own].map(({ responses }) => [200, 202].filter((status) => status in responses)),
    [[200, 202], [200, 202], [200]],
  );
  assert.match(own.responses[200].description, /cancel_pending/);
  assert.equal(
    [ci, own].map(({ responses }) => responses[409].description.includes('delivery_mismatch')),
    [false, true],
  );
});

test('operations of different routes have different names', () => {
  const routes = ['a-b', 'a.b', 'größe', 'grüße'].map((id) => ({ id, path: `/${id}` }));
  const document = openApiDocument({ serverUrl: undefined, routes });
  const paths: Record<string, { post: { operationId: string } }> = Object(document['paths']);
  assert.equal(
    Object.values(paths).map(({ post }) => post.operationId),
    ['act_a_b', 'act_a_b_2', 'act_gr_e', 'act_gr_e_2'],
  );
});

test('paths in the OpenAPI document are as clients send them', () => {
  const routes = [{ id: 'a', path: '/a b/{x}%2Fü' }];
  const { paths } = Object(openApiDocument({ serverUrl: undefined, routes }));
  assert.equal(Object.keys(paths), ['/a%20b/%7Bx%7D%2F%C3%BC']);
});

test('the OpenAPI document is served only if enabled', async () => {
  const on = await testWebhooks({ config: { openapi: true } });
  const document = await (await fetch(`${on.url}/openapi.json`)).json();
  assert.equal(
    document,
    openApiDocument({ serverUrl: undefined, routes: [{ id: 'ci', path: '/plugins/webhooks/ci' }] }),
  );
  await on.close();
  const off = await testWebhooks();
  assert.is((await fetch(`${off.url}/openapi.json`)).status, 404);
  await off.close();
});

test('every field of every action has a description', () => {
  const document = openApiDocument({ serverUrl: undefined, routes: [] });
  const schemas: Record<string, { properties?: Record<string, { description?: string }> }> = Object(
    Object(document['components'])['schemas'],
  );
  const actions = Object.entries(schemas).filter(
    ([, { properties = {} }]) => 'action' in properties,
  );
  assert.is(actions.length, ACTION_NAMES.length);
  for (const [name, { properties = {} }] of actions) {
    for (const [field, { description }] of Object.entries(properties)) {
      if (field !== 'action') assert.type(description, 'string', `${name}.${field}`);
    }
  }
});

test('a change that was made but not synced is reported as uncertain, and logged', async () => {
  const { url, home, lines, close } = await testWebhooks();
  // SQLite has it open and goes on; svc opens it when it syncs for the first time.
  rmSync(home.at('flows.sqlite-wal'));
  const { status, code, result } = answerOf(
    await act(url, { action: 'create_flow', goal: 'kept' }),
  );
  assert.equal([status, code, result], [503, 'persist_failed', {}]);
  const { body } = await act(url, { action: 'create_flow', goal: 'kept' });
  assert.match(String(body['error']), /^The change may have been stored/);
  const { flows } = answerOf(await act(url, { action: 'list_flows' })).result;
  assert.is(flows?.length, 2);
  const logged = lines.filter((line) => line.includes('not performed: '));
  assert.is(logged.length, 1, 'each reason once a minute');
  assert.match(logged[0] ?? '', /"level":"error".*"route":"ci"/u);
  await close();
});

test.run();
