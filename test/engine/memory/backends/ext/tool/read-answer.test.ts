import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  readAnswer,
  readCollections,
  readCounts,
} from '../../../../../../src/engine/memory/backends/ext/tool/read-answer.js';
import { ToolFailure } from '../../../../../../src/engine/memory/backends/ext/tool/tool-failure.js';
import { RELEASES } from '../../../../../ext/releases.js';
import { recordedQmd } from '../../../../../support/qmd.js';

const test = suite('reading answers of the external program');

interface Recorded {
  readonly answers: readonly {
    readonly args: readonly string[];
    readonly status: number;
    readonly stdout: string;
    readonly stderr: string;
  }[];
}

for (const version of RELEASES) {
  const { answers } = recordedQmd(version) as Recorded;

  test(`reads what ${version} found`, () => {
    const searches = answers.filter(
      ({ args, status }) => args[0] === 'search' && args.includes('--json') && status === 0,
    );
    assert.ok(searches.length > 20);
    for (const { args, stdout, stderr } of searches) {
      const { hits, withoutVectors } = readAnswer(stdout, stderr);
      const rows = (stdout.startsWith('[') ? JSON.parse(stdout) : []) as readonly {
        readonly file: string;
        readonly docid: string;
      }[];
      assert.is(withoutVectors, undefined);
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

const ROWS = [{ docid: '#abcdef', score: 0.5, file: 'qmd://notes/a.md', snippet: '@@ -2,1 @@\nx' }];

test('finds the answer in any noise that is no JSON itself', () => {
  const noise = fc.stringMatching(/^[^"[\]]*(?:\[[a-z][a-z ]*\])?[^"[\]]*$/);
  fc.assert(
    fc.property(noise, noise, fc.string(), (before, after, text) => {
      const rows = [{ ...ROWS[0], snippet: text }];
      const { hits } = readAnswer(`${before}\n${JSON.stringify(rows, null, 2)}\n${after}`, '');
      assert.equal(
        hits.map(({ path }) => path),
        ['a.md'],
      );
    }),
  );
});

test('a note about nothing found is found', () => {
  const rows = [{ ...ROWS[0], snippet: 'No results found, it said.\nNo results found.' }];
  assert.is(readAnswer(JSON.stringify(rows, null, 2), '').hits.length, 1);
  assert.equal(readAnswer('No results found.\n', '').hits, []);
  assert.equal(readAnswer('No results found above minimum score threshold.\n', '').hits, []);
});

test('what is no answer is a failure, however much of it there is', () => {
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
      () => readAnswer(text, ''),
      (error: unknown) => error instanceof ToolFailure && error.code === 'BACKEND_FAILED',
    );
  }
});

test('counts documents without vectors, where it warns of them', () => {
  const warning =
    "Warning: 12 documents (100%) need embeddings. Run 'qmd embed' for better results.\n";
  assert.equal(readAnswer('[]\n', warning), { hits: [], withoutVectors: 12 });
});

test.run();
