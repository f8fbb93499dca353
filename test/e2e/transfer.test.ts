import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLeanConfig } from '../../src/cli/fast-start.js';
import MemoryImport from '../../src/commands/memory/import.js';
import { contextOf } from '../support/context.js';
import { jsonOf } from '../support/json.js';
import { runDuringNoteChanges } from '../support/notes-lock.js';
import { ROOT, runSvc, startProgram } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';

const test = suite('svc memory export and import');

const NOTES = {
  'ws/MEMORY.md': '# House\n\nThe roof is new.\n',
  'ws/memory/door.md': '# Door\n\nThe bell is broken. Its key is sk-proj-abc123DEF456ghi789.\n',
};

function homeOf(notes: Readonly<Record<string, string>>): TempFolder {
  const agents = { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } };
  return folderOf({ 'svc.json': JSON.stringify({ agents }), ...notes });
}

function memory({ path: home }: TempFolder, args: readonly string[], input?: string) {
  const words = ['memory', ...args];
  return input === undefined ? runInSession(words, { home }) : runSvc(words, { home, input });
}

test('notes are exported and imported below a home folder that no shell has replaced', async () => {
  const home = homeOf(NOTES);
  const written = await memory(home, ['export', '--output=~/memory.jsonl', '--json']);
  assert.is(jsonOf.export(written).file, home.at('memory.jsonl'));
  const run = await memory(home, ['import', '~/memory.jsonl', '--into=~/restored', '--json']);
  assert.equal([run.code, jsonOf.import(run).into], [0, home.at('restored')]);
});

test('an import shows that it reads the file, and the progress of the index', async () => {
  const from = homeOf(NOTES);
  await memory(from, ['export', '-o', 'memory.jsonl']);
  const to = homeOf({});
  const shown: string[] = [];
  class Probe extends MemoryImport {
    protected override context = () => contextOf(to.path);
    protected override whileWaiting<T>(words: string, run: () => Promise<T>): Promise<T> {
      shown.push(words);
      return run();
    }
    protected override syncProgress(words: string) {
      shown.push(words);
      const onEvent = ({ type }: { readonly type: string }) => shown.push(type);
      return { onEvent, clear: () => shown.push('clear') };
    }
    protected override write = () => undefined;
    override finally = () => super.finally();
  }
  const probe = new Probe([from.at('memory.jsonl')], createLeanConfig({}, ROOT));
  await probe.run().finally(probe.finally);
  assert.equal(shown.slice(0, 2), ['reading', 'importing']);
  assert.ok(shown.includes('document.indexed'));
  assert.is(shown.at(-1), 'clear');
});

test('a memory is exported to a file and imported into an empty home, to the byte', async () => {
  const from = homeOf(NOTES);
  const file = from.at('memory.jsonl');
  const written = await memory(from, ['export', '-o', 'memory.jsonl', '--json']);
  const document = jsonOf.export(written);
  assert.equal([written.code, document.file, document.documents], [0, file, 2]);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const to = homeOf({});
  const run = await memory(to, ['import', file, '--json']);
  const imported = jsonOf.import(run);
  assert.equal(
    [run.code, imported.into, imported.written, imported.notIndexed],
    [0, to.at('ws'), ['MEMORY.md', 'memory/door.md'], 0],
  );
  for (const path of Object.keys(NOTES)) {
    assert.is(readFileSync(to.at(path), 'utf8'), readFileSync(from.at(path), 'utf8'));
  }
  const ask = ['search', 'bell', '--json'];
  const [before, after] = [
    jsonOf.search(await memory(from, ask)),
    jsonOf.search(await memory(to, ask)),
  ];
  assert.equal(after.results, before.results);
  assert.is(after.results.length, 1);
});

test('an export streams to a pipe, and an import from one, also in several pieces', async () => {
  const from = homeOf({ ...NOTES, 'ws/memory/long.md': 'More than a pipe holds.\n'.repeat(4000) });
  const { stdout, code, stderr } = await memory(from, ['export']);
  assert.is(code, 0);
  assert.match(stderr, /^exported: 3 notes/m);
  assert.ok(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .every((line) => JSON.parse(line)),
  );
  const to = homeOf({});
  const run = await memory(to, ['import', '-'], stdout);
  assert.is(run.code, 0);
  assert.match(run.stdout, /^imported 3 notes$/m);
  assert.is(readFileSync(to.at('ws/memory/door.md'), 'utf8'), NOTES['ws/memory/door.md']);
  assert.equal(
    readdirSync(to.path).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('an error in an export from stdin names its line, not a temporary file', async () => {
  const from = homeOf(NOTES);
  const { stdout } = await memory(from, ['export']);
  const [first = ''] = stdout.split('\n');
  const failed = await memory(homeOf({}), ['import', '-'], `${first}\nno JSON\n`);
  assert.is(failed.code, 2);
  assert.match(failed.stderr, /error: invalid export, line 2: /);
  assert.not.match(failed.stderr, /svc\.tmp/);

  // What never ends must not fill the disk first. The limit of 10 MB ends a test that fails.
  const program = [process.execPath, join(ROOT, 'bin/run.js'), 'memory', 'import', '-'];
  for (const [endless, why] of [
    ['yes', /^error: invalid export, line 1: it is not JSON$/m],
    [`yes '{"type":"end"}'`, /^error: invalid export, line 1: unknown kind of line/m],
    ["yes '{' | tr -d '\\n'", /^error: invalid export, line 1: it is not JSON$/m],
  ] as const) {
    const words = ['-c', `ulimit -f 20480; ${endless} | "$@"`, 'sh', ...program];
    const refused = await startProgram('sh', words, { home: homeOf({}).path }).done;
    assert.match(refused.stderr, why);
  }
});

test('neither an export nor a note is overwritten without a flag', async () => {
  const from = homeOf({ ...NOTES, 'memory.jsonl': 'mine' });
  const refused = await memory(from, ['export', '-o', 'memory.jsonl', '--json']);
  assert.equal([refused.code, jsonOf.error(refused).code], [1, 'EXPORT_WRITE_FAILED']);
  assert.is(readFileSync(from.at('memory.jsonl'), 'utf8'), 'mine');
  assert.is((await memory(from, ['export', '-o', 'memory.jsonl', '--force'])).code, 0);
  const folder = await memory(from, ['export', '-o', 'ws', '--force']);
  assert.match(folder.stderr, /it is a folder\n hint: pass the name of a file with --output\n$/u);
  const to = homeOf({ 'ws/MEMORY.md': 'Mine.\n' });
  const file = from.at('memory.jsonl');
  const conflict = await memory(to, ['import', file, '--json']);
  assert.equal([conflict.code, jsonOf.error(conflict).code], [1, 'IMPORT_CONFLICT']);
  assert.equal(readdirSync(to.at('ws')), ['MEMORY.md']);
  const unconfirmed = await memory(to, ['import', file, '--existing', 'replace', '--json']);
  assert.equal([unconfirmed.code, jsonOf.error(unconfirmed).code], [2, 'CONFIRMATION_NEEDED']);
  const kept = jsonOf.import(await memory(to, ['import', file, '--existing', 'keep', '--json']));
  assert.equal([kept.kept, kept.written], [['MEMORY.md'], ['memory/door.md']]);
  const replaced = jsonOf.import(
    await memory(to, ['import', file, '--existing', 'replace', '--yes', '--json']),
  );
  assert.equal([replaced.same, replaced.replaced.length], [1, 1]);
  assert.is(readFileSync(replaced.replaced[0]?.backup ?? '', 'utf8'), 'Mine.\n');
});

test('what agents follow as instructions is only written once confirmed', async () => {
  const from = homeOf({
    ...NOTES,
    'ws/kit/Agents.md': 'Obey.\n',
    'ws/kit/CRUSH.local.md': 'Obey.\n',
    'ws/kit/agents.md.md': 'A note.\n',
  });
  await runInSession(['config', 'set', 'agents.defaults.memorySearch.extraPaths', '["kit"]'], {
    home: from.path,
  });
  const { stdout } = await memory(from, ['export']);
  const to = homeOf({ 'memory.jsonl': stdout, 'ws/memory/own.md': 'Own.\n' });
  const unconfirmed = await memory(to, ['import', 'memory.jsonl', '--json']);
  assert.equal([unconfirmed.code, jsonOf.error(unconfirmed).code], [2, 'CONFIRMATION_NEEDED']);
  const shown = await memory(to, ['import', 'memory.jsonl']);
  assert.match(
    shown.stdout,
    /5 new\n {2}2 of these followed by agents as instructions\n {4}kit\/Agents\.md\n {4}kit\/CRUSH\.local\.md\n/u,
  );
  assert.equal(readdirSync(to.at('ws')), ['memory']);
  const { written } = jsonOf.import(
    await memory(to, ['import', 'memory.jsonl', '--yes', '--json']),
  );
  assert.equal(written.toSorted(), [
    'MEMORY.md',
    'kit/Agents.md',
    'kit/CRUSH.local.md',
    'kit/agents.md.md',
    'memory/door.md',
  ]);
  // Nothing is written that is not there already.
  assert.is((await memory(to, ['import', 'memory.jsonl'])).code, 0);
});

test('what a killed export left next to its file is removed by the next one', async () => {
  const from = homeOf({ ...NOTES, '.00e55104e9a1.svc.tmp': 'old', '.11e55104e9a1.svc.tmp': 'new' });
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(from.at('.00e55104e9a1.svc.tmp'), longAgo, longAgo);
  assert.is((await memory(from, ['export', '-o', 'memory.jsonl'])).code, 0);
  assert.equal(
    readdirSync(from.path).filter((name) => name.endsWith('.svc.tmp')),
    ['.11e55104e9a1.svc.tmp'],
  );
});

test('files are replaced only while no other process changes notes', async () => {
  const from = homeOf(NOTES);
  await memory(from, ['export', '-o', 'memory.jsonl']);
  const to = homeOf({ 'ws/MEMORY.md': 'Mine.\n' });
  const replace = ['memory', 'import', from.at('memory.jsonl'), '--existing', 'replace', '--yes'];
  const { code, stdout } = await runDuringNoteChanges(to, replace, () => {
    to.write('ws/MEMORY.md', 'Mine.\nAdded.\n');
  });
  assert.is(code, 0);
  assert.is(readFileSync(to.at('ws/MEMORY.md'), 'utf8'), NOTES['ws/MEMORY.md']);
  const backup = /^replaced MEMORY\.md; backup: (.*)$/mu.exec(stdout)?.[1];
  assert.is(readFileSync(backup ?? '', 'utf8'), 'Mine.\nAdded.\n');
});

test('notes of claude-mem are written only while no other process changes notes', async () => {
  const observation = {
    id: 1,
    title: 'Moved',
    created_at_epoch: Date.parse('2026-02-03T12:00:00Z'),
  };
  const home = homeOf({ 'mem.json': JSON.stringify({ observations: [observation] }) });
  const note = home.write('ws/memory/claude-mem/2026-02-03.md', '# Mine\n');
  const importNotes = ['config', 'import', '--from', 'claude-mem', 'mem.json', '--yes', '--plain'];
  const run = await runDuringNoteChanges(home, importNotes, () => {
    writeFileSync(note, '# Mine\n\n- added\n');
  });
  assert.is(run.code, 0);
  assert.match(readFileSync(note, 'utf8'), /^# Mine\n\n- added\n\n## Moved\n/u);
});

test('an import without a workspace names the command that creates one, and searches work then', async () => {
  const home = tempFolder();
  home.write('wiki/whales.md', '# Whales\n');
  home.write('index.yml', `collections:\n  wiki:\n    path: ${home.at('wiki')}\n`);
  const run = (...args: readonly string[]) => runSvc(args, { home: home.path });
  const imported = await run('config', 'import', '--from', 'qmd', 'index.yml', '--yes');
  assert.match(imported.stdout, '\nimported\nnext: create the workspace, with "svc config init"\n');
  assert.is((await run('config', 'init', '--yes')).code, 0);
  assert.match((await run('search', 'whales')).stdout, 'wiki/whales.md#L1');
});

test('a file that is not an export is refused with the line', async () => {
  const home = homeOf({ ...NOTES, 'bad.jsonl': '{"type":"header"}\n' });
  const run = await memory(home, ['import', 'bad.jsonl', '--json']);
  const error = jsonOf.error(run);
  assert.equal([run.code, error.code, error.location?.line], [2, 'IMPORT_INVALID', 1]);
  const nowhere = await memory(home, ['export', '--json']);
  assert.equal([nowhere.code, jsonOf.error(nowhere).code], [2, 'USAGE']);
});

test.run();
