import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runSvc } from '../support/run-svc.js';
import { serverHome, serveWebhooks, whenTold } from '../support/serving.js';
import { type TempFolder, tempFolder } from '../support/temp-folder.js';
import { CI_ENV, CI_ROUTE, PATH, SECRET, webhooksConfig } from '../support/webhooks.js';

const test = suite('svc webhook');

const CI = CI_ROUTE;
const ENV = CI_ENV;

function svc(home: TempFolder, ...args: string[]) {
  return runSvc(['webhook', ...args], { home: home.path, env: ENV });
}

function assertNoSecret(text: string): void {
  assert.not(text.includes(SECRET), 'the secret was printed');
}

test('with webhooks switched off serve says so, and how to switch them on', async () => {
  const home = serverHome();
  const run = await svc(home, 'serve', '--json');
  const { code, hint } = jsonOf.error(run);
  assert.equal([run.code, code], [1, 'WEBHOOKS_DISABLED']);
  assert.match(hint ?? '', /svc config set plugins\.entries\.webhooks\.enabled true/);
});

test('routes lists state, path, source of the secret and the fault of each', async () => {
  const home = serverHome(webhooksConfig({ ci: CI, lost: { ...CI, secret: 'env:LOST' } }));
  const run = await svc(home, 'routes', '--json');
  assert.is(run.code, 1);
  const { routes, enabled, listening } = jsonOf.webhookRoutes(run);
  assert.equal([enabled, listening], [true, null]);
  assert.equal(
    routes.map(({ id, state, path, secretSource }) => [id, state, path, secretSource]),
    [
      ['ci', 'served', PATH, 'env CI_SECRET'],
      ['lost', 'skipped', '/plugins/webhooks/lost', 'env LOST'],
    ],
  );
  assert.match(routes[1]?.fault?.hint ?? '', /LOST/);
  const { stdout } = await svc(home, 'routes', '--plain');
  assert.match(stdout, /✓ ci {2}\/plugins\/webhooks\/ci {2}served\n.*session agent:main:ci/);
  assert.match(stdout, /no listener is running: svc webhook serve/);
  assertNoSecret(run.stdout + stdout);
});

test('call signs in with the secret of the route and prints the same for curl without it', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serveWebhooks(home, [], { env: ENV });
  await whenTold(home);
  const data = JSON.stringify({ goal: "Ada's build" });
  const run = await svc(
    home,
    'call',
    'ci',
    'create_flow',
    '--data',
    data,
    '--idempotency-key',
    'k',
  );
  assert.is(run.code, 0, run.stderr);
  assert.is(JSON.parse(run.stdout).result.flow.goal, "Ada's build");
  assertNoSecret(run.stdout + run.stderr);
  const curl = run.stderr.split('\n').find((line) => line.startsWith('curl ')) ?? '';
  const shell = spawnSync('sh', ['-c', curl], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], SVC_WEBHOOK_SECRET: SECRET },
  });
  // The key makes it the same request.
  assert.equal(JSON.parse(shell.stdout), JSON.parse(run.stdout), shell.stderr);

  const piped = await runSvc(['webhook', 'call', 'ci', 'get_flow', '--data', '-', '--json'], {
    home: home.path,
    env: ENV,
    input: '{"flowId":"none"}',
  });
  assert.equal(jsonOf.webhookCall(piped).answer['result'], { flow: null });
  const refused = await svc(home, 'call', 'ci', 'get_flow', '--json');
  assert.is(refused.code, 1);
  assert.equal(
    [jsonOf.webhookCall(refused).status, jsonOf.webhookCall(refused).answer['code']],
    [400, 'invalid_request'],
  );
  const unknown = await svc(home, 'call', 'cj', 'list_flows', '--json');
  assert.equal([unknown.code, jsonOf.error(unknown).code], [2, 'WEBHOOK_ROUTE_UNKNOWN']);
  const wrong = await svc(home, 'call', 'ci', 'list_flows', '--data', '[1]', '--json');
  assert.equal([wrong.code, jsonOf.error(wrong).code], [2, 'USAGE']);
  child.kill('SIGTERM');
  await done;
  const alone = await svc(
    home,
    'call',
    'ci',
    'list_flows',
    '--url',
    'http://127.0.0.1:1',
    '--json',
  );
  assert.equal([alone.code, jsonOf.error(alone).code], [1, 'WEBHOOK_UNREACHABLE']);
});

test('secret generate prints a new strong secret each time, openapi the document of the routes', async () => {
  const home = serverHome(webhooksConfig({ ci: { ...CI, path: '/hooks/ci' } }));
  const secrets = await Promise.all([
    svc(home, 'secret', 'generate'),
    svc(home, 'secret', 'generate'),
  ]);
  for (const { stdout } of secrets) assert.match(stdout, /^[\w-]{43}\n$/);
  assert.is.not(secrets[0].stdout, secrets[1].stdout);
  assert.match(
    jsonOf.webhookSecret(await svc(home, 'secret', 'generate', '--json')).secret,
    /^[\w-]{43}$/,
  );
  const url = 'https://hooks.example.com';
  for (const more of [[], ['--json']]) {
    const { stdout } = await svc(home, 'openapi', '--url', url, ...more);
    const document = JSON.parse(stdout);
    assert.equal(
      [document.openapi, document.servers, Object.keys(document.paths)],
      ['3.1.0', [{ url }], ['/hooks/ci']],
    );
  }
});

test('the variables that Kubernetes sets for a service called svc are ignored, with a warning', async () => {
  const env = {
    SVC_PORT: 'tcp://10.0.0.1:8080',
    SVC_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    SVC_SERVICE_HOST: '10.0.0.1',
    SVC_SERVICE_PORT: '8080',
  };
  const run = await runSvc(['mcp'], { home: tempFolder().path, env });
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, 'ignoring SVC_PORT: tcp://10.0.0.1:8080');
  const quiet = await runSvc(['config', 'path', '--json'], { home: tempFolder().path, env });
  assert.equal(
    JSON.parse(quiet.stdout).warnings,
    [],
    'a command without --port has nothing to say',
  );
});

test.run();
