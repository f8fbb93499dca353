import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { deliveriesFile } from '../../../../src/engine/webhooks/deliveries/delivery-file.js';
import type { Delivery } from '../../../../src/engine/webhooks/index.js';
import { createVerifier } from '../../../../src/engine/webhooks/verify/verifier.js';
import { newDelivery, recordDeliveries } from '../../../support/deliveries.js';
import { failureOf } from '../../../support/failure.js';
import { waitFor } from '../../../support/wait.js';
import { act, send, type TestWebhooks, testWebhooks } from '../../../support/webhooks.js';

const test = suite('replaying deliveries');

const KEY = 'a-signing-key-of-tests-0123456789';
const GITHUB = {
  sessionKey: 'agent:main:ci',
  verify: { scheme: 'github', secrets: [KEY] },
  map: [{ when: { event: 'push' }, action: 'create_flow', set: { goal: 'Build {/ref}' } }],
} as const;
const github = createVerifier({ scheme: 'github', secrets: [], toleranceSeconds: 300 }, [KEY]);

function push(url: string, body: object, id: string | undefined, headers: object = {}) {
  const text = JSON.stringify(body);
  return send(url, {
    path: '/plugins/webhooks/gh',
    secret: undefined,
    body: text,
    headers: {
      ...github.sign(Buffer.from(text), { id: '', nowMs: 0 }),
      'x-github-event': 'push',
      ...(id === undefined ? {} : { 'x-github-delivery': id }),
      ...headers,
    },
  });
}

async function recorded({ webhooks }: TestWebhooks, count: number): Promise<readonly Delivery[]> {
  const list = () => webhooks.live.deliveries.list({ limit: 99 });
  await waitFor('the record', () => list().length === count);
  return list();
}

function flowOf({ body }: { readonly body: object }): string {
  const { result } = JSON.parse(JSON.stringify(body));
  return result.flow.flowId;
}

test('a replay gets the first answer; a forced one is performed under a new ID', async () => {
  const served = await testWebhooks({ routes: { gh: GITHUB } });
  const { deliveries } = served.webhooks.live;
  const answer = await push(served.url, { ref: 'main' }, 'd-1');
  const [delivery] = await recorded(served, 1);
  assert.ok(delivery !== undefined);
  const { event, deliveryId, flowId, action, clientIp } = delivery;
  assert.equal([event, deliveryId, action, clientIp], ['push', 'd-1', 'create_flow', '127.0.0.1']);
  assert.is(flowId, flowOf(answer));
  const first = await deliveries.replay({ id: delivery.id.slice(0, 5), again: false });
  assert.is(first.isFirstAnswer, true);
  assert.is(flowOf(first.answer), flowId);
  const again = await deliveries.replay({ id: delivery.id, again: true });
  assert.is(again.isFirstAnswer, false);
  assert.is.not(flowOf(again.answer), flowId);
  const [newest] = await recorded(served, 3);
  assert.equal(
    [newest?.id, newest?.replayOf, newest?.clientIp, newest?.status],
    [again.id, delivery.id, null, 200],
  );
  // Its signature and the secret of the route are in no record.
  assert.equal(Object.keys(deliveries.find(delivery.id).headers).toSorted(), [
    'content-type',
    'x-github-delivery',
    'x-github-event',
  ]);
  assert.is(served.webhooks.live.snapshot().deliveries.length, 3);
  // It is answered also where another process is writing the record.
  const other = createDatabase(deliveriesFile(served.home.path), 0);
  other.exec('BEGIN IMMEDIATE');
  const unrecorded = await deliveries.replay({ id: delivery.id, again: false });
  other.close();
  assert.equal([unrecorded.isFirstAnswer, unrecorded.id], [true, undefined]);
  assert.match(unrecorded.unrecorded ?? '', /locked/);
  await served.close();
});

const bearer = createVerifier(undefined, [KEY]);
for (const [name, access, verifier] of [
  ['a secret', { secret: KEY }, bearer],
  ['verify: bearer', { verify: { scheme: 'bearer', secrets: [KEY] } }, bearer],
  ['verify: github', { verify: { scheme: 'github', secrets: [KEY] } }, github],
] as const) {
  test(`with ${name}, an action with an idempotency key gets its first answer`, async () => {
    const served = await testWebhooks({
      routes: { gh: { sessionKey: 'agent:main:ci', ...access } },
    });
    const { deliveries } = served.webhooks.live;
    const body = JSON.stringify({ action: 'create_flow', goal: 'Build' });
    const answer = await send(served.url, {
      path: '/plugins/webhooks/gh',
      secret: undefined,
      body,
      headers: {
        ...verifier.sign(Buffer.from(body), { id: '', nowMs: 0 }),
        'idempotency-key': 'build-1',
      },
    });
    const [delivery] = await recorded(served, 1);
    const first = await deliveries.replay({ id: delivery?.id ?? '', again: false });
    assert.equal([first.isFirstAnswer, flowOf(first.answer)], [true, flowOf(answer)]);
    const again = await deliveries.replay({ id: delivery?.id ?? '', again: true });
    assert.is(again.isFirstAnswer, false);
    assert.is.not(flowOf(again.answer), flowOf(answer));
    await served.close();
  });
}

test('a thousand replays of one delivery create one flow', async () => {
  const served = await testWebhooks({ routes: { gh: GITHUB } });
  await push(served.url, { ref: 'main' }, 'd-1');
  const [delivery] = await recorded(served, 1);
  const { deliveries } = served.webhooks.live;
  const flows = new Set<string>();
  for (let n = 0; n < 1000; n++) {
    const { answer } = await deliveries.replay({ id: delivery?.id ?? '', again: false });
    flows.add(flowOf(answer));
  }
  assert.equal([...flows], [delivery?.flowId]);
  const listed = await act(served.url, { action: 'list_flows' });
  const { result } = JSON.parse(JSON.stringify(listed.body));
  assert.is(result.flows.length, 1);
  await served.close();
});

test('a refused delivery is replayed with the current rules', async () => {
  const served = await testWebhooks({ routes: { gh: { ...GITHUB, unmatched: 'reject' } } });
  const { deliveries } = served.webhooks.live;
  await push(served.url, { n: 1 }, undefined, { 'x-github-event': 'star' });
  const [delivery] = await recorded(served, 1);
  assert.equal([delivery?.status, delivery?.code, delivery?.event], [422, 'unmatched', 'star']);
  assert.is((await deliveries.replay({ id: delivery?.id ?? '', again: false })).answer.status, 422);
  const map = [{ action: 'create_flow', set: { goal: 'Thank {/n}' } }];
  await served.webhooks.reload(served.loaded({ routes: { gh: { ...GITHUB, map } } }));
  const replayed = await deliveries.replay({ id: delivery?.id ?? '', again: false });
  assert.is(replayed.answer.status, 200);
  await served.close();
});

test('an incomplete delivery, or one of a missing or disabled route, is not replayed', async () => {
  const off = { sessionKey: 's', secret: KEY, enabled: false };
  const served = await testWebhooks({ routes: { off } });
  const [lost, gone, secret, stranger] = await recordDeliveries(served.home.path, [
    newDelivery({ isVerified: false, reason: 'The secret is wrong.' }),
    newDelivery({ body: '{"password":"hunter2hunter2"}' }),
    newDelivery({ route: 'gone' }),
    newDelivery({ route: 'off' }),
  ]);
  const fault = (id: string | undefined) =>
    failureOf(
      Promise.resolve().then(() =>
        served.webhooks.live.deliveries.replay({ id: id ?? '', again: false }),
      ),
    );
  const code = async (id: string | undefined): Promise<string> => (await fault(id)).code;
  assert.match(
    (await fault(stranger)).message,
    'its body was not kept, because its sender was not verified',
  );
  assert.match((await fault(secret)).message, 'secrets in its body were masked');
  assert.equal(
    [
      await code(stranger),
      await code(secret),
      await code(gone),
      await code(lost),
      await code('none'),
    ],
    [
      'DELIVERY_NOT_REPLAYABLE',
      'DELIVERY_NOT_REPLAYABLE',
      'WEBHOOK_ROUTE_UNKNOWN',
      'WEBHOOKS_DISABLED',
      'DELIVERY_NOT_FOUND',
    ],
  );
  await served.close();
});

test('every rejection is logged with its reason, its request and what is missing, a scan once a second', async () => {
  const served = await testWebhooks({ routes: { gh: GITHUB } });
  await send(served.url, { path: '/plugins/webhooks/gh', secret: undefined });
  await send(served.url, { secret: undefined });
  for (let n = 0; n < 50; n++)
    await send(served.url, { path: `/wp-admin/${n}?key=hunter2hunter2` });
  const logged = served.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'rejected');
  assert.equal(
    logged
      .slice(0, 2)
      .map(({ route, missing, requestId, reason }) => [route, missing, typeof requestId, reason]),
    [
      ['gh', 'X-Hub-Signature-256', 'string', 'X-Hub-Signature-256 is missing.'],
      ['ci', 'Authorization', 'string', 'The secret of the route is missing or wrong.'],
    ],
  );
  const scan = logged.slice(2);
  assert.ok(scan.length >= 1 && scan.length < 10, String(scan.length));
  assert.equal([scan[0].path, scan[0].status, scan[0].method], ['/wp-admin/0', 404, 'POST']);
  assert.not.match(served.lines.join(''), 'hunter2');
  const metrics = await served.webhooks.metrics.text();
  assert.match(metrics, /svc_webhook_unrouted_requests_total\{status="404"\} 50/);
  await served.close();
});

test('an access log has one line for each request, however it ended', async () => {
  const served = await testWebhooks({ logging: { accessLog: true } });
  const { url, port, lines } = served;
  const flow = { action: 'create_flow', goal: 'x'.repeat(300) };
  await send(url, { body: JSON.stringify(flow) });
  await send(url, { secret: undefined });
  await send(url, { method: 'GET' });
  await send(url, { path: '/wp-admin?key=hunter2hunter2' });
  await send(url, { path: '/%zz' });
  const socket = connect(port, '127.0.0.1', () => socket.end('nonsense\r\n\r\n'));
  await once(socket.resume(), 'close');
  const requests = (): readonly Readonly<Record<string, unknown>>[] =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  await waitFor('the log', () => requests().length >= 6);
  assert.equal(
    requests().map(({ method, route, path, status }) => [method, route, path, status]),
    [
      ['POST', 'ci', undefined, 200],
      ['POST', 'ci', undefined, 401],
      ['GET', 'ci', undefined, 405],
      ['POST', undefined, '/wp-admin', 404],
      ['POST', undefined, '/%zz', 400],
      [undefined, undefined, undefined, 400],
    ],
  );
  for (const { requestId, ip } of requests()) {
    assert.equal([typeof requestId, typeof ip], ['string', 'string']);
  }
  const { bytes, ms } = { ...requests()[0] };
  assert.ok(Number(bytes) > 100 && Number(ms) > 0, JSON.stringify([bytes, ms]));
  assert.not.match(lines.join(''), 'hunter2');
  await served.close();
});

test.run();
