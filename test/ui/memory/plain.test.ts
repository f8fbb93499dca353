import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GetResponse } from '../../../src/engine/memory/get/index.js';
import { createLinkMap } from '../../../src/engine/memory/inspect/link-map.js';
import type { WhyOutput } from '../../../src/engine/memory/inspect/output-schemas.js';
import type { SearchResult } from '../../../src/engine/memory/search/types.js';
import type { SyncSummary } from '../../../src/engine/memory/sync/events.js';
import { renderGet, truncationNote } from '../../../src/ui/memory/get.js';
import {
  renderBrokenLinks,
  renderInspection,
  renderLinks,
  renderWhy,
} from '../../../src/ui/memory/inspect.js';
import { renderSearchResults } from '../../../src/ui/memory/search-results.js';
import { renderSyncSummary } from '../../../src/ui/memory/sync-summary.js';
import { createStyle } from '../../../src/ui/style.js';
import { aResponse, aResult } from '../screens/search-builders.js';
import { aSummary } from './sync-builders.js';

const plain = createStyle(false);
const colored = createStyle(true);

test('a result shows score, location, headings, the wrapped snippet and its source', () => {
  const results = [aResult(0), { ...aResult(1), endLine: 3, headingPath: [] }];
  const options = { style: plain, hintFor: String, columns: 30 };
  assert.is(
    renderSearchResults(aResponse({ results }), options),
    [
      '0.94  memory/note-00.md#L3-L6',
      '      2026-02-03 › Backups',
      '      We moved the nightly',
      '      backup to 02:30.',
      '      It took too long.',
      '',
      '      Source: memory/note-00.md#L3-L6',
      '',
      '0.91  memory/note-01.md#L3',
      '      We moved the nightly',
      '      backup to 02:30.',
      '      It took too long.',
      '',
      '      Source: memory/note-01.md#L3-L6',
      '',
    ].join('\n'),
  );
});

test('a compact result shows score, location, headings, and the best line around its first match', () => {
  const backup = {
    ...aResult(0),
    snippet:
      '# Backup\n\nNothing here.\nWe moved the nightly backup to 02:30, and backup logs too.\n',
    highlights: [
      { start: 2, end: 8 },
      { start: 46, end: 52 },
      { start: 67, end: 73 },
    ],
    bestLine: 3,
  };
  const results = [backup, { ...aResult(1), endLine: 3, headingPath: [], highlights: [] }];
  const options = { style: plain, hintFor: String, columns: 36, compact: true };
  assert.is(
    renderSearchResults(aResponse({ results }), options),
    [
      '0.94  memory/note-00.md#L3-L6',
      '      2026-02-03 › Backups',
      '      We moved the nightly backup…',
      '',
      '0.91  memory/note-01.md#L3',
      '      We moved the nightly backup…',
      '',
    ].join('\n'),
  );
  const href = () => 'file:///notes/a.md';
  const linked = renderSearchResults(aResponse({ results: [backup] }), { ...options, href });
  assert.match(
    linked,
    '0.94  \u001B]8;;file:///notes/a.md\u001B\\memory/note-00.md#L3-L6\u001B]8;;\u001B\\\n',
  );
});

test('a compact result without a best line shows the first below the front matter', () => {
  const snippet = '---\ntags: [a]\n---\n# Backup\n\nIt took too long.\n';
  const bare = { ...aResult(0), snippet, snippetLine: 1, highlights: [], bestLine: undefined };
  const options = { style: plain, hintFor: String, columns: 60, compact: true };
  assert.match(
    renderSearchResults(aResponse({ results: [bare] }), options),
    / {6}It took too long/,
  );
});

test('both formats show how many passages repeat a result', () => {
  const results = [{ ...aResult(0), similarCount: 5 }];
  const options = { style: plain, hintFor: String, columns: 60 };
  const whole = renderSearchResults(aResponse({ results }), options);
  assert.match(whole, /too long\.\n\n {6}and 5 more like this\n\n {6}Source: /);
  const compact = renderSearchResults(aResponse({ results }), { ...options, compact: true });
  assert.match(compact, /02:30\.\n {6}and 5 more like this\n$/);
});

test('colour changes nothing else in results, and marks what matched', () => {
  const response = aResponse({});
  const options = { columns: undefined, hintFor: String };
  const painted = renderSearchResults(response, { ...options, style: colored });
  const without = renderSearchResults(response, { ...options, style: plain });
  assert.is(stripVTControlCharacters(painted), without);
  assert.match(painted, '\u001B[1m\u001B[4mbackup\u001B[24m\u001B[22m');
  assert.match(without, '      We moved the nightly backup to 02:30.\n      It took too long.\n');
});

test('a highlight over a line break and an escaped character stays on its words', () => {
  const result = {
    ...aResult(0),
    snippet: 'a\u001Bone two\nthree',
    highlights: [{ start: 6, end: 15 }],
  };
  const mark = (text: string): string => `[${text}]`;
  const style = { ...plain, match: mark };
  const text = renderSearchResults(aResponse({ results: [result] }), {
    style,
    hintFor: String,
    columns: undefined,
  });
  assert.match(text, '      a\\eone [two]\n      [three]\n');
});

test('--explain shows the parts of a score on a separate line', () => {
  const line = (fields: Partial<SearchResult>): string => {
    const results = [{ ...aResult(0), ...fields }];
    const options = { style: plain, hintFor: String, columns: undefined };
    return renderSearchResults(aResponse({ results }), options).split('\n')[2]?.trim() ?? '';
  };
  const explanation = {
    textShare: 0.3,
    vectorShare: 0.7,
    similarity: 0.6123,
    decay: { factor: 0.5, ageDays: 30 },
    diversity: { placeBefore: 2, overlap: 0.4 },
  };
  assert.is(
    line({ vectorScore: 0.94, explanation }),
    'keyword 0.88 (weight 0.3), vector 0.94 (weight 0.7) · similarity 0.61 · decay 0.50 (30 days) · 2nd before diversity, overlap 0.40',
  );
  const bareExplanation = { ...explanation, similarity: null, decay: null, diversity: null };
  assert.is(line({ explanation: bareExplanation }), 'keyword 0.88 only, no vector yet');
  assert.is(
    line({ explanation: { ...bareExplanation, textShare: 1, vectorShare: 0 } }),
    'keyword 0.88',
  );
  const { textScore: _, ...withoutKeywordScore } = aResult(0);
  const byVector = { ...withoutKeywordScore, vectorScore: 0.9, explanation: bareExplanation };
  assert.match(
    renderSearchResults(aResponse({ results: [byVector] }), {
      style: plain,
      hintFor: String,
      columns: 80,
    }),
    '\n      vector 0.90\n',
  );
});

test('without results, there is a hint', () => {
  const options = { style: plain, hintFor: String, columns: 80 };
  assert.is(
    renderSearchResults(aResponse({ results: [] }), options),
    'No matches.\nTry fewer or different words. "svc memory status --why PATH" shows why a file is not indexed.\n',
  );
  assert.match(
    renderSearchResults(aResponse({ results: [] }), {
      ...options,
      hintFor: (hint) => hint.replace('status', 'status -w notes'),
    }),
    '"svc memory status -w notes --why PATH" shows why a file is not indexed.',
  );
  assert.match(
    renderSearchResults(aResponse({ results: [] }), { ...options, filters: ['--tag', '--path'] }),
    'No matches.\nTry without --tag, --path, or fewer or different words. ',
  );
  assert.match(
    renderSearchResults(aResponse({ results: [], belowMinScore: 2 }), options),
    '2 passages scored too low. Try a lower --min-score.',
  );
});

test('hostile names cannot forge a result', () => {
  const hostile = {
    ...aResult(0),
    path: 'a\n1.00  fake.md',
    headingPath: ['\u001B[2J'],
    citation: 'x\u0007',
  };
  const text = renderSearchResults(aResponse({ results: [hostile] }), {
    style: plain,
    hintFor: String,
    columns: 80,
  });
  assert.is(text.split('\n')[0], '0.94  a\\n1.00  fake.md#L3-L6');
  assert.is(text.split('\n')[1], '      \\e[2J');
  assert.match(text, 'Source: x\\x07');
});

const SKIPPED = [
  { path: 'memory/old.md', reason: 'permission_denied' },
  { path: 'memory/x\n.md', reason: 'too_large', detail: '200 MB, limit 64 MB' },
  { path: 'link.md', reason: 'symlink' },
] as const;

function summaryLines(fields: Parameters<typeof aSummary>[0], verbose = false): readonly string[] {
  const text = renderSyncSummary(aSummary(fields), {
    style: plain,
    agentId: 'main',
    verbose,
  });
  return text.trimEnd().split('\n');
}

test('a summary shows what changed, how long it took, and what was skipped', () => {
  assert.equal(summaryLines({ skipped: SKIPPED }), [
    '✓ main  12 added · 3 changed · 1,268 unchanged',
    '  13,115 chunks from 16.1 MB in 0.6 s',
    '  skipped 2: memory/old.md (permission denied) · memory/x\\n.md (too large: 200 MB, limit 64 MB)',
  ]);
});

const EMBEDDED = {
  provider: 'openai',
  model: 'text-embedding-3-small',
  embedded: 1024,
  known: 96,
  refused: 0,
  pending: 0,
  tokens: 212_400,
  requests: 9,
};

test('a summary shows what was embedded, by which provider, and what has no vector yet', () => {
  const third = (fields: Partial<NonNullable<SyncSummary['embedding']>>): readonly string[] =>
    summaryLines({ embedding: { ...EMBEDDED, ...fields } }).slice(2);
  const done =
    '  1,024 passages embedded (openai, text-embedding-3-small) · 212k tokens · 96 from the cache';
  assert.equal(third({}), [done]);
  assert.equal(third({ pending: 116, refused: 2 }), [
    done,
    '  2 refused by openai · 116 passages pending: keyword search only',
  ]);
  assert.equal(third({ pending: 2, embeddedBy: ['host-b', 'host-c'] }), [
    done,
    '  2 passages pending, being embedded by host-b, host-c: keyword search only',
  ]);
  const failure = { code: 'PROVIDER_AUTH', message: 'no' };
  assert.equal(third({ embedded: 0, tokens: 0, known: 0, model: null, failure }), [
    '  embedding failed: keyword search only',
  ]);
  assert.equal(third({ embedded: 0, tokens: 0, known: 0 }), []);
  const unchanged = { added: 0, changed: 0, unchanged: 9, chunks: 0, embedding: EMBEDDED };
  assert.is(summaryLines(unchanged)[0], '✓ main  9 unchanged');
});

test('a summary has at most three lines, except with --verbose', () => {
  const skipped = Array.from({ length: 50 }, (_, at) => ({
    path: `${at}.md`,
    reason: 'missing' as const,
  }));
  const lines = summaryLines({ skipped });
  assert.is(lines.length, 3);
  assert.match(
    lines[2] ?? '',
    'skipped 50: 0.md (does not exist) · 1.md (does not exist) · 2.md (does not exist) · 47 more',
  );
  assert.is(summaryLines({ skipped: SKIPPED }, true).length, 5);
});

test('a summary of a rebuild or a stop names the state of the index', () => {
  const first = (fields: Parameters<typeof aSummary>[0]): string => summaryLines(fields)[0] ?? '';
  const none = { added: 0, changed: 0, unchanged: 0, chunks: 0 };
  const settings = { reason: 'settings', detail: 'tokenizer' } as const;
  assert.is(first({ outcome: 'unchanged', chunks: 0 }), '✓ main  up to date · 1,268 files · 0.6 s');
  assert.match(first({ rebuild: settings }), /· rebuilt: the settings changed: tokenizer$/);
  assert.match(first({ rebuild: { reason: 'first', detail: '' } }), /· new index$/);
  assert.is(first({ outcome: 'stopped', ...none }), '! main  stopped · no changes');
  assert.match(first({ outcome: 'stopped' }), /^! main {2}stopped · .* · finished work is kept$/);
  assert.match(first(none), /nothing to index/);
});

const DOCUMENT: GetResponse = {
  path: 'memory/a.md',
  absolutePath: '/notes/memory/a.md',
  source: 'memory',
  kind: 'markdown',
  startLine: 9,
  endLine: 11,
  text: 'nine\n\u001B[31mten\neleven',
  totalLines: 1200,
  truncated: true,
};

test('the lines of a file are numbered and escaped on a terminal', () => {
  assert.is(
    renderGet(DOCUMENT, { style: plain, lineNumbers: true, escape: true }),
    ' 9  nine\n10  \\e[31mten\n11  eleven\n',
  );
  assert.is(
    renderGet(DOCUMENT, { style: plain, lineNumbers: false, escape: false }),
    'nine\n\u001B[31mten\neleven\n',
  );
});

test('the lines of a file end with how to continue, except at its end', () => {
  assert.is(truncationNote(DOCUMENT), 'lines 9 to 11 of 1,200; use --from 12 to continue\n');
  assert.is(truncationNote({ ...DOCUMENT, truncated: false }), undefined);
  assert.is(
    truncationNote({ ...DOCUMENT, endLine: 1200 }),
    'lines 9 to 1,200 of 1,200; the last line is too long and was cut\n',
  );
});

const CHUNK = { startLine: 1, endLine: 1, headingPath: [], tokens: 40, vector: 'none' } as const;
const INSPECTED = {
  path: 'MEMORY.md',
  kind: 'markdown',
  bytes: 112,
  source: 'memory',
  modified: '2026-02-03T04:05:06.000Z',
  indexed: '2026-02-03T04:05:06.000Z',
  date: null,
  tags: [],
  properties: {},
  fault: null,
  chunkCount: 1,
  chunks: [],
  out: [],
  back: [],
  broken: [],
} as const;
const VIEW = {
  style: plain,
  columns: undefined,
  nowMs: 0,
  homeDir: '/',
  hintFor: String,
  long: false,
};

test('the preview of a chunk is cut between characters', () => {
  const chunks = [{ ...CHUNK, text: `${'a'.repeat(99)}\u{1F389} end` }];
  assert.ok(
    renderInspection({ ...INSPECTED, chunks }, VIEW)
      .split('\n')
      .includes(`    ${'a'.repeat(99)}`),
  );
});

const aNote = (path: string) => ({ path, source: 'memory' }) as const;
const LINKS = createLinkMap(['MEMORY.md', 'memory/ops.md', 'a/tea.md', 'b/tea.md'].map(aNote), [
  {
    ...aNote('MEMORY.md'),
    links: [
      { kind: 'wiki', target: 'ops', heading: 'Restore', line: 3 },
      { kind: 'wiki', target: 'tea', line: 4 },
      { kind: 'markdown', target: 'memory/gone.md', line: 5 },
    ],
  },
  { ...aNote('memory/ops.md'), links: [{ kind: 'wiki', target: 'MEMORY', line: 2 }] },
]);

test('an inspected file is shown with its properties, and with links that lead somewhere or nowhere', () => {
  const broken = LINKS.broken();
  const text = renderInspection(
    {
      ...INSPECTED,
      date: { day: '2026-02-03', from: 'front_matter' },
      tags: ['net', 'home'],
      properties: { owner: 'ada', list: ['a', 'b'] },
      fault: 'line 3: not YAML',
      out: LINKS.out('MEMORY.md').filter(({ to }) => to !== null),
      back: LINKS.back('MEMORY.md'),
      broken,
    },
    VIEW,
  );
  assert.equal(text.split('\n').slice(3), [
    '  date     2026-02-03 (front matter)',
    '  tags     net home',
    '  where    owner=ada',
    '  where    list=a, b',
    '  fault    front matter: line 3: not YAML',
    '  links to',
    '    memory/ops.md#Restore  #L3',
    '  linked from',
    '    memory/ops.md#L2',
    '  broken',
    '    [[tea]]  several files: a/tea.md, b/tea.md  #L4',
    '    memory/gone.md  no such file  #L5',
    '',
  ]);
  assert.is(
    renderBrokenLinks(broken, VIEW),
    `MEMORY.md#L4  [[tea]]  several files: a/tea.md, b/tea.md
MEMORY.md#L5  memory/gone.md  no such file
2 broken links
`,
  );
});

test('a line with two links to a note is listed once', () => {
  const links = ['Doors', 'Keys'].map(
    (heading) => ({ kind: 'wiki', target: 'MEMORY', heading, line: 2 }) as const,
  );
  const map = createLinkMap([aNote('MEMORY.md')], [{ ...aNote('memory/ops.md'), links }]);
  const back = map.back('MEMORY.md');
  assert.is(
    renderLinks({ path: 'MEMORY.md', out: [], back, broken: [] }, VIEW),
    `MEMORY.md
linked from
  memory/ops.md#L2
`,
  );
});

test('results show the notes that they are linked with, and what was searched instead of unknown words', () => {
  const results = [{ ...aResult(0), path: 'MEMORY.md' }];
  const words = ['a', 'b', 'c', 'd', 'e', 'f'];
  const corrections = words.map((word) => {
    return { word, instead: [`${word}1`], kind: 'spelling' } as const;
  });
  const text = renderSearchResults(aResponse({ results, corrections }), {
    style: plain,
    hintFor: String,
    columns: undefined,
    related: LINKS,
  });
  assert.match(
    text,
    /^showing results for "a1", "b1", "c1", "d1", "e1" and more \(no match for "a", "b", "c", "d", "e" and more\); --exact searches as typed\n\n/,
  );
  assert.match(text, '\n      linked both ways: memory/ops.md\n');
});

test('why a file is indexed or not comes with the rule, and a file to be removed is still indexed', () => {
  const rule = {
    from: 'setting',
    file: null,
    line: null,
    pattern: 'memory/a/**',
    path: 'memory/a/b.md',
  } as const;
  const why: WhyOutput = {
    path: 'memory/a/b.md',
    included: false,
    indexed: true,
    reason: 'excluded',
    rule,
  };
  assert.is(
    renderWhy('main', why, VIEW),
    `main  memory/a/b.md  still indexed
  why    it is excluded
  rule   memory/a/**  (memorySearch.exclude)
  note   the index is not up to date; "svc memory index" updates it
`,
  );
  const file = { ...rule, file: '.svcignore', line: 2, path: 'memory/a' };
  const removed = renderWhy('main', { ...why, indexed: false, rule: file }, VIEW);
  assert.match(removed, 'main  memory/a/b.md  not indexed\n');
  assert.match(removed, '  rule   memory/a/**  (.svcignore:2, matches memory/a)\n');
});

test.run();
