import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NumberedLine } from '../../../../src/engine/memory/search/passages.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { snippetBudget, snippetOf } from '../../../../src/engine/memory/search/snippet.js';
import { createTermMatcher } from '../../../../src/engine/memory/search/term-matcher.js';
import { isWellFormed, markdownLines } from '../../../support/markdown.js';

const test = suite('snippets');

const ELLIPSIS = '…';

function snippetFor(texts: readonly string[], question: string, budget: number) {
  const { terms } = parseQuery(question, 'unicode61');
  const matcher = createTermMatcher(terms, 'unicode61');
  const lines = texts.map((text, index): NumberedLine => {
    const { hits, hasWords } = matcher(text);
    const found = [...new Set(hits.map((hit) => hit.term))];
    return { text, hasWords, number: index + 1, terms: found, pairs: [] };
  });
  const weights = terms.map(() => 1);
  return snippetOf(lines, weights, matcher, budget);
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

test('it keeps to its budget but for ellipses and the little that stands in a gap', () => {
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

test('highlights are places in it, in order and apart', () => {
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

test('highlights mark the words that were looked for, in all their forms', () => {
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

test('a cut never tears a character apart', () => {
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

test.run();
