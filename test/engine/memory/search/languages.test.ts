import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languageOf } from '../../../../src/engine/memory/index/indexed-texts.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('languages and names');

const GERMAN = 'Die Stromrechnung kommt im März. Das Haus ist alt, und die Straße ist neu.\n';
const RUSSIAN = 'Резервное копирование запускается ночью. Копии хранятся на втором диске.\n';
const ENGLISH = 'The matter with the bill is settled, and the server is in the house.\n';

test('a language is detected by its stop words', () => {
  assert.is(languageOf(GERMAN)?.code, 'de');
  assert.is(languageOf(RUSSIAN)?.code, 'ru');
  assert.is(
    languageOf('Le serveur est dans la cave, et les sauvegardes sont faites la nuit.')?.code,
    'fr',
  );
  for (const text of [
    ENGLISH,
    '',
    'const x = 1;',
    '日本語のメモ',
    'Резервна копія зберігається на диску',
    'Berlin Paris Oslo',
  ]) {
    assert.is(languageOf(text), undefined, text);
  }
});

const notes = folderOf({
  'strom.md': GERMAN,
  'kopien.md': RUSSIAN,
  'bill.md': ENGLISH,
  'code.md': 'The method getUserName calls HTTPServer and `parseBody`, since v2.3.1.\n',
  'prose.md': 'A user has a name. We get it from a form, in version 2, 3 and 1.\n',
});
const backend = backendOn(targetOf(notes.path));

async function ask(query: string) {
  const response = await backend.search({ query, minScore: 0 });
  const { snippet, highlights } = response.results[0] ?? { snippet: '', highlights: [] };
  const marked = highlights.map(({ start, end }) => snippet.slice(start, end));
  return { ...response, paths: pathsOf(response), marked };
}

test('words are found in the forms of the language of the file', async () => {
  for (const [query, path, word] of [
    ['Häuser', 'strom.md', 'Haus'],
    ['Strassen', 'strom.md', 'Straße'],
    ['Stromrechnungen', 'strom.md', 'Stromrechnung'],
    ['копия дисков', 'kopien.md', 'Копии'],
    ['резервную', 'kopien.md', 'Резервное'],
    ['servers', 'bill.md', 'server'],
  ] as const) {
    const { paths, marked, corrections } = await ask(query);
    assert.is(paths[0], path, query);
    assert.is(marked[0], word, query);
    assert.equal(corrections, [], query);
  }
});

test('stop words are those of the language of the query', async () => {
  assert.equal((await ask('Wo ist das Haus?')).marked, ['Haus']);
  assert.equal((await ask('Wo ist das?')).paths[0], 'strom.md');
});

test('a single word is a stop word only if it is one in English', async () => {
  const { path } = folderOf({
    'de.md': GERMAN,
    'history.md': 'The war ended in 1945.\n',
  });
  const backend = backendOn(targetOf(path));
  assert.equal(pathsOf(await backend.search({ query: 'war' })), ['history.md']);
  assert.equal(pathsOf(await backend.search({ query: 'the' })), []);
});

test('names and words without spaces count next to French files', async () => {
  const { path } = folderOf({
    'fr.md': 'Le serveur est dans la cave, et les sauvegardes sont faites la nuit.\n',
    'ja.md': '牛乳を買う。\n',
    'code.md': 'The token rotates since v2.3.1.\n',
  });
  const backend = backendOn(targetOf(path));
  assert.equal(pathsOf(await backend.search({ query: '牛乳' })), ['ja.md']);
  assert.equal(pathsOf(await backend.search({ query: 'v2.3.1' })), ['code.md']);
});

test('words are shown as they are written, with accents', async () => {
  const text = 'Die Wäschetrockner sind laut, und der Händler ist weit.\n';
  const backend = backendOn(targetOf(folderOf({ 'a.md': text }).path));
  const insteadOf = async (query: string) => (await backend.search({ query })).corrections[0];
  assert.equal((await insteadOf('Trockner'))?.instead, ['wäschetrockner']);
  assert.equal((await insteadOf('Haendler'))?.instead, ['händler']);
});

test('a word finds the compounds that end with it', async () => {
  const { paths, marked, corrections } = await ask('Rechnungen');
  assert.equal(paths, ['strom.md']);
  assert.equal(marked, ['Stromrechnung']);
  assert.equal(corrections, [{ word: 'Rechnungen', instead: ['stromrechnung'], kind: 'compound' }]);
});

test('a name is found by its parts, and ranks first as a whole', async () => {
  assert.equal((await ask('getUserName')).paths[0], 'code.md');
  assert.equal((await ask('get_user_name')).paths[0], 'code.md');
  assert.equal((await ask('http server')).paths[0], 'code.md');
  const { paths, marked } = await ask('body');
  assert.equal([paths, marked], [['code.md'], ['Body']]);
  assert.equal((await ask('v2.3.1')).paths[0], 'code.md');
  assert.equal((await ask('2.3.1')).marked, ['v2.3.1']);
});

test('a file in another language is not preferred because its words are rare', async () => {
  const others = Array.from({ length: 30 }, (_, n) => [
    `e${n}.md`,
    'The docker container uses a bridge. The server was restarted and it is fine.\n',
  ]);
  const mixed = folderOf({
    ...Object.fromEntries(others),
    'best.md': 'The docker network is a bridge: how the container talks to the server.\n',
    'de.md': 'Der Docker läuft auf dem Server, und das ist die Notiz mit dem Drucker.\n',
  });
  const query = 'how does the docker network talk to the server';
  const response = await backendOn(targetOf(mixed.path)).search({ query });
  assert.is(response.results[0]?.path, 'best.md');
});

test('what is indexed of a file in another language is removed with it', async () => {
  const folder = tempFolder();
  const changing = backendOn(targetOf(folder.path));
  const search = async (query: string) => pathsOf(await changing.search({ query, minScore: 0 }));
  folder.write('a.md', GERMAN);
  assert.equal(await search('Rechnung'), ['a.md']);
  folder.write('a.md', 'The method getUserName is gone by now, and so is the rest.\n');
  assert.equal(await search('Rechnung'), []);
  assert.equal(await search('user'), ['a.md']);
  folder.write('a.md', 'Nothing is left of it.\n');
  assert.equal(await search('user'), []);
});

test.run();
