import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMemory } from '../../../src/engine/memory/index.js';
import type { ActivityCounts } from '../../../src/engine/support/context.js';
import { contextOf } from '../../support/context.js';
import { folderOf } from '../../support/temp-folder.js';

const test = suite('counting activity of a memory');

function memoryWith(logging: object) {
  const home = folderOf({
    'workspace/MEMORY.md': '# Backups\n\nThe nightly backup runs at 02:30.\n',
    'svc.json': JSON.stringify({
      agents: { defaults: { memorySearch: { provider: 'none' } } },
      logging,
    }),
  });
  const counted: ActivityCounts[] = [];
  const onActivity = (counts: ActivityCounts) => counted.push(counts);
  const context = { ...contextOf(home.path), onActivity };
  return { counted, context, home };
}

test('a search is counted after it answers, and chunks when they are indexed', async () => {
  const { counted, context, home } = memoryWith({});
  const { backend } = await openMemory(context, { kind: 'agent' });
  await backend.search({ query: 'backup' });
  assert.equal(counted, [{ chunks: 1 }]);
  await backend.search({ query: 'backup' });
  home.write('workspace/memory/a.md', '# A\n\nMore about it.\n');
  await backend.sync({});
  await backend.search({ query: 'while typing', lexicalOnly: true });
  await backend.close();
  const total = (kind: keyof ActivityCounts): number =>
    counted.reduce((sum, counts) => sum + (counts[kind] ?? 0), 0);
  assert.equal([total('searches'), total('chunks')], [2, 2]);
});

test('nothing is counted if logging.activity is off or a folder is searched', async () => {
  const off = memoryWith({ activity: false });
  const agent = await openMemory(off.context, { kind: 'agent' });
  await agent.backend.search({ query: 'backup' });
  await agent.backend.close();
  const on = memoryWith({});
  const folder = await openMemory(on.context, {
    kind: 'workspace',
    dir: on.home.at('workspace'),
  });
  await folder.backend.search({ query: 'backup' });
  await folder.backend.close();
  assert.equal([off.counted, on.counted], [[], []]);
});

test.run();
