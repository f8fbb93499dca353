import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extMemory } from '../support/ext-memory.js';
import { isRunning } from '../support/processes.js';
import { runInPty } from '../support/pty.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

const test = suite('the search screen over an external program');

test('one program answers all that is typed, what changes meanwhile is found, and nothing is left', async () => {
  const { home, qmd, svc } = extMemory({}, { update: { debounceMs: 50 } });
  assert.is((await svc('memory', 'index')).code, 0);
  qmd.clearLog();
  const session = runInPty(['memory', 'search'], { home: home.path });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('egrets');
  await session.waitForText('2026-11-01.md');
  const ran = (command: string): number =>
    qmd.log().filter(({ args }) => args[0] === command).length;
  home.write('workspace/memory/2026-11-02.md', '# Monday\n\nA bittern called.\n');
  // The watcher takes it in; nobody asks.
  await waitFor('a refresh', () => ran('update') > 0);
  assert.equal([ran('mcp'), ran('search')], [1, 0]);
  session.type(KEYS.escape);
  assert.is(await session.ended, 0);
  await waitFor('the end of the program', () => qmd.log().every(({ pid }) => !isRunning(pid)));
});

test.run();
