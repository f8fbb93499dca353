import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newDelivery, recordDeliveries } from '../support/deliveries.js';
import { jsonOf } from '../support/json.js';
import { runSvc } from '../support/run-svc.js';
import { serverHome, serveWebhooks, whenStateReady, writeConfig } from '../support/serving.js';
import { runInSession } from '../support/svc-session.js';
import { type TempFolder, tempFolder } from '../support/temp-folder.js';
import {
  assertNoSecret,
  CI_ENV,
  CI_ROUTE,
  PATH,
  SECRET,
  webhooksConfig,
} from '../support/webhooks.js';

const test = suite('svc webhook');

function svc(home: TempFolder, ...args: string[]) {
  return runInSession(['webhook', ...args], { home: home.path, env: CI_ENV });
}

test('with webhooks disabled, serve says so and how to enable them', async () => {
  const home = serverHome();
  const run = await svc(home, 'serve', '--json');
  const { code, hint } = jsonOf.error(run);
  assert.equal([run.code, code], [1, 'WEBHOOKS_DISABLED']);
  assert.match(hint ?? '', /svc config set plugins\.entries\.webhooks\.enabled true/);
});

test('routes lists state, path, secret source and error of each route', async () => {
  const home = serverHome(
    webhooksConfig({ ci: CI_ROUTE, lost: { ...CI_ROUTE, secret: 'env:LOST' } }),
  );
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

test('routes notes that a running listener can have other environment variables', async () => {
  const home = serverHome(webhooksConfig({ ci: CI_ROUTE }));
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  await whenStateReady(home);
  const elsewhere = { home: home.path, env: { CI_SECRET: '' } };
  const { stdout } = await runInSession(['webhook', 'routes'], elsewhere);
  assert.match(stdout, /✗ ci .*listening on .*\n.*differ from those of this shell/su);
  assert.not.match((await svc(home, 'routes')).stdout, /of this shell/u);
  child.kill('SIGTERM');
  await done;
});

test('call signs in with the secret of the route and prints the same for curl without it', async () => {
  const home = serverHome(webhooksConfig());
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  await whenStateReady(home);
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

  // With a byte order mark, as from a file of an editor on Windows.
  const piped = await runSvc(['webhook', 'call', 'ci', 'get_flow', '--data', '-', '--json'], {
    home: home.path,
    env: CI_ENV,
    input: `\uFEFF${'{"flowId":"none"}'}`,
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

test('secret generate prints a new strong secret each time, and openapi describes the routes', async () => {
  const home = serverHome(webhooksConfig({ ci: { ...CI_ROUTE, path: '/hooks/ci' } }));
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

test('an invalid --url is refused, wherever it comes from', async () => {
  const home = serverHome(webhooksConfig());
  const runs = await Promise.all([
    svc(home, 'call', 'ci', 'list_flows', '--url', 'foo', '--json'),
    svc(home, 'call', 'ci', 'list_flows', '--url', '', '--json'),
    svc(home, 'trigger', 'stripe.invoice', '--url', '127.0.0.1:28100', '--json'),
    svc(home, 'openapi', '--url', 'localhost:8787', '--json'),
    runInSession(['webhook', 'openapi', '--json'], { home: home.path, env: { SVC_URL: 'foo' } }),
  ]);
  for (const run of runs) {
    const { code, message, hint } = jsonOf.error(run);
    assert.equal([run.code, code], [2, 'USAGE']);
    assert.match(message, /^--url must be an address with http:/);
    assert.match(hint ?? '', /^examples: /);
  }
  const hints = runs.map((run) => jsonOf.error(run).hint ?? '');
  assert.equal(
    hints.map((hint) => hint.endsWith('; set in the environment: SVC_URL')),
    [false, false, false, false, true],
  );
});

test('an address with a zone, which a URL cannot contain, is refused with a hint', async () => {
  const home = serverHome({ ...webhooksConfig(), gateway: { host: 'fe80::1%eth0' } });
  const run = await svc(home, 'call', 'ci', 'list_flows', '--json');
  const { code, message, hint } = jsonOf.error(run);
  assert.equal([run.code, code], [2, 'USAGE']);
  assert.match(message, /http:\/\/\[fe80::1%eth0\]:\d+, whose address has a zone$/);
  assert.match(hint ?? '', /--url/);
});

const GITHUB = {
  sessionKey: CI_ROUTE.sessionKey,
  verify: { scheme: 'github', secrets: ['env:CI_SECRET'] },
  map: [
    {
      when: { event: 'push' },
      action: 'create_flow',
      set: { goal: 'Check {/head_commit/message}', stateJson: { commit: '{/after}' } },
      task: { runtime: 'subagent', task: 'Review {/compare}' },
    },
  ],
} as const;

test('trigger sends an example that the route accepts, and map explains a recorded request', async () => {
  const home = serverHome(webhooksConfig({ ci: CI_ROUTE, github: GITHUB }));
  const { child, done } = serveWebhooks(home, [], { env: CI_ENV });
  await whenStateReady(home);
  const trigger = await svc(home, 'trigger', 'github.push', '--json');
  assert.is(trigger.code, 0, trigger.stderr);
  const { route, status, answer, curl } = jsonOf.webhookTrigger(trigger);
  assert.equal([route, status], ['github', 200]);
  const { flow, task } = Object(answer['result']);
  assert.equal([flow.goal, task.status], ['Check Add notes', 'queued']);
  assertNoSecret(trigger.stdout + trigger.stderr);
  const again = spawnSync('sh', ['-c', `${curl} -i`], { encoding: 'utf8' });
  assert.match(again.stdout, /idempotent-replayed: true/u);
  child.kill('SIGTERM');
  await done;

  const header = (name: string) => new RegExp(`'(${name}: [^']+)'`, 'u').exec(curl)?.[1] ?? '';
  // As GitHub shows them, and an editor on Windows saves them.
  const above = [
    'Request URL: https://hooks.example.com/plugins/webhooks/github',
    'Request method: POST',
  ];
  const saved = [...above, header('x-hub-signature-256'), header('x-github-event'), ''].join(
    '\r\n',
  );
  home.write('headers.txt', `\uFEFF${saved}`);
  // As `svc webhook show --jq .body` writes it.
  home.write('push.json', `${/--data '([^']+)'/u.exec(curl)?.[1]}\n`);
  const recorded = ['github', '--data', '@~/push.json'];
  const headers = ['--headers', '@headers.txt'];
  const mapped = await svc(home, 'map', ...recorded, ...headers, '--json');
  assert.is(mapped.code, 0, mapped.stderr);
  const { verified, event, rule, action } = jsonOf.webhookMap(mapped);
  assert.equal([verified, event, rule], [true, 'push', 1]);
  assert.equal(
    action?.map(({ goal, task: work }) => goal ?? work),
    ['Check Add notes', 'Review https://github.com/ada/engine/compare/6113728f27ae...0d1a26e67d8f'],
  );
  const plain = await svc(home, 'map', ...recorded, ...headers, '--plain');
  assert.match(plain.stdout, /verified {2}yes\nevent {5}push\nrule {6}1\n/u);
  for (const more of [
    ['--at', 'noon'],
    ['--headers', 'x-github-event'],
  ]) {
    const refused = await svc(home, 'map', ...recorded, ...more, '--json');
    assert.equal([refused.code, jsonOf.error(refused).code], [2, 'USAGE'], more.join(' '));
  }
  const changed = await svc(home, 'map', 'github', '--data', '{}', ...headers, '--json');
  assert.equal([changed.code, jsonOf.webhookMap(changed).verified], [1, false]);
  assert.match(jsonOf.webhookMap(changed).reason ?? '', /does not match/u);
  const unknown = await svc(home, 'map', ...recorded, '--json');
  assert.equal([unknown.code, jsonOf.webhookMap(unknown).verified], [0, null]);
  assert.is(jsonOf.webhookMap(unknown).outcome, 'ignored');
  const called = await svc(home, 'call', 'github', 'list_flows', '--json');
  assert.match(jsonOf.error(called).hint ?? '', /svc webhook trigger/u);
});

test('secret rotate does not mistake a secret for a reference', async () => {
  const home = serverHome(webhooksConfig({ ci: CI_ROUTE }));
  const add = async (secret: string) =>
    jsonOf.error(await svc(home, 'secret', 'rotate', 'ci', '--add', secret, '--json'));
  assert.is((await add('CI_SECRET_2')).hint, 'for the variable, pass env:CI_SECRET_2');
  const plain = await add(SECRET);
  assert.is(plain.code, 'USAGE');
  assert.not.match(plain.message + (plain.hint ?? ''), SECRET);
  const reference = /pass a reference: env:NAME, or '(\{.*\})'$/u.exec(plain.hint ?? '')?.[1] ?? '';
  assert.equal(Object.keys(JSON.parse(reference)), ['source', 'provider', 'id']);
  const shown = jsonOf.webhookRotate(await svc(home, 'secret', 'rotate', 'ci', '--json'));
  assert.equal(shown.secrets, ['env CI_SECRET']);
});

test('secret rotate adds a secret, keeps the old one, and then leaves only the new one', async () => {
  const home = serverHome(webhooksConfig({ ci: CI_ROUTE, github: GITHUB }));
  for (const route of ['ci', 'github']) {
    const rotate = async (...flags: string[]) =>
      jsonOf.webhookRotate(await svc(home, 'secret', 'rotate', route, ...flags, '--json'));
    assert.match((await rotate()).next.join('\n'), /--add env:NAME/u);
    const early = await svc(home, 'secret', 'rotate', route, '--finish', '--json');
    assert.equal([early.code, jsonOf.error(early).code], [2, 'USAGE']);
    const both = await rotate('--add', 'env:CI_SECRET_2');
    assert.equal(both.secrets, ['env CI_SECRET_2', 'env CI_SECRET']);
    assert.match(both.next.join('\n'), /SIGHUP.*sender.*--finish/su);
    const twice = await svc(home, 'secret', 'rotate', route, '--add', 'env:CI_SECRET_2', '--json');
    assert.equal([twice.code, jsonOf.error(twice).code], [2, 'USAGE']);
    assert.match(jsonOf.error(twice).message, /already valid/);
    assert.equal((await rotate()).secrets, ['env CI_SECRET_2', 'env CI_SECRET']);
    const last = await rotate('--finish');
    assert.equal(last.secrets, ['env CI_SECRET_2']);
    // The listener may have it.
    const [warning] = last.warnings;
    assert.is(warning?.code, 'SECRET_UNCHECKED');
    assert.match(warning?.message ?? '', 'CI_SECRET_2');
  }
  const run = await runInSession(['webhook', 'routes', '--json'], {
    home: home.path,
    env: { CI_SECRET_2: SECRET },
  });
  assert.equal(
    jsonOf.webhookRoutes(run).routes.map(({ state, scheme, rules }) => [state, scheme, rules]),
    [
      ['served', 'bearer', null],
      ['served', 'github', 1],
    ],
  );
});

test('secret rotate describes how to get a secret that the scheme can use', async () => {
  const routeWith = (scheme: string) => ({
    sessionKey: 's',
    verify: { scheme, secrets: ['env:CI_SECRET'] },
  });
  const home = serverHome(
    webhooksConfig({
      std: routeWith('standard-webhooks'),
      login: routeWith('basic'),
      'my ci': CI_ROUTE,
    }),
  );
  const firstStep = async (route: string) =>
    jsonOf.webhookRotate(await svc(home, 'secret', 'rotate', route, '--json')).next[0] ?? '';
  // The secrets of "svc webhook secret generate" can contain - and _, which are not Base64.
  assert.match(await firstStep('std'), /echo "whsec_\$\(openssl rand -base64 32\)"$/u);
  assert.match(await firstStep('login'), /user:password/);
  const [, add] = jsonOf.webhookRotate(await svc(home, 'secret', 'rotate', 'my ci', '--json')).next;
  assert.match(add ?? '', /rotate 'my ci' --add env:NAME$/u);
});

test('secret rotate keeps the old secret while the new one cannot be read', async () => {
  const home = serverHome();
  const path = home.write('secrets.json', '{"other": "secret"}');
  chmodSync(path, 0o600);
  writeConfig(home, {
    ...webhooksConfig({ ci: CI_ROUTE }),
    secrets: { providers: { vault: { source: 'file', path } } },
  });
  const rotate = (...flags: string[]) => svc(home, 'secret', 'rotate', 'ci', ...flags, '--json');
  const added = { source: 'file', provider: 'vault', id: '/ci' };
  assert.is((await rotate('--add', JSON.stringify(added))).code, 0);
  const refused = await rotate('--finish');
  assert.equal([refused.code, jsonOf.error(refused).code], [1, 'SECRET_UNRESOLVED']);
  assert.is(jsonOf.webhookRotate(await rotate()).secrets.length, 2);
});

test('secret rotate warns at once of a secret provider that is not configured', async () => {
  const home = serverHome();
  writeConfig(home, webhooksConfig({ ci: CI_ROUTE }));
  const added = JSON.stringify({ source: 'file', provider: 'hooks', id: 'value' });
  const { warnings } = jsonOf.webhookRotate(
    await svc(home, 'secret', 'rotate', 'ci', '--add', added, '--json'),
  );
  assert.match(warnings[0]?.message ?? '', 'unknown secret provider "hooks"');
});

test('the variables that Kubernetes sets for a service called svc are ignored, with a warning', async () => {
  const env = {
    SVC_PORT: 'tcp://10.0.0.1:8080',
    SVC_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    SVC_SERVICE_HOST: '10.0.0.1',
    SVC_SERVICE_PORT: '8080',
  };
  const run = await runInSession(['mcp'], { home: tempFolder().path, env });
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, 'ignoring SVC_PORT: tcp://10.0.0.1:8080');
  const quiet = await runInSession(['config', 'path', '--json'], { home: tempFolder().path, env });
  assert.equal(
    JSON.parse(quiet.stdout).warnings,
    [],
    'a command without --port has nothing to say',
  );
});

test('a delivery is replayed by the beginning of its ID, and a note tells its first answer from a new one', async () => {
  const home = serverHome(webhooksConfig({ ci: CI_ROUTE }));
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'b1' };
  const body = JSON.stringify({ action: 'create_flow', goal: 'Build' });
  const [id = ''] = await recordDeliveries(home.path, [{ ...newDelivery({ body }), headers }]);
  const first = await svc(home, 'replay', id.slice(0, 6));
  assert.is(first.code, 0, first.stderr);
  assert.not.match(first.stderr, 'first answer');
  assert.match((await svc(home, 'replay', id)).stderr, 'so this is its first answer');
  const none = await svc(home, 'replay', 'zzzzzzzzzz', '--json');
  assert.equal([none.code, jsonOf.error(none).code], [1, 'DELIVERY_NOT_FOUND']);
});

test.run();
