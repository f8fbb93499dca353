import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { jsonOf } from '../support/json.js';
import { runDuringNoteChanges } from '../support/notes-lock.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';
import { message } from '../support/transcripts.js';

const test = suite('svc memory forget');

const SECRET = 'The code of the front door is 4711, says the janitor.';

/** Long enough for the recall to be still cached on a slow machine. */
const RECALLS = { enabled: true, config: { agents: ['main'], cacheTtlMs: 120_000 } };

function homeOf(more = {}): TempFolder {
  const agents = { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } };
  return folderOf({
    'svc.json': JSON.stringify({ agents, ...more }),
    'ws/MEMORY.md': '# House\n\nThe roof is new.\n',
    'ws/memory/door.md': `# Door\n\n${SECRET}\n\nThe bell is broken.\n`,
  });
}

function memory({ path: home }: TempFolder, ...args: readonly string[]) {
  return runInSession(['memory', ...args], { home });
}

/** Files of the state folder, except notes and backups, that contain a text. */
function filesWith(home: TempFolder, text: string): readonly string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/ws'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test('it first shows what will be forgotten, and without a terminal requires --yes', async () => {
  const home = homeOf();
  await memory(home, 'index');
  assert.is(filesWith(home, 'janitor').length, 1);
  const unconfirmed = await memory(home, 'forget', 'memory/door.md#L3');
  assert.is(unconfirmed.code, 2);
  assert.match(unconfirmed.stdout, /^memory\/door\.md#L3$/m);
  assert.ok(unconfirmed.stdout.includes(SECRET));
  assert.is(filesWith(home, 'janitor').length, 1);
  assert.is(jsonOf.forgetList(await memory(home, 'forget', '--list', '--json')).entries.length, 0);
});

test('forgotten text is in no file of svc, and indexing does not bring it back', async () => {
  const home = homeOf();
  await memory(home, 'index');
  const run = await memory(home, 'forget', 'memory/door.md#L3', '--yes', '--json');
  const document = jsonOf.forget(run);
  assert.equal([run.code, document.id, document.agent], [0, 'f1', 'main']);
  assert.equal(
    document.passages.map(({ path, startLine, text }) => [path, startLine, text]),
    [['memory/door.md', 3, SECRET]],
  );
  assert.equal(document.stores, [
    { store: 'index', changed: 1, clean: true },
    { store: 'recall log', changed: 0, clean: true },
  ]);
  assert.equal(filesWith(home, 'janitor'), []);
  for (const args of [
    ['index', '--force'],
    ['reset', '--yes'],
  ]) {
    await memory(home, ...args);
    const found = jsonOf.search(await memory(home, 'search', 'janitor', '--json'));
    assert.equal(found.results, []);
  }
  assert.equal(filesWith(home, 'janitor'), []);
  assert.ok(readFileSync(home.at('ws/memory/door.md'), 'utf8').includes(SECRET));
  const get = jsonOf.get(await memory(home, 'get', 'memory/door.md', '--json'));
  assert.is(get.text, '# Door\n\n\n\nThe bell is broken.');
  assert.is(jsonOf.search(await memory(home, 'search', 'bell', '--json')).results.length, 1);
});

test('text that was added to a folder without an agent can be forgotten as well', async () => {
  const home = homeOf();
  const ws = home.at('ws');
  const added = await memory(home, 'add', 'The spare key is with the beekeeper.', '-w', ws);
  assert.is(added.code, 0, added.stderr);
  const run = await memory(home, 'forget', 'beekeeper', '-w', ws, '--from-file', '--yes');
  assert.is(run.code, 0, run.stderr);
  assert.equal(
    filesWith(home, 'beekeeper').filter((file) => !file.includes('/forgotten/')),
    [],
  );
});

test('active memory does not repeat what was forgotten', async () => {
  const home = homeOf({ plugins: { entries: { 'active-memory': RECALLS } } });
  const recall = ['recall', '--session-key', 'agent:main:x:direct:1', '--json', 'front door code'];
  const before = jsonOf.recall(await memory(home, ...recall));
  assert.match(before.summary ?? '', '4711');
  const run = await memory(home, 'forget', 'memory/door.md#L3', '--yes', '--json');
  const { stores } = jsonOf.forget(run);
  assert.equal(
    stores.find(({ store }) => store === 'active memory'),
    { store: 'active memory', changed: 1, clean: true },
  );
  assert.equal(filesWith(home, 'janitor'), []);
  const after = jsonOf.recall(await memory(home, ...recall));
  assert.is(after.cached, false);
  assert.not.match(after.summary ?? '', '4711');
});

test('a file with the longest possible name is forgotten and restored', async () => {
  const home = homeOf();
  const path = `memory/${'n'.repeat(252)}.md`;
  const file = home.write(`ws/${path}`, 'A stork lives on the chimney.\n');
  const run = await memory(home, 'forget', path, '--from-file', '--yes');
  assert.is(run.code, 0, run.stderr);
  assert.not.ok(existsSync(file));
  assert.is((await memory(home, 'forget', '--undo', 'f1', '--yes')).code, 0);
  assert.is(readFileSync(file, 'utf8'), 'A stork lives on the chimney.\n');
});

test('undo by ID restores the text and the changed file', async () => {
  const home = homeOf();
  const file = home.at('ws/memory/door.md');
  const before = readFileSync(file, 'utf8');
  const args = ['memory/door.md#L3', '--from-file', '--yes', '--json'];
  const [changed] = jsonOf.forget(await memory(home, 'forget', ...args)).files;
  assert.equal([changed?.path, changed?.deleted], ['memory/door.md', false]);
  assert.not.ok(readFileSync(file, 'utf8').includes(SECRET));
  const list = jsonOf.forgetList(await memory(home, 'forget', '--list', '--json'));
  assert.equal(
    list.entries.map(({ id, passages }) => [id, passages]),
    [['f1', [{ path: 'memory/door.md', startLine: 3, endLine: 3 }]]],
  );
  assert.match(
    (await memory(home, 'forget', '--list')).stdout,
    /^f1 +just now +memory\/door\.md#L3$/m,
  );
  const undone = jsonOf.forgetUndo(await memory(home, 'forget', '--undo', 'f1', '--yes', '--json'));
  assert.equal([undone.undone, undone.restored], [true, ['memory/door.md']]);
  assert.is(readFileSync(file, 'utf8'), before);
  assert.not.ok(existsSync(changed?.backup ?? ''));
  const found = jsonOf.search(await memory(home, 'search', 'janitor', '--json'));
  assert.is(found.results.length, 1);
  await memory(home, 'forget', ...args);
  writeFileSync(file, `${readFileSync(file, 'utf8')}Edited since.\n`);
  const left = jsonOf.forgetUndo(await memory(home, 'forget', '--undo', 'f2', '--yes', '--json'));
  assert.equal([left.restored, left.kept.map(({ path }) => path)], [[], ['memory/door.md']]);
});

test('commands in hints name the memory that the command was about', async () => {
  const home = homeOf();
  home.write('other notes/a.md', 'The gate is green.\n');
  const folder = ['--workspace', 'other notes'];
  const run = await memory(home, 'forget', 'a.md', '--yes', ...folder);
  const undo = `undo with "svc memory forget --undo f1 --workspace 'other notes'"`;
  assert.match(run.stdout, undo);
  home.write('other notes/b.md', 'new');
  const why = await memory(home, 'status', '--why=~/other notes/b.md', ...folder);
  assert.match(why.stdout, /b\.md {2}not indexed yet\n/);
  assert.match(why.stdout, `"svc memory index --workspace 'other notes'" updates it`);
  const missing = await memory(home, 'get', 'memory/no.md', '--agent', 'main');
  assert.match(missing.stderr, 'use a path from "svc memory search --agent main"');
  assert.match((await memory(home, 'get', 'no.md')).stderr, 'use a path from "svc memory search"');
});

test('an agent with the same workspace still finds what was forgotten, with a warning', async () => {
  const home = homeOf();
  const agents = { defaults: { workspace: 'ws' }, list: [{ id: 'ada' }, { id: 'ben' }] };
  writeFileSync(join(home.path, 'svc.json'), JSON.stringify({ agents }));
  const forget = ['forget', 'memory/door.md#L3', '--yes', '--json'];
  const { warnings } = jsonOf.forget(await memory(home, ...forget));
  assert.equal(
    warnings.map(({ code, hint }) => [code, hint]),
    [['FORGOTTEN_BY_ONE_AGENT', 'forget it there, too, with --agent ben']],
  );
  const there = jsonOf.forget(await memory(home, ...forget, '--agent', 'ben'));
  assert.equal([there.passages.length, there.warnings], [1, []]);
});

test('an agent that searches the same conversation still finds what was forgotten in it, with a warning', async () => {
  const home = homeOf();
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  };
  const list = [
    { id: 'ada', workspace: 'ws' },
    { id: 'ben', workspace: 'ws/ben' },
    { id: 'notes-only', workspace: 'ws', memorySearch: { sources: ['memory'] } },
    { id: 'of-another-project', workspace: 'elsewhere' },
  ];
  const sessions = { readers: ['svc', 'codex'] };
  home.write(
    'svc.json',
    JSON.stringify({ agents: { defaults: { memorySearch }, list }, sessions }),
  );
  const said = (text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  const talk = [
    { type: 'session_meta', payload: { id: 's', cwd: home.at('ws/ben') } },
    said(SECRET),
  ];
  home.write(
    '.codex/sessions/2026/02/03/rollout-a.jsonl',
    talk.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  home.write('ws/ben/MEMORY.md', 'Ben is here.\n');
  home.write('agents/ada/sessions/own.jsonl', message('user', 'The bell is broken, says Ada.'));
  // It shares nothing, so its list does not matter.
  home.write('forgotten/of-another-project.json', '{');
  const codex = 'sessions/codex/2026/02/03/rollout-a.jsonl';
  const warningsOf = async (...args: readonly string[]) =>
    jsonOf
      .forget(await memory(home, 'forget', ...args, '--yes', '--json'))
      .warnings.map(({ code, message }) => [code, message]);
  const warning = [
    'FORGOTTEN_BY_ONE_AGENT',
    'agent ben searches the same conversations and still finds it',
  ];
  assert.equal(await warningsOf(`${codex}#L2`), [warning]);
  assert.equal(await warningsOf(`${codex}#L2`, '--agent', 'ben'), []);
  assert.equal(await warningsOf('sessions/ada/own.jsonl#L1'), []);
});

test('a failing store does not hide what was done', async () => {
  const home = homeOf();
  const { database } = dreamWorkspace(home.at('ws'), { stateDir: home.path }).files;
  mkdirSync(dirname(database), { recursive: true });
  writeFileSync(database, 'of another program, not of svc');
  const { code, stdout, stderr } = await memory(home, 'forget', 'memory/door.md#L3', '--yes');
  assert.equal([code, stderr.includes(`cannot use ${database}`)], [1, true], stderr);
  assert.match(stdout, /^forgotten as f1; undo with/mu);
  const undone = await memory(home, 'forget', '--undo', 'f1', '--yes');
  assert.equal([undone.code, undone.stdout], [1, 'f1 is no longer forgotten\n']);
});

test('files are changed and restored only while no other process changes notes', async () => {
  const home = homeOf();
  const file = home.at('ws/memory/door.md');
  const before = readFileSync(file, 'utf8');
  const forget = ['memory', 'forget', '--yes'];
  for (const args of [
    [...forget, 'memory/door.md#L3', '--from-file'],
    [...forget, '--undo', 'f1'],
  ]) {
    const unchanged = readFileSync(file, 'utf8');
    const run = await runDuringNoteChanges(home, args, () => {
      assert.is(readFileSync(file, 'utf8'), unchanged);
    });
    assert.is(run.code, 0);
    assert.is.not(readFileSync(file, 'utf8'), unchanged);
  }
  assert.is(readFileSync(file, 'utf8'), before);
});

test('with --from-file, text is removed from every listed file and restored to each', async () => {
  const home = homeOf();
  const files = {
    'ws/memory/copy.md': `# Copy\n\n- ${SECRET}\n- Milk.\n`,
    'ws/MEMORY.md': `# House\n\n${SECRET}\n\nThe roof is new.\n`,
    'ws/DREAMS.md': `# Dreams\n\nInto long-term memory: ${SECRET} And more.\n\nCalm.\n`,
    'ws/memory/dreaming/light/2026-01-01.md': `- ${SECRET} (seen twice)\n- Milk.\n`,
  };
  for (const [path, text] of Object.entries(files)) home.write(path, text);
  const run = await memory(home, 'forget', 'memory/door.md#L3', '--from-file', '--yes', '--json');
  const document = jsonOf.forget(run);
  assert.equal([run.code, document.files.length, document.remains], [0, 5, []]);
  for (const path of Object.keys(files)) {
    assert.not.ok(readFileSync(home.at(path), 'utf8').includes('janitor'), path);
  }
  assert.match(readFileSync(home.at('ws/memory/copy.md'), 'utf8'), /Milk/);
  await memory(home, 'forget', '--undo', 'f1', '--yes');
  for (const [path, text] of Object.entries(files)) {
    assert.is(readFileSync(home.at(path), 'utf8'), text, path);
  }
});

test('with --from-file, a short line is removed from the reports of dreaming, which cite it', async () => {
  const home = homeOf();
  const report = 'ws/memory/dreaming/light/2026-01-01.md';
  home.write(report, '- The bell is broken. (memory/door.md#L5)\n- Milk.\n');
  await memory(home, 'forget', 'memory/door.md#L5', '--from-file', '--yes');
  assert.is(readFileSync(home.at(report), 'utf8'), '- Milk.\n');
});

test('what remains among other words is listed, and the exit code says so', async () => {
  const home = homeOf();
  const key = `sk-proj-${'a1B2'.repeat(10)}`;
  home.write('ws/memory/key.md', `The key is ${key}.\n`);
  home.write('ws/memory/more.md', `Lunch.\nAsk Ada about ${key}, and buy milk.\n`);
  home.write('ws/memory/tale.md', `She said: ${SECRET} Then she left.\n`);
  home.write('ws/memory/told.md', `Remember that t${SECRET.slice(1)}\n`);
  const args = ['--from-file', '--yes', '--json'];
  const forgetting = async (...targets: readonly string[]) => {
    const run = await memory(home, 'forget', ...targets, ...args);
    const { remains } = jsonOf.forget(run);
    return [run.code, remains.map(({ path, startLine }) => `${path}:${startLine}`)];
  };
  assert.equal(await forgetting('memory/key.md#L1'), [1, ['memory/more.md:2']]);
  assert.equal(await forgetting('memory/door.md#L3'), [
    1,
    ['memory/tale.md:1', 'memory/told.md:1'],
  ]);
  assert.match(readFileSync(home.at('ws/memory/more.md'), 'utf8'), /buy milk/);
});

test('a missing workspace is named as the cause', async () => {
  const home = homeOf();
  await memory(home, 'forget', 'memory/door.md#L3', '--yes');
  rmSync(home.at('ws'), { recursive: true });
  const undone = await memory(home, 'forget', '--undo', 'f1', '--yes', '--json');
  assert.is(jsonOf.error(undone).code, 'WORKSPACE_MISSING');
});

test('an impossible target is an error with its exit code', async () => {
  const home = homeOf();
  const failureOf = async (...args: readonly string[]) => {
    const run = await memory(home, 'forget', ...args, '--json');
    return [run.code, jsonOf.error(run).code];
  };
  assert.equal(await failureOf(), [2, 'USAGE']);
  assert.equal(await failureOf('memory/none.md'), [1, 'DOCUMENT_NOT_INDEXED']);
  assert.equal(await failureOf('MEMORY.md#L99'), [2, 'RANGE_INVALID']);
  assert.equal(await failureOf('xylophone'), [1, 'FORGET_NOTHING']);
  assert.equal(await failureOf('--undo', 'f7', '--yes'), [1, 'FORGET_ID_UNKNOWN']);
  // An unknown ID is an error before anything is asked.
  assert.equal(await failureOf('--undo', 'f7'), [1, 'FORGET_ID_UNKNOWN']);
});

test('what was forgotten under a relative SVC_HOME is restored from another folder', async () => {
  const home = homeOf();
  const cwd = join(home.path, 'ws');
  const run = (dir: string, folder: string, ...args: readonly string[]) =>
    runInSession(['memory', 'forget', ...args, '--yes'], {
      home: home.path,
      cwd: dir,
      env: { SVC_HOME: folder },
    });
  assert.is((await run(cwd, '..', 'memory/door.md#L3', '--from-file')).code, 0);
  assert.not(readFileSync(home.at('ws/memory/door.md'), 'utf8').includes('janitor'));
  const undone = await run(home.path, '.', '--undo', 'f1');
  assert.is(undone.code, 0, undone.stderr);
  assert.ok(readFileSync(home.at('ws/memory/door.md'), 'utf8').includes(SECRET));
});

test.run();
