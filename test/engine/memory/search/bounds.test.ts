import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../src/engine/eval/random.js';
import { openIndex } from '../../../../src/engine/memory/index/index.js';
import { essentialTerms, selectiveTerms } from '../../../../src/engine/memory/search/bounds.js';
import { matchExpression, parseQuery } from '../../../../src/engine/memory/search/query.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('limits on the cost of a search');

/** The words that bring up passages, of those that occur so often in so many passages. */
function selective(query: string, chunks: number, frequencies: readonly number[]): string[] {
  const { terms } = parseQuery(query, 'unicode61');
  const kept = selectiveTerms(terms, { chunks, frequencies }, 'unicode61');
  return terms
    .filter((_, at) => kept.has(at))
    .map(({ forms: [form] }) => {
      return form?.stems.join(' ') + (form?.prefix === true ? '*' : '');
    });
}

test('in a memory of normal size every known word is searched for, in order', () => {
  assert.equal(selective('alpha beta* gamma delta', 5000, [5000, 4000, 0, 1]), [
    'alpha',
    'beta*',
    'delta',
  ]);
});

test('in a large memory the rarest words select passages, within the budget', () => {
  const often = [100_000, 90_000, 80_000, 300, 20_000];
  assert.equal(selective('alpha beta gamma delta zeta', 100_000, often), [
    'gamma',
    'delta',
    'zeta',
  ]);
});

test('a prefix costs more than a word and is dropped sooner', () => {
  assert.equal(selective('alpha* beta', 100_000, [40_000, 40_000]), ['alpha*']);
  assert.equal(selective('alpha* beta', 100_000, [40_001, 40_000]), ['beta']);
});

test('a single word is searched for, however common', () => {
  assert.equal(selective('alpha', 5_000_000, [5_000_000]), ['alpha']);
  assert.equal(selective('alpha*', 5_000_000, [5_000_000]), ['alpha*']);
});

test('a short prefix matches as a prefix in a small memory, and as a word in a large one', async () => {
  const notes = folderOf({ 'go.md': 'We go at noon.\n', 'golf.md': 'Golf is at noon.\n' });
  const target = targetOf(notes.path);
  const backend = backendOn(target);
  assert.equal(pathsOf(await backend.search({ query: 'go*' })).sort(), ['go.md', 'golf.md']);
  const database = rawDatabase(target.indexFile);
  database.prepare("UPDATE meta SET value = '20001' WHERE key = 'chunks'").run();
  database.close();
  const short = await backend.search({ query: 'go*' });
  assert.equal([pathsOf(short), warningCodes(short)], [['go.md'], ['BEGINNING_TOO_SHORT']]);
  const long = await backend.search({ query: 'gol*' });
  assert.equal([pathsOf(long), warningCodes(long)], [['golf.md'], []]);
});

test('a long quotation is searched by its first words; of many phrases, the first are', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
  const notes = folderOf({ 'all.md': `${words.join(' ')}\n`, 'other.md': 'word0 word1\n' });
  const backend = backendOn(targetOf(notes.path));
  for (const [count, codes] of [
    [16, []],
    [17, ['QUERY_SHORTENED']],
    [60, ['QUERY_SHORTENED']],
  ] as const) {
    const quoted = `"${words.slice(0, count).join(' ')}"`;
    const found = await backend.search({ query: quoted });
    assert.equal([pathsOf(found), warningCodes(found)], [['all.md'], codes], quoted);
    const others = await backend.search({ query: `word0 -${quoted}` });
    assert.equal([pathsOf(others), warningCodes(others)], [['other.md'], codes], quoted);
  }
  const phrases = words.slice(1).map((word, at) => `"${words[at]} ${word}"`);
  for (const minus of ['', 'word0 -']) {
    const many = await backend.search({ query: minus + phrases.join(` ${minus}`) });
    assert.ok(warningCodes(many).includes('QUERY_SHORTENED'), minus);
  }
});

test('scoring passages with essential terms first changes no result, tie or filter', async () => {
  const random = seededRandom(3);
  // From words in nearly every passage to words in one.
  const word = (): string => `w${Math.floor(90 * random() ** 2)}`;
  const passage = (at: number): string =>
    `## Part ${at}\n\n${Array.from({ length: 2 + 90 * random() ** 4 }, word).join(' ')}\n`;
  const files = Array.from({ length: 60 }, (_, at) => [
    `${at % 2 === 0 ? 'even' : 'odd'}/${at}.md`,
    Array.from({ length: 9 }, (_, part) => passage(part)).join('\n'),
  ]);
  const target = targetOf(folderOf(Object.fromEntries(files)).path);
  await backendOn(target).sync({});
  const opened = openIndex(target.indexFile, 'read');
  if (opened.state !== 'ready') throw new Error(opened.state);
  const { index } = opened;
  let [enough, tooFew] = [0, 0];
  for (let round = 0; round < 300; round++) {
    const words = Array.from({ length: 2 + 3 * random() }, word);
    const query = parseQuery(`${words.join(' ')}${round % 5 === 0 ? ' -w9' : ''}`, 'unicode61');
    const statistics = await index.termStatistics(query.terms.map((term) => term.match));
    const selective = selectiveTerms(query.terms, statistics, 'unicode61');
    const essential = essentialTerms(query, statistics, selective);
    const match = matchExpression(query);
    if (essential === undefined || match === undefined) continue;
    const filter = round % 3 === 0 ? { path: (path: string) => path.startsWith('odd') } : {};
    const limit = 1 + Math.floor(40 * random());
    const all = await index.lexicalCandidates(match, limit, filter);
    assert.equal(await index.lexicalCandidates(match, limit, filter, essential), all, words.join());
    if ((all[limit - 1]?.bm25 ?? 0) > essential.scoreWithout) enough += 1;
    else tooFew += 1;
  }
  index.close();
  assert.ok(enough > 100 && tooFew > 10, `${enough} and ${tooFew}`);
});

test('words in most passages are not essential, and without rare words none are', () => {
  const essential = (frequencies: readonly number[], text = 'alpha beta gamma') => {
    const query = parseQuery(text, 'unicode61');
    const selective = new Set(query.terms.keys());
    return essentialTerms(query, { chunks: 1000, frequencies }, selective)?.match;
  };
  assert.is(essential([900, 10, 20]), '("beta" OR "gamma")');
  assert.is(essential([900, 10, 800]), '("beta")');
  assert.is(
    essential([900, 10, 20], 'alpha beta gamma -delta'),
    '(("beta" OR "gamma")) NOT ("delta")',
  );
  assert.is(essential([100, 110, 120]), undefined);
  assert.is(essential([900, 10], 'alpha "beta"'), undefined);
});

test.run();
