import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSvc } from '../support/run-svc.js';
import { folderOf } from '../support/temp-folder.js';

const test = suite('a folder of notes as the workspace');

test('search and status say that its notes are not indexed, until they are', async () => {
  const home = folderOf({
    'notes/cars/van.md': '# Van\n\nThe van is red.\n',
    'notes/todo.md': 'Buy paint.\n',
    'notes/node_modules/x/README.md': 'not a note',
  });
  const svc = async (...args: string[]) => runSvc(args, { home: home.path });
  const set = await svc('config', 'set', 'agents.defaults.workspace', home.at('notes'));
  const change = `set agents.defaults.workspace to "${home.at('notes')}"`;
  assert.is(set.stdout, `${change} in ${home.at('svc.json')}\n`);
  const message = `2 Markdown files in ${home.at('notes')} are outside memory/ and not indexed`;
  const empty = await svc('memory', 'search', 'van');
  assert.match(empty.stderr, `warning: ${message}\n   hint: run "svc config doctor"`);
  assert.match((await svc('memory', 'status')).stdout, message);
  assert.match((await svc('status')).stdout, message);
  const { warnings } = JSON.parse((await svc('memory', 'search', 'van', '--json')).stdout);
  assert.equal(
    warnings.map(({ code }: { code: string }) => code),
    ['NOTES_OUTSIDE_MEMORY'],
  );
  const { checks } = JSON.parse((await svc('config', 'doctor', '--json')).stdout);
  const [finding] = checks
    .flatMap(({ findings }: { findings: unknown[] }) => findings)
    .filter(({ code }: { code: string }) => code === 'notes-outside-memory');
  const [, key = '', value = ''] = /^run: svc config set (\S+) '(.*)'$/.exec(finding.hint) ?? [];
  assert.is((await svc('config', 'set', key, value)).code, 0);
  const found = await svc('memory', 'search', 'van');
  assert.match(found.stdout, 'cars/van.md');
  assert.is(found.stderr.includes('outside'), false);
});

test('with one note in memory/, the notes outside are not mentioned', async () => {
  const home = folderOf({ 'workspace/memory/a.md': 'alpha', 'workspace/other.md': 'beta' });
  const run = await runSvc(['memory', 'search', 'beta'], { home: home.path });
  assert.not.match(run.stderr, 'outside memory/');
});

test('the reports of dreaming are not notes outside', async () => {
  const home = folderOf({ 'workspace/memory/dreaming/deep/2026-10-04.md': '# 4 October\n' });
  const run = await runSvc(['memory', 'status'], { home: home.path });
  assert.not.match(run.stdout, 'outside memory/');
});

test.run();
