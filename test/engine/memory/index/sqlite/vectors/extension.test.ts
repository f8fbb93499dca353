import { writeFileSync } from 'node:fs';
import { getLoadablePath } from 'sqlite-vec';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CandidateFilter } from '../../../../../../src/engine/memory/index/candidates.js';
import type { VectorSettings } from '../../../../../../src/engine/memory/index/sqlite/vectors/extension.js';
import { tempFolder } from '../../../../../support/temp-folder.js';
import {
  apply,
  embedMissing,
  emptyIndexFile,
  openReadyIndex,
  putChange,
  textVector,
} from '../../../../../support/vector-index.js';

const test = suite('the vector extension');

const OFF = { enabled: false };
const ON = { enabled: true };

test('loads from its package, or from a path, with or without its file extension', async () => {
  const file = emptyIndexFile();
  const path = getLoadablePath();
  const settings = [ON, { enabled: true, extensionPath: path.replace(/\.\w+$/, '') }];
  for (const setting of settings) {
    const index = openReadyIndex(file, 'read', setting);
    const extension = await index.vectorExtension();
    assert.ok(extension.loaded);
    assert.match(extension.version, /^\d+\.\d+\.\d+$/);
    assert.is(extension.path, setting === ON ? path : path.replace(/\.\w+$/, ''));
    assert.is(await index.vectorExtension(), extension);
    index.close();
  }
});

test('reports why it is unavailable and leaves the index usable', async () => {
  const file = emptyIndexFile();
  const folder = tempFolder();
  writeFileSync(folder.at('text.so'), 'no library');
  const cases: readonly (readonly [VectorSettings, RegExp])[] = [
    [OFF, /store\.vector\.enabled is false/],
    [{ enabled: true, extensionPath: folder.at('none') }, /none/],
    [{ enabled: true, extensionPath: folder.at('text.so') }, /text\.so/],
    [{ enabled: true, extensionPath: folder.at('missing.so') }, /missing\.so(?!\.)/],
  ];
  for (const [setting, why] of cases) {
    const index = openReadyIndex(file, 'write', setting);
    const extension = await index.vectorExtension();
    assert.match(extension.loaded ? '' : extension.why, why);
    await apply(index, putChange('a.md', 'one'));
    await embedMissing(index, 'm', textVector);
    assert.is((await index.vectorCandidates('m', textVector('one'), 3)).length, 1);
    index.close();
  }
});

test('answers are the same to the last bit with it and without', async () => {
  const file = emptyIndexFile();
  const index = openReadyIndex(file);
  for (let block = 0; block < 12; block++) {
    const texts = Array.from({ length: 150 }, (_, at) => `${block} ${at}`);
    await apply(index, putChange(`${block}.md`, ...texts));
  }
  // Some in pages and some not; one space is left, and then has no codes at all.
  await embedMissing(index, 'left', (text) => textVector(text, 9));
  await index.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 5000, atMs: 1 });
  // Every third vector is one of two, so that there are ties.
  await embedMissing(index, 'm', (text) => textVector(/[036]$/.test(text) ? 'tie' : text));
  const lines = Array.from({ length: 900 }, (_, at) => `late ${at}`);
  await apply(index, putChange('late.md', ...lines));
  await embedMissing(index, 'm', textVector);
  index.close();
  const half: CandidateFilter = { path: (path) => Number.parseInt(path, 10) % 2 === 0 };
  const answers = async (setting: VectorSettings): Promise<unknown> => {
    const read = openReadyIndex(file, 'read', setting);
    const found: unknown[] = [(await read.vectorExtension()).loaded === setting.enabled];
    for (const question of ['one', 'tie', 'three']) {
      const query = textVector(question);
      found.push(await read.vectorCandidates('m', query, 25));
      found.push(await read.vectorCandidates('m', query, 25, half));
      found.push(await read.vectorCandidates('left', textVector(question, 9), 25));
    }
    read.close();
    return found;
  };
  const without = await answers(OFF);
  assert.equal(await answers(ON), without);
});

test.run();
