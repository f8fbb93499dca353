import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT, runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('output that cannot be written');

/** Every write to it fails with "no space left on device". */
const FULL = '/dev/full';
const onLinux = existsSync(FULL) ? test : test.skip;

const home = tempFolder().path;
const notes = tempFolder();
notes.write('MEMORY.md', '# House\n\nThe plumber sends the invoice in May.\n');
const count = 900;
for (let n = 0; n < count; n++) notes.write(`notes/${n}.md`, `Note ${n}. ${'word '.repeat(40)}\n`);

/** Runs a command line, with what the shell does with its stdout. */
function inShell(words: string, redirect: string) {
  const line = `"${process.execPath}" bin/run.js ${words} ${redirect}`;
  const env = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home, SVC_WORKSPACE: notes.path };
  return spawnSync('sh', ['-c', line], { cwd: ROOT, env, encoding: 'utf8' });
}

const COMMANDS = [
  'memory search invoice',
  'memory search invoice --json',
  'memory get MEMORY.md',
  'memory status --json',
  'memory export',
  'config show',
  'status',
  'version',
  'version --json',
  '--help',
  '--version',
  'memory search --help',
  'completion script bash',
  'completion script zsh',
];

test.before(async () => {
  const run = await runSvc(['memory', 'index', '-w', notes.path], { home });
  assert.is(run.code, 0, run.stderr);
});

for (const words of COMMANDS) {
  onLinux(`svc ${words}, with stdout on a full disk, fails with one short error`, () => {
    const { status, stderr } = inShell(words, `> ${FULL}`);
    assert.is(status, 1, stderr);
    const errors = stderr.split('\n').filter((text) => !text.startsWith('warning:'));
    assert.match(errors[0] ?? '', /^error: cannot write to stdout: .*the disk is full/u);
    assert.match(errors[1] ?? '', /^ hint: free some space/u);
    assert.equal(errors.slice(2), [''], stderr);
  });
}

test('a reader that stops reading an export gets no error', () => {
  const { stdout, stderr } = inShell('memory export', '| head -c 20');
  assert.is(stdout.length, 20);
  assert.is(stderr, '');
});

test('an index is complete although nobody reads its progress', async () => {
  await runSvc(['memory', 'reset', '-w', notes.path, '--yes'], { home });
  assert.match(inShell('memory index', '2>&1 | head -n 1').stdout, /no index yet/);
  const { stdout } = await runSvc(['memory', 'status', '-w', notes.path], { home });
  assert.match(stdout, /901 files/);
  assert.match(stdout, /up to date/);
});

onLinux('work is done although stderr is on a full disk', () => {
  const { status, stdout } = inShell('memory index --force', `2> ${FULL}`);
  assert.equal([status, /901 added/.test(stdout)], [0, true], stdout);
});

test('a dash as the file of an export is stdout', () => {
  const [{ stdout }, dashed] = [
    inShell('memory export', '| cat'),
    inShell('memory export --output -', '| cat'),
  ];
  const documents = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '').documents;
  assert.equal([dashed.status, documents(dashed.stdout)], [0, documents(stdout)], dashed.stderr);
});

test('a dash as the file of drafts is stdout', () => {
  const drafts = inShell('memory eval --generate 1 --output -', '| cat');
  assert.is(drafts.status, 0, drafts.stderr);
  assert.ok(JSON.parse(drafts.stdout).question !== undefined);
});

test('an export waits for a slow reader and is complete', () => {
  const { stdout, stderr, status } = inShell('memory export', '| (sleep 1; cat)');
  assert.is(status, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(JSON.parse(lines.at(-1) ?? '').documents, count + 1);
});

test('--json without a file to export to is refused for that reason', async () => {
  const run = await runSvc(['memory', 'export', '--json', '-w', notes.path], { home });
  assert.is(run.code, 2);
  const { error } = JSON.parse(run.stdout);
  assert.match(error.message, /--json needs --output FILE/u);
});

test.run();
