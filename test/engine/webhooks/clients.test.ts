import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  headOf,
  PATH,
  rawConnection,
  SECRET,
  SESSION,
  send,
  testWebhooks,
} from '../../support/webhooks.js';

const test = suite('what real systems send');

/** Sends the bytes of a request, and reads the answer to its end. */
async function exchange(port: number, head: readonly string[], body: string) {
  const { write, closed } = rawConnection(port);
  const lines = [
    ...head,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    '',
  ];
  write(lines.join('\r\n') + body);
  const text = await closed;
  const [answerHead = '', answerBody = ''] = text.split('\r\n\r\n');
  return {
    status: Number(answerHead.split(' ')[1]),
    body: JSON.parse(Buffer.from(answerBody, 'latin1').toString('utf8')),
  };
}

test('the HTTP Request node of n8n, with a bearer credential', async () => {
  const { port, close } = await testWebhooks();
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'accept: application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
    'content-type: application/json',
    `Authorization: Bearer ${SECRET}`,
    'user-agent: axios/1.8.3',
    'accept-encoding: gzip, compress, deflate, br',
    `host: 127.0.0.1:${port}`,
  ];
  const body = '{"action":"create_flow","goal":"Order 1043 for Zoë","stateJson":{"orderId":1043}}';
  const { status, body: answer } = await exchange(port, head, body);
  assert.equal([status, answer.ok], [200, true]);
  assert.equal(
    [answer.result.flow.goal, answer.result.flow.stateJson],
    ['Order 1043 for Zoë', { orderId: 1043 }],
  );
  await close();
});

test('a webhook delivery of GitHub, which cannot carry our secret, is refused and not performed', async () => {
  const { port, close } = await testWebhooks();
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `Host: localhost:${port}`,
    'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'X-Hub-Signature: sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
    'X-Hub-Signature-256: sha256=d57c68ca6f92289e6987922ff26938930f6e66a2d161ef06abdf1859230aa23c',
    'User-Agent: GitHub-Hookshot/044aadd',
    'Content-Type: application/json',
    'X-GitHub-Event: issues',
    'X-GitHub-Hook-ID: 292430182',
    'X-GitHub-Hook-Installation-Target-ID: 79929171',
    'X-GitHub-Hook-Installation-Target-Type: repository',
  ];
  const body = JSON.stringify({
    action: 'opened',
    issue: { url: 'https://api.github.com/repos/octocat/Hello-World/issues/1347', number: 1347 },
    repository: { id: 1_296_269, full_name: 'octocat/Hello-World' },
    sender: { login: 'octocat', id: 1 },
  });
  const refused = await exchange(port, head, body);
  assert.equal([refused.status, refused.body.code], [401, 'unauthorized']);
  const carried = [...head, `X-Svc-Webhook-Secret: ${SECRET}`];
  const known = await exchange(port, carried, body);
  assert.equal([known.status, known.body.code], [400, 'invalid_request']);
  assert.match(known.body.error, /^action: must be one of: create_flow, /);
  await close();
});

test('curl with a large body waits for "100 Continue" and gets its answer', async () => {
  const { url, close } = await testWebhooks({ limits: { bodyBytes: 100_000 } });
  const curl = (goal: string): Promise<string> =>
    new Promise((resolve) => {
      const args = ['-sS', '-o', '-', '-w', '%{http_code}', '--data-binary', '@-'];
      const headers = [`authorization: Bearer ${SECRET}`, 'content-type: application/json'];
      const given = [...headers, 'expect: 100-continue'].flatMap((header) => ['-H', header]);
      const child = spawn('curl', [...args, ...given, `${url}${PATH}`]);
      let text = '';
      child.stdout.on('data', (part: Buffer) => {
        text += part.toString();
      });
      child.on('error', () => resolve('no curl'));
      child.on('close', () => resolve(text));
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify({ action: 'create_flow', goal }));
    });
  const taken = await curl('x'.repeat(50_000));
  if (taken !== 'no curl') {
    assert.match(taken, /"ok":true.*200$/s);
    assert.match(await curl('x'.repeat(5_000_000)), /"code":"payload_too_large".*413$/s);
  }
  await close();
});

test('a forwarded client address is used only if valid', async () => {
  const { url, lines, close } = await testWebhooks({
    gateway: { trustedProxies: ['127.0.0.1'] },
    limits: { ratePerWindow: 3 },
  });
  const from = (address: string) =>
    send(url, { secret: 'wrong', headers: { 'x-forwarded-for': address } });
  const statuses: number[] = [];
  for (const n of [1, 2, 3, 4]) statuses.push((await from(`2001:db8::${n}`)).status);
  assert.equal(statuses, [401, 401, 401, 429], 'one network, one window');
  for (const junk of ['<script>', 'unknown', 'a'.repeat(5000), '192.0.2.1:80']) await from(junk);
  const ips = lines.map((line) => JSON.parse(line).ip).filter((ip) => ip !== undefined);
  assert.equal([...new Set(ips)], ['2001:db8::1', '2001:db8::4']);
  assert.is((await from('192.0.2.9')).status, 401);
  assert.is((await from('junk')).status, 429, 'junk counts for the proxy');
  await close();
});

test('a client behind two proxies is known, also if the outer one is sent with a port', async () => {
  const { url, close } = await testWebhooks({
    gateway: { trustedProxies: ['loopback', '10.0.0.0/8', '2001:db8:1::/48'] },
    routes: { ci: { sessionKey: SESSION, secret: SECRET, allow: ['192.0.2.9'] } },
  });
  for (const [forwarded, status] of [
    ['192.0.2.9, 10.0.0.5:443', 200],
    ['192.0.2.9:50000, [2001:db8:1::5]:443, 10.0.0.5', 200],
    ['192.0.2.9, 192.0.2.10:443', 403],
  ] as const) {
    assert.is((await send(url, { headers: { 'x-forwarded-for': forwarded } })).status, status);
  }
  await close();
});

test('every answer has an id, also those of the HTTP parser, in one shape', async () => {
  const { port, url, webhooks, close } = await testWebhooks();
  const cases = [
    ['hello\r\n\r\n', 400, 'bad_request'],
    [`GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 400, 'bad_request'],
    [`POST ${PATH} HTTP/1.1\r\n\r\n`, 400, 'bad_request'],
    [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n`, 400, 'bad_request'],
    [`GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 404, 'not_found'],
    [`POST ${PATH} HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n`, 417, 'expectation_failed'],
    [`GET / HTTP/1.1\r\nX: ${'v'.repeat(100_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ] as const;
  for (const [text, status, code] of cases) {
    const { write, closed } = rawConnection(port);
    write(text);
    const [head = '', body = ''] = (await closed).split('\r\n\r\n');
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), text.slice(0, 20));
    assert.match(head, /^x-request-id: \S+$/imu);
    assert.match(head, /^cache-control: no-store$/imu);
    assert.is(JSON.parse(body).error.code, code);
  }
  assert.match(
    await webhooks.metrics.text(),
    /svc_webhook_unrouted_requests_total\{status="400"\} 4/,
  );
  assert.is((await send(url)).status, 200);
  await close();
});

test('a request with the whole address is answered as one with the path', async () => {
  const { port, close } = await testWebhooks();
  const { write, until, socket } = rawConnection(port);
  const body = '{"action":"list_flows"}';
  const head = headOf([`Content-Length: ${body.length}`]);
  write(`${head.replace(PATH, `http://hooks.example.com${PATH}`)}${body}`);
  assert.match(await until('"flows"'), /^HTTP\/1.1 200 /);
  socket.destroy();
  await close();
});

test('a method of WebDAV on a known path is 405', async () => {
  const { url, close } = await testWebhooks();
  for (const method of ['PROPFIND', 'MKCOL', 'SEARCH']) {
    const { status, headers } = await send(url, { method });
    assert.equal([status, headers.get('allow')], [405, 'POST'], method);
  }
  await close();
});

test.run();
