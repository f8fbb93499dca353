import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lookUpIndexed } from '../../../../src/engine/memory/get/index.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';
import { openReadyIndex } from '../../../support/vector-index.js';

const test = suite('lines of a document');

test('a name matches in either Unicode form, and of two that look the same, each by its own', async () => {
  const both = 'notes/zürich.md';
  const decomposed = 'notes/größe.md'.normalize('NFD');
  const backend = backendOn(
    targetOf(
      folderOf({
        [decomposed]: 'one',
        [both.normalize('NFC')]: 'composed',
        [both.normalize('NFD')]: 'decomposed',
      }).path,
    ),
  );
  const got = await backend.get({ target: `${decomposed.normalize('NFC')}#L1` });
  assert.equal([got.path, got.text], [decomposed, 'one']);
  assert.is((await backend.get({ target: both.normalize('NFC') })).text, 'composed');
  assert.is((await backend.get({ target: both.normalize('NFD') })).text, 'decomposed');
});

test('a document is found by its path without reading the other documents', async () => {
  const target = targetOf(folderOf({ 'a.md': 'alpha', 'b.md': 'beta' }).path);
  await backendOn(target).sync({});
  const index = openReadyIndex(target.indexFile, 'read');
  const asked: number[] = [];
  const counting = {
    documents: async (paths?: readonly string[]) => {
      const documents = await index.documents(paths);
      asked.push(documents.length);
      return documents;
    },
  };
  const found = await lookUpIndexed(counting, target.sources.memory.workspaceDir, './b.md#L1');
  index.close();
  assert.equal(found?.document.path, 'b.md');
  assert.equal(asked, [1]);
});

test.run();
