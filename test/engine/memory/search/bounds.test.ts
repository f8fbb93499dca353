import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { soughtTerms } from '../../../../src/engine/memory/search/bounds.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('what a search may cost');

/** The words that bring up passages, of those that occur so often in so many passages. */
function sought(query: string, chunks: number, frequencies: readonly number[]): string[] {
  const { terms } = parseQuery(query, 'unicode61');
  const kept = soughtTerms(terms, { chunks, frequencies }, 'unicode61');
  return terms
    .filter((_, at) => kept.has(at))
    .map(({ forms: [form] }) => {
      return form?.stems.join(' ') + (form?.prefix === true ? '*' : '');
    });
}

test('in a memory of ordinary size every word that occurs is looked for, in its order', () => {
  assert.equal(sought('alpha beta* gamma delta', 5000, [5000, 4000, 0, 1]), [
    'alpha',
    'beta*',
    'delta',
  ]);
});

test('in a large one the rarest bring up passages, as far as they can be afforded', () => {
  const often = [100_000, 90_000, 80_000, 300, 20_000];
  assert.equal(sought('alpha beta gamma delta zeta', 100_000, often), ['gamma', 'delta', 'zeta']);
});

test('a beginning costs more than a word, and is left out sooner', () => {
  assert.equal(sought('alpha* beta', 100_000, [40_000, 40_000]), ['alpha*']);
  assert.equal(sought('alpha* beta', 100_000, [40_001, 40_000]), ['beta']);
});

test('the only word is looked for, however common it is', () => {
  assert.equal(sought('alpha', 5_000_000, [5_000_000]), ['alpha']);
  assert.equal(sought('alpha*', 5_000_000, [5_000_000]), ['alpha*']);
});

test('a short beginning is one as long as the memory is small, and a word in a large one', async () => {
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

test('a long quotation is looked for by its first words, of many phrases the first', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
  const notes = folderOf({ 'all.md': `${words.join(' ')}\n`, 'other.md': 'word0 word1\n' });
  const backend = backendOn(targetOf(notes.path));
  assert.equal(pathsOf(await backend.search({ query: `"${words.join(' ')}"` })), ['all.md']);
  const phrases = words.slice(1).map((word, at) => `"${words[at]} ${word}"`);
  for (const minus of ['', 'word0 -']) {
    const many = await backend.search({ query: minus + phrases.join(` ${minus}`) });
    assert.ok(warningCodes(many).includes('QUERY_SHORTENED'), minus);
  }
});

test.run();
