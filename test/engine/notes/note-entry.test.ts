import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutInsertion } from '../../../src/engine/memory-files/insertion.js';
import {
  findEntryLine,
  type NoteEntry,
  noteEntry,
  placeEntry,
  tagEqualLine,
} from '../../../src/engine/notes/note-entry.js';
import { CodeFences } from '../../../src/engine/support/code-fences.js';

const test = suite('entries of notes');

function entryOf(text: string, tags: readonly string[] = []): NoteEntry {
  const entry = noteEntry(text, tags);
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

test('one line is a list item, several stay as they are', () => {
  assert.equal(entryOf('tea at five\n'), ['- tea at five']);
  assert.equal(entryOf('3. tea', ['a', 'b']), ['3. tea #a #b']);
  assert.equal(entryOf('\n\n# Tea\r\n\r\nat five  \n'), ['# Tea', '', 'at five']);
  assert.equal(entryOf('a\nb', ['t']), ['a', 'b', '', '#t']);
});

test('a text without words is none', () => {
  for (const text of ['', ' \n\t\n', '- ', '###']) assert.is(noteEntry(text, []), undefined, text);
});

test('an open block of code is closed', () => {
  assert.equal(entryOf('x\n````js\n```'), ['x', '````js', '```', '````']);
  assert.equal(entryOf('x\n```\ny\n```'), ['x', '```', 'y', '```']);
  assert.equal(entryOf('- x\n    ```\n    y'), ['- x', '    ```', '    y', '    ```']);
  assert.equal(entryOf('```npm ci```\nx'), ['```npm ci```', 'x']);
});

test('an equal line is found whatever its mark and spaces', () => {
  assert.is(findEntryLine('# A\n\n* tea   at five\n', ['- tea at five']), 3);
  assert.is(findEntryLine('- tea at five o’clock\n', ['- tea at five']), undefined);
  assert.is(findEntryLine('a\n\nb\n', ['a', 'b']), 1);
  assert.is(findEntryLine('a #tag\nb\n', ['a', 'b']), undefined);
  assert.is(findEntryLine('- 3. October: dentist\n', ['- 24. October: dentist']), undefined);
  assert.is(findEntryLine('- [x] pay the rent\n', ['- [ ] pay the rent']), undefined);
});

const placed = (text: string, heading?: string, entry: NoteEntry = ['- new']) =>
  placeEntry(text, entry, { heading, title: 'T' });

test('an entry is appended, next to other items of a list', () => {
  assert.is(placed('').text, '# T\n\n- new\n');
  assert.is(placed('- a').text, '- a\n- new\n');
  assert.is(placed('a\n').text, 'a\n\n- new\n');
  assert.is(placed('- a\r\n').text, '- a\r\n- new\r\n');
  assert.is(placed('- a\n', undefined, ['x', 'y']).text, '- a\n\nx\ny\n');
});

test('of headings that differ only in marks, the one as written is meant', () => {
  const text = '# T\n\n## C\n\n- a\n\n## C*\n\n- b\n\n## <beta>\n\n- c\n';
  assert.is(placed(text, 'C*').text, text.replace('- b\n', '- b\n- new\n'));
  assert.is(placed(text, '<BETA>').text, `${text}- new\n`);
  assert.is(placed(text, '<alpha>').text, `${text}\n## <alpha>\n\n- new\n`);
});

test('a heading is found at any level, or created', () => {
  const text = '# A\n\n### Tea\n\n- old\n\n## B\n\nb\n';
  assert.is(placed(text, 'tea').text, '# A\n\n### Tea\n\n- old\n- new\n\n## B\n\nb\n');
  assert.is(placed('# A\n\na', 'Tea').text, '# A\n\na\n\n## Tea\n\n- new\n');
  assert.is(placed('## Tea\n## B\n', 'Tea').text, '## Tea\n\n- new\n\n## B\n');
  assert.is(placed('## Tea', 'Tea').text, '## Tea\n\n- new\n');
  const [composed, decomposed] = ['Café'.normalize('NFC'), 'Café'.normalize('NFD')];
  assert.is(placed(`## ${decomposed}\n`, composed).text, `## ${decomposed}\n\n- new\n`);
});

test('an underlined heading is one, and marks in a heading do not count', () => {
  const text = 'First\n=====\n\na\n\nOther\n-----\n\nx\n\n# B\n';
  const after = 'First\n=====\n\na\n\nOther\n-----\n\nx\n\n- new\n\n# B\n';
  assert.is(placed(text, 'first').text, after);
  assert.is(placed(text, 'Other').text, after);
  const marked = '## The **`svc`** one\n\n- x\n\n# B\n';
  assert.is(placed(marked, 'The `svc` one').text, marked.replace('x\n', 'x\n- new\n'));
});

test('a heading in code or front matter is none', () => {
  const text = '---\n# Tea\n---\n\n```\n# Tea\n```\n';
  assert.is(placed(text, 'Tea').text, `${text}\n## Tea\n\n- new\n`);
  assert.is(placed('```a```\n\n## Tea\n', 'Tea').text, '```a```\n\n## Tea\n\n- new\n');
});

const line = fc.constantFrom('', 'a', '- a', '- new', '## Tea', '# B', '```', '---', '  - new');
const end = fc.constantFrom('\n', '\r\n');

test('a block of dreaming is no section, and nothing is added to one', () => {
  const mark = (at: string) => `<!-- svc:dreaming:light:${at} -->\n`;
  const block = `${mark('start')}## Light Sleep\n\n- known (a.md#L1)\n${mark('end')}`;
  const note = `# Day\n\n## Log\n\n- known\n\n${block}`;
  const added = (heading: string) =>
    placeEntry(note, entryOf('new'), { heading, title: 'Day' }).text;
  assert.is(added('Log'), `# Day\n\n## Log\n\n- known\n- new\n\n${block}`);
  assert.is(added('Light Sleep'), `${note}\n## Light Sleep\n\n- new\n`);
});

test('the rest stays byte for byte, and lines are where they are said to be', () => {
  const property = fc.property(
    fc.array(line, { maxLength: 12 }),
    end,
    fc.boolean(),
    fc.constantFrom(undefined, 'Tea', 'Other'),
    fc.constantFrom<NoteEntry>(['- new'], ['x', '', 'y']),
    (lines, eol, ends, heading, entry) => {
      const text = lines.join(eol) + (ends ? eol : '');
      const after = placed(text, heading, entry);
      const own = after.text.split(/\r?\n/u).slice(after.startLine - 1, after.endLine);
      assert.equal(own, [...entry]);
      const left = [...after.frames, after.inserted].reduce(
        (length, part) => length - part.length,
        after.text.length,
      );
      assert.is(left, text.length);
      const undone = withoutInsertion(after.text, after.inserted);
      assert.ok(undone !== undefined);
      if (after.frames.length === 0) assert.is(undone.length, text.length);
      // Of equal entries, any may go; svc adds none to a text that has it.
      fc.pre(findEntryLine(text, entry) === undefined);
      if (after.frames.length === 0) assert.is(undone, text);
    },
  );
  fc.assert(property);
});

test('a tag is added to an item outside code that says the same, and nothing else changes', () => {
  const property = fc.property(
    fc.array(fc.oneof(line, fc.constantFrom('* new  #x', '- new #x #y ', 'new')), {
      maxLength: 12,
    }),
    end,
    fc.boolean(),
    (lines, eol, ends) => {
      const text = lines.join(eol) + (ends ? eol : '');
      const entry = entryOf('new', ['z']);
      assert.is(findEntryLine(text, entry), undefined);
      const after = tagEqualLine(text, entry);
      const fences = new CodeFences();
      const at = lines.findIndex((one) => !fences.isCode(one) && /^ *[-*] new/u.test(one));
      assert.is(after?.startLine, at === -1 ? undefined : at + 1);
      if (after === undefined) return;
      const wanted = lines.map((one, index) => (index === at ? `${one.trimEnd()} #z` : one));
      assert.is(after.text, wanted.join(eol) + (ends ? eol : ''));
      assert.is(findEntryLine(after.text, entry), at + 1);
      assert.is(withoutInsertion(after.text, after.inserted, after.replaced), text);
    },
  );
  fc.assert(property);
});

test('text of several lines, and lines that are no items, get no tags', () => {
  assert.is(tagEqualLine('- a\n', entryOf('a\nb', ['t'])), undefined);
  assert.is(tagEqualLine('# a\na\n', entryOf('a', ['t'])), undefined);
});

test('an edited entry is not taken back', () => {
  assert.is(withoutInsertion('x - new\n- newer\n', '- new\n'), undefined);
  assert.is(withoutInsertion('- a\n- new', '- new\n'), '- a\n');
  assert.is(withoutInsertion('- new\n  more\n- new\nb\n', '- new\n'), '- new\n  more\nb\n');
});

test.run();
