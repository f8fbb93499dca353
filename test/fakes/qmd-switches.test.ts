import { spawn, spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placesIn } from '../ext/releases.js';
import { isRunning } from '../support/processes.js';
import { type InstalledQmd, installQmd, type QmdSwitches } from '../support/qmd.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('the switches of the fake qmd');

const ADD = ['collection', 'add', '.', '--name', 'notes'];
const SEARCH = ['search', 'tea', '--json'];

interface CommandRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fake qmd that has indexed one note, and then behaves like this. */
function withOneNote(switches: QmdSwitches = {}): {
  readonly qmd: InstalledQmd;
  readonly folder: TempFolder;
  readonly run: (...args: readonly string[]) => CommandRun;
} {
  const folder = folderOf({ 'note.md': '# Tea\n\nMint tea at four.\n' });
  const qmd = installQmd();
  const run = (...args: readonly string[]): CommandRun =>
    spawnSync(qmd.command, args, {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', ...placesIn(folder.path) },
      encoding: 'utf8',
    });
  run(...ADD);
  qmd.become(switches);
  return { qmd, folder, run };
}

test('its answers can be garbage, noisy, truncated or huge', () => {
  const { qmd, run } = withOneNote({ on: { search: { kind: 'garbage' } } });
  assert.throws(() => JSON.parse(run(...SEARCH).stdout));
  qmd.become({ on: { search: { kind: 'banner' } } });
  const { stdout: noisy } = run(...SEARCH);
  assert.throws(() => JSON.parse(noisy));
  assert.equal(
    JSON.parse(noisy.slice(noisy.indexOf('[\n'), noisy.lastIndexOf('\n]') + 2)).length,
    1,
  );
  qmd.become({ on: { search: { kind: 'truncated' } } });
  assert.throws(() => JSON.parse(run(...SEARCH).stdout));
  qmd.become({ on: { search: { kind: 'huge' } } });
  assert.ok(run(...SEARCH).stdout.length > 200_000);
});

test('it can fail, any number of times', () => {
  const fails = { kind: 'fails', status: 3, stderr: 'no\n', times: 1 } as const;
  const { qmd, run } = withOneNote({ on: { '*': fails, search: { kind: 'killed' } } });
  const killed = run(...SEARCH);
  assert.is(killed.signal, 'SIGKILL');
  assert.ok(killed.stdout.startsWith('[') && !killed.stdout.includes(']'));
  assert.equal([run('update').status, run('update').status], [3, 0]);
  qmd.become({ on: { '*': { kind: 'wrong_node' } } });
  assert.match(run('--version').stderr, 'ERR_DLOPEN_FAILED');
  qmd.become({ on: { '*': { kind: 'no_bun' } } });
  assert.match(run('--help').stderr, 'bun not found');
  qmd.become({ on: { '*': { kind: 'old_node' } } });
  assert.match(run(...SEARCH).stderr, '>=22');
});

test('it can hang with a child, both ignoring SIGTERM, until the whole group is killed', async () => {
  const { qmd, folder } = withOneNote({ on: { search: { kind: 'hangs' } } });
  const child = spawn(qmd.command, SEARCH, {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', ...placesIn(folder.path) },
    detached: true,
  });
  await waitFor('both processes', () => qmd.hanging().length === 2);
  child.kill('SIGTERM');
  const [first = 0, second = 0] = qmd.hanging();
  assert.equal([isRunning(first), isRunning(second)], [true, true]);
  process.kill(-first, 'SIGKILL');
  await waitFor('the end of its child', () => !isRunning(second));
  await waitFor('its end', () => child.signalCode === 'SIGKILL');
});

test('it can lose a collection, which can be added again', () => {
  const forgets = { kind: 'forgets', collection: 'notes', times: 1 } as const;
  const { run } = withOneNote({ on: { search: forgets } });
  const lost = run(...SEARCH, '-c', 'notes');
  assert.equal([lost.status, lost.stderr], [1, 'Collection not found: notes\n']);
  assert.is(run(...ADD).status, 0);
  assert.is(JSON.parse(run(...SEARCH, '-c', 'notes').stdout).length, 1);
});

test('its rows can have the fields of other builds', () => {
  const { run } = withOneNote({ on: { search: { kind: 'fields' } } });
  const [row] = JSON.parse(run(...SEARCH).stdout);
  assert.equal(row, {
    docid: row.docid,
    score: row.score,
    collection: 'notes',
    file: 'qmd://notes/note.md',
    snippet: '# Tea\n\nMint tea at four.',
    body: '# Tea\n\nMint tea at four.',
    start_line: 1,
    end_line: 3,
  });
});

test('a search by meaning finds only documents with vectors, and warns about the others', () => {
  const { run } = withOneNote();
  const before = run('vsearch', 'tea', '--json');
  assert.equal([before.status, before.stdout], [0, '[]\n']);
  assert.match(before.stderr, '1 documents (100%) need embeddings');
  assert.match(run('status').stdout, 'Pending:  1 need embedding');
  assert.match(run('embed').stdout, 'Embedded 1 chunks from 1 documents');
  const after = run('vsearch', 'tea', '--json');
  assert.equal([JSON.parse(after.stdout).length, after.stderr], [1, '']);
  assert.is(JSON.parse(run('query', 'tea', '--json').stdout).length, 1);
});

test('older releases have --glob instead of --mask, and the oldest has no collections', () => {
  const { qmd, run } = withOneNote({ version: '0.6.0' });
  const refused = run('collection', 'add', '.', '--name', 'more', '--mask', 'x.md');
  assert.is(refused.status, 1);
  assert.match(refused.stderr, "Unknown option '--mask'");
  assert.is(run('collection', 'add', '.', '--name', 'more', '--glob', 'x.md').status, 0);
  assert.match(run('--help').stdout, '--glob <pattern>');
  qmd.become({ version: '0.1.0' });
  assert.not.match(run('--help').stdout, 'collection');
  assert.match(run('collection', 'list').stderr, 'Unknown command: collection');
});

test('it records how it was called', () => {
  const { qmd, folder, run } = withOneNote();
  qmd.clearLog();
  run('update');
  const [call, ...more] = qmd.log();
  assert.is(more.length, 0);
  assert.equal([call?.args, call?.cwd], [['update'], folder.path]);
  assert.is(call?.env['QMD_CONFIG_DIR'], placesIn(folder.path)['QMD_CONFIG_DIR']);
});

test.run();
