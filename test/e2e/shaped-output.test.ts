import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runInPty } from '../support/pty.js';
import type { SvcRun } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('shaped output');

const notes = folderOf({
  'MEMORY.md': '# Cars\n\nThe van is "red" & <new>.\n',
  'memory/a.md': 'red\n',
});
const home = tempFolder().path;
const search = (...flags: string[]): Promise<SvcRun> =>
  runInSession(['memory', 'search', 'red', '-w', notes.path, ...flags], { home });

test('--jq prints what the expression selects, text without quotes', async () => {
  await search();
  const run = await search('--jq', '.results[].path');
  assert.equal([run.code, run.stderr], [0, '']);
  assert.equal(new Set(run.stdout.split('\n')), new Set(['MEMORY.md', 'memory/a.md', '']));
  const list = await search('--jq=[.results[] | {path}] | length, map(.path | length)');
  assert.match(list.stdout, /^2\n\[\d+,\d+\]\n$/);
  assert.is((await search('--jq', 'empty')).stdout, '');
});

test('--template fills in the document and escapes nothing', async () => {
  const run = await search('--template', '{{#results}}{{citation}}|{{snippet}}{{/results}}');
  assert.is(run.code, 0);
  assert.match(run.stdout, /MEMORY\.md#L\d.*"red" & <new>/s);
});

test('--fields keeps fields, in each item of a list, and goes with --jq', async () => {
  const run = await search('--fields', 'results.path, matches');
  const { results, ...rest } = JSON.parse(run.stdout);
  assert.equal(rest, { matches: 2 });
  assert.equal(Object.keys(results[0]), ['path']);
  assert.is((await search('--fields', 'matches', '--jq', 'keys[]')).stdout, 'matches\n');
});

test('on a terminal, no note can send it a sequence; a pipe gets the text as it is', async () => {
  const evil = '\u001B]52;c;eA==\u0007\u009B31m\u202E';
  const folder = folderOf({ 'MEMORY.md': `red ${evil} end\n` });
  const args = ['memory', 'search', 'red', '-w', folder.path];
  const template = '{{#results}}{{snippet}}{{/results}}';
  for (const shape of [['--jq', '.results[].snippet'], ['--template', template], ['--json']]) {
    const piped = await runInSession([...args, ...shape], { home });
    assert.ok(piped.stdout.includes('\u009B31m\u202E end'), shape[0]);
    const session = runInPty([...args, ...shape], { home, columns: 120, rows: 40 });
    assert.is(await session.ended, 0);
    assert.match(session.output(), /\\u001b\]52;c;eA==\\u0007\\u009b31m\\u202e end/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal reads
    assert.not.match(session.output(), /\u001B\]52|\u009B|\u202E/);
  }
});

test('an invalid expression is an error on stderr, with exit code 2 and a hint', async () => {
  const faults: readonly (readonly [string[], RegExp])[] = [
    [
      ['--jq', '.results['],
      /^error: --jq: syntax error, unexpected end of file, line 1, column 9\n hint: /,
    ],
    [['--jq', '.query.x'], /^error: --jq: Cannot index string/],
    [['--template', '{{#results}}'], /^error: --template is not a valid Mustache template/],
    [['--fields', 'path'], /^error: --fields: there is no field "path"\n hint: .*results/],
    [['--jq', '.', '--template', 'x'], /^error: --template cannot be combined with --jq/],
  ];
  for (const [flags, message] of faults) {
    const run = await search(...flags);
    assert.equal([run.code, run.stdout], [2, ''], flags.join(' '));
    assert.match(run.stderr, message);
    assert.match(run.stderr, /\n hint: /);
  }
  const failed = await runInSession(['memory', 'get', 'x', '--jq', '.', '-w', notes.at('none')], {
    home,
  });
  assert.match(failed.stderr, /^error: /);
  assert.is(failed.stdout, '');
});

test('warnings go to stderr, and endless output cannot be shaped', async () => {
  const warned = await search('--jq', '.matches', '--source', 'sessions');
  assert.equal([warned.code, warned.stdout], [0, '0\n']);
  assert.match(warned.stderr, /^warning: /);
  for (const endless of [
    ['logs', '--follow'],
    ['flow', 'list', '--watch'],
    ['memory', 'index', '--watch'],
  ]) {
    const run = await runInSession([...endless, '--jq', '.'], { home });
    assert.is(run.code, 2, endless.join(' '));
    assert.match(run.stderr, /cannot be used with --fields, --jq or --template/);
  }
});

test.run();
