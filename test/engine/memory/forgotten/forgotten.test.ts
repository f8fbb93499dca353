import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Forgotten,
  hashesOf,
  lineHash,
  NOTHING_FORGOTTEN,
  rangesOf,
  readForgetList,
} from '../../../../src/engine/memory/forgotten/index.js';
import { textLines } from '../../../../src/engine/memory/sources/text-lines.js';
import { codePoint } from '../../../support/code-point.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('the list of forgotten text');

const SALT = 'salt';

function forgetting(...passages: readonly string[]): Forgotten {
  const lines = passages.map((text) => hashesOf(SALT, text));
  return new Forgotten(SALT, [{ documents: [], lines }]);
}

/** What is left of a text. */
function leftOf(forgotten: Forgotten, text: string): string {
  return forgotten.cover(textLines(text), 'no hash of it').lines.text;
}

const SECRET = 'The door of the cabin is opened with 4711.';

test('a distinctive line is removed wherever it is, and the lines around it keep their numbers', () => {
  const forgotten = forgetting(`# Cabin\n\n${SECRET}\n`);
  assert.is(
    leftOf(forgotten, `# Trip\n\n${SECRET}\n\nBring boots.\n`),
    '# Trip\n\n\n\nBring boots.\n',
  );
});

const SAME_LINE = [
  `- ${SECRET}`,
  `  * ${SECRET}`,
  `> ${SECRET}  `,
  `## ${SECRET}`,
  `- [ ] ${SECRET}`,
  `> * [x] ${SECRET}`,
  `• ${SECRET}`,
  SECRET.replaceAll(' ', '  '),
  `${SECRET}\r`,
  `- ${SECRET} (memory/2026-02-03.md#L3)`,
  `- Until 2026-02-03: ${SECRET}`,
  `- ${SECRET} (sessions/main/a.jsonl#L2-L4) 0.70`,
];
for (const line of SAME_LINE) {
  test(`a line is recognised by its words: ${JSON.stringify(line)}`, () => {
    assert.is(forgetting(SECRET).linesIn(textLines(`a\n${line}\nb`)).size, 1);
  });
}

test('a turn that was forgotten as one line is recognised by the words of all its lines', () => {
  const forgotten = forgetting(SECRET);
  assert.is(forgotten.removeFrom(SECRET.replace(' is ', '\n\nis ')), '');
  assert.not.equal(forgotten.removeFrom(`${SECRET.replace(' is ', '\n\nis ')}\nAnd more.`), '');
});

test('nothing is left of a text whose other lines have no words', () => {
  assert.is(forgetting(SECRET).removeFrom(`> ${SECRET}\n>\n\n`), '');
});

test('different words are a different line', () => {
  for (const line of [SECRET.toUpperCase(), `${SECRET} Or not.`, SECRET.replace('4711', '4712')]) {
    assert.is(forgetting(SECRET).linesIn(textLines(line)).size, 0, line);
  }
});

test('numbers count as words: the same event on another day stays', () => {
  const left = leftOf(
    forgetting('3. October: an appointment with Dr. Example'),
    '24. October: an appointment with Dr. Example',
  );
  assert.is(left, '24. October: an appointment with Dr. Example');
});

test('lists of svc 0.1 still apply, whose hashes contain check boxes', () => {
  assert.is(lineHash(SALT, SECRET), 'HZmlAHpVn0-KwfZzhEeeNV');
  const lines = [
    [lineHash(SALT, `[x] ${SECRET}`)],
    ['[ ] milk', '[x] PIN 1234'].map((words) => lineHash(SALT, words)),
  ];
  const forgotten = new Forgotten(SALT, [{ documents: [], lines }]);
  assert.is(
    leftOf(forgotten, `- [x] ${SECRET}\n- [ ] milk\n- [x] PIN 1234\n- [x] eggs`),
    '\n\n\n- [x] eggs\n',
  );
  assert.ok(forgotten.isInRecord('- [ ] milk'));
});

test('a short line is removed if it was forgotten alone, or next to its former neighbour', () => {
  assert.is(leftOf(forgetting('PIN 1234'), 'a\n- PIN 1234\nb\n'), 'a\n\nb\n');
  const list = forgetting('- milk\n- eggs\n- PIN 1234');
  assert.is(leftOf(list, 'Buy:\n- milk\n- eggs\n'), 'Buy:\n\n\n');
  assert.is(leftOf(list, 'Buy:\n- eggs\n- milk\n'), 'Buy:\n- eggs\n- milk\n');
  assert.is(leftOf(list, '- milk\n- bread\n- eggs\n'), '- milk\n- bread\n- eggs\n');
});

test('a whole file is recognised by its bytes', () => {
  const hash = 'a'.repeat(64);
  const forgotten = new Forgotten(SALT, [{ documents: [lineHash(SALT, hash)], lines: [] }]);
  assert.ok(forgotten.hidesDocument(hash));
  assert.not.ok(forgotten.hidesDocument('b'.repeat(64)));
  assert.is(forgotten.cover(textLines('anything'), hash).lines.text, '');
});

test('the mark of a document changes when other lines of it are forgotten', () => {
  const lines = textLines(`${SECRET}\nanother line that is long enough\n`);
  const marks = [
    forgetting(),
    forgetting(SECRET),
    forgetting('another line that is long enough'),
  ].map((forgotten) => forgotten.cover(lines, 'x').mark);
  assert.is(new Set(marks).size, 3);
  assert.is(marks[0], '');
});

test('with nothing forgotten, text stays unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const lines = textLines(text);
      assert.is(NOTHING_FORGOTTEN.cover(lines, 'x').lines, lines);
    }),
  );
});

test('any forgotten lines are found in their text, every one of them', () => {
  const document = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(document, (all) => {
      const text = all.map((line) => line.replaceAll(/[\r\n]/gu, ' ')).join('\n');
      const left = leftOf(forgetting(text), text);
      assert.equal(hashesOf(SALT, left), []);
      assert.is(textLines(left).count, textLines(text).count);
    }),
  );
});

test('a short line is known without its neighbour where it was recorded alone, but not a heading', () => {
  const forgotten = forgetting('## Ideas\n\n- Tom drinks tea\n- Ann hates cats');
  assert.ok(forgotten.isInRecord('Tom drinks tea'));
  assert.ok(forgotten.isInRecord('## Drinks\n\n- Tom drinks tea\n'));
  assert.ok(forgotten.isInRecord('- Tom drinks tea\n- Bring boots\n'));
  assert.not(forgotten.isInRecord('## Ideas\n\n- Bring boots\n'));
  assert.is(leftOf(forgotten, '- Tom drinks tea\n'), '- Tom drinks tea\n');
});

test('lists of different salts apply together', () => {
  const listOf = (salt: string, text: string) => ({
    documents: [],
    lines: [hashesOf(salt, text)],
    salt,
  });
  const forgotten = new Forgotten('', [listOf('a', SECRET), listOf('b', '- milk\n- PIN 1234')]);
  assert.is(leftOf(forgotten, `${SECRET}\n- milk\n- PIN 1234\n- eggs`), '\n\n\n- eggs\n');
  assert.ok(forgotten.isInRecord('- milk'));
});

test('a short line is not known by the citation after it', () => {
  const forgotten = forgetting('- milk\n- PIN 1234');
  assert.is(forgotten.linesIn(textLines('- milk (memory/2026-02-03.md#L3)')).size, 0);
});

test('a list that cannot be read is no missing one', async () => {
  const folder = tempFolder();
  assert.is(await readForgetList(folder.at('none.json')), undefined);
  const { code, message } = await failureOf(readForgetList(folder.path));
  assert.is(code, 'FORGET_LIST_INVALID');
  assert.match(message, `cannot read the forget list ${folder.path}: `);
});

test('consecutive lines become ranges', () => {
  assert.equal(rangesOf([4, 0, 1, 2]), [
    { startLine: 1, endLine: 3 },
    { startLine: 5, endLine: 5 },
  ]);
});

test.run();
