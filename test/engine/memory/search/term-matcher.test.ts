import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import {
  createTermMatcher,
  mergeSpans,
} from '../../../../src/engine/memory/search/term-matcher.js';
import { anyText } from '../../../support/markdown.js';
import { ROOT } from '../../../support/run-svc.js';

const test = suite('finding query terms in a text');

function hitsOf(query: string, text: string, tokenizer: 'trigram' | 'unicode61' = 'unicode61') {
  const { terms, required } = parseQuery(query, tokenizer);
  return createTermMatcher([...terms, ...required], tokenizer)(text);
}

const marked = (query: string, text: string): string[] =>
  hitsOf(query, text).hits.map(({ start, end }) => text.slice(start, end));

test('words are found in all their forms and cases, without diacritics', () => {
  assert.equal(marked('backups', 'Backup, BACKUPS; back up'), ['Backup', 'BACKUPS']);
  assert.equal(marked('resume', 'résumé Resume'), ['résumé', 'Resume']);
  assert.equal(marked('happiness', 'happy happen'), ['happy']);
  assert.equal(marked('happy', 'happy happily'), ['happy']);
});

test('words with digits or letters of other alphabets have endings as well', () => {
  assert.equal(marked('1990', 'in the 1990s'), ['1990s']);
  assert.equal(marked('mp3s', 'an MP3'), ['MP3']);
  assert.equal(marked('smør', 'two smørs'), ['smørs']);
});

test('a prefix finds words that start with it, and no others', () => {
  assert.equal(marked('deploy*', 'deployed redeploy deployments deplo'), [
    'deployed',
    'deployments',
  ]);
});

test('a phrase is found where its words are adjacent', () => {
  assert.equal(marked('"nightly backup"', 'nightly backup, backup nightly'), ['nightly backup']);
  const both = marked('"garden shed" "garden gate"', 'the garden gate, and the garden shed');
  assert.equal(both, ['garden gate', 'garden shed'], 'of two that begin alike, either');
});

test('scripts without spaces match where the index matches, also next to other letters', () => {
  assert.equal(marked('한국어', '한국어 문서'), ['한국', '국어']);
  assert.equal(marked('백업', '새벽에 백업은 NAS백업으로'), ['백업', '백업']);
  assert.equal(marked('計画', '2024年の計画'), ['計画']);
  assert.equal(marked('データ', 'このデータは'), ['デー', 'ータ']);
  assert.equal(marked('ＡＰＩ', 'ｌｅｇａｃｙＡＰＩ'), ['ＡＰ', 'ＰＩ']);
});

test('a phrase may contain a name in camel case, or consist of its parts', () => {
  const text = 'Please call getUserName now and then.';
  assert.equal(marked('"call getUserName now"', text), ['call getUserName now']);
  assert.equal(marked('"user name"', text), ['UserName']);
  const path = 'src/getUserName.ts';
  assert.ok(marked(path, `in ${path}`).includes(path));
});

const vocabulary = [
  ...new Set(
    ['typescript', 'zod', 'better-sqlite3']
      .map((name) => readFileSync(join(ROOT, 'node_modules', name, 'README.md'), 'utf8'))
      .flatMap((text) => text.match(/[A-Za-z0-9]+/g) ?? []),
  ),
  ...['running', 'runs', 'skies', 'sky', 'dying', 'relational', 'relate', 'sensibility', 'hopping'],
];

test('the shortcut for plain text has the same result', () => {
  const words = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 });
  const piece = fc
    .tuple(words, fc.constantFrom('', '*', '"'))
    .map(([list, mark]) =>
      mark === '"' ? `"${list.slice(0, 2).join(' ')}"` : `${list.join(' ')}${mark}`,
    );
  const sign = fc.integer({ min: 0x80, max: 0x1_ff_ff }).map((code) => String.fromCodePoint(code));
  const joints = fc.oneof(fc.constantFrom(' ', ', ', '-', '_', '.', '…', ' — ', '\u{1f389}'), sign);
  fc.assert(
    fc.property(piece, words, joints, (query, list, joint) => {
      const text = list.join(joint);
      // A letter beyond ASCII, apart from the rest, makes it go the long way.
      const long = hitsOf(query, `${text} \u0436`);
      assert.equal(hitsOf(query, text).hits, long.hits, `${query} in ${text}`);
    }),
    { numRuns: 2000 },
  );
});

test('for any terms and text, matches are ranges in the text', () => {
  for (const tokenizer of ['unicode61', 'trigram'] as const) {
    fc.assert(
      fc.property(anyText, anyText, (query, text) => {
        let last = 0;
        for (const { start, end } of hitsOf(query, text, tokenizer).hits) {
          assert.ok(start >= last && end > start && end <= text.length);
          last = start;
        }
      }),
      { numRuns: 300 },
    );
  }
});

test('with trigrams, decomposed letters are found where they are', () => {
  for (const word of ['Zürich', 'がぎぐ', '한국어']) {
    const text = `vor ${word} nach`.normalize('NFD');
    const { hits } = hitsOf(word, text, 'trigram');
    const found = hits.map(({ start, end }) => text.slice(start, end));
    assert.equal(found, [word.normalize('NFD')]);
  }
});

test('with trigrams, a letter whose lower case is longer hides nothing', () => {
  const text = '\u0130stanbul and istanbul';
  const { hits } = hitsOf('istanbul', text, 'trigram');
  assert.equal(
    hits.map(({ start, end }) => text.slice(start, end)),
    ['\u0130stanbul', 'istanbul'],
  );
});

test('a blank line has no words, however short those of the query are', () => {
  for (const text of ['', '---']) assert.is(hitsOf('on May 2', text).hasWords, false);
});

test('overlapping matches are merged', () => {
  const spans = [
    { start: 5, end: 7 },
    { start: 0, end: 3 },
    { start: 2, end: 4 },
    { start: 7, end: 9 },
  ];
  assert.equal(mergeSpans(spans), [
    { start: 0, end: 4 },
    { start: 5, end: 9 },
  ]);
});

test.run();
