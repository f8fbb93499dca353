import { appendFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { assertTerminalRestored, runInPty } from '../support/pty.js';
import { startSvc } from '../support/run-svc.js';
import { serverHome, stateOf } from '../support/serving.js';
import { runInSession } from '../support/svc-session.js';
import { tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc logs, and svc serve in a terminal');

function line(level: string, msg: string, service = 'health'): string {
  return `${JSON.stringify({ level, time: '2026-03-02T10:00:00.000Z', pid: 1, msg, service })}\n`;
}

function homeWithLog() {
  const home = tempFolder();
  home.write('logs/serve.log.1', line('info', 'oldest'));
  home.write('logs/serve.log', line('warn', 'older') + line('info', 'newest'));
  return home;
}

test('shows the newest lines as text, oldest first', async () => {
  const home = homeWithLog();
  const { code, stdout } = await runInSession(['logs', '--lines', '2'], { home: home.path });
  assert.is(code, 0);
  assert.match(stdout, /^\S+ \S+ warn {2}health older\n\S+ \S+ info {2}health newest\n$/);
});

test('--level filters existing lines, and --json prints them', async () => {
  const home = homeWithLog();
  const run = await runInSession(['logs', '--level', 'warn', '--json'], { home: home.path });
  assert.equal(jsonOf.logs(run).lines, [
    {
      level: 'warn',
      time: '2026-03-02T10:00:00.000Z',
      message: 'older',
      fields: { service: 'health' },
    },
  ]);
});

test('--service selects one service, or all of a kind', async () => {
  const home = homeWithLog();
  const memories = line('info', 'one', 'memory:main') + line('info', 'two', 'memory:work');
  appendFileSync(home.at('logs/serve.log'), memories);
  const messagesOf = async (service: string) => {
    const run = await runInSession(['logs', '--service', service, '--json'], { home: home.path });
    return jsonOf.logs(run).lines.map(({ message }) => message);
  };
  assert.equal(await messagesOf('memory'), ['one', 'two']);
  assert.equal(await messagesOf('memory:work'), ['two']);
  assert.equal(await messagesOf('mem'), []);
  const none = await runInSession(['logs', '--service', 'mem'], { home: home.path });
  assert.equal(
    [none.code, none.stdout, none.stderr],
    [0, '', `no matching lines in ${home.at('logs/serve.log')}\n`],
  );
});

test('--follow on a terminal is a viewer with the filters of the flags', async () => {
  const home = homeWithLog();
  const args = ['logs', '--follow', '--level', 'warn'];
  const session = runInPty(args, { home: home.path });
  await session.waitForText('older');
  appendFileSync(home.at('logs/serve.log'), line('debug', 'hidden') + line('error', 'came'));
  await session.waitForText('came');
  assert.not.match(session.screen.text().join('\n'), /newest|hidden/u);
  session.type('d');
  await session.waitForText('hidden');
  session.type('q');
  assert.is(await session.ended, 0);
  assertTerminalRestored(session);
});

test('--follow shows what comes until Ctrl-C; with --json as JSON lines', async () => {
  const home = homeWithLog();
  const { child, done, waitForText } = startSvc(
    ['logs', '--follow', '--json', '--lines', '1', '--level', 'info'],
    { home: home.path },
  );
  await waitForText('newest');
  appendFileSync(home.at('logs/serve.log'), line('debug', 'hidden') + line('error', 'came'));
  await waitForText('came');
  child.kill('SIGINT');
  const { code, stdout } = await done;
  assert.is(code, 130);
  const messages = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).msg);
  assert.equal(messages, ['newest', 'came']);
});

test('--follow reports that there is no log yet, and shows it once it is written', async () => {
  const home = tempFolder();
  const { child, done, waitForText } = startSvc(['logs', '--follow'], { home: home.path });
  await waitForText('waiting for');
  home.write('logs/serve.log', line('info', 'first'));
  await waitForText('health first');
  child.kill('SIGINT');
  const { code, stderr } = await done;
  assert.is(code, 130);
  assert.match(stderr, `waiting for ${home.at('logs/serve.log')}, which "svc serve" writes`);
});

test('without a log it says what writes one', async () => {
  const run = await runInSession(['logs', '--json'], { home: tempFolder().path });
  assert.is(run.code, 1);
  assert.is(jsonOf.error(run).code, 'LOG_MISSING');
});

test('logs are shown even if the configuration is broken', async () => {
  const home = homeWithLog();
  home.write('svc.json', '{ "logging": ');
  const run = await runInSession(['logs', '--json'], { home: home.path });
  assert.is(run.code, 0);
  const { lines, warnings } = jsonOf.logs(run);
  assert.is(lines.length, 3);
  assert.is(warnings?.[0]?.code, 'CONFIG_WARNING');
  // Which log is meant depends on the configuration that is named.
  const args = ['logs', '--config', home.at('svc.json'), '--json'];
  const named = await runInSession(args, { home: home.path });
  assert.equal([named.code, jsonOf.error(named).code], [2, 'CONFIG_SYNTAX']);
});

for (const columns of [60, 80, 200]) {
  test(`svc serve shows its services in a terminal of ${columns} columns, and q ends it`, async () => {
    const home = serverHome();
    const session = runInPty(['serve'], { home: home.path, columns });
    await session.waitForText('✓ memory:main');
    await session.waitForText('✓ health');
    assert.is(session.screen.broken, 0);
    home.write(
      'svc.json',
      '{ "gateway": { "port": 0 }, "agents": { "list": [{ "id": "solo" }] } }',
    );
    session.type('r');
    await session.waitForText('memory:solo');
    session.type('q');
    assert.is(await session.ended, 0);
    assertTerminalRestored(session);
  });
}

test('Ctrl-C in the screen exits with 130; --plain prints text lines instead', async () => {
  const home = serverHome();
  const session = runInPty(['serve'], { home: home.path });
  await session.waitForText('✓ health');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 130);
  const lines = runInPty(['serve', '--plain'], {
    home: home.path,
    columns: 120,
    lines: true,
  });
  await lines.waitForText('health listening on http://127.0.0.1:');
  await waitFor('the state', () => stateOf(home));
  lines.type(KEYS.ctrlC);
  assert.is(await lines.ended, 130);
});

test.run();
