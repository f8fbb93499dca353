import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { childrenOf } from '../support/processes.js';
import { runInPty } from '../support/pty.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

const test = suite('interrupting a confirmation');

const CTRL_D = '\u0004';
const CTRL_Z = '\u001A';
const NOTE = '# House\n\nThe plumber comes in May.\n';

async function homeWithIndex() {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', NOTE);
  const run = await runSvc(['memory', 'index'], { home: home.path });
  assert.is(run.code, 0, run.stderr);
  return home;
}

const QUESTIONS = [
  ['memory', 'reset'],
  ['memory', 'forget', 'MEMORY.md'],
  ['integrate', 'codex'],
];

for (const words of QUESTIONS) {
  for (const [name, key] of [
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', CTRL_D],
  ] as const) {
    test(`${name} at the question of svc ${words.join(' ')} ends it with 130 and changes nothing`, async () => {
      const home = await homeWithIndex();
      const env = { HOME: home.path };
      const session = runInPty(words, {
        home: home.path,
        columns: 100,
        rows: 40,
        lines: true,
        env,
      });
      await session.waitForText('[y/N]');
      session.type(key);
      assert.is(await session.ended, 130, session.output());
      const after = session.output().split('[y/N]').at(-1) ?? '';
      assert.match(after, /\nerror: stopped/u);
      assert.not.match(after, /bug in svc|AbortError|\n {4}at /u);
      assert.is(readFileSync(home.at('workspace/MEMORY.md'), 'utf8'), NOTE);
    });
  }
}

test('a question is also asked, and can be answered, with --plain', async () => {
  const { path: home } = await homeWithIndex();
  const words = ['memory', 'reset', '--plain'];
  const session = runInPty(words, { home, columns: 100, lines: true, env: { HOME: home } });
  await session.waitForText('[y/N]');
  session.type('y\r');
  assert.is(await session.ended, 0, session.output());
  assert.not(existsSync(join(home, 'memory/main.sqlite')));
});

for (const words of [...QUESTIONS, ['completion', 'install', 'bash']]) {
  test(`no to the question of svc ${words.join(' ')} prints that nothing was done`, async () => {
    const { path: home } = await homeWithIndex();
    const session = runInPty(words, { home, columns: 100, lines: true, env: { HOME: home } });
    await session.waitForText('? [y/N]');
    session.type('n\r');
    assert.is(await session.ended, 0, session.output());
    assert.match(session.output(), /nothing (?:was )?(?:forgotten|written)|kept /u);
  });
}

test('the question is shown again after Ctrl-Z', async () => {
  const home = await homeWithIndex();
  const session = runInPty(['memory', 'reset'], {
    home: home.path,
    columns: 100,
    rows: 40,
    lines: true,
  });
  const timesAsked = () => session.output().split('[y/N]').length - 1;
  await session.waitForText('[y/N]');
  session.type(CTRL_Z);
  await waitFor('the stop', () => !session.isRaw());
  session.kill('SIGCONT');
  await waitFor('the question again', () => timesAsked() === 2, session.output);
  session.type('n\r');
  assert.is(await session.ended, 0, session.output());
  assert.match(session.output(), /kept .*main\.sqlite/u);
});

test('one Ctrl-Z at a question of a command that home has run returns to the shell', async () => {
  const home = await homeWithIndex();
  const session = runInPty([], {
    home: home.path,
    columns: 100,
    rows: 40,
    lines: true,
    jobs: true,
    env: { HOME: home.path },
  });
  const timesAsked = () => session.output().split('[y/N]').length - 1;
  await session.waitForText('up to date');
  session.type(':memory reset');
  await session.waitForText('Delete');
  session.type('\r\r');
  await session.waitForText('[y/N]');
  session.type(CTRL_Z);
  await waitFor('the stop', () => !session.isRaw());
  // Read by the shell, which then continues with the question.
  session.type('\r');
  await waitFor('the question again', () => timesAsked() === 2, session.output);
  session.type('n\r');
  await session.waitForText('Press Enter to go back');
  assert.match(session.output(), /kept .*main\.sqlite/u);
  const before = session.output().length;
  session.type('\r');
  await waitFor('home', () => session.output().slice(before).includes('q quit'));
  session.type(KEYS.ctrlC);
  await session.ended;
});

for (const signal of ['SIGTERM', 'SIGQUIT'] as const) {
  test(`${signal} at a question restores the terminal before the shell goes on`, async () => {
    const home = await homeWithIndex();
    const session = runInPty(['memory', 'forget', 'MEMORY.md'], {
      home: home.path,
      columns: 100,
      rows: 40,
      lines: true,
      shell: true,
      env: { HOME: home.path },
    });
    await session.waitForText('[y/N]');
    const [program = 0] = childrenOf(session.pid);
    process.kill(program, signal);
    await session.ended;
    assert.match(session.output(), / icanon .* echo /su);
  });
}

test.run();
