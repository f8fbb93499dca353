import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { type Budget, withinBudget } from '../../../../src/engine/dreaming/promotion/budget.js';
import {
  editMemory,
  handWritten,
  type MemoryEdit,
  promotedEntries,
  undoEdits,
} from '../../../../src/engine/dreaming/promotion/memory-file.js';

const DAY = '2026-11-20';

function add(text: string, score = 0.9): MemoryEdit {
  const entry = {
    key: claimKeyOf(text),
    sweepId: '20261120T030000',
    path: 'memory/2026-11-18.md',
    lines: { startLine: 1, endLine: 1 },
    score,
    recalls: 4,
  };
  return { kind: 'add', entry, text };
}

const budgetOf = (maxChars: number, own = /./u): Budget => ({
  maxChars,
  day: DAY,
  mayRetire: ({ text }) => own.test(text),
  strengthOf: ({ score }) => score,
});

const textsOf = (text: string): string[] => promotedEntries(text).map((entry) => entry.text);

const HAND = '# Mine\n\nBy hand.\n';
const { text: FILE } = editMemory(
  HAND,
  [add('Backups run at 02:30.', 0.8), add('Tea is green.', 0.5), add('Mira owns billing.', 0.7)],
  DAY,
);

test('the weakest entries make room for a new one', () => {
  const { edits, refused } = withinBudget(
    FILE,
    [add('Ana likes cats.')],
    budgetOf(FILE.length + 20),
  );
  const { text, retired } = editMemory(FILE, edits, DAY);
  assert.equal(textsOf(text), ['Backups run at 02:30.', 'Mira owns billing.', 'Ana likes cats.']);
  assert.equal(
    retired.map(({ entry, because }) => [entry.text, because.why]),
    [['Tea is green.', 'space']],
  );
  assert.is(refused.size, 0);
});

test('an entry that may not be retired stays, however weak it is', () => {
  const { edits } = withinBudget(FILE, [add('Ana likes cats.')], budgetOf(FILE.length, /Backups/u));
  const { text } = editMemory(FILE, edits, DAY);
  assert.equal(textsOf(text), ['Tea is green.', 'Mira owns billing.', 'Ana likes cats.']);
});

test('lines by hand that are over the budget alone: nothing is retired, nothing is added', () => {
  const { edits, refused } = withinBudget(FILE, [add('Ana likes cats.')], budgetOf(HAND.length));
  assert.equal(edits, []);
  assert.ok(refused.has(claimKeyOf('Ana likes cats.')));
});

test('no room is made for what does not fit anyway', () => {
  const long = `Ana likes cats${' and dogs'.repeat(100)}.`;
  const { edits, refused } = withinBudget(FILE, [add(long)], budgetOf(FILE.length));
  assert.equal(edits, []);
  assert.is(refused.size, 1);
});

test('a change of many entries does not read all of them for each', () => {
  const count = 200;
  const entries = Array.from({ length: count }, (_, at) => add(`Room ${at} has ${at} lamps.`));
  const { text } = editMemory(HAND, entries, DAY);
  const decode = globalThis.decodeURIComponent;
  let read = 0;
  globalThis.decodeURIComponent = (path) => {
    read += 1;
    return decode(path);
  };
  try {
    const added = [add('Tea is green.'), add('Ana likes cats.')];
    const { edits } = withinBudget(text, added, budgetOf(HAND.length + 2000));
    assert.ok(editMemory(text, edits, DAY).retired.length > count / 2);
  } finally {
    globalThis.decodeURIComponent = decode;
  }
  assert.ok(read < 10 * count, `${read}`);
});

test('the heading of a day goes with its last entry, and comes back with it', () => {
  const one = editMemory(HAND, [add('Tea is green.')], DAY);
  const prior = claimKeyOf('Tea is green.');
  const edit: MemoryEdit = { kind: 'retire', prior, because: { why: 'space' } };
  const { text, operations } = editMemory(one.text, [edit], DAY);
  assert.is(text.trimEnd(), HAND.trimEnd());
  assert.is(undoEdits(text, operations).text, one.text);
  // An undo that was killed before it was recorded runs again.
  assert.is(undoEdits(one.text, operations).text, one.text);
  const edited = `${one.text}\nA person wrote below it.\n`;
  assert.match(editMemory(edited, [edit], DAY).text, /## Promoted[\s\S]*A person wrote below it/u);
});

const claims = fc.uniqueArray(
  fc.tuple(
    fc.stringMatching(/^[a-z]{3,12}( [a-z]{3,12}){1,6}$/u),
    fc.double({ min: 0, max: 1, noNaN: true }),
  ),
  { maxLength: 12, selector: ([text]) => claimKeyOf(text) },
);

test('whatever is promoted, the file fits, and every line by hand stays', () => {
  fc.assert(
    fc.property(claims, fc.nat(12), fc.nat(2500), (all, first, maxChars) => {
      const old = all.slice(0, first).map(([text, score]) => add(text, score));
      const before = editMemory(HAND, old, '2026-11-19').text;
      const added = all.slice(first).map(([text, score]) => add(text, score));
      const { edits, refused } = withinBudget(before, added, budgetOf(maxChars));
      const { text, retired, operations } = editMemory(before, edits, DAY);
      assert.ok(text.startsWith(HAND.trimEnd()));
      const isByHand = handWritten(before).length > maxChars;
      assert.ok(isByHand ? text === before : text.length <= Math.max(maxChars, before.length));
      const left = textsOf(text).length + retired.length + refused.size;
      assert.is(left, all.length);
      assert.is(undoEdits(text, operations).text, before);
      assert.is(undoEdits(before, operations).text, before, 'an undo that was killed runs again');
    }),
  );
});

test.run();
