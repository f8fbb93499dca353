import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  claimKeyOf,
  isClaimKey,
  jaccard,
  lossFraction,
  stemsOf,
} from '../../../../src/engine/dreaming/claims/claim-words.js';
import { conceptTagsOf } from '../../../../src/engine/dreaming/claims/concept-tags.js';

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

test.run();
