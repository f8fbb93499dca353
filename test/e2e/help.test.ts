import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { ROOT } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('help and usage errors');

const home = tempFolder().path;
const svc = (...args: string[]) => runInSession(args, { home });

const OCLIF_HELP = fileURLToPath(new URL('oclif-help.mjs', import.meta.url));
const SVC_HELP = fileURLToPath(new URL('svc-help.cjs', import.meta.url));

/** Every command, as its words; oclif drops a last "index". */
const COMMANDS = readdirSync(join(ROOT, 'src/commands'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, '').split('/'))
  .map((words) => (words.at(-1) === 'index' ? words.slice(0, -1) : words));

test('the list of commands is not empty', () => {
  assert.ok(COMMANDS.length >= 12);
  assert.ok(COMMANDS.some((words) => words.join(' ') === 'memory index'));
});

/** What oclif's own start prints, which loads all of oclif. */
function answersOfOclif(lines: readonly (readonly string[])[]): readonly string[] {
  const run = spawnSync(process.execPath, [OCLIF_HELP, ROOT, JSON.stringify(lines)], {
    env: { PATH: process.env['PATH'], HOME: home },
    encoding: 'utf8',
  });
  return JSON.parse(run.stdout);
}

test('the help of every command is that of oclif, and has examples that name it', () => {
  const expected = answersOfOclif(COMMANDS.map((words) => [...words, '--help']));
  // In one process: starting one for each takes ten times as long. Other tests here start their own.
  const { status, stdout } = spawnSync(
    process.execPath,
    [SVC_HELP, ROOT, JSON.stringify(COMMANDS)],
    { env: { PATH: process.env['PATH'], HOME: home }, encoding: 'utf8' },
  );
  const printed = stdout.split('\0');
  assert.equal([status, printed.length], [0, COMMANDS.length + 1]);
  for (const [at, words] of COMMANDS.entries()) {
    const help = printed[at] ?? '';
    assert.is(help, expected[at]);
    const examples = help.split(/^EXAMPLES$/m)[1] ?? '';
    assert.ok(examples.includes(`$ svc ${words.join(' ')}`), help);
    assert.not.match(help, /<%|undefined/);
    assert.not.match(help, /[|\s]\s*[\])]|[[(]\s*\|/, 'a group of the usage line has a gap');
    assert.not.match(help, /\[-[\w-]+ -/, 'a flag is only shown together with another');
    assert.match(help, /--json/);
  }
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
});

test('the help of a topic lists its commands and where to find details', async () => {
  const topic = await svc('memory', '--help');
  for (const word of ['search', 'index', 'status', 'get', 'reset', 'scope']) {
    assert.match(topic.stdout, new RegExp(`^  ${word} +[A-Z].*\\.$`, 'm'));
  }
  assert.match(topic.stdout, /\nRun svc memory COMMAND --help for details\.\n$/);
  for (const args of [['memory'], ['help', 'memory'], ['memory', '-h']]) {
    assert.is((await svc(...args)).stdout, topic.stdout);
  }
  assert.match((await svc('--help')).stdout, /\nRun svc COMMAND --help for details\.\n$/);
});

test('-h is --help, after a command too, and so is the word help before one', async () => {
  const long = await svc('memory', 'get', '--help');
  for (const words of [
    ['memory', 'get', '-h'],
    ['help', 'memory', 'get'],
  ]) {
    const run = await svc(...words);
    assert.equal([run.code, run.stdout], [0, long.stdout]);
  }
  assert.is(long.stdout, answersOfOclif([['memory', 'get', '--help']])[0]);
});

test('the help of a short form names it', async () => {
  const words = ['search', '--help'];
  assert.is((await svc(...words)).stdout, answersOfOclif([words])[0]);
});

test('--version and -v print the version', async () => {
  for (const flag of ['--version', '-v']) {
    const run = await svc(flag);
    assert.is(run.code, 0);
    assert.match(run.stdout, /^svc-cli\/\d+\.\d+\.\d+ /);
    assert.is(run.stdout, answersOfOclif([[flag]])[0]);
  }
});

test('a topic below a command lists its commands', async () => {
  const list = await svc('mcp', 'token');
  assert.equal([list.code, list.stderr], [0, '']);
  assert.is(list.stdout, (await svc('mcp', 'token', '--help')).stdout);
});

test('a mistyped word gets a suggestion and exit code 2', async () => {
  const near: [words: string[], hint: RegExp][] = [
    [['memroy', 'search', 'x'], /did you mean "svc memory"/],
    [['memory', 'serach', 'x'], /did you mean "svc memory search"/],
    [['memory', 'statsu'], /did you mean "svc memory status"/],
    [['dream', 'stauts'], /did you mean "svc dream status"/],
    [['mcp', 'token', 'lst'], /did you mean "svc mcp token list"/],
    [['confg', 'validate'], /did you mean "svc config"/],
    [['serch', 'x'], /did you mean "svc search"/],
    [['provider', 'lst'], /did you mean "svc provider list"/],
    [['doctor'], /did you mean "svc config doctor"\?/],
    [['undo'], /did you mean "svc dream undo" or "svc memory undo"\?/],
    [['test'], /did you mean "svc memory scope test" or "svc provider test"\?/],
    [['memory status'], /did you mean "svc memory status"/],
    [['xyzzy'], /to search, run "svc search xyzzy"; "svc --help" lists the commands/],
    [['what', 'much?'], /to search, run "svc search what 'much\?'"/],
    [['memory', 'list'], /did you mean "svc memory sessions list"/],
    // Several commands end like this.
    [['list'], /"svc --help" lists the commands/],
    [['show'], /"svc --help" lists the commands/],
    [['when', 'does', 'it', 'run', '-q'], /to search, run "svc search when does it run"/],
    [['help', 'memory', 'serach'], /did you mean "svc memory search"/],
    [['help', 'xyzzy'], /hint: "svc --help" lists the commands/],
    [['memory', 'xyzzy'], /"svc memory --help" lists the commands/],
  ];
  for (const [words, hint] of near) {
    const run = await svc(...words);
    assert.equal([run.code, run.stdout], [2, ''], words.join(' '));
    assert.match(run.stderr, /^error: unknown command: /);
    assert.match(run.stderr, hint);
  }
  const json = await svc('memroy', 'search', 'x', '--json');
  assert.equal([json.code, jsonOf.error(json).code], [2, 'USAGE']);
});

test('a mistyped flag gets a suggestion, and a missing argument is named in words', async () => {
  const wrong: [words: string[], message: string, hint: RegExp][] = [
    [['memory', 'search', 'x', '--jsn'], 'unknown flag: --jsn', /did you mean --json\?/],
    [
      ['memory', 'search', 'x', '--limit', '3'],
      'unknown flag: --limit',
      /did you mean --max-results\?/,
    ],
    [['logs', '--tail', '3'], 'unknown flag: --tail', /did you mean --lines\?/],
    [['logs', '-n', '3'], 'unknown flag: -n', /did you mean --lines\?/],
    [['logs', '--folow'], 'unknown flag: --folow', /did you mean --follow\?/],
    [['logs', '--xyzzy'], 'unknown flag: --xyzzy', /put -- before words/],
    [['--jsn'], 'unknown flag: --jsn', /flags follow the command/],
    [['memory', 'get'], 'missing argument: PATH (a file or a citation)', /--help/],
    [['get'], 'missing argument: PATH (a file or a citation)', /--help/],
    [['task', 'fail', 'x'], 'missing flag: --error (reason in one line)', /--help/],
    [['storage', 'copy'], 'missing flag: --to (one of: postgres, sqlite)', /--help/],
    [['memory', 'documents', 'install'], 'missing argument: FORMAT (one of: pdf)', /--help/],
  ];
  for (const [words, message, hint] of wrong) {
    const run = await svc(...words);
    assert.equal([run.code, run.stdout], [2, ''], words.join(' '));
    assert.is(run.stderr.split('\n')[0], `error: ${message}`);
    assert.match(run.stderr, hint);
  }
  const { stderr } = await svc('webhook', 'call');
  assert.match(stderr, /^error: missing arguments: ROUTE \([^)]+\), ACTION \([^)]+\)\n/);
});

test('a reader that closes the pipe early sees no stack trace', async () => {
  // More than a pipe holds.
  const notes = folderOf({ 'long.md': 'many words on a line\n'.repeat(9000) });
  await svc('memory', 'index', '-w', notes.path);
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
