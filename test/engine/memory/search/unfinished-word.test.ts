import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { withUnfinishedWord } from '../../../../src/engine/memory/search/search-index.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';
import { apply, documentOf } from '../../../support/vector-index.js';

const test = suite('a query that is still being typed');

const notes = folderOf({
  'car.md': '# Car\n\nWe bought a car.\n',
  'carpet.md': 'The carpet is blue.\n',
  'cluster.md': 'The kubernetes cluster is in Frankfurt.\n',
  'deploy.md': 'The deployment takes a minute.\n',
});
const backend = backendOn(targetOf(notes.path));

async function ask(query: string, unfinished = true) {
  const response = await backend.search({ query, unfinished, minScore: 0 });
  return { ...response, paths: pathsOf(response) };
}

test('its last word matches what begins with it', async () => {
  for (const query of ['de', 'depl', 'the deploymen', 'carpet depl']) {
    assert.ok((await ask(query)).paths.includes('deploy.md'), query);
  }
  assert.equal((await ask('depl')).corrections, []);
  assert.equal((await ask('the depl')).paths, ['deploy.md']);
});

test('passages with the word itself are first', async () => {
  assert.equal((await ask('car')).paths, ['car.md', 'carpet.md']);
  assert.equal((await ask('car', false)).paths, ['car.md']);
});

test('a word that is finished, by a blank or a quote, is a word', async () => {
  assert.equal((await ask('car ')).paths, ['car.md']);
  assert.equal((await ask('"car"')).paths, ['car.md']);
});

test('a word that nothing begins with is corrected', async () => {
  const { paths, corrections } = await ask('kubernte');
  assert.equal(paths, ['cluster.md']);
  assert.equal(corrections[0]?.instead, ['kubernetes']);
});

test('one letter, an empty query and symbols are no error', async () => {
  for (const query of ['d', '', ' ', '*', '"', '-', 'd-', '日']) await ask(query);
  assert.equal((await ask('d')).paths, []);
});

test('while typing, changed files are not searched for', async () => {
  const home = folderOf({ 'a.md': 'One ibis.\n' });
  const watched = backendOn(targetOf(home.path));
  const request = { query: 'ibis', unfinished: true, minScore: 0 };
  assert.is((await watched.search({ ...request, lexicalOnly: true })).results.length, 1);
  home.write('b.md', 'Another ibis.\n');
  assert.is((await watched.search({ ...request, lexicalOnly: true })).results.length, 1);
  assert.is((await watched.search(request)).results.length, 2);
  home.write('b.md', 'Another ibis, in another place.\n');
  const one = { target: 'b.md' };
  assert.match((await watched.get(one, { checksFiles: false })).text, 'in another place');
  assert.is((await watched.search({ ...request, lexicalOnly: true, query: 'place' })).matches, 0);
});

const SMALL = { tokens: 30, overlap: 0 };

test('typed keys are shown during a search of many passages', async () => {
  const lines = Array.from({ length: 400 }, (_, at) => `## Day ${at}\n\nHeron number ${at}.\n`);
  const many = backendOn(targetOf(folderOf({ 'a.md': lines.join('\n') }).path, SMALL));
  const request = { query: 'heron', unfinished: true, lexicalOnly: true, maxResults: 200 };
  await many.search(request);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await many.search(request);
  clearImmediate(next);
  assert.ok(turns > 15, `${turns} turns`);
});

for (const kind of [sqliteKind, ...(await sharedKinds())]) {
  test(`the last word is a prefix on ${kind.name}`, async () => {
    const index = await kind.newIndex();
    const document = documentOf('a.md', ['the deployment', 'the deploy', 'an invoice']);
    await apply(index, { type: 'put', document });
    const startLines = async (text: string) => {
      const query = parseQuery(text, 'unicode61');
      const reading = { languages: [], chunks: 3 };
      const { terms } = await withUnfinishedWord(index, query, text, reading);
      const match = terms.map((term) => term.match).join(' OR ');
      const found = await index.lexicalCandidates(match, 9, {});
      return found.map(({ startLine }) => startLine).toSorted();
    };
    assert.is((await startLines('depl')).length, 2);
    assert.is((await startLines('invoice depl')).length, 3);
    assert.is((await startLines('x')).length, 0);
    index.close();
    await kind.stop();
  });
}

test.run();
