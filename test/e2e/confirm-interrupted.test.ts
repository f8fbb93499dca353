import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runInPty } from '../support/pty.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('interrupting a confirmation');

const KEYS = { 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' } as const;
const NOTE = '# House\n\nThe plumber comes in May.\n';

async function world() {
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
  for (const [name, key] of Object.entries(KEYS)) {
    test(`${name} at the question of svc ${words.join(' ')} ends it with 130 and changes nothing`, async () => {
      const home = await world();
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
      assert.match(after, /error: stopped/u);
      assert.not.match(after, /bug in svc|AbortError|\n {4}at /u);
      assert.is(readFileSync(home.at('workspace/MEMORY.md'), 'utf8'), NOTE);
    });
  }
}

test('the question is shown again after Ctrl-Z', async () => {
  const home = await world();
  const session = runInPty(['memory', 'reset'], {
    home: home.path,
    columns: 100,
    rows: 40,
    lines: true,
  });
  const asked = () => session.output().split('[y/N]').length - 1;
  await session.waitForText('[y/N]');
  session.type('\u001A');
  // Until the key has been read.
  await pause(300);
  session.kill('SIGCONT');
  await waitFor('the question again', () => asked() === 2, session.output);
  session.type('n\r');
  assert.is(await session.ended, 0, session.output());
  assert.match(session.output(), /kept .*main\.sqlite/u);
});

for (const signal of ['SIGTERM', 'SIGQUIT'] as const) {
  test(`${signal} at a question restores the terminal before the shell goes on`, async () => {
    const home = await world();
    const session = runInPty(['memory', 'forget', 'MEMORY.md'], {
      home: home.path,
      columns: 100,
      rows: 40,
      lines: true,
      shell: true,
      env: { HOME: home.path },
    });
    await session.waitForText('[y/N]');
    const children = readFileSync(`/proc/${session.pid}/task/${session.pid}/children`, 'utf8');
    process.kill(Number(children.trim()), signal);
    await session.ended;
    assert.match(session.output(), / icanon .* echo /su);
  });
}

test.run();
