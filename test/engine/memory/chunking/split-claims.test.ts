import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  MOST_CLAIM_CHARACTERS,
  splitClaims,
  spokenClaims,
} from '../../../../src/engine/memory/chunking/split-claims.js';

const NOTE = `---
tags: daily
---
# 2026-11-18

Quick words before.

## Backups

- The nightly backup runs at 02:30 on the
  storage server.
- [ ] ask Ana about it
  - Ana owns the export job.

\`\`\`sh
restic backup /srv
\`\`\`

| a | b |
| - | - |
`;

test('list items and prose are claims, with their headings and lines', () => {
  assert.equal(splitClaims(NOTE), [
    { text: 'Quick words before.', headingPath: ['2026-11-18'], startLine: 6, endLine: 6 },
    {
      text: 'The nightly backup runs at 02:30 on the storage server.',
      headingPath: ['2026-11-18', 'Backups'],
      startLine: 10,
      endLine: 11,
    },
    {
      text: '[ ] ask Ana about it',
      headingPath: ['2026-11-18', 'Backups'],
      startLine: 12,
      endLine: 12,
    },
    {
      text: 'Ana owns the export job.',
      headingPath: ['2026-11-18', 'Backups'],
      startLine: 13,
      endLine: 13,
    },
  ]);
});

test('comments have no claims, and code begins none', () => {
  const textsIn = (note: string) => splitClaims(note).map(({ text }) => text);
  assert.equal(textsIn('<!-- a\n\n- b\n-->\n\n- kept <!-- c\nd --> here\n\n<!-- e\n\nf'), [
    'kept here',
  ]);
  assert.equal(textsIn('- It uses `<!--` for these.\n- Ana owns it.\n'), [
    'It uses `<!--` for these.',
    'Ana owns it.',
  ]);
  assert.equal(textsIn('```html\n<!-- open\n```\n\n- Ana owns it.\n'), ['Ana owns it.']);
});

test('a heading of the same or a higher level takes the place of those below it', () => {
  const claims = splitClaims('# A\n\n## B\n\nin b\n\n## C\n\nin c\n\n# D\n\nin d\n');
  assert.equal(
    claims.map(({ headingPath }) => headingPath.join(' › ')),
    ['A › B', 'A › C', 'D'],
  );
});

test('long prose is cut between sentences, each piece with its own lines', () => {
  const sentences = Array.from({ length: 12 }, (_, i) => `Sentence ${i} tells of a server.`);
  const claims = splitClaims(sentences.join('\n'));
  assert.ok(claims.length > 1);
  assert.equal(claims.map(({ text }) => text).join(' '), sentences.join(' '));
  assert.is(claims[0]?.startLine, 1);
  assert.is(claims.at(-1)?.endLine, 12);
  assert.ok(claims.every(({ text }) => text.length <= MOST_CLAIM_CHARACTERS));
  // As few pieces as the limit allows.
  const [first, second] = claims.map(({ text }) => text.length);
  assert.ok((first ?? 0) + (second ?? 0) > MOST_CLAIM_CHARACTERS);
  // A quotation is, too.
  assert.equal(splitClaims(sentences.map((text) => `> ${text}`).join('\n')), claims);
  assert.is(splitClaims(`> One.\n>\n> ${sentences.join(' ')}`)[1]?.startLine, 3);
});

test('comments are no claims, and keep the numbers of lines right', () => {
  assert.equal(splitClaims('<!-- one\ntwo -->\n\nThe third thing.\n'), [
    { text: 'The third thing.', headingPath: [], startLine: 4, endLine: 4 },
  ]);
});

test('the first word of a claim stands in its first line, its last in its last, whatever the text', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const line = fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(' ')),
    fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => `- ${words.join(' ')}.`),
    fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => `${words.join('. A')}.`),
    fc.constantFrom('', '# title', '```', '> quoted words', '<!-- note -->', '  indented'),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.integer({ min: 1, max: 500 }),
      (lines, first) => {
        for (const { text, startLine, endLine } of splitClaims(lines.join('\n'), first)) {
          const words = text.match(/\p{L}+/gu) ?? [];
          assert.ok(startLine >= first && endLine >= startLine && endLine < first + lines.length);
          assert.ok(lines[startLine - first]?.includes(words[0] ?? ''), text);
          assert.ok(lines[endLine - first]?.includes(words.at(-1) ?? ''), text);
        }
      },
    ),
  );
});

test('an item of a list inside a list has neither mark', () => {
  assert.equal(
    splitClaims('- - [ ] call the bank\n- 1. First of all\n').map(({ text }) => text),
    ['[ ] call the bank', 'First of all'],
  );
});

test('statements of a message are without its speaker, also in an export for an external program', () => {
  for (const speaker of ['User', 'Assistant', 'user', 'assistant (2026-11-18T04:05:06.789Z)']) {
    assert.equal(spokenClaims(`${speaker}: The nightly backup runs at 02:30.`), [
      'The nightly backup runs at 02:30.',
    ]);
  }
});

test.run();
