import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tokenizer } from '../../../../src/engine/memory/index/identity.js';
import { matchExpression, parseQuery } from '../../../../src/engine/memory/search/query.js';
import { anyText } from '../../../support/markdown.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('queries');

const TOKENIZERS = ['unicode61', 'trigram'] as const satisfies readonly Tokenizer[];

const notes = folderOf({
  'plain.md': '# Backup\n\nThe nightly backup runs at three and says "done" — 100 %.\n',
  'signs.md': 'Odd: "quotes" \'single\' a\\b 50% under_score #tag @home C++ ; -- drop table\n',
  'cjk.md':
    '記憶を検索する。한국어 메모. カタカナ ＦＵＬＬ καφές άρωμα\n\n🎉 party 👩‍👩‍👧 family\n',
});
const backends = new Map(
  TOKENIZERS.map((tokenizer) => [tokenizer, backendOn(targetOf(notes.path, { tokenizer }))]),
);

async function search(tokenizer: Tokenizer, query: string) {
  const backend = backends.get(tokenizer);
  if (backend === undefined) throw new Error(tokenizer);
  return backend.search({ query });
}

for (const tokenizer of TOKENIZERS) {
  test(`decomposed letters are found by composed and decomposed ones (${tokenizer})`, async () => {
    const latin = ['Zürich', 'Straßenbahncafé'];
    const words = tokenizer === 'trigram' ? [...latin, 'ガギグゲ', '한국어의'] : latin;
    const text = `# ${words.join(' ')}\n\n${words.join(' and ')}\n`.normalize('NFD');
    const { path } = folderOf({ 'macos.md': text, 'other.md': '# Other\n' });
    const backend = backendOn(targetOf(path, { tokenizer }));
    for (const word of words) {
      for (const query of [word, word.normalize('NFD')]) {
        assert.equal(pathsOf(await backend.search({ query })), ['macos.md'], query);
      }
    }
    await backend.close();
  });

  test(`no text raises an error (${tokenizer})`, async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (query) => {
        const { results } = await search(tokenizer, query);
        for (const { score } of results) assert.ok(score >= 0 && score <= 1);
      }),
      { numRuns: 500 },
    );
  });

  test(`known troublesome queries raise no error (${tokenizer})`, async () => {
    const traps = [
      ...['"', '""', '"""', "'", '"backup', 'backup"', '-', '--', '*', '**', 'backup*', '*backup'],
      ...['-backup', '-"nightly backup"', 'AND', 'backup AND', 'NOT backup', 'NEAR(a b, 2)'],
      ...['text:backup', '{text}:x', '^backup', 'a + b', '(', ')', '%', '_', '\\', ';--', '\0'],
      ...[
        'a\0b',
        '"a\0b c"',
        '\ud800',
        '"\udfff\udfff\udfff"',
        '!?.,;:',
        '🎉',
        '記',
        '記憶',
        ' ',
        '\n',
      ],
      ...['"'.repeat(1000), '('.repeat(1000), '-x '.repeat(1000), '"a" '.repeat(1000)],
    ];
    for (const query of traps) {
      const { results } = await search(tokenizer, query);
      assert.ok(
        results.every((result) => result.score >= 0 && result.score <= 1),
        query,
      );
    }
  });

  test(`100 kB of text are searched by their beginning, with a warning (${tokenizer})`, async () => {
    const response = await search(tokenizer, `nightly backup ${'lorem ipsum dolor '.repeat(6000)}`);
    assert.is(pathsOf(response)[0], 'plain.md');
    assert.ok(warningCodes(response).includes('QUERY_SHORTENED'));
    for (const filler of ['?', '記', '🎉', '"', 'a', ' '])
      await search(tokenizer, filler.repeat(100_000));
  });

  test(`symbols and emoji are found literally (${tokenizer})`, async () => {
    assert.equal(pathsOf(await search(tokenizer, '🎉')), ['cjk.md']);
    assert.equal(pathsOf(await search(tokenizer, '👩‍👩‍👧')), ['cjk.md']);
    assert.equal(pathsOf(await search(tokenizer, '50%')), ['signs.md']);
    assert.equal(pathsOf(await search(tokenizer, '%')).sort(), ['plain.md', 'signs.md']);
    assert.equal(pathsOf(await search(tokenizer, '"')).sort(), ['plain.md', 'signs.md']);
    assert.equal(pathsOf(await search(tokenizer, '++')), ['signs.md']);
  });

  test(`letters may be typed as one or as several code points (${tokenizer})`, async () => {
    for (const query of ['한국어', 'καφές', 'άρωμα']) {
      assert.equal(pathsOf(await search(tokenizer, query.normalize('NFD'))), ['cjk.md'], query);
    }
  });

  test(`Chinese, Japanese and Korean words are found within a run (${tokenizer})`, async () => {
    for (const query of ['検索', '記憶を検索', '한국어', 'カタカナ', 'ＦＵＬＬ']) {
      assert.equal(pathsOf(await search(tokenizer, query)), ['cjk.md'], query);
    }
  });
}

test('with trigrams a word of two letters counts only in a query without a longer one', async () => {
  assert.equal(pathsOf(await search('trigram', 'ru')), ['plain.md']);
  assert.equal(pathsOf(await search('trigram', 'zz')), []);
  assert.equal(pathsOf(await search('trigram', 'zz nightly')), ['plain.md']);
  assert.equal(pathsOf(await search('trigram', 'ta nightly')), ['plain.md']);
});

test('a symbol in a passage without words is highlighted', async () => {
  const party = folderOf({
    'p.md': `${`${'— · '.repeat(20)}\n`.repeat(40)}🎉 🎉\n${`${'· — '.repeat(20)}\n`.repeat(40)}`,
  });
  const { results } = await backendOn(targetOf(party.path)).search({ query: '🎉' });
  assert.match(results[0]?.snippet ?? '', /🎉/u);
});

test('a star finds every word with the prefix, however the stemmer cuts it', async () => {
  const words = [
    'deploy',
    'deployed',
    'deployments',
    'organization',
    'organizer',
    'happiness',
    'database',
  ];
  const files = words.map((word) => [`${word}.md`, `the ${word} is here`]);
  const backend = backendOn(targetOf(folderOf(Object.fromEntries(files)).path));
  for (const [query, found] of Object.entries({
    'deploy*': ['deploy.md', 'deployed.md', 'deployments.md'],
    'organiz*': ['organization.md', 'organizer.md'],
    'happi*': ['happiness.md'],
    'databa*': ['database.md'],
  })) {
    const response = await backend.search({ query, maxResults: 10 });
    assert.equal(pathsOf(response).sort(), found, query);
    assert.ok(
      response.results.every((result) => result.highlights.length > 0),
      query,
    );
  }
});

test('an empty query finds nothing and says so', async () => {
  const response = await search('unicode61', '  \t ');
  assert.equal(response.results, []);
  assert.equal(warningCodes(response), ['QUERY_EMPTY']);
});

test('words are optional, phrases are required, minus excludes', () => {
  const query = parseQuery('when does "nightly backup" run -staging', 'unicode61');
  assert.equal(
    query.required.map((term) => term.match),
    ['"nightly backup"'],
  );
  assert.equal(
    query.excluded.map((term) => term.match),
    ['"staging"'],
  );
  assert.equal(
    query.terms.map((term) => term.match),
    ['"run"'],
  );
  assert.is(
    matchExpression(query),
    '("nightly backup" AND ("run" OR "nightly backup")) NOT ("staging")',
  );
});

test('typographic quotes require a phrase too', () => {
  for (const query of ['“nightly backup” -„test run“', '”nightly backup“ -"test run"']) {
    const { required, excluded } = parseQuery(query, 'unicode61');
    assert.equal(
      [...required, ...excluded].map((term) => term.match),
      ['"nightly backup"', '"test run"'],
    );
  }
});

test('stop words count only when there is nothing else', () => {
  assert.equal(
    parseQuery('the who', 'unicode61').terms.map((term) => term.match),
    ['"the"', '"who"'],
  );
  assert.equal(
    parseQuery('the backup', 'unicode61').terms.map((term) => term.match),
    ['"backup"'],
  );
});

test('operators are words like any other', () => {
  const { terms, required, excluded } = parseQuery('alpha AND beta NOT gamma NEAR/2', 'unicode61');
  assert.equal([required, excluded], [[], []]);
  assert.ok(terms.every((term) => /^"[^"]*"$/.test(term.match)));
});

test('a hyphen inside a word or before a number excludes nothing', () => {
  assert.equal(parseQuery('well-known -5 state-of-the-art', 'unicode61').excluded, []);
});

test('a star matches prefixes', () => {
  assert.equal(parseQuery('deploy*', 'unicode61').terms, [
    {
      match: '("deploy" * OR "deploye" *)',
      forms: [{ stems: ['deploy'], prefix: true }],
    },
  ]);
});

test.run();
