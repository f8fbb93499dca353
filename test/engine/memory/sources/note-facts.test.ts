import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTag, noteFacts } from '../../../../src/engine/memory/sources/note-facts.js';
import { textLines } from '../../../../src/engine/memory/sources/text-lines.js';
import { isoDay } from '../../../../src/engine/support/day.js';

const test = suite('front matter and tags');

function facts(text: string) {
  const { day, ...rest } = noteFacts(textLines(text)) ?? {};
  return day === undefined ? rest : { ...rest, day: isoDay(day) };
}

test('properties have their type, keys are lower case, and mappings are joined by dots', () => {
  const text = `---
Status: Open
priority: 3
done: false
due: 2026-03-01
created: 2026-02-03T10:00:00Z
people: [Ana, Bo]
author: { name: Cy, deep: { x: 1 } }
empty:
---
Text.
`;
  assert.equal(facts(text), {
    day: '2026-02-03',
    properties: {
      status: 'Open',
      priority: 3,
      done: false,
      due: '2026-03-01',
      created: '2026-02-03T10:00:00Z',
      people: ['Ana', 'Bo'],
      'author.name': 'Cy',
      'author.deep.x': 1,
    },
  });
});

test('tags are those of the front matter and of the text', () => {
  assert.equal(facts('---\ntags: [Work, "#home"]\n---\nSee #Idea/Small and (#x).\n').tags, [
    ...['work', 'home', 'idea/small', 'x'],
  ]);
  assert.equal(facts('---\ntags: a, b\ntag: c\n---\n').tags, ['a', 'b', 'c']);
  assert.equal(facts('---\ntags: ["Two Words", " #x "]\n---\n').tags, ['two words', 'x']);
  const none = '# Heading\n\nhttps://a.b/#part, issue #12, C#, a#b\n\n```\n#code\n```\n';
  assert.equal(facts(none), {});
});

test('tags in code and in TOML are none', () => {
  assert.equal(facts('run `grep -v #code` and ``a ` #b`` on #host').tags, ['host']);
  assert.equal(facts('a lone ` before #one\nand \\` #two \\`').tags, ['one', 'two']);
  assert.equal(facts('+++\ncolor = " #red"\n+++\n'), {});
});

test('a link to a heading has no tag', () => {
  const list = '- [Usage](#usage)\n- [More]( #more ), see (#real)\n';
  assert.equal(facts(list).tags, ['real']);
  assert.is(facts('- [Usage](#usage)\n').tags, undefined);
});

test('tags are written in any script, and with accents in either form of Unicode', () => {
  const text = '#हिन्दी #cafe\u0301 #ไทยแลนด์ที่';
  assert.equal(facts(text).tags, ['हिन्दी', 'caf\u00e9', 'ไทยแลนด์ที่']);
  const matter = facts('---\ntags: [cafe\u0301]\nE\u0301tat: x\n---\n');
  assert.equal(matter.tags, ['caf\u00e9']);
  assert.equal(Object.keys(matter.properties ?? {}), ['tags', '\u00e9tat']);
  assert.ok(isTag('हिन्दी'));
  for (const none of ['', '12', '-a', 'a b', '#a']) assert.not.ok(isTag(none), none);
});

test('tags are found after inline code, and after a fence that is longer than those in it', () => {
  assert.equal(facts('```npm ci``` installs it.\n#tag\n').tags, ['tag']);
  assert.equal(facts('````\n```\n#notatag\n````\n#realtag\n').tags, ['realtag']);
  assert.equal(facts('1. a\n\n    ```\n    #code\n    ```\n\n#tag\n').tags, ['tag']);
});

test('a note without front matter has no properties', () => {
  for (const text of ['', '---\n', '---\nno end: 1\n', 'x\n---\na: 1\n---\n', '---\n\n---\n']) {
    assert.equal(facts(text), {});
  }
});

test('invalid front matter is reported, and never throws', () => {
  const faulty = (matter: string): string => facts(`---\n${matter}\n---\n`).fault ?? '';
  assert.match(faulty('a: [1, 2'), /line 1|flow/i);
  assert.match(faulty('- a\n- b'), 'not a list of keys');
  assert.match(faulty(`a: ${'x'.repeat(33_000)}`), 'longer than');
  assert.is(faulty('['.repeat(20_000)), 'nested too deeply');
  assert.is(faulty('- '.repeat(10_000)), 'nested too deeply');
  assert.is(faulty('? &a '.repeat(6000)), 'nested too deeply');
  for (const open of ['[', '{a: ']) assert.is.not(faulty(`a: ${open.repeat(190)}`), '');
  const steps = Array.from({ length: 240 }, (_, depth) => `${' '.repeat(depth)}a:`);
  assert.is(faulty(steps.join('\n')), '');
  assert.match(faulty('a: *unknown'), /alias|anchor/i);
});

test('repeated anchors cannot multiply', () => {
  const row = (name: string, of: string): string =>
    `${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(',')}]`;
  const bomb = [
    'a: &a [1,1,1,1,1,1,1,1,1]',
    row('b', 'a'),
    row('c', 'b'),
    row('d', 'c'),
    row('e', 'd'),
  ];
  assert.match(facts(`---\n${bomb.join('\n')}\n---\n`).fault ?? '', /alias/i);
});

test('any text is read quickly, within limits', () => {
  const part = fc.constantFrom(
    '---',
    '\n',
    'a',
    ': ',
    '- ',
    '&a ',
    '*a',
    '[',
    '{',
    '"',
    '#t ',
    '|',
    '!!',
    '\t',
    '? ',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 200 }), (parts) => {
      const found = noteFacts(textLines(`---\n${parts.join('')}\n---\n${parts.join('')}`));
      assert.ok((found?.tags ?? []).length <= 200);
      JSON.stringify(found);
    }),
  );
});

test('a line of 28 MB after # is read', () => {
  const [tag] = facts(`#${'漢'.repeat(9_500_000)}`).tags ?? [];
  assert.is(tag, '漢'.repeat(500));
});

test.run();
