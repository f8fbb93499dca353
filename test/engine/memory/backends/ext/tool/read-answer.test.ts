import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ToolFailure } from '../../../../../../src/engine/memory/backends/ext/tool/open-tool.js';
import {
  readAnswer,
  readCollections,
  readCounts,
  readPending,
} from '../../../../../../src/engine/memory/backends/ext/tool/read-answer.js';
import { RELEASES } from '../../../../../ext/releases.js';
import { recordedQmd } from '../../../../../support/qmd.js';

const test = suite('reading what the external program prints');

const row = (fields: object): object => ({
  docid: '#a1b2c3',
  score: 0.5,
  file: 'qmd://notes/a.md',
  snippet: '@@ -3,2 @@ (2 before, 0 after)\nfirst\nsecond',
  ...fields,
});
const printed = (...rows: readonly object[]): string => JSON.stringify(rows, null, 2);

/** Pieces of which broken answers are made. */
const piece = fc.oneof(
  fc.constantFrom('[', ']', '{', '}', '"', '\\', '[]', '[{', '}]', 'No results found', '\n'),
  fc.string(),
  fc.json(),
);

test('any output is an answer or a failure of the program', () => {
  fc.assert(
    fc.property(
      fc.array(piece).map((all) => all.join('')),
      (stdout) => {
        try {
          for (const hit of readAnswer(stdout)) {
            assert.ok(hit.collection !== '' && hit.path !== '');
            assert.ok(hit.score >= 0 && hit.score <= 1);
            assert.ok(hit.line === undefined || hit.line >= 1);
          }
        } catch (error) {
          assert.instance(error, ToolFailure);
        }
      },
    ),
  );
});

test('an answer is read despite text before and after it', () => {
  const noise = fc
    .array(fc.constantFrom('[info] warm\n', 'Loading…\n', '[done] in 3 ms\n', '[]\n', '"[\n', '{}'))
    .map((lines) => lines.join(''));
  const rows = fc.array(
    fc.record({ score: fc.double({ min: 0, max: 1, noNaN: true }), title: fc.string() }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(noise, noise, rows, (before, after, found) => {
      const hits = readAnswer(`${before}${printed(...found.map(row))}\n${after}`);
      assert.equal(
        hits.map(({ score }) => score),
        found.map(({ score }) => score),
      );
    }),
  );
});

test('a note whose text says that nothing was found is still a result', () => {
  const snippet = '@@ -1,2 @@\nNo results found\nin the archive';
  const hits = readAnswer(printed(row({ snippet })));
  assert.equal(hits[0]?.lines, ['No results found', 'in the archive']);
  assert.equal(readAnswer('No results found.\n'), []);
  assert.equal(readAnswer('No results found above minimum score threshold.\n'), []);
});

test('brackets and escaped quotes in a text do not end an answer', () => {
  const snippet = '@@ -1,1 @@\nshe said "]" and \\" and [link](x)';
  assert.equal(readAnswer(`${printed(row({ snippet }))} tail ]`)[0]?.lines, [
    'she said "]" and \\" and [link](x)',
  ]);
});

test('lines are read without their header and the line numbers of MCP', () => {
  const [plain] = readAnswer(printed(row({})));
  assert.equal([plain?.line, plain?.lines], [3, ['first', 'second']]);
  const snippet = '3: @@ -3,2 @@ (2 before, 0 after)\n4: first\n5: second';
  const [numbered] = readAnswer(printed(row({ snippet })));
  assert.equal([numbered?.line, numbered?.lines], [3, ['first', 'second']]);
});

test('a newer format has separate fields for collection, body and lines', () => {
  const fields = {
    collection: 'notes',
    file: 'deep/a.md',
    start_line: 7,
    body: 'x\ny',
    snippet: '',
  };
  const [hit] = readAnswer(printed(row(fields)));
  assert.equal(
    [hit?.collection, hit?.path, hit?.line, hit?.lines],
    ['notes', 'deep/a.md', 7, ['x', 'y']],
  );
});

test('scores are clamped to 0 to 1', () => {
  const scores = [0.3, 7, -1, 'x', null].map((score) => row({ score }));
  assert.equal(
    readAnswer(printed(...scores)).map(({ score }) => score),
    [0.3, 1, 0, 0, 0],
  );
});

test('a long text full of brackets is refused at once', () => {
  assert.throws(
    () => readAnswer('[{'.repeat(100_000)),
    (error: unknown) => error instanceof ToolFailure && error.code === 'BACKEND_FAILED',
  );
});

test('output of updates and lists is parsed', () => {
  const update = 'Indexed: 2 new, 1 updated, 3 unchanged, 4 removed\n';
  assert.equal(readCounts(update + update), { added: 4, changed: 2, unchanged: 6, removed: 8 });
  assert.equal(readCounts('nothing'), { added: 0, changed: 0, unchanged: 0, removed: 0 });
  assert.is(readPending("Run 'qmd embed' to update embeddings (3 unique hashes need vectors)"), 3);
  assert.is(readPending('1 unique hash needs vector'), 1);
  const added = (count: number): string => `(${count} unique hashes need vectors)\n✓ created\n`;
  assert.is(readPending(added(1) + added(13)), 13);
  assert.is(readPending(''), undefined);
  const list =
    'Collections (2):\n\na (qmd://a/)\n  Pattern:  **/*.md\n  Files:    12\n\nb (qmd://b/)\n';
  assert.equal(readCollections(list), [
    { name: 'a', pattern: '**/*.md', files: 12 },
    { name: 'b', pattern: undefined, files: undefined },
  ]);
});

interface Recorded {
  readonly answers: readonly {
    readonly args: readonly string[];
    readonly status: number;
    readonly stdout: string;
  }[];
}

for (const version of RELEASES) {
  const { answers } = recordedQmd(version) as Recorded;

  test(`reads what ${version} found`, () => {
    const searches = answers.filter(
      ({ args, status }) => args[0] === 'search' && args.includes('--json') && status === 0,
    );
    assert.ok(searches.length > 20);
    for (const { args, stdout } of searches) {
      const hits = readAnswer(stdout);
      const rows = (stdout.startsWith('[') ? JSON.parse(stdout) : []) as readonly {
        readonly file: string;
        readonly docid: string;
      }[];
      assert.equal(
        hits.map(({ collection, path, contentHash }) => [
          `qmd://${collection}/${path}`,
          `#${contentHash}`,
        ]),
        rows.map(({ file, docid }) => [file, docid]),
        args.join(' '),
      );
    }
  });

  test(`reads the collections and counts of ${version}`, () => {
    const list = answers.find(({ args }) => args.join(' ') === 'collection list --json');
    const [root, dir] = readCollections(list?.stdout ?? '');
    assert.equal(root, { name: 'root', pattern: 'MEMORY.md', files: 1 });
    assert.equal(dir, { name: 'dir', pattern: '**/*.md', files: 12 });
    const updates = answers.filter(({ args }) => args[0] === 'update');
    const counts = readCounts(updates[1]?.stdout ?? '');
    assert.equal([counts.added, counts.changed, counts.removed], [1, 1, 1]);
  });
}

test('output that is not an answer is a failure, whatever its size', () => {
  for (const text of [
    '',
    '[',
    '{}',
    '[{"docid": "#1"',
    'oops [ {]',
    '['.repeat(50_000),
    `${'[ { '.repeat(40_000)}]`,
  ]) {
    assert.throws(
      () => readAnswer(text),
      (error: unknown) => error instanceof ToolFailure && error.code === 'BACKEND_FAILED',
    );
  }
});

test.run();
