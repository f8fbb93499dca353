import { chmodSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  askProgram,
  featuresIn,
  merged,
  oneLine,
  type ToolFeatures,
  type ToolQuestion,
} from '../../../../../../src/engine/memory/backends/ext/tool/ask-program.js';
import type { ToolHit } from '../../../../../../src/engine/memory/backends/ext/tool/read-answer.js';
import { tempFolder } from '../../../../../support/temp-folder.js';

const test = suite('querying the external program by running it');

const FEATURES: ToolFeatures = {
  release: '2.8.3',
  patternFlag: '--mask',
  manyCollections: true,
  json: ['--json'],
  vectorSearch: true,
};

const folder = tempFolder();
const argumentsFile = folder.at('arguments');
// Separators that no argument contains: of arguments, and of runs.
const program = folder.write(
  'tool',
  `#!/bin/sh\nprintf '%s\\036' "$@" >> ${argumentsFile}\nprintf '\\035' >> ${argumentsFile}\necho '[]'\n`,
);
chmodSync(program, 0o755);
const tool = { program, env: { PATH: process.env['PATH'] ?? '' }, cwd: folder.path, key: 'k' };

/** The arguments of every run that a question takes. */
async function runs(question: Partial<ToolQuestion>, features: Partial<ToolFeatures> = {}) {
  folder.write('arguments', '');
  const whole = {
    mode: 'search',
    query: 'tea',
    collections: ['a', 'b'],
    limit: 5,
    ...question,
  } as const;
  await askProgram(tool, { ...FEATURES, ...features }, whole, { timeoutMs: 20_000 });
  const all = readFileSync(argumentsFile, 'utf8').split('\u001d').slice(0, -1);
  return all.map((run) => run.split('\u001e').slice(0, -1));
}

test('several collections take one run if the release supports it, otherwise one each', async () => {
  assert.equal(await runs({}), [
    ['search', '--json', '-n', '5', '-c', 'a', '-c', 'b', '--', 'tea'],
  ]);
  assert.equal(await runs({}, { manyCollections: false, json: ['--format', 'json'] }), [
    ['search', '--format', 'json', '-n', '5', '-c', 'a', '--', 'tea'],
    ['search', '--format', 'json', '-n', '5', '-c', 'b', '--', 'tea'],
  ]);
});

test('a release without vector search runs a hybrid query instead', async () => {
  assert.is((await runs({ mode: 'vsearch' }))[0]?.[0], 'vsearch');
  assert.is((await runs({ mode: 'vsearch' }, { vectorSearch: false }))[0]?.[0], 'query');
});

test('a query is never an option, nor more than one argument', async () => {
  const query = fc.oneof(
    fc.constantFrom('--help', '-c', '-- -x', '--json', '\0--all', 'a\n--b', '$(reboot)', "'"),
    fc.string({ unit: 'grapheme' }),
  );
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      const [args = []] = await runs({
        query: text.replaceAll('\u001d', '').replaceAll('\u001e', ''),
      });
      assert.equal(args.slice(0, 9), ['search', '--json', '-n', '5', '-c', 'a', '-c', 'b', '--']);
      assert.is(args.length, 10);
    }),
    { numRuns: 30 },
  );
});

test("a query is one line of whole characters within the system's limit", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 1, max: 400 }),
      (text, times) => {
        const line = oneLine(text.repeat(times));
        assert.not.match(line, /[\n\r\0]/u);
        assert.ok(Buffer.byteLength(line) < 128 * 1024);
        assert.ok(!/[\uD800-\uDBFF]$/.test(line));
      },
    ),
  );
  assert.is(oneLine(' two\n\n lines \0 '), 'two lines');
});

test('results of several runs are merged, best first', () => {
  const hit = (path: string, score: number): ToolHit => {
    return { collection: 'a', path, contentHash: undefined, score, line: 1, lines: [] };
  };
  const hits = merged([[hit('a', 0.9), hit('b', 0.2)], [hit('c', 0.5)]], 2);
  assert.equal(
    hits.map(({ path }) => path),
    ['a', 'c'],
  );
});

test('features of a release are read from its help, not from its version number', () => {
  const old =
    'Usage: qmd collection add <path> --name N --glob P\n search\n -c, --collection <name>  Filter by collection';
  assert.equal(featuresIn(old), {
    patternFlag: '--glob',
    manyCollections: false,
    json: ['--json'],
    vectorSearch: false,
  });
  const current =
    'vsearch --mask --format json\n -c, --collection <name>  Filter by one or more collections';
  assert.equal(featuresIn(current), {
    patternFlag: '--mask',
    manyCollections: true,
    json: ['--format', 'json'],
    vectorSearch: true,
  });
});

test.run();
