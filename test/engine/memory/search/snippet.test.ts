import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linesInSections, type Passage } from '../../../../src/engine/memory/search/passages.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { snippetBudget, snippetOf } from '../../../../src/engine/memory/search/snippet.js';
import { createTermMatcher } from '../../../../src/engine/memory/search/term-matcher.js';
import { textLines } from '../../../../src/engine/memory/sources/index.js';
import { chunkMarkdown, isWellFormed, markdownLines } from '../../../support/markdown.js';

const test = suite('snippets');

const ELLIPSIS = '…';

function snippetFor(texts: readonly string[], question: string, budget: number) {
  const { terms } = parseQuery(question, 'unicode61');
  const matcher = createTermMatcher(terms, 'unicode61');
  const lines = texts.map((text, index) => {
    const { hits, hasWords } = matcher(text);
    const found = [...new Set(hits.map((hit) => hit.term))];
    return { text, hasWords, number: index + 1, terms: found, pairs: [] };
  });
  const weights = terms.map(() => 1);
  const [chunk] = chunkMarkdown(textLines(texts.join('\n')), { tokens: 10_000, overlap: 0 });
  const { headingPath } = chunk ?? { headingPath: [] };
  const passage: Passage = {
    ...{ source: 'memory', path: 'a.md', headingPath, chunkId: 1 },
    ...{ startLine: 1, endLine: lines.length, starts: [{ startLine: 1, headingPath }], lines },
  };
  return snippetOf(linesInSections(passage), { matcher, lineWeights: weights }, budget);
}

const passages = fc.oneof(
  markdownLines,
  // Much that holds no word between what does.
  fc.array(fc.constantFrom('', '---', '```', 'the lorem', 'ipsum ipsum'), {
    minLength: 1,
    maxLength: 200,
  }),
);

test('every line of it is a line of the passage, or a part of its only one', () => {
  fc.assert(
    fc.property(passages, fc.integer({ min: 20, max: 400 }), (texts, budget) => {
      const { text } = snippetFor(texts, 'lorem ipsum dolor', budget);
      const shown = text.split('\n');
      const known = new Set([...texts, ELLIPSIS, '']);
      if (shown.every((line) => known.has(line))) return;
      assert.is(shown.length, 1);
      const part = text.replace(/^…/, '').replace(/…$/, '');
      assert.ok(texts.some((line) => line.includes(part)));
    }),
    { numRuns: 500 },
  );
});

test('it keeps to its budget, apart from ellipses and short gaps', () => {
  fc.assert(
    fc.property(passages, fc.integer({ min: 20, max: 400 }), (texts, budget) => {
      const { text } = snippetFor(texts, 'lorem ipsum dolor', budget);
      const shown = text.split('\n').filter((line) => /[\p{L}\p{N}]/u.test(line));
      assert.ok(shown.join('\n').length <= budget + 2);
      assert.ok(text.length <= budget + 2 + shown.length * 16, `${text.length} of ${budget}`);
    }),
    { numRuns: 500 },
  );
});

test('it shows no line twice, and all of them in their order', () => {
  const texts = fc.array(
    fc.constantFrom('# lorem', '## ipsum', 'the lorem', '', 'a dolor sit amet'),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 20, max: 400 }), (some, budget) => {
      const lines = some.map((text, at) => (text === '' ? text : `${text} n${at}`));
      const { text } = snippetFor(lines, 'lorem ipsum dolor', budget);
      const places = [...text.matchAll(/n(\d+)$/gm)].map(([, at]) => Number(at));
      assert.equal(
        places,
        [...new Set(places)].sort((a, b) => a - b),
      );
    }),
    { numRuns: 300 },
  );
});

test('a desert of blank lines is one gap', () => {
  const { text } = snippetFor(
    ['the lorem', ...Array<string>(300).fill(''), 'ipsum'],
    'lorem ipsum',
    99,
  );
  assert.is(text, `the lorem\n${ELLIPSIS}\nipsum`);
});

test('a fence between two shown lines is shown', () => {
  const texts = ['the lorem', '```', 'ipsum', 'padding '.repeat(30)];
  assert.is(snippetFor(texts, 'lorem ipsum', 60).text, 'the lorem\n```\nipsum');
});

test('its line number is that of its first line', () => {
  fc.assert(
    fc.property(passages, fc.integer({ min: 20, max: 400 }), (texts, budget) => {
      const { text, line } = snippetFor(texts, 'lorem ipsum dolor', budget);
      const first = text.split('\n')[0] ?? '';
      const part = first.replace(/^…/, '').replace(/…$/, '');
      assert.ok(text === '' || (texts[line - 1] ?? '').includes(part));
    }),
    { numRuns: 500 },
  );
});

test('highlights are ranges within it, in order and disjoint', () => {
  fc.assert(
    fc.property(passages, fc.integer({ min: 20, max: 400 }), (texts, budget) => {
      const { text, highlights } = snippetFor(texts, 'lorem ipsum dolor', budget);
      let end = 0;
      for (const span of highlights) {
        assert.ok(span.start >= end && span.end > span.start && span.end <= text.length);
        end = span.end;
      }
    }),
  );
});

test('highlights mark the words of the query in all their forms', () => {
  const { text, highlights } = snippetFor(['Backups ran; the BACKUP is done.'], 'backup', 200);
  assert.equal(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['Backups', 'BACKUP'],
  );
});

test('of a long line the part with the words is shown', () => {
  const line = `${'padding '.repeat(400)}the needle is here ${'padding '.repeat(400)}`;
  const { text } = snippetFor([line], 'needle', 120);
  assert.match(text, /needle/);
  assert.ok(text.startsWith(ELLIPSIS) && text.endsWith(ELLIPSIS));
});

test('a cut never splits a character', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 20, max: 60 }), (offset, budget) => {
      const line = `${'🎉'.repeat(offset)} needle ${'🎉'.repeat(200)}`;
      assert.ok(isWellFormed(snippetFor([line], 'needle', budget).text));
    }),
  );
});

test('the first results may show more, none nothing', () => {
  const budgets = Array.from({ length: 30 }, (_, position) => snippetBudget(position, 800));
  assert.equal(
    budgets,
    [...budgets].sort((a, b) => b - a),
  );
  assert.ok(budgets.every((budget) => budget >= 400));
});

const people = [
  '# People',
  '## Ada Lovelace of the analytical engine',
  'Born in 1980 in Leeds, and '.repeat(6),
  '## Bob Miller of the paper mill',
  'Allergic to nuts.',
];

test('its best line has the most words of the query, or a heading with the most above it', () => {
  const use = ['rank and src: ts', 'see src/rank.ts'];
  assert.is(snippetFor(use, 'src/rank.ts', 800).bestLine, 1);
  const days = ['## 2026-03-01', 'Tulips.', '## 2026-03-02', 'Roses.'];
  assert.is(snippetFor(days, '2026-03-02', 800).bestLine, 3);
});

test('its heading path is that of its best line', () => {
  const texts = ['# People', '', '## Ada', 'Born in Leeds.', '', '## Bob', 'Allergic to nuts.'];
  assert.equal(snippetFor(texts, 'who is allergic to nuts', 800).headingPath, ['People', 'Bob']);
  assert.equal(snippetFor(texts, 'born', 800).headingPath, ['People', 'Ada']);
  // The answer is below the heading.
  const { headingPath, bestLine } = snippetFor(texts, 'bob', 800);
  assert.equal([headingPath, bestLine], [['People', 'Bob'], 6]);
  // Without a best line, that of all.
  assert.equal(snippetFor(texts, 'food', 800).headingPath, ['People']);
});

test('code is no heading', () => {
  const texts = ['# Setup', '```sh', '# install', 'npm ci', '```', 'Then restart.'];
  assert.equal(snippetFor(texts, 'restart', 800).headingPath, ['Setup']);
  assert.equal(snippetFor(texts, 'npm', 800).headingPath, ['Setup']);
});

test('a shown line has its heading where there is room', () => {
  const { text } = snippetFor(people, 'who is allergic to nuts', 100);
  assert.match(text, '## Bob Miller of the paper mill\nAllergic to nuts.');
  assert.is(snippetFor(people, 'who is allergic to nuts', 20).text, 'Allergic to nuts.');
});

test.run();
