import { existsSync, readFileSync, statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireIndexLock } from '../../src/engine/memory/sync/index-lock.js';
import { newFlow, newTask, testFlows } from '../support/flows.js';
import { writeNotes } from '../support/many-notes.js';
import { assertTerminalRestored, runInPty } from '../support/pty.js';
import { serverHome, whenStateReady } from '../support/serving.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';
import { act, CI_ENV, send, webhooksConfig } from '../support/webhooks.js';

/** The built program in a terminal, with keys. */
const test = suite('screens in a terminal');

function someNotes() {
  const notes = tempFolder();
  notes.write('ops/backups.md', '# Backups\n\n## Schedule\n\nThe nightly backup runs at 02:30.\n');
  notes.write('people.md', '# People\n\nAda runs the night shift.\n');
  notes.write('money.md', '# Money\n\nInvoices go out on Monday.\n');
  return notes;
}

for (const [columns, rows] of [
  [60, 24],
  [80, 24],
  [200, 50],
] as const) {
  test(`the search screen updates while typing, at ${columns} columns`, async () => {
    const home = tempFolder().path;
    const args = ['memory', 'search', '--workspace', someNotes().path];
    const session = runInPty(args, { home, columns, rows });
    await waitFor('the screen', () => session.screen.alternate);
    session.type('nightly backup');
    await session.waitForText('ops/backups.md');
    await session.waitForText('02:30');
    assert.is(session.screen.broken, 0);
    session.type(KEYS.escape);
    assert.is(await session.ended, 0);
    assertTerminalRestored(session);
  });
}

test('a terminal of 0 by 0 cells counts as 80 by 24', async () => {
  const home = tempFolder().path;
  const args = ['memory', 'search', '--workspace', someNotes().path];
  const session = runInPty(args, { home, sizeless: true });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('nightly backup');
  await session.waitForText('ops/backups.md');
  await session.waitForText('The nightly backup runs at 02:30.');
  session.type(KEYS.escape);
  assert.is(await session.ended, 0);

  const withNotes = folderOf({ 'workspace/MEMORY.md': '# Notes\n' }).path;
  const swept = runInPty(['dream', 'run'], { home: withNotes, sizeless: true, lines: true });
  assert.is(await swept.ended, 0);
  assert.match(swept.output(), /^searches\r\n {2}0 new searches\r\n/);
});

test('a pasted colour leaves every screen as it is', async () => {
  const home = tempFolder().path;
  const session = runInPty([], { home });
  await session.waitForText('agents');
  session.type('\u001B[31m\u001B[0m\u001B[1;5P?');
  await session.waitForText('q, ctrl-c');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
});

test('Enter opens the editor at the passage and comes back to the list, and queries are remembered', async () => {
  const home = tempFolder();
  const notes = someNotes();
  const script = `echo "$@" > "${home.at('opened')}"\necho it edits; read answer`;
  const editor = home.writeScript('nano', script);
  const session = runInPty(['memory', 'search', '--workspace', notes.path], {
    home: home.path,
    env: { VISUAL: '', EDITOR: editor },
  });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('invoices');
  await session.waitForText('money.md');
  session.type(KEYS.enter);
  await session.waitForText('it edits');
  assert.not(session.screen.alternate);
  assert.is(readFileSync(home.at('opened'), 'utf8'), `+3,1 ${notes.at('money.md')}\n`);
  session.type('done\r');
  await session.waitForText('❯ money.md');
  assert.ok(session.screen.alternate);
  session.type(`${KEYS.ctrlU}path:ops/* \u001B[31mnight\u001B[0m`);
  await session.waitForText('❯ ops/backups.md');
  await session.waitForText('keyword · path:ops/*');
  session.type(KEYS.ctrlU);
  await session.waitForText('Ask your memory');
  session.type(KEYS.up);
  await session.waitForText('› invoices');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
  assertTerminalRestored(session);
  const history = home.at('query-history.jsonl');
  assert.is(readFileSync(history, 'utf8'), '"invoices"\n');
  assert.is(statSync(history).mode & 0o777, 0o600);
});

test('without an editor, Enter prints the location; no query is kept with ui.history false', async () => {
  const notes = someNotes();
  const home = tempFolder();
  home.write('svc.json', '{ "ui": { "history": false } }');
  const session = runInPty(['memory', 'search', '--workspace', notes.path], {
    home: home.path,
    columns: 160,
    env: { VISUAL: '', EDITOR: '' },
  });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('invoices');
  await session.waitForText('money.md');
  session.type(KEYS.enter);
  assert.is(await session.ended, 0);
  await session.waitForText(`${notes.at('money.md')}:3`);
  assert.not.ok(existsSync(home.at('query-history.jsonl')));
});

test('ctrl-y copies the citation to the clipboard of the terminal', async () => {
  const session = runInPty(['memory', 'search', '--workspace', someNotes().path], {
    home: tempFolder().path,
  });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('night shift');
  await session.waitForText('people.md');
  session.type(KEYS.ctrlY);
  const citation = Buffer.from('people.md#L1-L3').toString('base64');
  await waitFor('the clipboard', () => session.output().includes(`]52;c;${citation}`));
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
});

/** So many that the screen of an index appears on any machine. */
const manyNotes = tempFolder();
writeNotes(manyNotes, 6000);

test('the index screen shows its work and leaves its summary', async () => {
  const session = runInPty(['memory', 'index', '--workspace', manyNotes.path], {
    home: tempFolder().path,
  });
  await session.waitForText('svc · index');
  assert.is(await session.ended, 0);
  await session.waitForText('000 added');
  assertTerminalRestored(session);
  assert.is(session.screen.scrolled, 0);
});

test('Ctrl-C in the index screen stops it, keeps the work and restores the terminal', async () => {
  const home = tempFolder().path;
  const session = runInPty(['memory', 'index', '--workspace', manyNotes.path], {
    home,
  });
  await session.waitForText('chunks/s');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 130);
  await session.waitForText('stopped');
  assertTerminalRestored(session);
  const again = runInPty(['memory', 'index', '--plain', '--workspace', manyNotes.path], {
    home,
  });
  assert.is(await again.ended, 0);
  await again.waitForText('added');
});

test('in the background of a shell, work goes on without a screen, and questions need --yes', async () => {
  if (process.platform !== 'linux') return;
  const home = tempFolder().path;
  const workspace = ['--workspace', someNotes().path];
  const inBackground = (...args: string[]) =>
    runInPty(['memory', ...args, ...workspace], { home, background: true, lines: true });
  const indexing = inBackground('index');
  await indexing.waitForText('3 added');
  assert.is(await indexing.ended, 0);
  const asking = inBackground('reset');
  await asking.waitForText('pass --yes');
  assert.is(await asking.ended, 2);
});

test('deleting an index asks for confirmation, and Enter means no', async () => {
  const home = tempFolder().path;
  const args = ['memory', 'reset', '--workspace', someNotes().path];
  const session = runInPty(args, { home, columns: 120, lines: true });
  await session.waitForText('[y/N]');
  session.type(KEYS.enter);
  assert.is(await session.ended, 0);
  await session.waitForText('kept');
});

test('deleting an index that another process writes says that it is at work', async () => {
  const home = tempFolder();
  const notes = someNotes();
  home.write('svc.json', JSON.stringify({ agents: { defaults: { workspace: notes.path } } }));
  const lock = await acquireIndexLock(home.at('memory/main.sqlite'), { nowMs: 0, waitMs: 0 });
  const session = runInPty(['memory', 'reset', '--yes'], { home: home.path, lines: true });
  await session.waitForText('deleting the index');
  lock?.release();
  await session.ended;
});

test('the MCP server for agents tells a person on a terminal what it waits for', async () => {
  const session = runInPty(['mcp', '-w', someNotes().path], {
    home: tempFolder().path,
    lines: true,
  });
  await session.waitForText('run "svc integrate AGENT" to let it start this itself');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 130);
});

test('a followed list shows what another process changes, and q leaves it', async () => {
  const { flows, home, clock } = await testFlows();
  clock.nowMs = Date.now();
  const flowId = await newFlow(flows);
  const session = runInPty(['flow', 'watch'], { home });
  await waitFor('the screen', () => session.screen.alternate);
  await session.waitForText(`${flowId.slice(0, 8)}  queued`);
  await flows.operator.cancelFlow(flowId);
  await session.waitForText(`${flowId.slice(0, 8)}  cancelled`);
  session.type('q');
  assert.is(await session.ended, 0);
  assertTerminalRestored(session);
  await flows.close();
});

test('tasks are browsed, cancelled and retried despite fast and random typing', async () => {
  const { flows, home, clock } = await testFlows();
  clock.nowMs = Date.now();
  const flowId = await newFlow(flows);
  const ids: string[] = [];
  for (let n = 0; n < 30; n++)
    ids.push(await newTask(flows, flowId, { task: n === 7 ? 'the odd one' : `step ${n}` }));
  const shortId = (n: number): string => ids.at(n)?.slice(0, 8) ?? '';
  const session = runInPty(['task', 'watch'], { home });
  await session.waitForText(`❯ ${shortId(-1)}`);
  session.type('jjjj\u001B[38;5;1mk\u001B[200~cy\u001B[31m\u001B[201~');
  await session.waitForText(`❯ ${shortId(-4)}`);
  for (let n = 0; n < 20; n++) session.resize(30 + ((n * 53) % 150), 5 + ((n * 17) % 50));
  session.resize(120, 40);
  await session.waitForText(`❯ ${shortId(-4)}`);
  session.type('cy');
  await session.waitForText(`cancelled task ${ids.at(-4)}`);
  assert.is((await flows.operator.showTask(ids.at(-4) ?? '')).task.status, 'cancelled');
  // Another process adds one; the selection stays.
  await newTask(flows, flowId, { task: 'a new step' });
  await session.waitForText('a new step');
  await session.waitForText(`❯ ${shortId(-4)}`);
  session.type('r');
  await session.waitForText('retry task');
  session.type('y');
  await session.waitForText(`task ${ids.at(-4)} is queued`);
  session.type('/ONE odd\r\r');
  await session.waitForText('esc back');
  await session.waitForText(`task ${ids.at(7)}`);
  session.kill('SIGTERM');
  assert.is(await session.ended, 0);
  assertTerminalRestored(session);
  assert.not(session.output().includes('\u001B[31m\u001B'));
  await flows.close();
});

test('deliveries are browsed and replayed while they arrive, and a kill restores the terminal', async () => {
  const home = serverHome(webhooksConfig());
  const session = runInPty(['webhook', 'serve'], {
    home: home.path,
    env: CI_ENV,
    columns: 120,
    rows: 30,
  });
  const url = await whenStateReady(home);
  await act(url, { action: 'create_flow', goal: 'a build' });
  await session.waitForText('❯ ');
  await send(url, { secret: 'wrong' });
  await session.waitForText('unauthorized');
  for (let n = 0; n < 10; n++) session.resize(40 + ((n * 53) % 120), 8 + ((n * 17) % 40));
  session.resize(100, 30);
  session.type('j\u001B[31m\u001B[200~ry\u001B[0m\u001B[201~');
  session.type('r');
  await session.waitForText('y/n');
  session.type('y');
  await session.waitForText('replayed: 200 performed');
  await session.waitForText('replay of');
  session.type('/create_flow\r\r');
  await session.waitForText('"goal": "a build"');
  session.kill('SIGTERM');
  await session.ended;
  assertTerminalRestored(session);
});

test.run();
