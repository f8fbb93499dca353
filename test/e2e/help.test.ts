import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { ROOT, runSvc } from '../support/run-svc.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('help and words');

const home = tempFolder().path;
const svc = (...args: string[]) => runSvc(args, { home });

/** Every command, as its words; oclif drops a last "index". */
const COMMANDS = readdirSync(join(ROOT, 'src/commands'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, '').split('/'))
  .map((words) => (words.at(-1) === 'index' ? words.slice(0, -1) : words));

test('there are commands to look at', () => {
  assert.ok(COMMANDS.length >= 12);
  assert.ok(COMMANDS.some((words) => words.join(' ') === 'memory index'));
});

test('the help of every command carries examples that name it', async () => {
  // Two at a time: more only wait for each other.
  const left = [...COMMANDS];
  const worker = async (): Promise<void> => {
    for (let words = left.shift(); words !== undefined; words = left.shift()) {
      const run = await svc(...words, '--help');
      assert.is(run.code, 0, words.join(' '));
      const examples = run.stdout.split(/^EXAMPLES$/m)[1] ?? '';
      assert.ok(examples.includes(`$ svc ${words.join(' ')}`), run.stdout);
      assert.not.match(run.stdout, /<%|undefined/);
      assert.match(run.stdout, /--json/);
    }
  };
  await Promise.all([worker(), worker()]);
});

test('svc alone and svc --help list the topics', async () => {
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const run = await svc(...args);
    assert.is(run.code, 0);
    assert.match(run.stdout, /memory/);
    assert.match(run.stdout, /config/);
    const lines = run.stdout.split('\n');
    // One line is the prompt's.
    assert.ok(lines.length - 1 < 24, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= 80, line);
  }
  const topic = await svc('memory', '--help');
  for (const word of ['search', 'index', 'status', 'get', 'reset']) {
    assert.match(topic.stdout, new RegExp(`memory ${word}`));
  }
});

test('-h is --help, after a command too', async () => {
  const [short, long] = [await svc('memory', 'get', '-h'), await svc('memory', 'get', '--help')];
  assert.equal([short.code, short.stdout], [0, long.stdout]);
});

test('the version is told', async () => {
  const run = await svc('--version');
  assert.is(run.code, 0);
  assert.match(run.stdout, /^svc-cli\/\d+\.\d+\.\d+ /);
});

test('a mistyped word gets a suggestion and exit code 2', async () => {
  const near: [words: string[], hint: RegExp][] = [
    [['memroy', 'search', 'x'], /did you mean "svc memory"/],
    [['memory', 'serach', 'x'], /did you mean "svc memory search"/],
    [['memory', 'statsu'], /did you mean "svc memory status"/],
    [['confg', 'validate'], /did you mean "svc config"/],
    [['xyzzy'], /svc --help lists the commands/],
  ];
  for (const [words, hint] of near) {
    const run = await svc(...words);
    assert.equal([run.code, run.stdout], [2, ''], words.join(' '));
    assert.match(run.stderr, /^error: there is no command "/);
    assert.match(run.stderr, hint);
  }
  const json = await svc('memroy', 'search', 'x', '--json');
  assert.equal([json.code, jsonOf.error(json).code], [2, 'USAGE']);
});

test('a reader that closes the pipe early meets no stack trace', async () => {
  // More than a pipe holds.
  const notes = folderOf({ 'long.md': 'many words on a line\n'.repeat(9000) });
  const line = `"${process.execPath}" bin/run.js memory get long.md -w ${notes.path} --lines 9000 | head -c 10`;
  const run = spawnSync('sh', ['-c', line], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: home },
    encoding: 'utf8',
  });
  assert.is(run.stdout, 'many words');
  assert.is(run.stderr, '');
});

test.run();
