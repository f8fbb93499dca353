import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import {
  editMemory,
  formatProvenance,
  handWritten,
  type MemoryEdit,
  type Provenance,
  parseProvenance,
  promotedEntries,
  undoEdits,
} from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { closingFence, linesOutsideCode } from '../../../../src/engine/support/code-fences.js';
import { codePoint } from '../../../support/code-point.js';

const DAY = '2026-11-20';

function provenance(text: string, over: Partial<Provenance> = {}): Provenance {
  return {
    key: claimKeyOf(text),
    sweepId: 'S1',
    path: 'memory/2026-11-18.md',
    lines: { startLine: 3, endLine: 4 },
    score: 0.81,
    recalls: 5,
    ...over,
  };
}

const add = (text: string): MemoryEdit => ({ kind: 'add', entry: provenance(text), text });

test('an empty memory gets a title, the heading of the day and the entry with its provenance', () => {
  const { text } = editMemory('', [add('Backups run at 02:30.')], DAY);
  assert.is(
    text,
    `# Long-Term Memory

## Promoted From Short-Term Memory (2026-11-20)

<!-- svc:memory-promotion:${claimKeyOf('Backups run at 02:30.')} sweep=S1 from=memory/2026-11-18.md#L3-L4 score=0.81 recalls=5 -->
- Backups run at 02:30.
`,
  );
});

test('a second sweep of a day writes below the same heading, above what follows it', () => {
  const first = editMemory('# Mine\n\nBy hand.', [add('One is first.')], DAY).text;
  const later = `${first}\n## Below\n\nBy hand too.\n`;
  const { text } = editMemory(later, [add('Two is second.')], DAY);
  assert.equal(
    promotedEntries(text).map((entry) => entry.text),
    ['One is first.', 'Two is second.'],
  );
  assert.is(text.split('## Promoted').length, 2);
  assert.is(handWritten(text), handWritten(later));
});

test('a new entry does not come between a text and what continues it', () => {
  const first = editMemory('', [add('One is first.')], DAY).text;
  const heading = first.slice(0, first.indexOf('<!--'));
  // What a person added to an entry, or wrote below the heading, and what follows.
  for (const [above, below] of [
    [`${first}  - only on weekdays\n`, '\nA paragraph.\n'],
    [`${first}  \`\`\`sh\n# Its steps\n\n  ./backup\n  \`\`\`\n`, '\nA paragraph.\n'],
    [`${first}~~~\n# Its steps\n\n./backup\n~~~\n`, '## Below\n'],
    [`${first}\n  More about it.\n`, '\nA paragraph.\n'],
    [`${first}#tagged\n`, '\nBelow\n-----\n'],
    [`${first}`, '\nA paragraph.\n\nAnother.\n'],
    [`${heading}A paragraph.\n`, '\nAnother.\n'],
  ] as const) {
    const { text, operations } = editMemory(above + below, [add('Two is second.')], DAY);
    assert.ok(text.startsWith(`${above}<!-- svc:`), text);
    assert.ok(text.endsWith(`\n- Two is second.\n${below}`), text);
    assert.equal(undoEdits(text, operations), { text: above + below, kept: [] });
  }
});

test('below a heading or an entry whose line an editor left without its end, a new entry has a line of its own', () => {
  const first = editMemory('', [add('One is first.')], DAY).text;
  const heading = first.slice(0, first.indexOf('\n\n<!--'));
  for (const cut of [heading, first.trimEnd()]) {
    const { text, operations } = editMemory(cut, [add('Two is second.')], DAY);
    assert.is(promotedEntries(text).at(-1)?.text, 'Two is second.');
    assert.ok(text.startsWith(`${cut}\n`));
    assert.equal(undoEdits(text, operations), { text: cut, kept: [] });
  }
});

test('renewing an entry leaves its place; retiring takes it away', () => {
  const { text } = editMemory('', [add('Backups run at 02:30.'), add('Tea is green.')], DAY);
  const renewed = 'Backups run at 03:00.';
  const edits: MemoryEdit[] = [
    {
      kind: 'replace',
      prior: claimKeyOf('Backups run at 02:30.'),
      entry: provenance(renewed),
      text: renewed,
    },
    { kind: 'retire', because: { why: 'space' }, prior: claimKeyOf('Tea is green.') },
  ];
  const after = editMemory(text, edits, '2026-11-21');
  assert.equal(
    promotedEntries(after.text).map((entry) => entry.text),
    [renewed],
  );
  assert.is(undoEdits(after.text, after.operations).text, text);
});

test('a sweep is undone in a file whose line ends were changed since', () => {
  const mine = '# Mine\n\nBy hand.\n';
  const { text } = editMemory(mine, [add('Backups run at 02:30.'), add('Tea is green.')], DAY);
  const renewed = 'Backups run at 03:00.';
  const prior = claimKeyOf('Backups run at 02:30.');
  const edits: MemoryEdit[] = [
    { kind: 'replace', prior, entry: provenance(renewed), text: renewed },
    { kind: 'retire', because: { why: 'space' }, prior: claimKeyOf('Tea is green.') },
    { kind: 'add', entry: provenance('Coffee is black.'), text: 'Coffee is black.' },
  ];
  const dos = (lines: string) => lines.replaceAll('\n', '\r\n');
  for (const [before, convert] of [
    [text, dos],
    [dos(text), (lines: string) => lines.replaceAll('\r\n', '\n')],
  ] as const) {
    const after = editMemory(before, edits, '2026-11-21');
    const undone = undoEdits(convert(after.text), after.operations);
    assert.equal(undone, { text: convert(before), kept: [] });
  }
});

test('a person who edits around the entries keeps the edits when a sweep is undone', () => {
  const before = '# Mine\n\nBy hand.\n';
  const { text, operations } = editMemory(
    before,
    [add('One is first.'), add('Two is second.')],
    DAY,
  );
  const edited = text.replace('By hand.', 'By hand, later.').replace('# Mine', '# Ours');
  assert.equal(undoEdits(edited, operations), { text: '# Ours\n\nBy hand, later.\n', kept: [] });
});

test('an entry that a person edited is theirs: undo leaves it and says so', () => {
  const { text, operations } = editMemory('', [add('One is first.'), add('Two is second.')], DAY);
  const edited = text.replace('One is first.', 'One is truly first.');
  const undone = undoEdits(edited, operations);
  assert.ok(undone.text.includes('One is truly first.'));
  assert.not(undone.text.includes('Two is second.'));
  assert.equal(undone.kept, [{ key: claimKeyOf('One is first.'), why: 'edited' }]);
});

test('undo keeps the heading above what a person added at the end of the file', () => {
  const { text, operations } = editMemory('', [add('One is first.')], DAY);
  const frame = text.slice(0, text.indexOf('<!--'));
  for (const added of ['### Details\n\nMore of it.\n', '- by hand\n', '#tag\n']) {
    assert.equal(undoEdits(`${text}${added}`, operations), { text: `${frame}${added}`, kept: [] });
  }
  const section = '## Mine\n\nBy hand.\n';
  const title = '# Long-Term Memory\n\n';
  assert.equal(undoEdits(`${text}${section}`, operations), { text: title + section, kept: [] });
  const chapter = '# Mine\n';
  assert.equal(undoEdits(`${text}${chapter}`, operations), { text: chapter, kept: [] });
});

test('an entry at the end of a file that lost its last line end is taken back', () => {
  const { text, operations } = editMemory('By hand.\n', [add('One is first.')], DAY);
  assert.equal(undoEdits(text.trimEnd(), operations), { text: 'By hand.\n', kept: [] });
});

test('an entry that a person removed is already gone', () => {
  const { text, operations } = editMemory('', [add('One is first.')], DAY);
  const [entry] = promotedEntries(text);
  const undone = undoEdits(text.replace(entry?.block ?? '', ''), operations);
  assert.is(undone.text, '');
  assert.equal(undone.kept, [{ key: claimKeyOf('One is first.'), why: 'gone' }]);
});

test('no text of a note ends a comment or begins a line of its own', () => {
  const evil = 'fine --> <!-- svc:memory-promotion:0000000000000000 -->\n# Owned\n- more';
  const { text } = editMemory('', [add(evil)], DAY);
  assert.is(promotedEntries(text).length, 1);
  assert.not(/^# Owned/mu.test(text));
  assert.is(text.match(/<!--/gu)?.length, 1);
});

const claimTexts = fc.uniqueArray(fc.stringMatching(/^[a-z]{4,10} [a-z]{2,9} [0-9]{1,4}\.$/), {
  minLength: 1,
  maxLength: 6,
});
const handTexts = fc
  .array(
    fc.constantFrom(
      '# Title',
      '',
      'Some prose.',
      '- an item',
      '## Notes',
      '  indented',
      '```',
      'ü 漢字',
    ),
    {
      maxLength: 15,
    },
  )
  .chain((lines) =>
    fc.record({ end: fc.constantFrom('\n', '\r\n'), last: fc.boolean() }).map(({ end, last }) => {
      const text = lines.join(end);
      return last && text !== '' ? text + end : text;
    }),
  );

test('text written by hand stays byte for byte, and undo restores the exact file', () => {
  fc.assert(
    fc.property(handTexts, claimTexts, claimTexts, (hand, first, second) => {
      const one = editMemory(hand, first.map(add), DAY);
      assert.ok(one.text.startsWith(hand));
      assert.equal(
        promotedEntries(one.text).map((entry) => entry.text),
        first,
      );
      const [prior] = first;
      const edits: MemoryEdit[] = second.filter((text) => !first.includes(text)).map(add);
      if (prior !== undefined)
        edits.push({ kind: 'retire', because: { why: 'space' }, prior: claimKeyOf(prior) });
      const two = editMemory(one.text, edits, '2026-11-21');
      const backOnce = undoEdits(two.text, two.operations);
      assert.equal(backOnce, { text: one.text, kept: [] });
      assert.equal(undoEdits(backOnce.text, one.operations), { text: hand, kept: [] });
    }),
  );
});

test('a new entry is outside of the code that a person wrote into its section, and undo restores the exact file', () => {
  fc.assert(
    fc.property(handTexts, (hand) => {
      fc.pre(closingFence(hand.split(/\r?\n/u)) === undefined);
      const before = editMemory('', [add('One is first.')], DAY).text + hand;
      const { text, operations } = editMemory(before, [add('Two is second.')], DAY);
      assert.is(promotedEntries(linesOutsideCode(text).join('\n')).length, 2, text);
      assert.equal(undoEdits(text, operations), { text: before, kept: [] });
    }),
  );
});

test('provenance is read back as it was written, whatever the path', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: codePoint }), fc.nat(900), (path, line) => {
      const written = provenance('x', { path, lines: { startLine: line + 1, endLine: line + 2 } });
      const comment = formatProvenance(written);
      assert.is(comment.indexOf('-->'), comment.length - 3);
      assert.not(/[\r\n]/u.test(comment));
      assert.equal(parseProvenance(comment), written);
    }),
  );
});

test.run();
