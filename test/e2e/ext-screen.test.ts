import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extMemory } from '../support/ext-memory.js';
import { whenEnded } from '../support/processes.js';
import { runInPty } from '../support/pty.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

const test = suite('the search screen over an external program');

test('one process answers every query, notes are refreshed while the screen is open, and no process stays', async () => {
  const { home, qmd, svc } = extMemory({}, { update: { debounceMs: 50 } });
  assert.is((await svc('memory', 'index')).code, 0);
  qmd.clearLog();
  const session = runInPty(['memory', 'search'], { home: home.path });
  await waitFor('the screen', () => session.screen.alternate);
  session.type('egrets');
  await session.waitForText('2026-11-01.md');
  const countOf = (command: string): number =>
    qmd.log().filter(({ args }) => args[0] === command).length;
  home.write('workspace/memory/2026-11-02.md', '# Monday\n\nA bittern called.\n');
  // The watcher indexes it; no query asks for that.
  await waitFor('a refresh', () => countOf('update') > 0);
  assert.equal([countOf('mcp'), countOf('search')], [1, 0]);
  session.type(KEYS.escape);
  assert.is(await session.ended, 0);
  await whenEnded(qmd.log().map(({ pid }) => pid));
});

test.run();
