import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMemory } from '../../../../../src/engine/memory/open-memory.js';
import { contextOf } from '../../../../support/context.js';
import { extMemory } from '../../../../support/ext-memory.js';

const DAY_MS = 86_400_000;

const test = suite('refreshing the index of the external program');

test('notes written during a refresh are in the next answer', async () => {
  const { home, qmd } = extMemory();
  const { backend } = await openMemory(
    contextOf(home.path, { env: { PATH: process.env['PATH'] } }),
    { kind: 'agent' },
    { longLived: true },
  );
  try {
    await backend.sync({});
    qmd.become({ on: { update: { kind: 'lingers', ms: 100 } } });
    home.write('workspace/memory/2026-11-02.md', '# Monday\n\nA bittern called.\n');
    const syncing = backend.sync({});
    await qmd.whenLingering();
    home.write('workspace/memory/2026-11-03.md', '# Tuesday\n\nA crake ran by.\n');
    const { results, warnings } = await backend.search({ query: 'crake' });
    assert.equal([results.map(({ path }) => path), warnings], [['memory/2026-11-03.md'], []]);
    await syncing;
  } finally {
    await backend.close();
  }
});

test('after the clock was ahead, refreshing and embedding do not wait until it is there again', async () => {
  const texts = { name: 'texts', path: 'texts', pattern: '*.txt' };
  const { home, newCommands } = extMemory({}, { searchMode: 'query', paths: [texts] });
  home.write('texts/list.txt', 'Five herons.\n');
  let nowMs = Date.now() + 30 * DAY_MS;
  const env = { PATH: process.env['PATH'] };
  const context = contextOf(home.path, { env, clock: { now: () => nowMs } });
  const { backend } = await openMemory(context, { kind: 'agent' });
  try {
    await backend.sync({});
    newCommands();
    await backend.search({ query: 'heron' });
    assert.not.ok(newCommands().includes('update'));
    nowMs -= 29 * DAY_MS;
    await backend.search({ query: 'heron' });
    assert.ok(newCommands().includes('update'));
    home.write('workspace/memory/2026-11-02.md', '# Monday\n\nA bittern called.\n');
    await backend.sync({ isUpkeep: true });
    assert.ok(newCommands().includes('embed'));
  } finally {
    await backend.close();
  }
});

test.run();
