import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKeyFilter } from '../../../src/ui/screens/keys.js';
import { KEYS } from '../../support/terminal.js';

const test = suite('keys that a terminal sends');

const ESC = '\u001B';

test('keys go through, however they are cut', () => {
  const modified = [
    `${ESC}[1;5C`,
    `${ESC}[3;2~`,
    `${ESC}[Z`,
    `${ESC}OA`,
    `${ESC}${ESC}[A`,
    `${ESC}b`,
  ];
  for (const key of [...Object.values(KEYS), ...modified, 'jjj', 'ü🚗']) {
    for (let cut = 0; cut < key.length; cut++) {
      const filter = createKeyFilter();
      assert.is(filter(key.slice(0, cut)) + filter(key.slice(cut)) + filter('x'), `${key}x`);
    }
  }
});

test('colours and reports of the terminal are taken out, however they are cut', () => {
  const pasted = `a${ESC}[31mb${ESC}[0mc${ESC}[38;5;12md${ESC}[12;40Re${ESC}[1;5Pf${ESC}[99;5~g`;
  for (let cut = 0; cut < pasted.length; cut++) {
    const filter = createKeyFilter();
    const seen = filter(pasted.slice(0, cut)) + filter(pasted.slice(cut));
    // Where the cut is behind it, Esc has gone out as a key already.
    assert.is(seen.replace(ESC, ''), 'abcdefg');
  }
});

test('nothing else is lost or held back for ever', () => {
  const noEscapes = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(ESC, ''));
  fc.assert(
    fc.property(fc.array(noEscapes), (chunks) => {
      assert.is(chunks.map(createKeyFilter()).join(''), chunks.join(''));
    }),
  );
  const filter = createKeyFilter();
  filter(`${ESC}[${'1'.repeat(100_000)}`);
  assert.is(filter('q'), 'q');
});

test.run();
