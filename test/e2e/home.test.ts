import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newFlow, testFlows } from '../support/flows.js';
import { jsonOf } from '../support/json.js';
import { type LoadedModules, modulesLoadedBy } from '../support/loaded-modules.js';
import { childrenOf, whenEnded } from '../support/processes.js';
import { assertTerminalRestored, type PtySession, runInPty } from '../support/pty.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

/** The home screen: `svc` alone, in a terminal. */
const test = suite('home');

const CONFIG = JSON.stringify({
  agents: {
    defaults: { memorySearch: { provider: 'none' } },
    list: [
      { id: 'ada', workspace: 'ada' },
      { id: 'bob', workspace: 'bob' },
    ],
  },
});

function newHome() {
  const home = folderOf({
    'svc.json': CONFIG,
    'ada/MEMORY.md': '# Cars\n\nWe bought an automobile in spring.\n',
    'bob/MEMORY.md': '# Boats\n\nThe ferry leaves at nine.\n',
  });
  return { home, env: { HOME: home.path } };
}

/** From the first line of home into its search, until the passage is found. */
async function searchForAutomobile(session: PtySession): Promise<void> {
  await session.waitForText('❯ !  ada    no index yet');
  session.type(KEYS.enter);
  await session.waitForText('Ask your memory something');
  session.type('automobile');
  await session.waitForText('in spring');
}

for (const [columns, rows] of [
  [60, 24],
  [80, 24],
  [200, 50],
] as const) {
  test(`svc alone opens home at ${columns} columns; a screen opens and closes, and q exits with 0`, async () => {
    const { home, env } = newHome();
    const session = runInPty([], { home: home.path, env, columns, rows });
    await searchForAutomobile(session);
    session.type(KEYS.escape);
    // The search has created the index meanwhile, and keys work again.
    await session.waitForText('❯ ✓  ada    up to date');
    session.type(`j`);
    await session.waitForText('❯ !  bob');
    session.type('i');
    await session.waitForText('bob: 1 added');
    await session.waitForText('❯ ✓  bob    up to date');
    session.type('jj');
    await session.waitForText('❯ ○  flows');
    session.type(KEYS.enter);
    await session.waitForText('no flows yet');
    assert.is(session.screen.broken, 0);
    session.type('q');
    assert.is(await session.ended, 0);
    assertTerminalRestored(session);
    assert.not(existsSync(home.at('flows.sqlite')), 'showing flows creates none');
  });
}

test('every line opens its screen, and Esc returns to the same line', async () => {
  const { home, env } = newHome();
  const { flows } = await testFlows({}, home.path);
  const flowId = await newFlow(flows);
  const session = runInPty(['ui'], { home: home.path, env, columns: 100, rows: 30 });
  await session.waitForText('1 queued · 1 in all');
  await session.waitForText('faults');
  const screens = [
    ['listener', 'no routes configured'],
    ['flows', flowId.slice(0, 8)],
    ['tasks', 'svc · tasks'],
    ['dreams    ada', 'svc · dream candidates'],
    ['dreams    bob', 'svc · dream candidates'],
    ['faults', 'svc · doctor'],
  ] as const;
  const whenSelected = (line: string) =>
    waitFor(
      line,
      () => session.screen.text().some((row) => row.startsWith('  ❯') && row.includes(line)),
      () => session.screen.text(),
    );
  session.type('j');
  for (const [line, shown] of screens) {
    session.type('j');
    await whenSelected(line);
    session.type(KEYS.enter);
    await session.waitForText(shown);
    session.type(KEYS.escape);
    await session.waitForText('? help   q quit');
    await whenSelected(line);
  }
  // It shows what another process does.
  await flows.operator.cancelFlow(flowId);
  await waitFor(
    'the end of the flow',
    () => !session.screen.text().join('\n').includes('1 queued'),
    () => session.screen.text(),
  );
  session.type(KEYS.escape);
  assert.is(await session.ended, 0);
  await flows.close();
});

test('without an editor, home prints where the chosen passage is', async () => {
  const { home, env } = newHome();
  const session = runInPty([], {
    home: home.path,
    env: { ...env, VISUAL: '', EDITOR: '' },
    columns: 160,
  });
  await searchForAutomobile(session);
  session.type(KEYS.enter);
  await session.waitForText(`no program to open ${home.at('ada/MEMORY.md')}:3`);
  session.type('q');
  assert.is(await session.ended, 0);
});

test('with nothing set up it shows the next step and runs it', async () => {
  const home = tempFolder();
  const env = { HOME: home.path };
  // The questions move the cursor by sequences of Node's own: the output is checked as text.
  const session = runInPty([], { home: home.path, env, lines: true });
  await session.waitForText('nothing is set up yet · svc config init');
  await session.waitForText('svc memory search -w ./notes');
  session.type(KEYS.enter);
  await session.waitForText('Which folder contains the memory?');
  const before = session.output().length;
  session.type(KEYS.escape);
  // Left before the last question: nothing was written, and home is there again.
  await waitFor('home', () => session.output().slice(before).includes('nothing is set up yet'));
  assert.not(existsSync(home.at('svc.json')));
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
});

test('a command of the palette runs in the terminal, and Enter returns home', async () => {
  const { home, env } = newHome();
  const options = { home: home.path, env, lines: true };
  const session = runInPty([], options);
  await session.waitForText('no index yet');
  session.type(':config get');
  await session.waitForText('Print one configuration value');
  session.type(KEYS.enter);
  await session.waitForText('required');
  session.type(`agents.defaults.memorySearch.provider${KEYS.enter}`);
  await session.waitForText('$ svc config get -- agents.defaults.memorySearch.provider');
  await session.waitForText('Press Enter to go back');
  assert.match(session.output(), /\nnone\r?\n/u);
  const before = session.output().length;
  session.type(KEYS.enter);
  await waitFor('home', () => session.output().slice(before).includes('? help   q quit'));
  // A screen leads back at once.
  session.type(`:memory search an agent's${KEYS.enter}`);
  await waitFor('the value', () => session.output().slice(before).includes('optional'));
  session.type(KEYS.enter);
  await session.waitForText('svc · search');
  const searching = session.output().length;
  session.type(KEYS.escape);
  await waitFor('home', () => session.output().slice(searching).includes('? help   q quit'));
  assert.not.match(session.output().slice(searching), /Press Enter/u);
  // Ctrl-C is a key again.
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
});

test('a broken configuration is shown with its location, and opens the doctor', async () => {
  const home = folderOf({ 'svc.json': '{ "agnets": {} }' });
  const env = { HOME: home.path };
  const session = runInPty([], { home: home.path, env });
  await session.waitForText('✗  faults');
  await session.waitForText('agnets');
  assert.match(session.screen.text().join('\n'), /agents unknown\n.*flows +unknown\n/su);
  session.type('jjjjjjj\r');
  await session.waitForText('svc · doctor');
  session.type('q');
  await session.waitForText('✗  faults');
  session.type('q');
  assert.is(await session.ended, 0);
});

test('the process that reads for home ends with it, even when home is killed', async () => {
  const { home, env } = newHome();
  const session = runInPty([], { home: home.path, env });
  await session.waitForText('no index yet');
  const children = childrenOf(session.pid);
  assert.is(children.length, 1);
  process.kill(session.pid, 'SIGKILL');
  await session.ended;
  await whenEnded(children);
});

test('without a terminal svc ui is svc status, and svc alone is help', async () => {
  const { home } = newHome();
  await runInSession(['memory', 'index'], { home: home.path });
  const status = await runInSession(['status'], { home: home.path });
  for (const args of [['ui'], ['ui', '--plain']]) {
    const run = await runInSession(args, { home: home.path });
    assert.equal([run.code, run.stderr], [status.code, '']);
    assert.is(run.stdout, status.stdout);
  }
  const json = jsonOf.overallStatus(await runInSession(['ui', '--json'], { home: home.path }));
  assert.equal(
    json.agents.map(({ agent }) => agent),
    ['ada', 'bob'],
  );
  const help = await runInSession([], { home: home.path });
  assert.is(help.code, 0);
  assert.match(help.stdout, /^Usage: svc COMMAND/mu);
});

test('neither help nor the overall status loads a screen', async () => {
  const { home } = newHome();
  const screens = ({ files }: LoadedModules): readonly string[] =>
    files.filter((file) => /\/dist\/chunks\/kept-screen-/u.test(file));
  for (const args of [[], ['ui']]) {
    const loaded = await modulesLoadedBy(args, { home: home.path });
    assert.equal(screens(loaded), []);
  }
});

test.run();
