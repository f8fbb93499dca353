import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type LocateOptions,
  locateHits,
} from '../../../../../src/engine/memory/backends/ext/locate-hits.js';
import type { ToolHit } from '../../../../../src/engine/memory/backends/ext/tool/read-answer.js';
import {
  Forgotten,
  hashesOf,
  NOTHING_FORGOTTEN,
} from '../../../../../src/engine/memory/forgotten/index.js';
import type { SearchRequest } from '../../../../../src/engine/memory/search/types.js';
import { DREAM_REPORTS } from '../../../../../src/engine/memory/sources/read-document.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('locating results of the external program');

const NOTE =
  '# Birds\n\n## Heron\n\nThe heron nests in the old oak.\nIt fishes at dusk.\n\n## Crake\n\nA crake ran by.\n';
const world = folderOf({
  'ws/memory/birds.md': NOTE,
  [`ws/${DREAM_REPORTS}/report.md`]: 'The heron was dreamt of.\n',
  'ws/memory/long.md': `heron ${'🦊'.repeat(600)}\n`,
  'out/s1.md': '# Session s1\n\nuser: a heron?\n',
});

const OPTIONS: LocateOptions = {
  collections: [
    { name: 'dir', root: world.at('ws/memory'), pattern: '**/*.md', source: 'memory' },
    { name: 'talks', root: world.at('out'), pattern: '**/*.md', source: 'sessions' },
  ],
  workspaceDir: world.at('ws'),
  citations: 'auto',
  forgotten: NOTHING_FORGOTTEN,
  maxResults: 4,
  maxSnippetChars: 450,
  maxInjectedChars: 2200,
};

const hit = (fields: Partial<ToolHit> = {}): ToolHit => ({
  collection: 'dir',
  path: 'birds.md',
  contentHash: undefined,
  score: 0.8,
  line: 5,
  lines: ['The heron nests in the old oak.', 'It fishes at dusk.'],
  ...fields,
});

const locate = (
  hits: readonly ToolHit[],
  request: Partial<SearchRequest> = {},
  options: Partial<LocateOptions> = {},
) => locateHits(hits, { query: 'heron', ...request }, { ...OPTIONS, ...options });

test('a result has the real lines, their headings and the positions of the words', () => {
  const [result] = locate([hit()]).results;
  assert.equal(
    [result?.path, result?.startLine, result?.endLine, result?.citation, result?.headingPath],
    ['memory/birds.md', 5, 6, 'memory/birds.md#L5-L6', ['Birds', 'Heron']],
  );
  assert.equal(result?.highlights, [{ start: 4, end: 9 }]);
});

test('lines that moved since indexing are cited at their current position', () => {
  const [result] = locate([hit({ line: 1 })]).results;
  assert.is(result?.citation, 'memory/birds.md#L5-L6');
  assert.equal(locate([hit({ lines: ['no longer there'] })]), {
    results: [],
    belowMinScore: 0,
  });
});

test('with citations off, the path stays', () => {
  const [result] = locate([hit()], {}, { citations: 'off' }).results;
  assert.equal([result?.citation, result?.path], [undefined, 'memory/birds.md']);
});

test('forgotten text and svc’s own writing are not results', () => {
  const salt = 'salt';
  const lines = hashesOf(salt, 'The heron nests in the old oak.\nIt fishes at dusk.');
  const forgotten = new Forgotten(salt, [{ documents: [], lines: [lines] }]);
  assert.equal(locate([hit()], {}, { forgotten }).results, []);
  const path = `${DREAM_REPORTS}/report.md`.slice('memory/'.length);
  const dreamt = locate([hit({ path, line: 1, lines: ['The heron was dreamt of.'] })]);
  assert.equal(dreamt.results, []);
});

test("a hit outside this agent's collections is dropped", () => {
  assert.equal(locate([hit({ collection: 'other' })]).results, []);
  assert.equal(locate([hit({ path: '../../out/s1.md', lines: ['user: a heron?'] })]).results, []);
});

test('a conversation is named by its collection', () => {
  const [result] = locate([
    hit({ collection: 'talks', path: 's1.md', line: 3, lines: ['user: a heron?'] }),
  ]).results;
  assert.equal(
    [result?.path, result?.source, result?.kind],
    ['qmd/talks/s1.md', 'sessions', 'transcript'],
  );
});

test('overlapping passages are merged, and filters and limits apply', () => {
  const crake = hit({ score: 0.3, line: 10, lines: ['A crake ran by.'] });
  const same = hit({ score: 0.7, lines: ['It fishes at dusk.'], line: 6 });
  const lines = (request: Partial<SearchRequest>, options: Partial<LocateOptions> = {}) =>
    locate([hit(), same, crake], request, options).results.map(({ startLine }) => startLine);
  assert.equal(lines({}), [5, 10]);
  assert.equal(lines({}, { maxResults: 1 }), [5]);
  assert.equal(lines({ pathGlob: '*.txt' }), []);
  assert.equal(lines({ minScore: 0.5 }), [5]);
  assert.is(locate([hit(), crake], { minScore: 0.5 }).belowMinScore, 1);
});

test('of files with the same written path the one with the content is chosen', () => {
  const two = folderOf({ 'a/x-y.md': 'heron one\n', 'a/x y.md': 'heron two\n' });
  const collections = [
    { name: 'dir', root: two.at('a'), pattern: '**/*.md', source: 'memory' as const },
  ];
  const contentHash = createHash('sha256').update('heron two\n').digest('hex').slice(0, 6);
  const one = hit({ path: 'x-y.md', contentHash, line: 1, lines: ['heron two'] });
  const { results } = locate([one], {}, { collections, workspaceDir: two.path });
  assert.equal(
    results.map(({ path }) => path),
    ['a/x y.md'],
  );
});

test('no snippet, nor their sum, exceeds its limit or splits a character', () => {
  const long = hit({ path: 'long.md', line: 1, lines: [`heron ${'🦊'.repeat(600)}`] });
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 1300 }),
      fc.integer({ min: 2, max: 1300 }),
      (one, all) => {
        const limits = { maxSnippetChars: one, maxInjectedChars: all };
        const { results } = locate([long, hit()], {}, limits);
        const lengths = results.map(({ snippet }) => snippet.length);
        assert.ok(lengths.every((length) => length <= one));
        assert.ok(lengths.reduce((sum, length) => sum + length, 0) <= all);
        assert.ok(results.every(({ snippet }) => Buffer.from(snippet).toString() === snippet));
      },
    ),
  );
});

test.run();
