import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LexicalCandidate } from '../../../../src/engine/memory/index/candidates.js';
import { parseQuery } from '../../../../src/engine/memory/search/query.js';
import { analyseChunk, rankCandidates } from '../../../../src/engine/memory/search/rank.js';
import { createTermMatcher } from '../../../../src/engine/memory/search/term-matcher.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('ranking');

const NOTE = { source: 'memory', kind: 'markdown', modifiedMs: 0 } as const;
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
const text = fc.array(fc.constantFrom(...WORDS, '\n'), { minLength: 1, maxLength: 40 });

const candidates = fc
  .array(fc.record({ text, bm25: fc.double({ min: 0, max: 40, noNaN: true }), path: fc.nat(4) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((rows) =>
    rows.map(
      (row, index): LexicalCandidate => ({
        ...NOTE,
        chunkId: index * 2,
        path: `note-${row.path}.md`,
        startLine: index + 1,
        endLine: index + 1,
        headingPath: [],
        text: row.text.join(' '),
        bm25: row.bm25,
      }),
    ),
  );

function rank(found: readonly LexicalCandidate[], frequencies: readonly number[]) {
  const { terms } = parseQuery('alpha beta gamma', 'unicode61');
  const matcher = createTermMatcher(terms, 'unicode61');
  const analysed = found.map((chunk) => analyseChunk(chunk, matcher));
  return rankCandidates(analysed, { chunks: 1000, frequencies }, undefined);
}

test('scores lie between 0 and 1 and fall', () => {
  fc.assert(
    fc.property(candidates, fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)), (found, seen) => {
      const { chunks, scoreOf } = rank(found, seen);
      const scores = chunks.map((chunk) => scoreOf(chunk.rank));
      assert.ok(scores.every((score) => score >= 0 && score <= 1));
      assert.equal(
        scores,
        [...scores].sort((a, b) => b - a),
      );
    }),
  );
});

test('the order of the candidates does not matter', () => {
  fc.assert(
    fc.property(
      candidates.chain((found) =>
        fc.tuple(
          fc.constant(found),
          fc.shuffledSubarray(found, { minLength: found.length, maxLength: found.length }),
        ),
      ),
      ([found, shuffled]) => {
        const order = (list: readonly LexicalCandidate[]) =>
          rank(list, [10, 20, 30]).chunks.map(({ chunk }) => chunk.chunkId);
        assert.equal(order(shuffled), order(found));
      },
    ),
  );
});

test('words adjacent as in the query rank above the same words apart', () => {
  const line = (text: string, chunkId: number): LexicalCandidate => {
    const place = { ...NOTE, path: `${chunkId}.md`, startLine: 1, endLine: 1 } as const;
    return { ...place, chunkId, headingPath: [], text, bm25: 3 };
  };
  const order = (...texts: string[]): number[] =>
    rank(
      texts.map((text, at) => line(text, at * 2)),
      [10, 10, 10],
    ).chunks.map(({ chunk }) => chunk.chunkId);
  assert.equal(order('beta some words alpha', 'alpha beta'), [2, 0]);
  assert.equal(order('alpha and then beta', 'alpha the beta'), [2, 0], 'a short word between them');
  assert.equal(order('beta alpha', 'alpha\nbeta', 'x beta gamma'), [4, 0, 2]);
});

test('equal passages are ordered by path and line', () => {
  const twin = { ...NOTE, headingPath: [], text: 'alpha', bm25: 3 } as const;
  const found = [
    { ...twin, chunkId: 9, path: 'b.md', startLine: 1, endLine: 1 },
    { ...twin, chunkId: 5, path: 'a.md', startLine: 9, endLine: 9 },
    { ...twin, chunkId: 7, path: 'a.md', startLine: 2, endLine: 2 },
  ];
  const places = rank(found, [3, 3, 3]).chunks.map(
    ({ chunk }) => `${chunk.path}:${chunk.startLine}`,
  );
  assert.equal(places, ['a.md:2', 'a.md:9', 'b.md:1']);
});

test('words together on a line are worth more than words apart', () => {
  const base = { ...NOTE, headingPath: [], bm25: 3, startLine: 1, endLine: 3 } as const;
  const found = [
    { ...base, chunkId: 1, path: 'a.md', text: 'alpha\nbeta\ngamma' },
    { ...base, chunkId: 9, path: 'b.md', text: 'delta\nalpha beta gamma\ndelta' },
  ];
  assert.is(rank(found, [3, 3, 3]).chunks[0]?.chunk.path, 'b.md');
});

test('the same files give the same answers whatever order they were indexed in', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `note-${n}.md`,
      `# ${WORDS[n % 6]}\n\n${WORDS[(n * 5) % 6]} and ${WORDS[(n + 3) % 6]}, as ever.\n`,
    ]),
  );
  const answers = async (names: readonly string[]): Promise<unknown> => {
    const folder = tempFolder();
    const backend = backendOn(targetOf(folder.path));
    for (const name of names) {
      folder.write(name, files[name] ?? '');
      await backend.sync({});
    }
    const { results } = await backend.search({ query: 'alpha delta ever', maxResults: 30 });
    backend.close();
    return results;
  };
  const names = Object.keys(files);
  assert.equal(await answers([...names].reverse()), await answers(names));
});

test('equal passages beyond the limit are still chosen by path', async () => {
  const folder = tempFolder();
  const backend = backendOn(targetOf(folder.path));
  for (let n = 199; n >= 100; n--) {
    folder.write(`n${n}.md`, `the same words in each but ${n}`);
    if (n % 20 === 0) await backend.sync({});
  }
  const { results } = await backend.search({ query: 'same words', maxResults: 3 });
  assert.equal(
    results.map((result) => result.path),
    ['n100.md', 'n101.md', 'n102.md'],
  );
});

test('every file in a folder of equal notes is found, with stable results', async () => {
  const files = Array.from({ length: 12 }, (_, n) => [
    `n${n}.md`,
    `the same words in each but ${n}\n`,
  ]);
  const backend = backendOn(targetOf(folderOf(Object.fromEntries(files)).path));
  const once = await backend.search({ query: 'same words', maxResults: 20 });
  const twice = await backend.search({ query: 'same words', maxResults: 20 });
  assert.is(once.results.length, 12);
  assert.equal(twice.results, once.results);
  assert.equal(
    once.results.map((r) => r.path),
    once.results.map((r) => r.path).sort(),
  );
});

test('a word too common to select passages still counts in their scores', () => {
  const { terms } = parseQuery('alpha beta', 'unicode61');
  const matcher = createTermMatcher(terms, 'unicode61');
  const passage = (chunkId: number, text: string): LexicalCandidate => {
    const place = { ...NOTE, startLine: 1, endLine: 1, headingPath: [] } as const;
    return { ...place, chunkId, path: `note-${chunkId}.md`, text, bm25: 2 };
  };
  const found = [passage(1, 'alpha'), passage(9, 'alpha, and beta somewhere after it')];
  const statistics = { chunks: 1000, frequencies: [10, 400] };
  const gain = (isBetaScored: boolean): number => {
    const analysed = found.map((chunk) => analyseChunk(chunk, matcher));
    const isScored = (term: number) => term === 0 || isBetaScored;
    const { chunks } = rankCandidates(analysed, statistics, undefined, isScored);
    assert.is(chunks[0]?.chunk.chunkId, 9);
    return (chunks[0]?.rank ?? 0) - (chunks[1]?.rank ?? 0);
  };
  // What BM25 did not count is made up for.
  assert.ok(gain(false) > gain(true));
});

test('a word of half of all file names or headings finds its notes', async () => {
  const notes = {
    'people.md': '# Contacts\n\nAda works in Basel.\n',
    'operations.md': '# Servers\n\n## Backups\n\nEvery night.\n',
  };
  const backend = backendOn(targetOf(folderOf(notes).path));
  const pathsFor = async (query: string): Promise<string[]> => {
    const { results } = await backend.search({ query });
    return results.map(({ path }) => path);
  };
  assert.equal(await pathsFor('people'), ['people.md']);
  assert.equal(await pathsFor('servers'), ['operations.md']);
  backend.close();
});

test.run();
