import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../../../../../support/temp-folder.js';
import {
  apply,
  embedMissing,
  emptyIndexFile,
  openReadyIndex,
  putChange,
  removeChange,
  textVector,
} from '../../../../../support/vector-index.js';

const test = suite('vectors of a rebuilt index');

const KEEP_ALL = { keepIdentities: ['m'], cacheEntries: 1000, atMs: 5 };
const KEEP_USED = { keepIdentities: ['m'], cacheEntries: 0, atMs: 5 };

test('a rebuild takes vectors and jobs over, from a file that has them', async () => {
  const old = emptyIndexFile();
  const before = openReadyIndex(old);
  await apply(before, putChange('a.md', 'one', 'two'), putChange('b.md', 'three'));
  await embedMissing(before, 'm', textVector);
  await apply(before, removeChange('b.md'));
  await before.tidyEmbeddings(KEEP_ALL);
  await before.saveBatchJob({ id: 'b', identity: 'm', json: '{}', createdMs: 1 });
  const index = openReadyIndex(emptyIndexFile());
  index.copyEmbeddings(old);
  before.close();
  await apply(index, putChange('a.md', 'two', 'three', 'four'));
  assert.equal(
    (await index.missingEmbeddings('m', 0, 10)).map(({ text }) => text),
    ['four'],
  );
  await index.tidyEmbeddings(KEEP_USED);
  assert.equal(await index.vectorSpaces(), [
    { identity: 'm', dimensions: 24, chunks: 2, cached: 0, refused: 0 },
  ]);
  assert.is((await index.batchJobs('m')).length, 1);
  assert.is((await index.vectorCandidates('m', textVector('three'), 9)).length, 2);
  index.close();
});

test('a rebuild goes on without what cannot be copied', async () => {
  const folder = tempFolder();
  const index = openReadyIndex(emptyIndexFile());
  for (const content of ['', 'no database', 'SQLite format 3\0'.repeat(400)]) {
    writeFileSync(folder.at('old.sqlite'), content);
    index.copyEmbeddings(folder.at('old.sqlite'));
  }
  index.copyEmbeddings(folder.at('none.sqlite'));
  assert.equal(await index.vectorSpaces(), []);
  index.close();
});

test.run();
