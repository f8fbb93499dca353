import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cutAtTokens,
  estimateTokens,
  piecesWithin,
  withoutFiles,
} from '../../../../src/engine/memory/chunking/tokens.js';
import { codePoint } from '../../../support/code-point.js';
import { isWellFormed } from '../../../support/markdown.js';

const test = suite('estimated tokens');

test('estimates of each script are roughly what models charge', () => {
  assert.is(estimateTokens('four letters'), 3);
  assert.is(estimateTokens('記憶検索'), 4);
  assert.is(estimateTokens('한국어'), 3);
  assert.is(estimateTokens('🎉🎉'), 4);
  assert.is(estimateTokens('привет'), 3);
  assert.is(estimateTokens(''), 0);
});

test('the cost of a text is that of its parts', () => {
  const text = fc.string({ unit: codePoint });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const difference = estimateTokens(a + b) - estimateTokens(a) - estimateTokens(b);
      assert.ok(Math.abs(difference) < 1e-6);
    }),
  );
});

test('each cut makes progress and keeps to the budget and to whole characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, maxLength: 300 }),
      fc.integer({ min: 2, max: 40 }),
      (text, tokens) => {
        let start = 0;
        let joined = '';
        while (start < text.length) {
          const end = cutAtTokens(text, start, tokens);
          const piece = text.slice(start, end);
          assert.ok(end > start && end <= text.length);
          // The space that a cut falls on still belongs to it.
          assert.ok(estimateTokens(piece) <= tokens + 0.25);
          assert.ok(isWellFormed(piece));
          joined += piece;
          start = end;
        }
        assert.is(joined, text);
      },
    ),
  );
});

test('a cut prefers a space near the end', () => {
  assert.is(cutAtTokens('one two three four', 0, 3), 'one two '.length);
  assert.is(cutAtTokens('abcdefghijklmnop', 0, 2), 8);
});

test('the pieces of a text leave out only embedded files', () => {
  const image = `data:image/png;base64,${'iVBORw0KGgo+/'.repeat(100)}==`;
  const text = `![the harbour](${image}) and ![](${image}) end`;
  assert.equal([...piecesWithin(text, 100)], ['![the harbour](', ' and ![](', ' end']);
  assert.equal([...piecesWithin(image, 100)], []);
  const photo = `data:image/png;base64,${'A'.repeat(20_000_000)}`;
  assert.equal([...piecesWithin(`${photo}) and ${photo}`, 100)], [' and ']);
  assert.is(withoutFiles(`![](${photo}) and`), '![](data:image/png;base64,…) and');
  const icon = 'see data:image/png;base64,iVBORw0KGgo=';
  assert.equal([...piecesWithin(icon, 100)], [icon]);
  assert.is([...piecesWithin('data:a/b;base64,'.repeat(5000), 100)].join('').length, 80_000);
});

test.run();
