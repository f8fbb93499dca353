/** Filters keep the same passages in every kind of index, and never fewer than there are. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CandidateFilter } from '../../../../src/engine/memory/index/candidates.js';
import type { IndexedDocument } from '../../../../src/engine/memory/index/documents.js';
import { parseFilters } from '../../../../src/engine/memory/search/filters.js';
import type { SearchFilters } from '../../../../src/engine/memory/search/types.js';
import type { NoteFacts } from '../../../../src/engine/memory/types.js';
import { failureOf } from '../../../support/failure.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';
import { apply, documentOf, embedMissing, textVector } from '../../../support/vector-index.js';

const NOW = Date.parse('2026-03-18T12:00:00Z');

function note(
  path: string,
  facts: NoteFacts | undefined,
  modified: string,
  ...texts: readonly string[]
): IndexedDocument {
  const mtimeMs = Date.parse(modified);
  return { ...documentOf(path, texts), facts, fingerprint: { size: 1, mtimeMs, ctimeMs: 1 } };
}

const dayOf = (iso: string): number => Date.parse(iso) / 86_400_000;

const TALK: IndexedDocument = {
  ...documentOf('sessions/a.jsonl', []),
  source: 'sessions',
  kind: 'transcript',
  chunks: ['2026-03-01', '2026-03-16'].map((day, at) => ({
    startLine: at + 1,
    endLine: at + 1,
    headingPath: [`${day} talk`, '\u0130stanbul'],
    text: `alpha said ${at}\n# pasted`,
  })),
};

const DOCUMENTS: readonly IndexedDocument[] = [
  note('memory/2026-02-03.md', { day: dayOf('2026-03-17') }, '2026-03-17', 'alpha by name'),
  note('memory/dated.md', { day: dayOf('2026-03-10') }, '2026-01-01', 'alpha by front matter'),
  note('memory/plain.md', undefined, '2026-03-15T12:00:00Z', 'alpha by time'),
  note(
    'memory/props.md',
    {
      tags: ['work/web', 'home'],
      properties: {
        ...{ status: 'Open', n: 10, due: '2026-04-01', who: ['Ana', 'Bo'], version: '1.10' },
        ...{ month: '2026-04', url: 'https://x/?a=b&c>d' },
      },
    },
    '2025-01-01',
    'alpha one',
    'one\n\n## Große Pläne\nalpha two',
  ),
  note(
    'memory/accents.md',
    { tags: ['caf\u00e9'], properties: { plat: 'cre\u0300me' } },
    '2025-01-01',
    'one\n\n## La cre\u0300me\nalpha',
    'one\n\n## La cr\u00e8me\nalpha',
  ),
  note(
    'memory/sections.md',
    undefined,
    '2025-01-01',
    [
      ...['alpha', '', '```sh', '# in code', '```', '', 'Underlined', '---', 'alpha'],
      ...['##\tTabbed **bold** part', '  ### A [link](https://x.org) *here*', 'alpha'],
    ].join('\n'),
  ),
  note(
    'memory/rules.md',
    undefined,
    '2025-01-01',
    'alpha first',
    '---\n\ntwo\n\n#### Garden\n\nalpha\n\n---\n\nthree',
  ),
  TALK,
];

const EXPECTED: readonly (readonly [SearchFilters, readonly string[]])[] = [
  [{ since: '2026-03-01' }, ['dated.md', 'plain.md', 'a.jsonl 1', 'a.jsonl 2']],
  [{ since: '7d' }, ['plain.md', 'a.jsonl 2']],
  [
    { before: '2026-03-01' },
    [
      ...['2026-02-03.md', 'accents.md 1', 'accents.md 2', 'props.md 1', 'props.md 2'],
      ...['rules.md 1', 'rules.md 2', 'sections.md'],
    ],
  ],
  [{ on: '2026-02' }, ['2026-02-03.md']],
  [{ on: 'last week' }, ['dated.md', 'plain.md']],
  [{ since: '2026-02-01', before: '2026-03-10' }, ['2026-02-03.md', 'a.jsonl 1']],
  [{ tags: ['Work'] }, ['props.md 1', 'props.md 2']],
  [{ tags: ['#home', 'work/web'] }, ['props.md 1', 'props.md 2']],
  [{ tags: ['wor'] }, []],
  [{ where: ['status=open'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['n>9', 'due < 2026-05-01', 'who=bo'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['n<10'] }, []],
  [{ where: ['due=2026-04'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['due>2026-03'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['due>2026-04'] }, []],
  [{ where: ['due<2026-04'] }, []],
  [{ where: ['month=2026-04'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['month>2026-04-01'] }, []],
  [{ where: ['month<2026-04-30'] }, []],
  [{ where: ['month<2026-05-01'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['url=https://x/?a=b&c>d'] }, ['props.md 1', 'props.md 2']],
  [{ where: ['missing=1'] }, []],
  [{ where: ['__proto__=1'] }, []],
  [{ heading: 'große pl' }, ['props.md 2']],
  [{ heading: 'talk', since: '2026-03-10' }, ['a.jsonl 2']],
  [{ heading: '\u0130s' }, ['a.jsonl 1', 'a.jsonl 2']],
  [{ heading: 'LA CR\u00c8ME' }, ['accents.md 1', 'accents.md 2']],
  [{ heading: 'la cre\u0300me' }, ['accents.md 1', 'accents.md 2']],
  [{ tags: ['Cafe\u0301'] }, ['accents.md 1', 'accents.md 2']],
  [{ where: ['plat=cr\u00e8me'] }, ['accents.md 1', 'accents.md 2']],
  [{ heading: '%' }, []],
  [{ heading: 'underlined' }, ['sections.md']],
  [{ heading: 'tabbed bold part' }, ['sections.md']],
  [{ heading: 'a link here' }, ['sections.md']],
  [{ heading: 'garden' }, ['rules.md 2']],
  [{ heading: 'in code' }, []],
  [{ heading: 'pasted' }, []],
  [{ kinds: ['transcript'] }, ['a.jsonl 1', 'a.jsonl 2']],
  [{ kinds: ['Transcript', 'markdown'], on: '2026-02' }, ['2026-02-03.md']],
  [{ kinds: ['image', 'pdf'] }, []],
];

async function filterOf(filters: SearchFilters): Promise<CandidateFilter> {
  return (await parseFilters(filters, { nowMs: NOW, timeZone: 'UTC' })).filter;
}

for (const kind of [sqliteKind, ...(await sharedKinds())]) {
  const test = suite(`filters on ${kind.name}`);

  test.after(() => kind.stop());

  test('words, literal text, dates and vectors are restricted before they are ranked', async () => {
    const index = await kind.newIndex();
    await apply(index, ...DOCUMENTS.map((document) => ({ type: 'put' as const, document })));
    await embedMissing(index, 'm', textVector);
    for (const [filters, expected] of EXPECTED) {
      const filter = await filterOf(filters);
      const shown = (found: readonly { path: string; startLine: number }[]): readonly string[] =>
        found
          .map(({ path, startLine }) => {
            const name = path.split('/').at(-1) ?? '';
            return /accents|props|rules|jsonl/.test(name) ? `${name} ${startLine}` : name;
          })
          .toSorted();
      const what = JSON.stringify(filters);
      const wanted = expected.toSorted();
      assert.equal(shown(await index.lexicalCandidates('"alpha"', 20, filter)), wanted, what);
      assert.equal(shown(await index.literalCandidates('alpha', 20, filter)), wanted, what);
      assert.is(await index.countMatches('"alpha"', filter), expected.length, what);
      const near = await index.vectorCandidates('m', textVector('alpha'), 20, filter);
      assert.equal(shown(near), wanted, what);
      const one = await index.lexicalCandidates('"alpha"', 1, filter);
      assert.is(one.length, Math.min(1, expected.length), what);
      const days = { first: dayOf('2026-03-01'), last: dayOf('2026-03-16') };
      const question = { days, match: undefined, mustMatch: false, except: undefined };
      const dated = await index.datedCandidates({ ...question, limit: 9, filter });
      const talks = wanted.filter((name) => name.startsWith('a.jsonl'));
      assert.equal(shown(dated), talks, what);
    }
    index.close();
  });

  test('a path, a source and filters are combined', async () => {
    const index = await kind.newIndex();
    await apply(index, ...DOCUMENTS.map((document) => ({ type: 'put' as const, document })));
    const filter = await filterOf({ since: '2026-03-01' });
    const memory = { ...filter, sources: ['memory' as const] };
    assert.is((await index.lexicalCandidates('"alpha"', 20, memory)).length, 2);
    const path = (name: string): boolean => name.endsWith('plain.md');
    assert.is((await index.lexicalCandidates('"alpha"', 20, { ...memory, path })).length, 1);
    index.close();
  });

  test('front matter that cannot be read is listed', async () => {
    const index = await kind.newIndex();
    const document = note('b.md', { fault: 'not a list of keys' }, '2026-01-01', 'x');
    // YAML can express what PostgreSQL refuses in JSON.
    const properties = { fault: 'half of \ud83d, \0 and \\u0000' };
    const odd = note('c.md', { properties }, '2026-01-01', 'odd');
    await apply(
      index,
      ...[document, TALK, odd].map((one) => ({ type: 'put' as const, document: one })),
    );
    assert.equal(await index.frontMatterFaults(), [{ path: 'b.md', why: 'not a list of keys' }]);
    index.close();
  });

  test.run();
}

const texts = suite('texts of filters');

texts('what cannot be understood is refused with an example', async () => {
  const refusals: readonly (readonly [SearchFilters, RegExp])[] = [
    [{ since: 'soon' }, /^--since must be a date or a duration such as 7d \(got "soon"\)$/],
    [{ since: '' }, /^--since must be a date or a duration such as 7d \(got ""\)$/],
    [{ before: ' ' }, /^--before must be a date/],
    [{ on: '' }, /^--on must be a date/],
    [{ on: 'the backup of yesterday' }, /^--on must be a date/],
    [{ where: ['status'] }, /^--where must be key=value, key>value or key<value \(got "status"\)$/],
    [
      { where: ['status>open'] },
      /^--where > must be followed by a number or a date \(got "open"\)$/,
    ],
    [{ where: ['a>=1'] }, /^--where must be/],
    [{ where: ['a==1'] }, /^--where must be/],
    [
      { since: '2026-05-01', before: '2026-03-01' },
      /^no date meets --since 2026-05-01 and --before 2026-03-01$/,
    ],
    [
      { since: '2026-05-01', on: '2026-04' },
      /^no date meets --since 2026-05-01 and --on 2026-04-01$/,
    ],
    [{ where: ['status!=open'] }, /^--where must be .* \(got "status!=open"\)$/],
    [{ where: ['status ~= open'] }, /^--where must be/],
    [{ since: '99999y' }, /^--since must be a date or a duration/],
    [{ on: '999999 days ago' }, /^--on must be a date or a duration/],
    [{ tags: ['#'] }, /^--tag must not be empty$/],
    [{ heading: ' ' }, /^--heading must not be empty$/],
    // Minutes and hours, as in the durations of other commands.
    [{ since: '3m' }, /^--since must be a date or a duration such as 7d \(got "3m"\)$/],
    [{ since: '2h' }, /^--since must be a date or a duration such as 7d \(got "2h"\)$/],
  ];
  for (const [filters, message] of refusals) {
    const failure = await failureOf(parseFilters(filters, { nowMs: NOW, timeZone: 'UTC' }));
    assert.match(failure.message, message);
    assert.is(failure.code, 'USAGE');
  }
});

texts('dates are understood as in questions', async () => {
  const range = async (on: string) => {
    const { output } = await parseFilters({ on }, { nowMs: NOW, timeZone: 'UTC' });
    return `${output.from} ${output.to}`;
  };
  assert.is(await range('yesterday'), '2026-03-17 2026-03-17');
  assert.is(await range('last Tuesday'), '2026-03-17 2026-03-17');
  assert.is(await range('March'), '2026-03-01 2026-03-31');
  assert.is(await range('in February'), '2026-02-01 2026-02-28');
  assert.is(await range('two weeks ago'), '2026-03-02 2026-03-08');
  assert.is(await range('2w'), '2026-03-04 2026-03-04');
  assert.is(await range('1y'), '2025-03-18 2025-03-18');
  assert.is(await range('2026-03-02'), '2026-03-02 2026-03-02');
});

texts.run();
