import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstChars, folded, lastChars, suggestName } from '../../../src/engine/support/text.js';
import { codePoint } from '../../support/code-point.js';
import { isWellFormed } from '../../support/markdown.js';

const test = suite('texts');

test('the ends of a text have whole characters, at most one UTF-16 unit less than requested', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.nat(30), (text, most) => {
      const [first, last] = [firstChars(text, most), lastChars(text, most)];
      assert.ok(text.startsWith(first) && text.endsWith(last));
      const length = Math.min(most, text.length);
      for (const cut of [first, last]) {
        assert.ok(isWellFormed(cut));
        assert.ok(cut.length <= length && cut.length >= length - 1);
      }
    }),
  );
  assert.equal([firstChars('a🎉b', 2), firstChars('a🎉b', 3)], ['a', 'a🎉']);
  assert.equal([lastChars('a🎉b', 2), lastChars('a🎉b', 3), lastChars('a', 3)], ['b', '🎉b', 'a']);
});

test('case and the form of accents do not matter in comparisons', () => {
  assert.is(folded('CRE\u0300ME'), 'cr\u00e8me');
});

test('a name is suggested if at most a third of its letters differ, two in a short one', () => {
  const known = ['status', 'rm', 'notifications'];
  const suggested = (typed: string): string | undefined => suggestName(typed, known);
  assert.is(suggested('STATSU'), 'status');
  assert.is(suggested('stxxus'), 'status');
  assert.is(suggested('stxxxs'), undefined);
  assert.is(suggested('mr'), undefined);
  assert.is(suggested('rx'), 'rm');
  assert.is(suggested('notixxxxtions'), 'notifications');
  assert.is(suggested('notixxxxxions'), undefined);
  assert.is(suggestName('status', []), undefined);
});

test.run();
