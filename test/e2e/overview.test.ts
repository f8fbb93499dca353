import { chmodSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../src/engine/config/index.js';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { openFlows } from '../../src/engine/flows/index.js';
import { withInstanceLock } from '../../src/engine/serve/instance-lock.js';
import { iso } from '../../src/engine/support/time.js';
import { fakeNpm } from '../fakes/fake-npm.js';
import { contextOf } from '../support/context.js';
import { newFlow, newTask } from '../support/flows.js';
import { jsonOf } from '../support/json.js';
import { ROOT } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { filesOfTar } from '../support/tar.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';

const test = suite('svc version, upgrade, status and bug-report');

const SERVICE = {
  name: 'memory:main',
  state: 'ready',
  since: iso(Date.UTC(2026, 1, 3)),
  event: 'synced: 1 file',
  eventAt: iso(Date.UTC(2026, 1, 3)),
  restarts: 0,
  failure: null,
  retryAt: null,
};

function homeWith(config: object = {}): TempFolder {
  const agents = { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } };
  return folderOf({
    'ws/MEMORY.md': '# Cars\n\nWe bought an automobile in spring.\n',
    'svc.json': JSON.stringify({ agents, ...config }),
  });
}

test('prints the version alone, or with everything it runs on', async () => {
  const home = homeWith();
  const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  const plain = await runInSession(['version'], { home: home.path });
  assert.equal([plain.code, plain.stdout], [0, `svc ${version}\n`]);
  const document = jsonOf.version(await runInSession(['version', '--json'], { home: home.path }));
  assert.equal([document.version, document.node], [version, process.versions.node]);
  assert.match(document.sqlite ?? '', /^3\.\d+\.\d+$/);
  assert.equal(
    [document.paths.config, document.paths.configOrigin, document.paths.state],
    [home.at('svc.json'), 'nearest', home.path],
  );
  assert.equal(
    document.modules.map(({ name, state }) => `${name} ${state}`),
    ['better-sqlite3 ok', 'sqlite-vec ok', 'node-llama-cpp not_installed'],
  );
  const verbose = await runInSession(['version', '--verbose'], { home: home.path });
  assert.match(verbose.stdout, /^SQLite +3\./m);
  assert.match(verbose.stdout, /^configuration +~\/svc\.json$/m);
});

test('svc version works with an unreadable configuration', async () => {
  const home = homeWith();
  home.write('svc.json', '{');
  assert.is((await runInSession(['version', '--verbose'], { home: home.path })).code, 0);
});

test('the status of everything is one page, and exits with 1 when something is wrong', async () => {
  const home = homeWith();
  await runInSession(['memory', 'index'], { home: home.path });
  const well = await runInSession(['status'], { home: home.path });
  assert.equal([well.code, well.stderr], [0, '']);
  assert.match(well.stdout, /^main +1 +1 .* up to date/m);
  assert.match(well.stdout, /^flows +none\ntasks +none\ndreams +off$/m);
  assert.match(well.stdout, /\nsvc serve is not running\n\nno problems\n$/);
  const failure = { code: 'EADDRINUSE', message: 'port 1 is in use', hint: 'choose another' };
  const retryAt = iso(Date.now() + 60_000);
  const health = { ...SERVICE, name: 'health', state: 'waiting', restarts: 3, failure, retryAt };
  const webhooks = { ...SERVICE, name: 'webhooks', url: 'http://127.0.0.1:8787' };
  const services = [SERVICE, health, webhooks];
  const configFile = home.at('other.json');
  const started = { pid: process.pid, startedMs: Date.now(), configFile, logFile: null };
  const serving = { ...started, services };
  home.write('serve.json', JSON.stringify(serving));
  // The lock is what a running one holds.
  const [run, json, unknown] = await withInstanceLock(home.path, async () => {
    const runs = [
      await runInSession(['status'], { home: home.path }),
      await runInSession(['status', '--json'], { home: home.path }),
    ];
    home.write('serve.json', '{"of": "another version"}');
    return [...runs, await runInSession(['status'], { home: home.path })];
  });
  assert.ok(run !== undefined && json !== undefined && unknown !== undefined);
  assert.match(
    unknown.stdout,
    /^listener: svc serve is running, but its state in serve\.json cannot be read\n {2}→ restart /m,
  );
  assert.not.match(unknown.stdout, /not running/);
  assert.is(run.code, 1);
  assert.match(
    run.stdout,
    new RegExp(`svc serve is running with ~/other\\.json, started .* \\(process ${process.pid}\\)`),
  );
  assert.match(run.stdout, /^memory:main +ready .* 0 +synced: 1 file$/m);
  assert.match(run.stdout, /^next\n {2}service health restarts in \d+ s$/m);
  assert.match(run.stdout, /^service health: port 1 is in use\n {2}→ choose another$/m);
  const document = jsonOf.overallStatus(json);
  assert.is(document.serving?.configFile, configFile);
  assert.is(document.serving?.services[1]?.failure?.code, 'EADDRINUSE');
  assert.is(document.nextRuns[0]?.at, retryAt);
  assert.equal([document.listener.url, document.flows, document.tasks], [webhooks.url, [], []]);
  assert.equal(
    document.dreams.map(({ agents, enabled, nextRunAt }) => [agents, enabled, nextRunAt]),
    [[['main'], false, null]],
  );
  assert.equal(document.faults, [
    {
      about: 'service health',
      code: 'EADDRINUSE',
      message: 'port 1 is in use',
      hint: 'choose another',
    },
  ]);
});

test("status shows an agent's problem with its hint", async () => {
  const corp = { api: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'env:CORP_KEY' };
  const agents = { defaults: { workspace: 'gone', memorySearch: { provider: 'corp' } } };
  const home = homeWith({ agents, models: { providers: { corp } } });
  const args = ['status', '--json', '--config', 'svc.json'];
  const run = await runInSession(args, { home: home.path });
  assert.is(run.code, 1);
  const { agents: listed, faults } = jsonOf.overallStatus(run);
  assert.match(listed[0]?.faults[0]?.hint ?? '', '"svc config init --config svc.json"');
  assert.equal(
    faults.map(({ about, code }) => [about, code]),
    [
      ['agent main', 'INDEX_STALE'],
      ['agent main', 'PROVIDER_AUTH'],
    ],
  );
  assert.match(faults[1]?.message ?? '', /env CORP_KEY\) is not set$/);
  const options = { home: home.path, env: { CORP_KEY: 'sk-corp-4f9a' } };
  const withKey = jsonOf.overallStatus(await runInSession(['status', '--json'], options));
  assert.equal(
    withKey.faults.map(({ code }) => code),
    ['INDEX_STALE'],
  );
  const invalid = homeWith({ agnets: {} });
  assert.is((await runInSession(['status'], { home: invalid.path })).code, 2);
});

test('status shows that no worker takes tasks', async () => {
  const home = homeWith();
  const clock = { now: () => Date.now() - 2 * 3_600_000 };
  const flows = await openFlows(contextOf(home.path, { clock }), resolveConfig({}));
  await newTask(flows, await newFlow(flows), { runtime: 'acp' });
  await flows.close();
  const run = await runInSession(['status'], { home: home.path });
  assert.is(run.code, 1);
  assert.match(run.stdout, /^tasks +no worker takes acp tasks · 1 queued/m);
  assert.match(
    run.stdout,
    /^tasks: no worker takes acp tasks: 1 queued, the first for 2 h 0\d min\n {2}→ run "svc serve"/m,
  );
  home.write('other.json', '{}');
  const other = await runInSession(['status', '--config', 'other.json'], { home: home.path });
  assert.match(other.stdout, '→ run "svc serve --config other.json"');
});

test('status shows why the dreams of a workspace cannot be read', async () => {
  const home = homeWith();
  const { files } = dreamWorkspace(home.at('ws'), { stateDir: home.path });
  const garbage = 'this is no database, and long enough to be looked at as one';
  home.write(relative(home.path, files.database), garbage);
  const run = await runInSession(['status', '--json'], { home: home.path });
  const fault = jsonOf.overallStatus(run).faults.find(({ about }) => about === 'dreams of main');
  assert.match(fault?.message ?? '', files.database);
});

test('status shows why flows cannot be read with its code and hint, and a bad index as to be rebuilt', async () => {
  const home = homeWith();
  const garbage = 'this is no database, and long enough to be looked at as one';
  home.write('flows.sqlite', garbage);
  home.write('memory/main.sqlite', garbage);
  const run = await runInSession(['status', '--json'], { home: home.path });
  const [fault] = jsonOf.overallStatus(run).faults;
  assert.equal([fault?.about, fault?.code], ['flows', 'FLOWS_DAMAGED']);
  assert.ok(fault?.hint);
  const { stdout } = await runInSession(['status'], { home: home.path });
  assert.match(stdout, /^main .* needs rebuild/m);
});

test('an upgrade is described offline, and --check asks npm', async () => {
  const home = folderOf({});
  const npm = fakeNpm();
  const options = { home: home.path, env: npm.env };
  const described = jsonOf.upgrade(await runInSession(['upgrade', '--json'], options));
  assert.equal([described.newest, described.isOutdated], [null, null]);
  assert.equal(npm.runs(), []);
  const checked = await runInSession(['upgrade', '--check'], options);
  assert.match(checked.stdout, `svc 9.9.9 is available; this is ${described.installed}`);
  const homeless = { ...options, env: { ...npm.env, HOME: home.at('missing') } };
  assert.is((await runInSession(['upgrade', '--check'], homeless)).stdout, checked.stdout);
  const whys = [
    ['network no such host', 'network This is a problem', 'network'],
    ['FetchError: no such host', 'This is a problem', '    at connect (/lib/npm.js:1:2) {'],
  ];
  for (const why of whys) {
    const lines = ['code ENOTFOUND', 'syscall connect', ...why];
    npm.behave('fails', lines.map((line) => `npm error ${line}\n`).join(''));
    const failed = await runInSession(['upgrade', '--check', '--json'], options);
    const { code, message, hint } = jsonOf.error(failed);
    assert.equal([failed.code, code], [1, 'UPGRADE_CHECK_FAILED']);
    assert.match(
      message,
      /^npm failed with code 1: (?:FetchError: )?no such host This is a problem$/,
    );
    assert.match(hint ?? '', 'check the connection');
  }
  npm.behave('knows_nothing');
  const unknown = jsonOf.error(await runInSession(['upgrade', '--check', '--json'], options));
  assert.is(unknown.code, 'UPGRADE_CHECK_FAILED');
  assert.is(unknown.message, 'the registry of npm does not name the newest svc-cli');
});

test('a bug report contains what happened, but neither notes nor their names', async () => {
  const home = homeWith({
    models: { providers: { corp: { api: 'openai', apiKey: 'correct horse battery' } } },
  });
  home.write('ws/memory/diary-of-ada.md', '---\nmood: [\n---\n# Soup\n\nA zebra came by.\n');
  home.write(
    'logs/serve.log',
    `{"msg":"sent correct horse battery"}\n{"msg":"at ${home.path}/ws"}\n`,
  );
  home.write('logs/mcp.log', '{"write":1,"citation":"memory/diary-of-ada.md#L3"}\n');
  await runInSession(['memory', 'index'], { home: home.path });
  const run = await runInSession(['bug-report', '--output=~/r.tar.gz', '--json'], {
    home: home.path,
  });
  const document = jsonOf.bugReport(run);
  assert.equal([run.code, document.file], [0, home.at('r.tar.gz')]);
  assert.is(statSync(document.file).mode & 0o777, 0o600);
  assert.is(statSync(document.file).size, document.bytes);
  const files = filesOfTar(gunzipSync(readFileSync(document.file)));
  assert.equal(
    [...files.keys()],
    document.entries.map(({ name }) => name),
  );
  assert.ok(document.entries.every(({ error }) => error === null));
  const everything = [...files.values()].join('\n');
  for (const hidden of ['correct horse', 'zebra', 'automobile', 'diary-of-ada', home.path]) {
    assert.not.ok(everything.includes(hidden), hidden);
  }
  assert.is(files.get('logs/serve.log'), '{"msg":"sent ********"}\n{"msg":"at ~/ws"}\n');
  assert.match(files.get('config.json') ?? '', /"apiKey": "\*{8}"/);
  assert.match(files.get('version.json') ?? '', /"sqlite": "3\./);
  assert.match(files.get('status.json') ?? '', /"documents": 2,[\s\S]*"frontMatter": 1,/);
  assert.match(files.get('state.json') ?? '', /memory\/main\.sqlite/);
  const text = await runInSession(['bug-report'], { home: home.path });
  assert.match(text.stdout, /^wrote .*svc-bug-report-\d{8}-\d{6}\.tar\.gz \(/);
  assert.match(text.stdout, /^ {2}logs\/serve\.log +\d+ B +the end of a log$/m);
});

test('a bug report is written even if much is broken, and says what', async () => {
  const home = homeWith();
  home.write('svc.json', '{ "models": ');
  home.write('logs/serve.log', 'something that may be a secret\n');
  const run = await runInSession(['bug-report', '-o', 'r.tar.gz', '--json'], { home: home.path });
  assert.is(run.code, 0);
  const { entries, file } = jsonOf.bugReport(run);
  const failed = entries.filter(({ error }) => error !== null).map(({ name }) => name);
  assert.equal(failed, [
    'secrets.json',
    'config.json',
    'status.json',
    'storage.json',
    'logs/serve.log',
  ]);
  const files = filesOfTar(gunzipSync(readFileSync(file)));
  assert.match(files.get('config-faults.json') ?? '', /"code": "syntax"/);
  assert.is(files.get('logs/serve.log'), '');
});

test('a bug report to a path that cannot be written is an error with a hint', async () => {
  const home = homeWith();
  const run = await runInSession(['bug-report', '-o', 'no/such/r.tar.gz', '--json'], {
    home: home.path,
  });
  const error = jsonOf.error(run);
  assert.equal([run.code, error.code], [1, 'REPORT_WRITE_FAILED']);
  assert.match(error.hint ?? '', /--output/);
  const note = home.write('note.md', 'precious');
  const piped = await runInSession(['bug-report', '-o', '-'], { home: home.path });
  assert.is(piped.code, 2);
  assert.match(piped.stderr, 'error: cannot write the archive to stdout');
  const refused = await runInSession(['bug-report', '-o', 'note.md'], { home: home.path });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, `${note} already exists`);
  assert.is(readFileSync(note, 'utf8'), 'precious');
});

test('secrets are checked, and exit with 1 when one cannot be read', async () => {
  const secret = { source: 'file', provider: 'vault', id: '/corp' };
  const home = homeWith();
  const vault = home.write('vault.json', '{"corp": "0123456789abcdefghijklmn"}');
  const config = {
    models: { providers: { corp: { api: 'openai', apiKey: secret } } },
    secrets: { providers: { vault: { source: 'file', path: vault } } },
  };
  home.write('svc.json', JSON.stringify(config, null, 2));
  const open = await runInSession(['secrets', 'check'], { home: home.path });
  assert.is(open.code, 1);
  assert.match(open.stdout, /✗ models\.providers\.corp\.apiKey +\d+:\d+\n +file vault:\/corp\n/);
  assert.match(open.stdout, / is readable by other users .*\n +→ chmod 600/);
  assert.match(open.stdout, /\n1 secret: 1 cannot be read\n$/);
  chmodSync(vault, 0o600);
  const run = await runInSession(['secrets', 'check', '--json'], { home: home.path });
  const document = jsonOf.secretsCheck(run);
  assert.equal([run.code, document.ok], [0, true]);
  assert.equal([document.secrets[0]?.length, document.secrets[0]?.location.line], ['long', 6]);
  const none = await runInSession(['secrets', 'check'], { home: folderOf({}).path });
  assert.equal([none.code, none.stdout], [0, 'no configuration file found\n']);
});

test.run();
