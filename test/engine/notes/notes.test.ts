import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { openDreams } from '../../../src/engine/dreaming/store/dream-database.js';
import { messageOf, SvcError } from '../../../src/engine/errors/index.js';
import { openMemory } from '../../../src/engine/memory/index.js';
import { addNote } from '../../../src/engine/notes/add-note.js';
import { listWrites, undoNotes } from '../../../src/engine/notes/undo-notes.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { failureOf } from '../../support/failure.js';
import { smallDisk } from '../../support/small-disk.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('adding to notes');

/** Late in the evening in New York, the next day in UTC. */
const NOW = Date.UTC(2026, 10, 21, 2);
const SECRET = 'sk-abcdefghij1234567890abcd';

async function newWorkspace({
  root,
  exclude = [],
}: {
  readonly root?: string;
  readonly exclude?: readonly string[];
} = {}) {
  const home = tempFolder();
  const dir = root ?? home.at('notes');
  home.write('notes/.keep', '');
  home.write(
    'svc.json',
    JSON.stringify({
      agents: {
        defaults: {
          workspace: dir,
          userTimezone: 'America/New_York',
          memorySearch: { exclude },
        },
      },
    }),
  );
  const env = { SVC_HOME: home.at('state'), SVC_CONFIG: home.at('svc.json') };
  const context = {
    env,
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths(env, home.path),
    clock: { now: () => NOW },
  };
  const configFile = home.at('svc.json');
  const memory = await openMemory(context, { kind: 'agent' }, { configFile });
  const options = { context, signal: new AbortController().signal };
  const add = (text: string, more: Record<string, unknown> = {}) =>
    addNote(memory, { text, origin: 'command', ...more }, options);
  return {
    dir,
    memory,
    context,
    add,
    undo: (which: { id: string } | { last: number } = { last: 1 }) =>
      undoNotes(memory, which, options),
    list: () => listWrites(memory, options),
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
    write: (path: string, text: string) => home.write(`notes/${path}`, text),
    dreams: () => openDreams(dreamWorkspace(dir, context.state)),
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  return 'none';
}

const TODAY = 'memory/2026-11-20.md';

test("a line goes to today's note in the user's time zone, readable by its owner only", async () => {
  const { add, read, dir } = await newWorkspace();
  const { outcome, path, citation } = await add('tea at five', { tags: ['#tea'] });
  assert.equal([outcome, path, citation], ['added', TODAY, `${TODAY}#L3`]);
  assert.is(read(TODAY), '# 2026-11-20\n\n- tea at five #tea\n');
  assert.is(statSync(join(dir, TODAY)).mode & 0o777, 0o600);
});

test('a tag is in any script', async () => {
  const { add, read } = await newWorkspace();
  await add('tea at five', { tags: ['हिन्दी'] });
  assert.is(read(TODAY), '# 2026-11-20\n\n- tea at five #हिन्दी\n');
});

test('an equal line is not added again, and nothing is to be undone', async () => {
  const { add, read, write, list } = await newWorkspace();
  write(TODAY, '* tea  at five\n');
  const { outcome, id, citation } = await add('tea at five');
  assert.equal([outcome, id, citation], ['known', null, `${TODAY}#L1`]);
  assert.is(read(TODAY), '* tea  at five\n');
  assert.equal(await list(), []);
});

test('a line of code gets no tag', async () => {
  const { add, read, write } = await newWorkspace();
  const code = '# Day\n\n```\n- tea at five\n```\n';
  write(TODAY, code);
  await add('tea at five', { tags: ['tea'] });
  assert.is(read(TODAY), `${code}\n- tea at five #tea\n`);
});

test('a tag goes to the line that the note has, and undo takes it back', async () => {
  const { add, read, write, undo } = await newWorkspace();
  write(TODAY, '# Day\n\n* tea  at five #tea\n- cake\n');
  assert.is((await add('tea at five')).outcome, 'known');
  const { outcome, id, text, citation } = await add('tea at five', { tags: ['tea', 'daily'] });
  assert.equal(
    [outcome, id, text, citation],
    ['added', 'w1', '* tea  at five #tea #daily', `${TODAY}#L3`],
  );
  await add('cake', { tags: ['sweet'] });
  assert.is(read(TODAY), '# Day\n\n* tea  at five #tea #daily\n- cake #sweet\n');
  assert.is((await add('cake', { tags: ['sweet'] })).outcome, 'known');
  assert.equal(
    (await undo({ last: 2 })).map((write) => [write.text, write.outcome]),
    [
      ['#sweet', 'undone'],
      ['#daily', 'undone'],
    ],
  );
  assert.is(read(TODAY), '# Day\n\n* tea  at five #tea\n- cake\n');
});

test('the permissions of a file are kept', async () => {
  const { add, write, dir } = await newWorkspace();
  write('MEMORY.md', '- a\n');
  chmodSync(join(dir, 'MEMORY.md'), 0o644);
  await add('b', { file: 'MEMORY.md' });
  assert.is(statSync(join(dir, 'MEMORY.md')).mode & 0o777, 0o644);
});

test('MEMORY.md has a budget: an agent is refused beyond it, a person is warned', async () => {
  const { add, read, write } = await newWorkspace();
  const full = `# Mine\n\n${'- A line of a person.\n'.repeat(1000)}`;
  write('MEMORY.md', full);
  const line = 'The gate is green.';
  assert.is(await codeOf(add(line, { file: 'MEMORY.md', origin: 'mcp' })), 'NOTE_OVER_BUDGET');
  assert.is(read('MEMORY.md'), full);
  assert.equal((await add(line, { origin: 'mcp' })).warnings, []);
  const { outcome, warnings } = await add(line, { file: 'MEMORY.md' });
  assert.is(outcome, 'added');
  assert.match(warnings[0]?.message ?? '', /over its budget of 20,000/);
  assert.ok(read('MEMORY.md').startsWith(full.trimEnd()));
});

test('secrets are refused unless they are allowed', async () => {
  const { add, read } = await newWorkspace();
  assert.is(await codeOf(add(`the key is ${SECRET}`)), 'NOTE_SECRET');
  assert.is(await codeOf(add('x', { heading: `key ${SECRET}` })), 'NOTE_SECRET');
  const hintOf = async (origin: 'command' | 'mcp'): Promise<string> => {
    const error = await add(`the key is ${SECRET}`, { origin }).catch((cause: unknown) => cause);
    return error instanceof SvcError ? (error.hint ?? '') : '';
  };
  assert.match(await hintOf('command'), '--allow-secret');
  assert.match(await hintOf('mcp'), /^remove it: notes are sent to/u);
  await add(`the key is ${SECRET}`, { allowSecret: true });
  assert.ok(read(TODAY).includes(SECRET));
});

test('forgotten text is refused', async () => {
  const { add, write, memory, read } = await newWorkspace();
  write('memory/a.md', '- The front door code is in the drawer.\n');
  const work = { signal: new AbortController().signal };
  const forgetting = await memory.backend.forgetting();
  const plan = await forgetting.plan({ target: 'memory/a.md#L1', fromFile: false }, work);
  await forgetting.hide(plan, { fromFile: false }, work);
  assert.is(await codeOf(add('The front door code is in the drawer.')), 'NOTE_FORGOTTEN');
  assert.is(
    await codeOf(add('The front door code is in the drawer.', { tags: ['x'] })),
    'NOTE_FORGOTTEN',
  );
  await add('The back door is open.');
  assert.ok(read(TODAY).includes('back door'));
});

test('only files of memory are written, and no links are followed', async () => {
  const { add, undo, write, dir } = await newWorkspace();
  for (const file of [
    '../x.md',
    '/etc/x.md',
    'AGENTS.md',
    'memory/x.txt',
    'memory/x.markdown',
    'memory/.git/x.md',
    'memory/node_modules/x.md',
    'memory',
    'memory/../AGENTS.md',
    'memory/dreaming/x.md',
    'a\0.md',
  ]) {
    assert.is(await codeOf(add('x', { file })), 'NOTE_INVALID', file);
  }
  write('AGENTS.md', '');
  write('memory/a.md', '');
  symlinkSync(join(dir, 'AGENTS.md'), join(dir, 'memory/link.md'));
  symlinkSync('/tmp', join(dir, 'memory/out'));
  symlinkSync('nowhere', join(dir, 'memory/dangling'));
  assert.is(await codeOf(add('x', { file: 'memory/link.md' })), 'NOTE_FILE_REFUSED');
  assert.is(await codeOf(add('x', { file: 'memory/out/x.md' })), 'NOTE_FILE_REFUSED');
  assert.is(await codeOf(add('x', { file: 'memory/dangling/x.md' })), 'NOTE_FILE_REFUSED');
  chmodSync(join(dir, 'memory/a.md'), 0o444);
  assert.is(await codeOf(add('x', { file: 'memory/a.md' })), 'NOTE_FILE_REFUSED');
  chmodSync(join(dir, 'memory/a.md'), 0o644);
  assert.is((await add('x', { file: join(dir, 'memory/a.md') })).path, 'memory/a.md');
  chmodSync(join(dir, 'memory/a.md'), 0o444);
  assert.is(await codeOf(undo()), 'NOTE_FILE_REFUSED');
  chmodSync(join(dir, 'memory/a.md'), 0o644);
  assert.equal(
    (await undo()).map(({ outcome }) => outcome),
    ['undone'],
  );
});

test('what a search would never find is not written', async () => {
  const { add, write, list } = await newWorkspace({ exclude: ['drafts/', 'MEMORY.md'] });
  write('memory/.svcignore', '*.tmp.md\n');
  for (const file of ['memory/drafts/a.md', 'memory/drafts/b/c.md', 'memory/a.tmp.md']) {
    assert.is(await codeOf(add('x', { file })), 'NOTE_INVALID', file);
  }
  write('memory/big/.svcignore', '#'.repeat(2_000_000));
  const unknown = await add('x', { file: 'memory/big/a.md' }).catch(messageOf);
  assert.match(String(unknown), /memory\/big\/\.svcignore: too large/);
  assert.equal(await list(), []);
  for (const file of ['memory/.hidden/a.md', 'memory/.a.md', 'memory/A.MD', 'MEMORY.md']) {
    assert.is((await add('x', { file })).path, file);
  }
});

test('a note whose name is decomposed is the one that its composed name means', async () => {
  const { add, write, read } = await newWorkspace();
  const file = 'memory/größe/zürich.md';
  write(file.normalize('NFD'), '- a\n');
  assert.is((await add('b', { file: file.normalize('NFC') })).path, file.normalize('NFD'));
  assert.is(read(file.normalize('NFD')), '- a\n- b\n');
  // Of two that look the same, each is meant by its own name.
  write('memory/é.md'.normalize('NFD'), '- a\n');
  write('memory/é.md'.normalize('NFC'), '- a\n');
  for (const form of ['NFC', 'NFD']) {
    const name = 'memory/é.md'.normalize(form);
    assert.is((await add('b', { file: name })).path, name);
  }
});

test('texts that would not be a note are refused', async () => {
  const { add } = await newWorkspace();
  const wrong = ['', ' \n', 'a\u001B[2J', 'a <!-- svc:memory-promotion:1 -->', 'x'.repeat(70_000)];
  for (const text of wrong) assert.is(await codeOf(add(text)), 'NOTE_INVALID', text.slice(0, 20));
  assert.is(await codeOf(add('x', { heading: 'a\nb' })), 'NOTE_INVALID');
  assert.is(await codeOf(add('x', { tags: ['a b'] })), 'NOTE_INVALID');
});

test('undo takes back exactly what was added', async () => {
  const { add, undo, list, read, write, dir } = await newWorkspace();
  write('MEMORY.md', '# Mine\r\n\r\nno end');
  const { id } = await add('a', { file: 'MEMORY.md', heading: 'Things' });
  await add('b', { file: 'MEMORY.md', heading: 'Things' });
  await add('c');
  assert.equal(
    (await undo({ last: 3 })).map(({ outcome }) => outcome),
    ['undone', 'undone', 'undone'],
  );
  assert.is(read('MEMORY.md'), '# Mine\r\n\r\nno end');
  assert.not.ok(existsSync(join(dir, TODAY)));
  assert.is(await codeOf(undo()), 'NOTE_WRITE_UNKNOWN');
  assert.equal(await list(), []);
  assert.match((await failureOf(undo({ id: id ?? '' }))).message, 'already undone');
});

test('undo takes back what is in a file whose line ends were changed since', async () => {
  const { add, undo, read, write, dir } = await newWorkspace();
  await add('a', { heading: 'Things' });
  await add('b\nc', { heading: 'Things' });
  write(TODAY, read(TODAY).replaceAll('\n', '\r\n'));
  const outcomes = (await undo({ last: 2 })).map(({ outcome }) => outcome);
  assert.equal(outcomes, ['undone', 'undone']);
  assert.not.ok(existsSync(join(dir, TODAY)));
});

test('a file, its title and a heading go with the last of their lines, in any order', async () => {
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [2, 0, 1],
    [3, 2, 1, 0],
    [0, 1, 3, 2],
    [0, 1, 2, 3],
  ]) {
    const { add, undo, write, read, dir } = await newWorkspace();
    const added = [await add('a', { heading: 'Things' }), await add('c', { heading: 'Others' })];
    added.push(await add('b', { heading: 'Things' }));
    // Above the sections.
    if (order.length > added.length) added.push(await add('d'));
    for (const at of order) {
      // No heading stays without lines.
      assert.not.match(`${read(TODAY)}# End\n`, /^## .*\n\s*#/mu);
      await undo({ id: added[at]?.id ?? '' });
    }
    assert.not.ok(existsSync(join(dir, TODAY)), order.join());
    // A heading of a person is not theirs.
    write(TODAY, '# Mine\n\n## Things\n\n');
    await add('a', { heading: 'Things' });
    await undo();
    assert.is(read(TODAY), '# Mine\n\n## Things\n\n');
  }
});

test("a heading in a person's file goes with the last of its lines, too", async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const { add, undo, write, read } = await newWorkspace();
    write(TODAY, '# Mine\n');
    const added = [await add('a', { heading: 'Things' }), await add('b', { heading: 'Things' })];
    for (const at of order) await undo({ id: added[at]?.id ?? '' });
    assert.is(read(TODAY), '# Mine\n', order.join());
  }
});

test('text without a heading is above the sections that were added at the end', async () => {
  const { add, undo, write, read } = await newWorkspace();
  await add('b', { heading: 'Things' });
  await add('first\n\n### Details\n\nsecond', { heading: 'Minutes' });
  await add('a');
  await add('a too');
  const sections = '## Things\n\n- b\n\n## Minutes\n\nfirst\n\n### Details\n\nsecond\n';
  assert.is(read(TODAY).replace(/^# .*\n\n/u, ''), `- a\n- a too\n\n${sections}`);
  await undo({ last: 2 });
  assert.is(read(TODAY).replace(/^# .*\n\n/u, ''), sections);
  write(TODAY, `${read(TODAY)}\n## Mine\n`);
  await add('c');
  assert.match(read(TODAY), /\n## Mine\n\n- c\n$/u, 'a section of a person is the end');
});

test('undo leaves what a person edited, and goes on before it', async () => {
  const { add, undo, list, read, dir } = await newWorkspace();
  const first = await add('a');
  const second = await add('b');
  writeFileSync(join(dir, TODAY), `${read(TODAY).replace('- b', '- b!')}- mine\n`);
  assert.equal(
    (await undo()).map(({ outcome }) => outcome),
    ['edited'],
  );
  assert.equal(
    (await undo()).map(({ id, outcome }) => [id, outcome]),
    [[first.id, 'undone']],
  );
  assert.is(read(TODAY), '# 2026-11-20\n\n- b!\n- mine\n');
  // What was left can still be undone by its ID, once it is as it was added.
  assert.equal(
    (await list()).map(({ id }) => id),
    [second.id],
  );
  writeFileSync(join(dir, TODAY), read(TODAY).replace('- b!', '- b'));
  assert.equal(
    (await undo({ id: second.id ?? '' })).map(({ outcome }) => outcome),
    ['undone'],
  );
  assert.is(read(TODAY), '# 2026-11-20\n\n- mine\n');
});

test('undo leaves what is in a file that can no longer be changed, and takes back the rest', async () => {
  const { add, undo, dir } = await newWorkspace();
  for (const name of ['a', 'b', 'c']) await add(name, { file: `memory/${name}.md` });
  renameSync(join(dir, 'memory/b.md'), join(dir, 'x.md'));
  symlinkSync('../x.md', join(dir, 'memory/b.md'));
  assert.equal(
    (await undo({ last: 3 })).map(({ path, outcome }) => [path, outcome]),
    [
      ['memory/c.md', 'undone'],
      ['memory/b.md', 'edited'],
      ['memory/a.md', 'undone'],
    ],
  );
  assert.is(readFileSync(join(dir, 'x.md'), 'utf8'), '# b\n\n- b\n');
});

test('a write that was killed is completed or dropped by the next', async () => {
  const { add, list, read, dreams } = await newWorkspace();
  await add('a');
  const opened = dreams();
  const plan = {
    atMs: NOW,
    path: TODAY,
    origin: 'command',
    created: false,
    replaced: '',
    frames: [],
  } as const;
  opened?.writes.plan({ ...plan, inserted: '- never\n' });
  const reached = opened?.writes.plan({ ...plan, inserted: '- a\n' });
  opened?.close();
  assert.equal(
    (await list()).map(({ id }) => id),
    [`w${reached}`, 'w1'],
  );
  assert.is(read(TODAY), '# 2026-11-20\n\n- a\n');
});

test('text that is in its note is added, even if that cannot be recorded at once', async () => {
  const { add, list, read, dreams } = await newWorkspace();
  await add('a');
  const fails = dreams();
  fails.database.exec(
    "CREATE TRIGGER fails BEFORE UPDATE ON writes BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END",
  );
  fails.close();
  assert.is((await add('b')).outcome, 'added');
  assert.is(read(TODAY), '# 2026-11-20\n\n- a\n- b\n');
  const works = dreams();
  works.database.exec('DROP TRIGGER fails');
  works.close();
  assert.equal(
    (await list()).map(({ text }) => text),
    ['- b', '- a'],
  );
});

test('an undo that was killed is completed by the next', async () => {
  const { add, undo, list, write, read, dreams } = await newWorkspace();
  write(TODAY, '- mine\n');
  await add('a');
  const before = read(TODAY);
  const { id } = await add('b');
  for (const text of [before, read(TODAY)]) {
    const opened = dreams();
    opened?.writes.setState(2, 'undoing');
    opened?.close();
    write(TODAY, text);
    assert.is((await list()).length, 2);
    assert.equal(
      (await undo()).map((one) => [one.id, one.outcome]),
      [[id, 'undone']],
    );
    assert.is(read(TODAY), before);
  }
});

test('a full disk changes nothing', async () => {
  const disk = smallDisk(1);
  if (disk === undefined) return;
  const { add, list, read } = await newWorkspace({ root: disk });
  await add('a');
  writeFileSync(join(disk, 'full'), '');
  try {
    writeFileSync(join(disk, 'full'), Buffer.alloc(2 * 1024 * 1024));
  } catch {
    // That is what it is for.
  }
  assert.is(await codeOf(add(`b ${'x '.repeat(30_000)}`)), 'SYSTEM_REFUSED');
  assert.is(read(TODAY), '# 2026-11-20\n\n- a\n');
  assert.is((await list()).length, 1);
});

test.run();
