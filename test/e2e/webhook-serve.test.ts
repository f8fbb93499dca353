import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { activityFolder, readActivityHistory } from '../../src/engine/activity/index.js';
import { createCertificate } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import { jsonOf } from '../support/json.js';
import {
  recordsOf,
  type Serving,
  serve,
  serverHome,
  serveWebhooks,
  stateOf,
  urlsOf,
  whenLogged,
  whenReady,
  whenStateReady,
  writeConfig,
} from '../support/serving.js';
import { fillDisk, freeDisk, smallDisk } from '../support/small-disk.js';
import { runInSession } from '../support/svc-session.js';
import { folderAt, type TempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';
import {
  act,
  assertNoSecret,
  CI_ENV,
  CI_ROUTE,
  headOf,
  PATH,
  rawConnection,
  SECRET,
  SESSION,
  send,
  webhooksConfig,
} from '../support/webhooks.js';

const test = suite('svc webhook serve');

const NEXT_SECRET = 'the-next-secret-of-tests-0815-0815-0815';

function svc(home: TempFolder, ...args: string[]) {
  return runInSession(['webhook', ...args], { home: home.path, env: CI_ENV });
}

/** Reloads a process with a configuration, and waits until it logs a message. */
async function reloadWith(
  { home, child }: Pick<Serving, 'child' | 'home'>,
  config: object,
  message: string,
): Promise<void> {
  const lines = recordsOf(home).length;
  writeConfig(home, config);
  child.kill('SIGHUP');
  await whenLogged(home, message, lines);
}

test('serve names each route, answers requests, and shuts down cleanly on SIGTERM', async () => {
  const home = serverHome(
    webhooksConfig({
      ci: CI_ROUTE,
      off: { ...CI_ROUTE, enabled: false },
      lost: { ...CI_ROUTE, secret: 'env:LOST' },
    }),
  );
  const { child, done } = serveWebhooks(home, ['--json'], { env: CI_ENV });
  const url = await whenStateReady(home);
  const line = await whenLogged(home, 'route ci is served');
  const { path, session, state, secretSource } = line.fields;
  assert.equal([path, session, state, secretSource], [PATH, SESSION, 'served', 'env CI_SECRET']);
  await whenLogged(home, 'route off is off');
  await whenLogged(home, 'route lost is skipped: cannot resolve env LOST');

  assert.is((await act(url, { action: 'create_flow', goal: 'Build' })).status, 200);
  assert.is((await send(url, { secret: `${SECRET}x` })).status, 401);
  assert.is((await fetch(`${url}/healthz`)).status, 200);
  assert.is((await fetch(`${url}/readyz`)).status, 200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(
    metrics,
    /svc_webhook_requests_total\{route="ci",status="401",code="unauthorized"\} 1/,
  );
  assert.match(metrics, /svc_webhook_routes\{state="skipped"\} 1/);
  assert.match(metrics, /process_resident_memory_bytes \d/);

  const listed = jsonOf.webhookRoutes(await svc(home, 'routes', '--json'));
  assert.is(listed.listening, url);
  child.kill('SIGTERM');
  const run = await done;
  assert.is(run.code, 0, run.stderr);
  assert.equal(
    jsonOf.serve(run).services.map(({ name }) => name),
    ['webhooks', 'flows'],
  );
  const after = jsonOf.webhookRoutes(await svc(home, 'routes', '--json'));
  assert.equal(
    [after.listening, after.routes[0]?.requests, after.routes[0]?.rejected],
    [null, 2, 1],
  );
  assert.equal([after.routes[0]?.last?.status, after.routes[0]?.last?.code], [401, 'unauthorized']);
  const { requests } = readActivityHistory(activityFolder({ stateDir: home.path }), Date.now());
  assert.is(
    requests.reduce((sum, count) => sum + count, 0),
    2,
  );
  const rejected = recordsOf(home).find(({ message }) => message === 'rejected');
  assert.equal(
    [rejected?.fields['code'], typeof rejected?.fields['requestId']],
    ['unauthorized', 'string'],
  );
  for (const file of ['logs/serve.log', 'webhooks.json'])
    assertNoSecret(readFileSync(home.at(file), 'utf8'));
  assertNoSecret(run.stdout + run.stderr);
});

test('stopping lets requests in flight finish and refuses new ones', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serveWebhooks(home, ['--plain', '--json-logs'], { env: CI_ENV });
  const url = await whenReady(home);
  const { write, until } = rawConnection(Number(new URL(url).port));
  const body = JSON.stringify({ action: 'create_flow', goal: 'late' });
  write(`${headOf([`Content-Length: ${body.length}`])}${body.slice(0, 9)}`);
  await waitFor('the request', async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return /svc_webhook_requests_under_way 1/.test(text);
  });
  child.kill('SIGTERM');
  await waitFor('a refusal', async () => {
    const answer = await send(url);
    return answer.body['code'] === 'draining';
  });
  assert.is((await fetch(`${url}/readyz`)).status, 503);
  write(body.slice(9));
  assert.match(await until('"goal":"late"'), /HTTP\/1\.1 200/);
  const { code, stderr } = await done;
  assert.is(code, 0);
  for (const line of stderr.trim().split('\n')) assert.ok(JSON.parse(line).time, line);
});

for (const when of ['start', 'reload'] as const) {
  for (const what of ['a route', 'a notification', 'storage.url'] as const) {
    test(`SIGTERM while a program is asked for the secret of ${what} at a ${when} ends both at once`, async () => {
      const home = serverHome(webhooksConfig());
      const asked = home.at('asked');
      const command = home.write('secrets.sh', `#!/bin/sh\necho $$ > '${asked}'\nexec sleep 60\n`);
      chmodSync(command, 0o700);
      const secret = { source: 'exec', provider: 'slow', id: 'ci' };
      const slow = { source: 'exec', command, timeoutMs: 60_000, passEnv: ['PATH'] };
      const needs = {
        'a route': webhooksConfig({ ci: { ...CI_ROUTE, secret } }),
        'a notification': { flows: { notify: { url: 'http://127.0.0.1:9/', secret } } },
        'storage.url': { storage: { url: secret } },
      };
      const config = {
        ...webhooksConfig(),
        ...needs[what],
        secrets: { providers: { slow } },
      };
      if (when === 'start') writeConfig(home, config);
      const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
      if (when === 'reload') {
        await whenReady(home);
        writeConfig(home, config);
        child.kill('SIGHUP');
      }
      const pid = await waitFor('the program', () =>
        existsSync(asked) ? Number(readFileSync(asked, 'utf8')) || undefined : undefined,
      );
      const sentMs = performance.now();
      child.kill('SIGTERM');
      const { code, stderr } = await done;
      assert.is(code, 0);
      assert.ok(performance.now() - sentMs < 10_000);
      assert.throws(() => process.kill(pid, 0), /ESRCH/u);
      const rest = stderr.slice(stderr.indexOf('"stopping"'));
      assert.not.match(rest, /reloaded|cannot be used/u);
    });
  }
}

test('SIGHUP applies routes and secrets, and skips a route without its secret as a start does', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serveWebhooks(home, [], { env: { ...CI_ENV, NEXT_SECRET } });
  const url = await whenReady(home);
  const status = async (path: string, secret: string) => (await send(url, { path, secret })).status;
  const reload = (config: object, message: string) => reloadWith({ home, child }, config, message);
  const moved = { ...CI_ROUTE, path: 'hooks/ci' };
  await reload(webhooksConfig({ ci: { ...moved, secret: 'env:NEXT_SECRET' } }), 'reloaded');
  assert.is(await status('/hooks/ci', NEXT_SECRET), 200);
  assert.is(await status('/hooks/ci', SECRET), 401);
  assert.is(await status(PATH, SECRET), 404);

  await reload(
    webhooksConfig({ ci: CI_ROUTE, twin: { ...CI_ROUTE, path: PATH } }),
    'not reloaded, the old config',
  );
  assert.is(await status('/hooks/ci', NEXT_SECRET), 200);
  const lost = { ...CI_ROUTE, secret: 'env:LOST' };
  await reload(webhooksConfig({ ci: CI_ROUTE, lost, gone: lost }), 'reloaded');
  assert.is(await status('/hooks/ci', NEXT_SECRET), 404);
  assert.is(await status(PATH, SECRET), 200);
  const failure = await waitFor(
    'the failure in the state file',
    () => stateOf(home)?.services[0]?.failure ?? undefined,
  );
  assert.is(failure.code, 'SECRET_UNRESOLVED');
  assert.match(failure.message, /^route lost is skipped: .* \(and 1 more route\)$/u);
  // A shell that knows their secrets lists them as the listener serves them.
  const shell = { home: home.path, env: { ...CI_ENV, LOST: NEXT_SECRET } };
  const { routes } = jsonOf.webhookRoutes(
    await runInSession(['webhook', 'routes', '--json'], shell),
  );
  const fault = 'cannot resolve env LOST: the variable is not set';
  assert.equal(
    routes.map(({ id, state, fault }) => [id, state, fault?.message]),
    [
      ['ci', 'served', undefined],
      ['lost', 'skipped', fault],
      ['gone', 'skipped', fault],
    ],
  );

  await reload(webhooksConfig({ ci: CI_ROUTE }, { limits: { ratePerWindow: 1 } }), 'reloaded');
  await waitFor('the new routes', async () => (await status(PATH, SECRET)) !== 404);
  assert.is(await status(PATH, SECRET), 429);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('a configuration that cannot be served leaves the listener as it is', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  const url = await whenReady(home);
  const gateways = [
    { trustedProxies: ['proxy.local'] },
    { host: '192.0.2.1' },
    { tls: { cert: 'missing.pem', key: 'missing.pem' } },
    { admin: { port: 0, host: 'no-such-host.invalid' } },
  ];
  for (const gateway of gateways) {
    const lines = recordsOf(home).length;
    writeConfig(home, { ...webhooksConfig(), gateway: { port: 0, ...gateway } });
    child.kill('SIGHUP');
    await whenLogged(home, 'not reloaded, the old config', lines);
    const later = recordsOf(home).slice(lines);
    assert.not(
      later.some(({ message }) => message === 'reloaded'),
      JSON.stringify(gateway),
    );
    assert.is((await send(url)).status, 200, JSON.stringify(gateway));
  }
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
  writeConfig(home, { ...webhooksConfig(), gateway: { trustedProxies: ['proxy.local'] } });
  const again = await serveWebhooks(home, [], { env: CI_ENV }).done;
  assert.is(again.code, 2);
  assert.match(again.stderr, /gateway\.trustedProxies/u);
});

test('a changed port starts a new listener, and disabled webhooks start none', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serve(home, ['--without', 'memory'], { env: CI_ENV });
  const url = await whenReady(home);
  assert.is((await send(url)).status, 200);
  const lines = recordsOf(home).length;
  writeConfig(home, { ...webhooksConfig(), gateway: { port: 0, host: 'localhost' } });
  child.kill('SIGHUP');
  await whenLogged(home, 'listening on', lines);
  writeConfig(home, {});
  child.kill('SIGHUP');
  await waitFor('the health service alone', () => {
    const names = stateOf(home)?.services.map(({ name }) => name) ?? [];
    return names.length === 1 && names[0] === 'health';
  });
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('health and metrics move to gateway.admin where there is one', async () => {
  const home = serverHome({ ...webhooksConfig(), gateway: { port: 0, admin: { port: 0 } } });
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  const addresses = await waitFor('two addresses', () => {
    const urls = urlsOf(home);
    return urls.length === 2 ? urls : undefined;
  });
  const statuses = async (path: string) =>
    (await Promise.all(addresses.map((url) => fetch(url + path))))
      .map(({ status }) => status)
      .toSorted();
  for (const path of ['/healthz', '/metrics']) assert.equal(await statuses(path), [200, 404], path);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('a port passes from webhooks to health and back, unless another program has it', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const gateway = { port, admin: { port: adminPort } };
  const home = serverHome({ ...webhooksConfig(), gateway });
  const { child, done } = serve(home, ['--without', 'memory'], { env: CI_ENV });
  await whenLogged(home, 'route ci is served');
  const reload = (config: object, message: string) => reloadWith({ home, child }, config, message);
  const health = async (at: number) => (await fetch(`http://127.0.0.1:${at}/healthz`)).status;
  await reload({ gateway: { port } }, 'listening on');
  assert.is(await health(port), 200);
  await reload({ gateway }, 'listening on');
  assert.is(await health(adminPort), 200);
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  await reload({ ...webhooksConfig(), gateway }, 'not reloaded, the old configuration');
  assert.is(await health(adminPort), 200);
  other.close();
  await reload({ ...webhooksConfig(), gateway }, `listening on http://127.0.0.1:${port}`);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

const disk = smallDisk(8);
(disk === undefined ? test.skip : test)(
  'on a full disk it answers 503 persist_failed, and works again once there is room',
  async () => {
    const home = folderAt(disk ?? '');
    writeConfig(home, webhooksConfig({ ci: CI_ROUTE }, { limits: { ratePerWindow: 1_000_000 } }));
    const { child, done } = serveWebhooks(home, ['--plain'], { env: CI_ENV });
    const url = await whenReady(home);
    fillDisk(home.path);
    const goal = 'x'.repeat(10_000);
    const refused = await waitFor('a refusal', async () => {
      const answer = await act(url, { action: 'create_flow', goal });
      return answer.status === 200 ? undefined : answer;
    });
    assert.equal([refused.status, refused.body['code']], [503, 'persist_failed']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.is((await act(url, { action: 'find_latest_flow' })).status, 200);
    freeDisk(home.path);
    const created = await waitFor('room', async () => {
      const answer = await act(url, { action: 'create_flow', goal: 'room again' });
      return answer.status === 200 ? answer : undefined;
    });
    assert.is(created.body['ok'], true);
    child.kill('SIGTERM');
    await done;
  },
);

test('with gateway.tls it serves HTTPS, and call trusts the certificate', async () => {
  const home = serverHome();
  createCertificate(home, 'hooks.example.com');
  writeConfig(home, {
    ...webhooksConfig(),
    gateway: { port: 0, tls: { cert: 'hooks.example.com.pem', key: 'hooks.example.com.key' } },
  });
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  await waitFor('its state', () => stateOf(home)?.services[0]?.state === 'ready');
  const run = await svc(home, 'call', 'ci', 'list_flows', '--json');
  assert.is(run.code, 0, run.stdout);
  const { url } = jsonOf.webhookCall(run);
  assert.match(url, /^https:/);
  const plain = new URL(url).origin.replace('https:', 'http:');
  const refused = await svc(home, 'call', 'ci', 'list_flows', '--url', plain);
  assert.match(refused.stderr, /it closed the connection\n.*with gateway\.tls.* https:\/\//);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('--host and --port override the configuration, and a public address without TLS is a warning', async () => {
  const home = serverHome({ ...webhooksConfig(), gateway: { port: 1 } });
  const { child, done } = serveWebhooks(home, ['--host', '0.0.0.0', '--port', '0'], {
    env: CI_ENV,
  });
  await whenLogged(home, 'the listener is reachable from other machines');
  await waitFor('its state', () => stateOf(home)?.services[0]?.state === 'ready');
  const run = await svc(home, 'call', 'ci', 'list_flows', '--json');
  assert.match(jsonOf.webhookCall(run).url, /^http:\/\/127\.0\.0\.1:/);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('with an external search program, it refreshes no index', async () => {
  const home = serverHome({ ...webhooksConfig(), memory: { backend: 'ext' } });
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  await whenStateReady(home);
  const names = stateOf(home)?.services.map(({ name }) => name);
  assert.equal(names, ['webhooks', 'flows']);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('a listener without routes says so in its log', async () => {
  const home = serverHome(webhooksConfig({}));
  const { child, done } = serveWebhooks(home, ['--plain']);
  await whenLogged(home, 'no routes configured');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test.run();
