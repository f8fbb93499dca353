import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';

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

test.run();
