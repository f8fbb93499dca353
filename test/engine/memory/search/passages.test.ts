import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linesInSections, passagesOf } from '../../../../src/engine/memory/search/passages.js';
import type { RankedChunk } from '../../../../src/engine/memory/search/rank.js';

const test = suite('passages');

function ranked(path: string, startLine: number, endLine: number, rank = 1): RankedChunk {
  const texts = Array.from({ length: endLine - startLine + 1 }, (_, n) => `line ${startLine + n}`);
  return {
    rank,
    lines: texts.map((text) => ({ text, hasWords: true, terms: [], pairs: [] })),
    above: [],
    chunk: {
      chunkId: startLine,
      source: 'memory',
      kind: 'markdown',
      modifiedMs: 0,
      path,
      startLine,
      endLine,
      headingPath: [],
      text: texts.join('\n'),
      bm25: rank,
    },
  };
}

const places = (chunks: readonly RankedChunk[], max = 10): string[] =>
  passagesOf(chunks, max).map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`);

test('neighbours of one file become one passage, in the place of the better one', () => {
  const chunks = [ranked('a.md', 5, 8, 9), ranked('b.md', 1, 2, 8), ranked('a.md', 9, 12, 7)];
  assert.equal(places(chunks), ['a.md:5-12', 'b.md:1-2']);
});

test('chunks that overlap become one, with each line once and in order', () => {
  const [passage] = passagesOf([ranked('a.md', 5, 8), ranked('a.md', 3, 6)], 10);
  assert.equal(
    passage?.lines.map((line) => line.number),
    [3, 4, 5, 6, 7, 8],
  );
  assert.equal(
    passage?.lines.map((line) => line.text),
    [3, 4, 5, 6, 7, 8].map((n) => `line ${n}`),
  );
});

test('chunks apart, or of different files, stay apart', () => {
  assert.equal(places([ranked('a.md', 1, 2), ranked('a.md', 4, 5)]), ['a.md:1-2', 'a.md:4-5']);
  assert.equal(places([ranked('a.md', 1, 2), ranked('b.md', 3, 4)]), ['a.md:1-2', 'b.md:3-4']);
});

test('a passage does not grow to the whole file', () => {
  const chunks = Array.from({ length: 6 }, (_, n) => ranked('a.md', n * 2 + 1, n * 2 + 2));
  assert.equal(places(chunks), ['a.md:1-6', 'a.md:7-12']);
});

test('an adjacent chunk is merged however low it ranks', () => {
  const chunks = [ranked('a.md', 1, 2, 9), ranked('b.md', 1, 2, 8), ranked('c.md', 1, 2, 7)];
  assert.equal(places([...chunks, ranked('a.md', 3, 4, 1)], 2), ['a.md:1-4', 'b.md:1-2']);
});

test('no more passages than asked for', () => {
  const chunks = Array.from({ length: 9 }, (_, n) => ranked(`${n}.md`, 1, 2));
  assert.is(places(chunks, 4).length, 4);
  assert.equal(places([], 4), []);
});

test('lines of a conversation keep the numbers that they have in the transcript', () => {
  const turns = (texts: readonly string[], lineNumbers: readonly number[]): RankedChunk => {
    const [startLine = 1, endLine = 1] = [lineNumbers[0], lineNumbers.at(-1)];
    const { chunk, ...rest } = ranked('talk.jsonl', startLine, endLine);
    const lines = texts.map((text) => ({ text, hasWords: true, terms: [], pairs: [] }));
    return { ...rest, lines, chunk: { ...chunk, text: texts.join('\n'), lineNumbers } };
  };
  const first = turns(['asked', 'told at', 'length'], [3, 7, 7]);
  const second = turns(['told at', 'length', 'thanked'], [7, 7, 12]);
  const [passage] = passagesOf([second, first], 10);
  assert.equal(
    passage?.lines.map(({ number, text }) => `${number} ${text}`),
    ['3 asked', '7 told at', '7 length', '12 thanked'],
  );
});

test('the headings of a line are those of its chunk, and of those between', () => {
  const paths = (texts: readonly string[], headingPath: readonly string[], startLine = 9) => {
    const one = ranked('a.md', startLine, startLine + texts.length - 1);
    const lines = one.lines.map((line, at) => ({ ...line, text: texts[at] ?? '' }));
    const [passage] = passagesOf([{ ...one, chunk: { ...one.chunk, headingPath }, lines }], 1);
    return passage === undefined
      ? []
      : linesInSections(passage).map((line) => line.headingPath.join('/'));
  };
  assert.equal(paths(['a', '## C', 'c', '### D', ''], ['A', 'B']), [
    ...['A/B', 'A/C', 'A/C', 'A/C/D', 'A/C/D'],
  ]);
  // Also where levels are left out.
  assert.equal(paths(['## A', 'a', '## B', 'b'], ['A']), ['A', 'A', 'B', 'B']);
  assert.equal(paths(['### B', 'b', '## C', 'c'], ['A', 'B']), ['A/B', 'A/B', 'A/C', 'A/C']);
  // Between rules is front matter at the start of a note only.
  const rules = ['---', '', '## C', '', 'c', '', '---', 'd'];
  assert.equal(paths(rules, ['A', 'B']).at(-1), 'A/C');
  assert.equal(paths(rules, ['A', 'B'], 1).at(-1), 'A/B');
  // A chunk that starts inside of a block of code.
  assert.equal(paths(['# install', 'npm ci'], ['A']), ['A', 'A']);
});

test.run();
