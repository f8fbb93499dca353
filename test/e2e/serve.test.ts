import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/free-port.js';
import { jsonOf } from '../support/json.js';
import { installSvc, ROOT, runSvc, startProgram } from '../support/run-svc.js';
import {
  recordsOf,
  serve,
  serverHome,
  stateOf,
  urlOf,
  whenLogged,
  whenReady,
  writeConfig,
} from '../support/serving.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc serve');

test('keeps the index up to date, reports its health, and shuts down cleanly on SIGTERM', async () => {
  const home = serverHome();
  const { child, done } = serve(home, ['--json']);
  const url = await whenReady(home);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.is((await fetch(`${url}/healthz`)).status, 200);
  home.write('workspace/memory/new.md', 'The zebra sleeps at noon.');
  await whenLogged(
    home,
    '1 added',
    recordsOf(home).findIndex(({ message }) => /new index, \d+ added/.test(message)) + 1,
  );
  const found = jsonOf.search(
    await runSvc(['memory', 'search', 'zebra', '--json'], { home: home.path }),
  );
  assert.is(found.results[0]?.path, 'memory/new.md');

  const state = await waitFor('the state file', () => {
    const now = stateOf(home);
    return now?.services.every((service) => service.state === 'ready') ? now : undefined;
  });
  assert.is(state.pid, child.pid);
  assert.equal(
    state.services.map(({ name }) => name),
    ['health', 'memory:main'],
  );
  child.kill('SIGTERM');
  const run = await done;
  assert.equal([run.code, run.signal], [0, null]);
  const end = jsonOf.serve(run);
  assert.equal([end.reason, end.drained], ['SIGTERM', true]);
  assert.equal([...new Set(end.services.map((service) => service.state))], ['stopped']);
  assert.not(existsSync(home.at('serve.json')), 'the state file goes with the process');
  await assertRefused(url);
});

test('completes a forget that was killed before all stores followed it', async () => {
  const home = serverHome();
  const line = 'The code of the front door is 4711.';
  home.write('workspace/memory/door.md', `${line}\n`);
  const forgotten = await runSvc(['memory', 'forget', 'memory/door.md#L1', '--yes'], {
    home: home.path,
  });
  assert.is(forgotten.code, 0, forgotten.stderr);
  rmSync(home.at('forgotten/main.json.followed'));
  home.write('query-history.jsonl', `${JSON.stringify(line)}\n"roof"\n`);
  const { child, done } = serve(home);
  await whenReady(home);
  await waitFor('the stores', () => existsSync(home.at('forgotten/main.json.followed')));
  assert.is(readFileSync(home.at('query-history.jsonl'), 'utf8'), '"roof"\n');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

async function assertRefused(url: string): Promise<void> {
  const answer = await fetch(url).then(
    () => 'answered',
    () => 'refused',
  );
  assert.is(answer, 'refused');
}

test('Ctrl-C exits with 130; without a terminal the log on stderr is JSON', async () => {
  const home = serverHome();
  const { child, done } = serve(home);
  await whenReady(home);
  child.kill('SIGINT');
  const { code, stderr } = await done;
  assert.is(code, 130);
  const lines = stderr.trim().split('\n');
  for (const line of lines) assert.ok(JSON.parse(line).time, line);
  assert.is(lines.length, recordsOf(home).length);
});

test('commands in hints of the log and the state are about the configuration that was named', async () => {
  const home = tempFolder();
  const agents = { defaults: { workspace: 'gone' } };
  home.write('my other.json', JSON.stringify({ gateway: { port: 0 }, agents }));
  const { child, done } = serve(home, ['--config', 'my other.json']);
  const hint = await waitFor('a hint', () =>
    recordsOf(home)
      .flatMap(({ fields }) => fields['hint'] ?? [])
      .at(0),
  );
  assert.match(String(hint), `"svc config init --config '${home.at('my other.json')}'"`);
  const shown = await waitFor('the same in the state', () =>
    stateOf(home)
      ?.services.flatMap(({ failure }) => failure?.hint ?? [])
      .at(0),
  );
  assert.is(shown, hint);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('a second instance of a state folder is refused with the process id of the first', async () => {
  const home = serverHome();
  const first = serve(home);
  await whenReady(home);
  const second = await runSvc(['serve', '--json'], { home: home.path });
  assert.is(second.code, 1);
  const { code, message, hint } = jsonOf.error(second);
  assert.is(code, 'SERVE_RUNNING');
  assert.ok(message.includes(`process id ${first.child.pid}`), message);
  assert.match(hint ?? '', /SVC_HOME/);
  // The first still works.
  await whenReady(home);
  first.child.kill('SIGTERM');
  assert.is((await first.done).code, 0);
});

test('after kill -9 the next one starts at once and takes over what was left behind', async () => {
  const home = serverHome();
  const first = serve(home);
  await whenReady(home);
  await waitFor('the state file', () => stateOf(home));
  first.child.kill('SIGKILL');
  assert.is((await first.done).signal, 'SIGKILL');
  assert.is(stateOf(home)?.pid, first.child.pid);
  home.write('workspace/memory/meanwhile.md', 'Written while no process watched.');
  const lines = recordsOf(home).length;
  const second = serve(home);
  await whenLogged(home, '1 added', lines);
  await waitFor('its own state', () => stateOf(home)?.pid === second.child.pid);
  second.child.kill('SIGTERM');
  assert.is((await second.done).code, 0);
});

test('an invalid configuration exits with 2 before anything starts', async () => {
  const home = serverHome({ logging: { level: 'loud' } });
  const run = await runSvc(['serve'], { home: home.path });
  assert.is(run.code, 2);
  assert.match(run.stderr, /error: .*level/);
  assert.not(existsSync(home.at('logs')));
});

test('SIGHUP with an invalid configuration keeps the old one and reports the error', async () => {
  const home = serverHome();
  const { child, done } = serve(home);
  const url = await whenReady(home);
  home.write('svc.json', '{\n  "gateway": { "port": "many" }\n}');
  child.kill('SIGHUP');
  const line = await whenLogged(home, 'not reloaded');
  assert.is(line.level, 'error');
  assert.is(line.fields['code'], 'CONFIG_INVALID');
  const [fault] = line.fields['faults'] as string[];
  assert.match(fault ?? '', /svc\.json:2:24 gateway\.port: /);
  assert.is((await fetch(`${url}/readyz`)).status, 200);

  // Once fixed, it is applied: an agent is added, and nothing else pauses.
  writeConfig(home, {
    agents: {
      list: [
        { id: 'main', default: true },
        { id: 'work', workspace: 'work' },
      ],
    },
    logging: { level: 'debug' },
  });
  home.write('work/MEMORY.md', 'The other agent.');
  child.kill('SIGHUP');
  await whenLogged(home, 'reloaded');
  await waitFor('the new service', () =>
    stateOf(home)?.services.find(({ name, state }) => name === 'memory:work' && state === 'ready'),
  );
  assert.is(urlOf(home), url, 'the listener stayed');
  writeConfig(home, {});
  const lines = recordsOf(home).length;
  child.kill('SIGHUP');
  await whenLogged(home, 'reloaded', lines);
  await waitFor('the service to go', () => stateOf(home)?.services.length === 2);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('SIGHUP reopens a log that was moved', async () => {
  const home = serverHome();
  const { child, done } = serve(home);
  await whenReady(home);
  renameSync(home.at('logs/serve.log'), home.at('logs/moved.log'));
  child.kill('SIGHUP');
  await whenLogged(home, 'reloaded');
  child.kill('SIGTERM');
  await done;
});

test('a port in use is reported with a hint, and the other services keep running', async () => {
  const first = serverHome();
  const one = serve(first);
  const port = Number(new URL(await whenReady(first)).port);
  const home = serverHome({ gateway: { port } });
  const two = serve(home);
  const line = await whenLogged(home, 'the port is in use');
  assert.is(line.fields['service'], 'health');
  await whenLogged(home, '1 added');
  const health = await waitFor('the state', () =>
    stateOf(home)?.services.find(({ name, state }) => name === 'health' && state === 'waiting'),
  );
  assert.is(health.failure?.code, 'LISTEN_FAILED');
  assert.match(health.failure?.hint ?? '', /gateway\.port/);
  // Once the port is free it is taken.
  one.child.kill('SIGTERM');
  await one.done;
  await whenReady(home);
  two.child.kill('SIGTERM');
  assert.is((await two.done).code, 0);
});

test('--without leaves a service out', async () => {
  const home = serverHome();
  const { child, done } = serve(home, ['--without', 'memory']);
  await whenReady(home);
  await waitFor('the state', () => stateOf(home)?.services.length === 1);
  child.kill('SIGTERM');
  await done;
});

test('a missing workspace of one agent does not affect other services', async () => {
  const home = serverHome({
    agents: {
      list: [
        { id: 'main', default: true },
        { id: 'lost', workspace: 'gone' },
      ],
    },
  });
  const { child, done } = serve(home);
  await whenLogged(home, '1 added');
  const lost = await waitFor('its failure', () =>
    stateOf(home)?.services.find(({ name, failure }) => name === 'memory:lost' && failure !== null),
  );
  assert.is(lost.failure?.code, 'WORKSPACE_MISSING');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('logging.file replaces stderr and the default log file', async () => {
  const home = serverHome({ logging: { file: 'my.log' } });
  const { child, done } = serve(home);
  const showLogs = () => runSvc(['logs', '--json'], { home: home.path });
  await waitFor('a line', async () => (await showLogs()).stdout.includes('1 added'));
  const logs = jsonOf.logs(await showLogs());
  assert.is(logs.file, home.at('my.log'));
  child.kill('SIGTERM');
  assert.is((await done).stderr, '');
  assert.not(existsSync(home.at('logs')));
});

test('deleting the log or the index does no harm', async () => {
  const home = serverHome();
  const { child, done } = serve(home);
  await whenReady(home);
  rmSync(home.at('logs'), { recursive: true });
  child.kill('SIGHUP');
  await whenLogged(home, 'reloaded');

  rmSync(home.at('memory'), { recursive: true });
  home.write('workspace/memory/new.md', 'The zebra sleeps at noon.');
  await whenLogged(home, 'new index');
  const search = await runSvc(['memory', 'search', 'zebra', '--json'], { home: home.path });
  assert.is(jsonOf.search(search).results[0]?.path, 'memory/new.md');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('--print-systemd runs nothing and writes nothing', async () => {
  const home = tempFolder();
  const words = ['serve', '--print-systemd', '--access-log', '--json'];
  const run = await runSvc(words, { home: home.path });
  assert.is(run.code, 0);
  assert.match(jsonOf.systemd(run).unit, /^ExecStart=.* serve --plain --access-log$/m);
  // This test has another home than its user.
  assert.ok(jsonOf.systemd(run).unit.includes(`\nEnvironment="HOME=${home.path}"\n`));
  assert.equal(existsSync(home.at('logs')), false);
});

test('systemd is notified once svc listens', async () => {
  const home = serverHome();
  const messages = home.at('messages');
  const notify = home.writeScript(
    'bin/systemd-notify',
    `echo "$1 $NOTIFY_SOCKET $OPENAI_API_KEY" >> '${messages}'`,
  );
  const env = {
    PATH: `${dirname(notify)}${delimiter}${process.env['PATH'] ?? ''}`,
    NOTIFY_SOCKET: '/run/systemd/notify',
    OPENAI_API_KEY: 'sk-not-for-others',
  };
  const { child, done } = serve(home, ['--without', 'memory'], { env });
  await whenReady(home);
  const text = await waitFor('the message', () =>
    existsSync(messages) ? readFileSync(messages, 'utf8') || undefined : undefined,
  );
  assert.is(text, '--ready /run/systemd/notify \n');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
  assert.is(readFileSync(messages, 'utf8'), text, 'sent once');
});

test('the health check of the container follows the configured address', async () => {
  const admin = { host: '0.0.0.0', port: await freePort() };
  const home = serverHome({ gateway: { port: 0, admin } });
  const env = { PATH: `${installSvc(home)}${delimiter}${process.env['PATH'] ?? ''}` };
  const check = () =>
    startProgram(process.execPath, [join(ROOT, 'docs/samples/healthcheck.mjs')], {
      home: home.path,
      env,
    }).done;
  assert.is((await check()).code, 1);
  const { child, done } = serve(home, ['--without', 'memory']);
  await whenReady(home);
  assert.is((await check()).code, 0);
  // Without IPv6, as in many containers, :: answers at 127.0.0.1 only.
  writeConfig(home, { gateway: { port: 0, admin: { ...admin, host: '::' } } });
  assert.is((await check()).code, 0);
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test.run();
