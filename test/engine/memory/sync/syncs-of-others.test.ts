import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resetIndex } from '../../../../src/engine/memory/home/build-file.js';
import { contentOf } from '../../../support/index-content.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { openFiles } from '../../../support/processes.js';
import { folderOf } from '../../../support/temp-folder.js';

/** A backend that syncs often, next to others that use the same index. */
const test = suite('syncs by other processes');

function setUp() {
  const folder = folderOf({ 'a.md': 'Amber.\n', 'b.md': 'Basil.\n' });
  const target = targetOf(folder.path);
  return { folder, target, kept: backendOn(target) };
}

const clock = { now: Date.now };

test('between syncs others can write, reset, rebuild and search the index', async () => {
  const { folder, target, kept } = setUp();
  await kept.sync({});
  const other = backendOn(target);
  folder.write('c.md', 'Cedar.\n');
  assert.is((await other.sync({})).added, 1);
  assert.is((await kept.sync({})).outcome, 'unchanged');
  assert.equal((await kept.search({ query: 'cedar' })).results.length, 1);
  // In place, with another identity: what it has open is of the old one.
  const trigram = backendOn({ ...target, settings: { ...target.settings, tokenizer: 'trigram' } });
  assert.is((await trigram.sync({})).rebuild?.reason, 'settings');
  assert.is((await kept.sync({})).rebuild?.reason, 'settings');
  await resetIndex(target.indexFile, clock);
  folder.write('d.md', 'Delta.\n');
  const rebuilt = await kept.sync({});
  assert.equal([rebuilt.rebuild?.reason, rebuilt.added], ['first', 4]);
  assert.equal((await kept.search({ query: 'delta' })).results.length, 1);
  assert.equal((await contentOf(target.indexFile)).documents.length, 4);
  for (const backend of [kept, other, trigram]) await backend.close();
});

if (process.platform === 'linux') {
  test('a hundred syncs hold no more open files than one, and closing lets go of all', async () => {
    const { folder, target, kept } = setUp();
    await kept.sync({});
    await kept.search({ query: 'amber' });
    // SQLite keeps the file of a closed connection open for the next one while another connection reads.
    folder.write('a.md', 'Amber again.\n');
    await kept.sync({ force: true });
    const handles = openFiles(target.indexFile);
    assert.ok(handles > 0);
    for (let n = 0; n < 100; n++) {
      folder.write('a.md', `Amber ${n}.\n`);
      await kept.sync({ force: n % 25 === 24 });
    }
    await kept.search({ query: 'amber' });
    assert.is(openFiles(target.indexFile), handles);
    await kept.close();
    assert.is(openFiles(target.indexFile), 0);
  });
}

test('the index folder is deleted during a sync', async () => {
  const { folder, target, kept } = setUp();
  await kept.sync({});
  rmSync(dirname(target.indexFile), { recursive: true });
  folder.write('e.md', 'Ember.\n');
  assert.is((await kept.sync({})).rebuild?.reason, 'first');
  assert.equal((await contentOf(target.indexFile)).documents.length, 3);
  await kept.close();
});

test.run();
