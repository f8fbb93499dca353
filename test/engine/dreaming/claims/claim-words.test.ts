import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  claimKeyOf,
  isClaimKey,
  jaccard,
  lossFraction,
  stemsOf,
} from '../../../../src/engine/dreaming/claims/claim-words.js';
import { conceptTagsOf } from '../../../../src/engine/dreaming/scoring/recall-entry.js';
import { countWords, foldedWordsOf, wordsOf } from '../../../../src/engine/memory/search/words.js';

test('a claim keeps its key whatever its case, marks and spaces', () => {
  const key = claimKeyOf('The **backup** runs at 02:30.');
  assert.is(claimKeyOf('the backup  runs at 02:30'), key);
  assert.is.not(claimKeyOf('The backup runs at 03:30.'), key);
  assert.ok(isClaimKey(key));
  assert.not(isClaimKey('backup'));
});

test('likeness counts shared words; stop words and endings do not matter', () => {
  const a = stemsOf('The backups run nightly');
  assert.is(jaccard(a, stemsOf('A backup runs nightly')), 1);
  assert.is(jaccard(a, stemsOf('Tea is hot')), 0);
  assert.is(lossFraction(a, stemsOf('backups run')), 1 - 2 / 3);
  assert.is(lossFraction(new Set(), a), 0);
});

test('concepts are names first, then words, in lower case, at most eight, without stop words', () => {
  assert.equal(conceptTagsOf('The deploy-key of GitHub lies in infra/keys.yml'), [
    'deploy-key',
    'infra/keys.yml',
    'github',
    'lies',
  ]);
  assert.is(conceptTagsOf('one two three four five six seven eight nine ten'.repeat(2)).length, 8);
  assert.ok(conceptTagsOf('毎晩のバックアップは二時半に始まる').length > 0);
  assert.equal(conceptTagsOf('a b 12 345'), []);
});

test('words are folded and counted as a search folds them, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
      const words = wordsOf(text).map(({ folded }) => folded);
      assert.equal(foldedWordsOf(text), words);
      assert.is(countWords(text), words.length);
    }),
  );
  assert.equal(foldedWordsOf('Über naïve Café 02:30'), ['uber', 'naive', 'cafe', '02', '30']);
});

test('concepts are whole words and compound names, in scripts with and without spaces', () => {
  assert.equal(conceptTagsOf('Restart the api-gateway when Zoë deploys'), [
    'api-gateway',
    'restart',
    'zoe',
    'deploys',
  ]);
  assert.equal(conceptTagsOf('Кайф работает'), ['кайф', 'работает']);
  assert.equal(conceptTagsOf('サーバー'), ['サーバー']);
  // A syllable is one character, whatever it consists of.
  assert.equal(conceptTagsOf('한국어 집'), ['한국어']);
  assert.ok(conceptTagsOf('会議は東京の事務所です').includes('東京'));
  assert.ok(conceptTagsOf('สวัสดีชาวโลก').length > 1);
});

test.run();
