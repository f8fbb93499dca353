import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { correctQuery } from '../../../../src/engine/memory/search/corrections.js';
import { editDistance, editsOf } from '../../../../src/engine/memory/search/edit-distance.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';
import { openReadyIndex } from '../../../support/vector-index.js';

const test = suite('words that the index does not have');

const notes = folderOf({
  'cluster.md':
    '# Cluster\n\nThe kubernetes cluster is in Frankfurt. Its Deployment takes a minute.\n',
  'hotel.md': 'We booked the accommodation for the retreat, with a date in May.\n',
  'money.md': 'The invoice was paid. The water bottle is blue.\n',
  'form.md': 'The form for the visa.\n',
  'farm.md': 'The farm of my aunt.\n',
  'router.md': 'Press the button to reset the Wi-Fi. My wife knows where.\n',
  'pager.md': 'Who is on-call? Set up the pager, then cut over.\n',
  'turkish.md': "Çalışanlar İstanbul'da.\n",
});
const target = targetOf(notes.path);
const backend = backendOn(target);

async function ask(query: string, exact = false) {
  const response = await backend.search({ query, exact, minScore: 0 });
  return { ...response, paths: pathsOf(response) };
}

test('a misspelt word finds the nearest one, and the answer says so', async () => {
  const typed = ['kuberntes', 'kubernetess', 'kubernetse', 'kubermetes', 'ukbernetes', 'Kuberntes'];
  for (const word of typed) {
    const { paths, corrections } = await ask(word);
    assert.equal(paths, ['cluster.md'], word);
    assert.equal(corrections, [{ word, instead: ['kubernetes'], kind: 'spelling' }]);
  }
});

test('the words are compared, not their stems', async () => {
  const { paths, corrections, results } = await ask('deploymnet');
  assert.equal(paths, ['cluster.md']);
  assert.equal(corrections[0]?.instead, ['deployment']);
  const [{ snippet, highlights } = { snippet: '', highlights: [] }] = results;
  assert.equal(
    highlights.map(({ start, end }) => snippet.slice(start, end)),
    ['Deployment'],
  );
});

test('two edits are a misspelling only of a long word', async () => {
  assert.equal((await ask('acommodatoin')).paths, ['hotel.md']);
  assert.equal((await ask('invocie')).paths, ['money.md']);
  assert.equal((await ask('invcie')).paths, []);
});

test('all words that may be meant are compared with one question to the index', async () => {
  await ask('form');
  const index = openReadyIndex(target.indexFile, 'read');
  const asked: number[] = [];
  const counting = {
    ...index,
    someTexts: async (matches: readonly string[], limit: number) => {
      asked.push(matches.length);
      return index.someTexts(matches, limit);
    },
  };
  const query = parseQuery('fprm visa', 'unicode61', { languages: [] });
  const options = { languages: [], dates: undefined, signal: undefined };
  const { corrections } = await correctQuery(
    counting,
    query,
    { chunks: 8, frequencies: [0, 1] },
    options,
  );
  index.close();
  assert.equal(corrections[0]?.instead, ['form']);
  // Each with the others of the query and without, then the word as it is written.
  assert.equal(asked, [4, 1]);
});

test('a word next to the others of the query is preferred', async () => {
  assert.equal((await ask('fprm visa')).corrections[0]?.instead, ['form']);
  assert.equal((await ask('fprm aunt')).corrections[0]?.instead, ['farm']);
});

test('a word is found by its parts, or by its beginning', async () => {
  const composed = await ask('waterbottle');
  assert.equal(composed.paths, ['money.md']);
  assert.equal(composed.corrections, [
    { word: 'waterbottle', instead: ['water', 'bottle'], kind: 'compound' },
  ]);
  const begun = await ask('accommo');
  assert.equal(begun.paths, ['hotel.md']);
  assert.equal(begun.corrections, [{ word: 'accommo', instead: ['accommo*'], kind: 'prefix' }]);
});

test('a word is found where it is written as two short ones next to each other', async () => {
  for (const [word, instead, path] of [
    ['oncall', 'on call', 'pager.md'],
    ['setup', 'set up', 'pager.md'],
    ['cutover', 'cut over', 'pager.md'],
    ['wifi', 'wi fi', 'router.md'],
  ] as const) {
    const { paths, corrections } = await ask(word);
    assert.equal(paths, [path], word);
    assert.equal(corrections, [{ word, instead: [instead], kind: 'compound' }]);
  }
  // Not next to each other, and only of stop words.
  assert.equal((await ask('pagerwho')).paths, []);
  assert.equal((await ask('whois')).paths, []);
});

test('everyday words are no misspellings of others', async () => {
  const { path } = folderOf({
    'a.md': 'May is near. Lena saw a tale of a mill, and cave bears.\n',
  });
  const own = backendOn(targetOf(path));
  for (const query of ['many', 'lend', 'take', 'gave']) {
    assert.equal((await own.search({ query })).corrections, [], query);
  }
  assert.equal((await own.search({ query: 'lean' })).corrections[0]?.instead, ['lena']);
});

test('replacements are shown as they are written', async () => {
  assert.equal((await ask('çalışan')).corrections[0]?.instead, ['çalışan*']);
  assert.equal((await ask('instanbul')).corrections[0]?.instead, ['istanbul']);
});

test('words that the index has, numbers and very short words stay as typed', async () => {
  for (const query of ['invoice', 'e4012', 'lnk', '-kuberntes invoice']) {
    assert.equal((await ask(query)).corrections, [], query);
  }
  // Not "date", which is far more likely to be another word.
  assert.equal((await ask('mate')).corrections, []);
});

test('the words of a phrase that does not occur are corrected too', async () => {
  const { paths, corrections } = await ask('"kuberntes clutser"');
  assert.equal(paths, ['cluster.md']);
  assert.equal(
    corrections.flatMap(({ instead }) => instead),
    ['kubernetes', 'cluster'],
  );
});

test('an exact search replaces nothing', async () => {
  const { paths, corrections } = await ask('kuberntes', true);
  assert.equal([paths, corrections], [[], []]);
});

test('edits are counted, two swapped letters as one', () => {
  for (const [a, b, distance] of [
    ['form', 'from', 1],
    ['form', 'form', 0],
    ['kitten', 'sitting', 3],
    ['', 'ab', 2],
  ] as const) {
    assert.is(editDistance(a, b), distance, `${a} ${b}`);
  }
  assert.is(editDistance('deploymnet', 'deploy', { ofPrefix: true }), 0);
  assert.is(editDistance('kitten', 'sitting', { most: 1 }), 2);
  for (const edit of editsOf('form')) assert.is(editDistance('form', edit), 1, edit);
});

test.run();
