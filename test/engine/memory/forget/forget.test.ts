import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../../src/engine/errors/index.js';
import type { MemoryBackend } from '../../../../src/engine/memory/backends/memory-backend.js';
import { splitClaims } from '../../../../src/engine/memory/chunking/split-claims.js';
import { hide } from '../../../../src/engine/memory/forget/hide.js';
import { sameLines } from '../../../../src/engine/memory/forget/same-lines.js';
import { undo as undoEntry } from '../../../../src/engine/memory/forget/undo.js';
import { readForgotten } from '../../../../src/engine/memory/forgotten/index.js';
import type { KeptIndex } from '../../../../src/engine/memory/keeper/sync-index.js';
import { withIndexLock } from '../../../../src/engine/memory/sync/index-lock.js';
import { openDatabase } from '../../../../src/engine/sqlite/database.js';
import { startOpenAiFake } from '../../../fakes/openai.js';
import { failureOf } from '../../../support/failure.js';
import { indexFilesWith } from '../../../support/index-content.js';
import { png } from '../../../support/media-files.js';
import { backendOn, onIndex, pathsOf, targetOf } from '../../../support/memory.js';
import { semanticMemory } from '../../../support/semantic-memory.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('forgetting');

const SECRET = 'The heron nests behind the old waterworks.';
const NOTE = `# Birds\n\nWe saw a kingfisher.\n\n## Nests\n\n${SECRET}\n\n## Feeders\n\nThe feeder needs seeds.\n`;

interface World {
  readonly notes: TempFolder;
  readonly target: KeptIndex;
  readonly backend: MemoryBackend;
}

async function worldOf(files: Readonly<Record<string, string>>): Promise<World> {
  const notes = folderOf(files);
  const target = targetOf(notes.path);
  const backend = backendOn(target);
  await backend.sync({});
  return { notes, target, backend };
}

async function forget(
  { backend, target }: World,
  wanted: string,
  fromFile = false,
): Promise<{ readonly id: string; readonly clean: boolean }> {
  const forgetting = await backend.forgetting();
  const { id } = await forgetting.hide(await forgetting.plan({ target: wanted }), { fromFile });
  const { clean } = await forgetting.store.follow(await readForgotten(target.forget));
  return { id, clean };
}

async function undo({ backend, target }: World, id: string) {
  const forgetting = await backend.forgetting();
  const undone = await forgetting.undo(id);
  await forgetting.store.follow(await readForgotten(target.forget));
  return undone;
}

async function finds({ backend }: World, query: string): Promise<readonly string[]> {
  return pathsOf(await backend.search({ query, minScore: 0 }));
}

/** Forgets while writing the list fails some times; each time, another host has taken the next number. */
async function hideAfter(failures: number, code: 'FORGET_FAILED' | 'FORGET_OUTDATED') {
  const { backend, target } = await worldOf({ 'MEMORY.md': NOTE });
  const { home } = target;
  let tries = 0;
  const shared: KeptIndex['home'] = {
    ...home,
    writeForgetList: async (list, now) => {
      tries += 1;
      if (tries > failures) return home.writeForgetList(list, now);
      await home.writeForgetList({ ...list, entries: [] });
      throw new SvcError(code, 'another host was faster');
    },
  };
  const plan = await (await backend.forgetting()).plan({ target: 'MEMORY.md#L7' });
  const random = mock.method(Math, 'random', () => 0);
  const clock = { now: Date.now };
  const hiding = hide(plan, { fromFile: true }, { target: { ...target, home: shared }, clock });
  const failure = await hiding.then(
    () => undefined,
    (error: unknown) => (error instanceof SvcError ? error.code : error),
  );
  random.mock.restore();
  const backups = readdirSync(target.forget.backupDir);
  return { failure, tries, backups, entries: (await home.readForgetList())?.entries.length };
}

test('other hosts that forget at the same moment are waited for, and leave no backups', async () => {
  assert.equal(await hideAfter(8, 'FORGET_OUTDATED'), {
    failure: undefined,
    tries: 9,
    backups: ['f9'],
    entries: 1,
  });
  const { failure, tries, backups } = await hideAfter(20, 'FORGET_OUTDATED');
  assert.equal([failure, tries, backups], ['FORGET_OUTDATED', 10, []]);
  assert.is((await hideAfter(1, 'FORGET_FAILED')).tries, 1);
});

test('a cited passage is no longer found, and no byte of it is left in the index', async () => {
  const world = await worldOf({ 'birds.md': NOTE, 'other.md': 'The waterworks closed in 1931.\n' });
  assert.equal(indexFilesWith(world.target, SECRET), [basename(world.target.indexFile)]);
  const { clean } = await forget(world, 'birds.md#L7');
  assert.ok(clean);
  assert.equal(await finds(world, 'heron'), []);
  assert.equal(await finds(world, 'waterworks'), ['other.md']);
  assert.equal(await finds(world, 'kingfisher'), ['birds.md']);
  assert.equal(indexFilesWith(world.target, SECRET, 'heron', 'nests behind'), []);
  const { text } = await world.backend.get({ target: 'birds.md' });
  assert.not.ok(text.includes('heron'));
  assert.equal(readdirSync(world.notes.path).toSorted(), ['birds.md', 'other.md']);
  assert.is(readFileSync(world.notes.at('birds.md'), 'utf8'), NOTE);
});

test('text of an earlier version of a file leaves no byte either', async () => {
  const world = await worldOf({ 'birds.md': `${NOTE}\nmore\n` });
  world.notes.write('birds.md', NOTE);
  await world.backend.sync({});
  await forget(world, 'birds.md#L7');
  assert.equal(indexFilesWith(world.target, SECRET, 'heron'), []);
});

test('no byte is left of a line that is forgotten after a large note was deleted', async () => {
  // Each begins with another letter: the full-text index does not repeat the beginning of the word before.
  const words = ['jabiru', 'kagu', 'quail', 'vireo'];
  const lines = words.map((word) => `- There was a ${word} on the northern bank.`);
  const large = Array.from({ length: 3000 }, (_, at) => `${at}`).join(' ');
  const world = await worldOf({ 'birds.md': `${lines.join('\n')}\n`, 'large.md': `${large}\n` });
  await forget(world, 'birds.md#L1');
  await forget(world, 'birds.md#L2');
  rmSync(world.notes.at('large.md'));
  await world.backend.sync({});
  await forget(world, 'birds.md#L3');
  await forget(world, 'birds.md#L4');
  assert.equal(indexFilesWith(world.target, ...words), []);
});

test('a forgotten tag, property or link leaves no byte in the index', async () => {
  const note = `---\ntags: [birds]\nseen: bittern-marsh\n---\n\nA swan, see [[Swans]].\n\nNests of the #bittern-colony are in [[Bittern valley]].\n`;
  const world = await worldOf({ 'birds.md': note });
  assert.equal(indexFilesWith(world.target, 'bittern-colony'), [basename(world.target.indexFile)]);
  await forget(world, 'birds.md#L3');
  await forget(world, 'birds.md#L8');
  assert.equal(
    indexFilesWith(world.target, 'bittern-marsh', 'bittern-colony', 'Bittern valley'),
    [],
  );
  await onIndex(world.target, async (index) => {
    const content = await index.content({ source: 'memory', path: 'birds.md' });
    assert.equal(content?.facts, { properties: { tags: ['birds'] }, tags: ['birds'] });
    assert.equal(
      (await index.links()).flatMap(({ links }) => links.map(({ target }) => target)),
      ['Swans'],
    );
  });
});

test('forgotten text stays away after changes, a rename, a copy and a new index', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  await forget(world, 'birds.md#L7');
  const { notes, backend } = world;
  notes.write('birds.md', `${NOTE}\nThe owl hoots.\n`);
  notes.write('copy.md', `# Seen\n\n- ${SECRET}\n- a swan\n`);
  assert.equal(await finds(world, 'heron'), []);
  assert.equal(await finds(world, 'owl'), ['birds.md']);
  assert.equal(await finds(world, 'swan'), ['copy.md']);
  await backend.sync({ force: true });
  assert.equal(await finds(world, 'heron'), []);
  await backend.reset();
  assert.equal(await finds(world, 'heron'), []);
  assert.equal(indexFilesWith(world.target, 'heron'), []);
});

test('a whole file is forgotten; what is written into it later is remembered', async () => {
  const world = await worldOf({ 'birds.md': NOTE, 'other.md': 'Boats.\n' });
  await forget(world, 'birds.md');
  for (const word of ['heron', 'kingfisher', 'seeds']) assert.equal(await finds(world, word), []);
  assert.equal(indexFilesWith(world.target, 'kingfisher'), []);
  world.notes.write('birds.md', `${NOTE}\nA stork came by on Monday.\n`);
  assert.equal(await finds(world, 'stork'), ['birds.md']);
  assert.equal(await finds(world, 'kingfisher'), []);
});

test('with words, the passages that they find are forgotten', async () => {
  const world = await worldOf({
    'a.md': 'The ferry leaves at nine.\n',
    'b.md': 'Lunch was fine.\n',
  });
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'when does the ferry leave' });
  assert.equal(
    plan.passages.map(({ path, startLine, text, whole }) => [path, startLine, text, whole]),
    [['a.md', 1, 'The ferry leaves at nine.', false]],
  );
  assert.equal(await finds(world, 'ferry'), ['a.md']);
  await forget(world, 'when does the ferry leave');
  assert.equal(await finds(world, 'ferry'), []);
  assert.equal(await finds(world, 'lunch'), ['b.md']);
});

test('a line far from the beginning of its snippet is forgotten, and its neighbours stay', async () => {
  const rose = (n: number): string =>
    `Rose number ${n} is in the garden by the wall: it needs water, light, patience and a cut in every spring.\n\n`;
  const roses = Array.from({ length: 20 }, (_, n) => rose(n));
  const shed = 'The garden shed keycode is 4711 and nobody else may know it.\n\n';
  const note = ['# Roses\n\n', ...roses.toSpliced(11, 0, shed)].join('');
  const world = await worldOf({ 'roses.md': note });
  await forget(world, 'garden keycode', true);
  assert.equal(await finds(world, '4711'), []);
  const kept = note.replace(`${shed.trim()}\n`, '');
  assert.is(readFileSync(world.notes.at('roses.md'), 'utf8'), kept);
});

test('words forgotten earlier do not affect which lines are forgotten', async () => {
  const world = await worldOf({
    'a.md': 'The keycode of the garden shed is 4711.\n\nThe garden is large and old.\n',
  });
  await forget(world, 'garden keycode');
  const forgetting = await world.backend.forgetting();
  const { passages } = await forgetting.plan({ target: 'garden keycode' });
  assert.equal(
    passages.map(({ startLine, endLine }) => [startLine, endLine]),
    [[3, 3]],
  );
});

test('a search for what to forget ends with the signal, and does not wait for the provider', async () => {
  const fake = await startOpenAiFake();
  const { backend } = await semanticMemory(fake, { 'a.md': NOTE }).open();
  await backend.sync({});
  fake.trouble('slow');
  const ending = new AbortController();
  const forgetting = await backend.forgetting();
  const before = fake.requests.length;
  const planned = forgetting.plan({ target: 'heron nests' }, { signal: ending.signal });
  const failed = planned.then(String, String);
  await waitFor('the question', () => fake.requests.length > before);
  ending.abort(new Error('stopped'));
  assert.is(await failed, 'Error: stopped');
  await backend.close();
  await fake.close();
});

test('a wrapped paragraph and a sentence of a long line are known in the words of dreaming, too', async () => {
  const wrapped = ['We keep the spare key of the boat house', 'in the third drawer from above.'];
  const first = `The heron nests ${'very close to the old mill '.repeat(8)}and stays.`;
  const last = `It left for the lake ${'with all of its many young ones '.repeat(3)}in May.`;
  const note = `# Log\n\n${wrapped.join('\n')}\n\n${first} ${last}\n\nThe feeder needs seeds.\n`;
  const memory = [wrapped.join(' '), last].map((claim) => `- ${claim}\n`).join('');
  const world = await worldOf({ 'log.md': note, 'MEMORY.md': `# Known\n\n${memory}- Tea.\n` });
  // Only one of the lines of the paragraph.
  await forget(world, 'log.md#L4');
  await forget(world, 'log.md#L6');
  assert.equal(await finds(world, 'drawer'), []);
  assert.equal(await finds(world, 'lake'), []);
  assert.equal(await finds(world, 'feeder'), ['log.md']);
  const forgotten = await readForgotten(world.target.forget);
  for (const { text } of splitClaims(note)) {
    assert.is(forgotten.removeFrom(text) === '', text !== 'The feeder needs seeds.', text);
  }
});

test('the plan lists where else the same lines are', async () => {
  const world = await worldOf({
    'a.md': `${SECRET}\n- Tea\n`,
    // A short line is not known in the words of another.
    'b.md': `# Seen\n\n- ${SECRET}\n- Tom drinks tea with milk, and never coffee.\n`,
    'c.md': 'Nothing of it.\n',
  });
  const plan = await (await world.backend.forgetting()).plan({ target: 'a.md#L1-L2' });
  assert.equal(
    plan.alsoIn.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })),
    [{ path: 'b.md', startLine: 3, endLine: 3 }],
  );
});

test('a copy right below the passage, and its statement on one line, are listed as well', async () => {
  const [first, second] = ['The heron nests behind the old waterworks', 'since the flood of 1999.'];
  const world = await worldOf({
    'a.md': `${first}\n${second}\n`,
    'b.md': `- ${first} ${second}\n`,
    'c.md': `${first}\n${first}\n`,
  });
  const placesOf = async (target: string): Promise<readonly string[]> => {
    const { alsoIn } = await (await world.backend.forgetting()).plan({ target });
    return alsoIn.map(({ path, startLine, endLine }) => `${path}#L${startLine}-L${endLine}`);
  };
  assert.equal(await placesOf('a.md#L1'), ['b.md#L1-L1', 'c.md#L1-L2']);
  assert.equal(await placesOf('c.md#L1'), ['a.md#L1-L1', 'b.md#L1-L1', 'c.md#L2-L2']);
});

test('after an undo, text is found again', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const first = await forget(world, 'birds.md#L7');
  const second = await forget(world, 'birds.md#L3');
  assert.equal([first.id, second.id], ['f1', 'f2']);
  // A list that was shared names the host.
  const { listFile } = world.target.forget;
  const list = JSON.parse(readFileSync(listFile, 'utf8'));
  list.entries[0].origin = 'old-host';
  writeFileSync(listFile, JSON.stringify(list));
  await undo(world, first.id);
  assert.equal(await finds(world, 'heron'), ['birds.md']);
  assert.equal(await finds(world, 'kingfisher'), []);
  assert.is((await failureOf(undo(world, first.id))).code, 'FORGET_ID_UNKNOWN');
  assert.is((await forget(world, 'birds.md#L11')).id, 'f3');
});

test('an undo reports the entries that keep its text forgotten', async () => {
  const note = '# Notes\n\n- short\n- tea\n- A line that is long enough to be known anywhere.\n';
  const world = await worldOf({
    'a.md': note,
    'b.md': '# Notes\n\n- Other text of the second file.\n',
  });
  const ids: string[] = [];
  for (const target of ['a.md#L5', 'a.md#L3-L4', 'a.md', 'a.md#L5', 'b.md']) {
    ids.push((await forget(world, target)).id);
  }
  const [line = '', pair = '', whole = '', again = '', other = ''] = ids;
  const undone = async (id: string) => {
    const { stillIn, staysForgotten } = await undo(world, id);
    return { stillIn, staysForgotten };
  };
  assert.equal(await undone(other), { stillIn: [], staysForgotten: false });
  assert.equal(await undone(line), { stillIn: [whole, again], staysForgotten: true });
  assert.equal(await finds(world, 'anywhere'), []);
  assert.equal(await undone(whole), { stillIn: [pair, again], staysForgotten: false });
  assert.equal(await undone(again), { stillIn: [], staysForgotten: false });
  assert.equal(await finds(world, 'anywhere'), ['a.md']);
  // Short lines are known together, or as a part of others.
  for (const target of ['a.md#L3-L4', 'a.md#L3']) {
    const { id } = await forget(world, target);
    assert.equal(await undone(id), { stillIn: [pair], staysForgotten: true }, target);
  }
});

test('lines are removed from a file to the byte, with a backup that restores them', async () => {
  const before = '\uFEFF# Tab\tand CRLF\r\n\r\nThe heron nests in the oak tree.\r\nLast line';
  const world = await worldOf({ 'birds.md': before });
  const { id } = await forget(world, 'birds.md#L3', true);
  const file = world.notes.at('birds.md');
  assert.is(readFileSync(file, 'utf8'), '\uFEFF# Tab\tand CRLF\r\n\r\nLast line');
  const [entry] = await (await world.backend.forgetting()).entries();
  const backup = entry?.files[0]?.backup ?? '';
  assert.is(readFileSync(backup, 'utf8'), before);
  assert.is(statSync(backup).mode & 0o777, 0o600);
  assert.is(statSync(world.target.forget.listFile).mode & 0o777, 0o600);
  assert.equal((await undo(world, id)).restored, ['birds.md']);
  assert.is(readFileSync(file, 'utf8'), before);
});

test('a promoted entry is removed with the comment above it, which would name the next line', async () => {
  const comment =
    '<!-- svc:memory-promotion:0123456789abcdef sweep=1 from=a.md#L1 score=0.80 recalls=3 -->';
  const text = `# Mine\n\n${comment}\n- ${SECRET}\n- By hand.\n`;
  const world = await worldOf({ 'MEMORY.md': text });
  const { id } = await forget(world, 'MEMORY.md#L4', true);
  const file = world.notes.at('MEMORY.md');
  assert.is(readFileSync(file, 'utf8'), '# Mine\n\n- By hand.\n');
  await undo(world, id);
  assert.is(readFileSync(file, 'utf8'), text);
});

test('a whole file is deleted on request, and restored, even if its empty folder was removed', async () => {
  const world = await worldOf({ 'a/birds.md': NOTE, 'other.md': 'x\n' });
  const { id } = await forget(world, 'a/birds.md', true);
  rmdirSync(world.notes.at('a'));
  assert.equal(readdirSync(world.notes.path), ['other.md']);
  await undo(world, id);
  assert.is(readFileSync(world.notes.at('a/birds.md'), 'utf8'), NOTE);
});

test('a deleted file is restored with its permissions, and its backup is private', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const file = world.notes.at('birds.md');
  for (const mode of [0o600, 0o640, 0o664]) {
    chmodSync(file, mode);
    const { id } = await forget(world, 'birds.md', true);
    const entries = await (await world.backend.forgetting()).entries();
    const backups = entries.flatMap(({ files }) => files.map(({ backup }) => backup));
    assert.equal(
      backups.map((backup) => statSync(backup).mode & 0o777),
      [0o600],
    );
    await undo(world, id);
    assert.is(statSync(file).mode & 0o777, mode);
  }
});

test('files are restored in a workspace that was moved, from a state folder that was moved', async () => {
  const old = await worldOf({
    'a/birds.md': NOTE,
    'bats.md': '# Bats\n\nThe bats live in the old mill.\n',
  });
  const ids = [
    (await forget(old, 'a/birds.md', true)).id,
    (await forget(old, 'bats.md#L3', true)).id,
  ];
  const workspace = join(folderOf({}).path, 'moved');
  const target = targetOf(workspace);
  renameSync(old.notes.path, workspace);
  renameSync(old.target.forget.listFile, target.forget.listFile);
  renameSync(old.target.forget.backupDir, target.forget.backupDir);
  const context = { target, clock: { now: Date.now } };
  const restored: string[] = [];
  for (const id of ids) restored.push(...(await undoEntry(id, context)).restored);
  assert.equal(restored, ['a/birds.md', 'bats.md']);
  assert.is(readFileSync(join(workspace, 'a', 'birds.md'), 'utf8'), NOTE);
  assert.match(readFileSync(join(workspace, 'bats.md'), 'utf8'), /mill/u);
  assert.not.ok(existsSync(old.notes.path));
});

test('files are restored where they were, if the memory has another workspace since', async () => {
  const old = await worldOf({ 'birds.md': NOTE });
  const { id } = await forget(old, 'birds.md#L7', true);
  const other = folderOf({});
  const { sources } = old.target;
  const memory = { ...sources.memory, workspaceDir: other.path };
  const target = { ...old.target, sources: { ...sources, memory } };
  assert.equal((await undoEntry(id, { target, clock: { now: Date.now } })).restored, ['birds.md']);
  assert.is(readFileSync(old.notes.at('birds.md'), 'utf8'), NOTE);
  assert.equal(readdirSync(other.path), []);
});

test('undo leaves a file that changed since, and its backup, untouched', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const { id } = await forget(world, 'birds.md#L7', true);
  world.notes.write('birds.md', 'Mine now.\n');
  const { restored, kept } = await undo(world, id);
  assert.equal([restored, kept.map(({ path }) => path)], [[], ['birds.md']]);
  assert.is(readFileSync(kept[0]?.backup ?? '', 'utf8'), NOTE);
  assert.is(readFileSync(world.notes.at('birds.md'), 'utf8'), 'Mine now.\n');
});

test('a file that changed after it was shown is not touched, and nothing is forgotten', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'birds.md#L7' });
  world.notes.write('birds.md', `New first line.\n${NOTE}`);
  const error = await failureOf(forgetting.hide(plan, { fromFile: true }));
  assert.is(error.code, 'FORGET_OUTDATED');
  assert.equal(await forgetting.entries(), []);
  assert.equal(await finds(world, 'heron'), ['birds.md']);
});

test('a file that must not or cannot be written is refused, and nothing is forgotten', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(NOTE, 'utf16le')]);
  const world = await worldOf({ 'birds.md': NOTE });
  writeFileSync(world.notes.at('wide.md'), utf16);
  chmodSync(world.notes.at('birds.md'), 0o444);
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  for (const [target, why] of [
    ['birds.md#L7', /^birds\.md is read-only$/],
    ['wide.md#L7', /UTF-16/],
  ] as const) {
    const { alsoIn: _, ...plan } = await forgetting.plan({ target });
    assert.equal(
      plan.passages.map(({ text }) => text),
      [SECRET],
    );
    const error = await failureOf(forgetting.hide({ ...plan, alsoIn: [] }, { fromFile: true }));
    assert.is(error.code, 'FORGET_FAILED');
    assert.match(error.message, why);
  }
  assert.equal(await forgetting.entries(), []);
});

test('an index that was made without the list follows it, as of a renamed agent or from a backup', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const other = await worldOf({ 'birds.md': NOTE });
  await forget(other, 'birds.md#L7');
  renameSync(other.target.forget.listFile, world.target.forget.listFile);
  assert.is((await world.backend.status()).staleness?.changed, 1);
  // Also by searches that do not check whether files changed.
  const unchecked = { ...world, backend: backendOn(world.target, { syncOnSearch: false }) };
  assert.equal(await finds(unchecked, 'heron'), []);
  assert.equal(await finds(world, 'kingfisher'), ['birds.md']);
  assert.is((await world.backend.status()).staleness?.changed, 0);
  await unchecked.backend.close();
  await world.backend.close();
  assert.equal(indexFilesWith(world.target, 'heron', 'waterworks'), []);
});

test('the list contains no word of forgotten text', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  await forget(world, 'birds.md#L5-L7');
  const list = readFileSync(world.target.forget.listFile, 'utf8');
  for (const word of ['heron', 'Nests', 'waterworks']) assert.not.ok(list.includes(word), word);
});

test('a damaged list stops every sync and is a fault in the status', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  await forget(world, 'birds.md#L7');
  const list = readFileSync(world.target.forget.listFile, 'utf8');
  const cut = [list.slice(0, -5), '', '{}', 'null', list.replace('"version":1', '"version":2')];
  for (const text of cut) {
    writeFileSync(world.target.forget.listFile, text);
    const error = await failureOf(world.backend.sync({ force: true }));
    assert.is(error.code, 'FORGET_LIST_INVALID');
    const { faults } = await world.backend.status();
    assert.equal(
      faults.map(({ message, hint }) => [message, hint]),
      [[error.message, error.hint]],
    );
  }
});

test('a list that is a dangling link or not a file does not count as empty', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  await forget(world, 'birds.md#L7');
  const { listFile } = world.target.forget;
  const folder = dirname(listFile);
  const places: readonly (readonly [place: string, replace: () => unknown])[] = [
    [listFile, () => symlinkSync('nowhere', listFile)],
    [listFile, () => execFileSync('mkfifo', [listFile])],
    [folder, () => symlinkSync('nowhere', folder)],
  ];
  for (const [place, replace] of places) {
    renameSync(place, `${place}.kept`);
    replace();
    const error = await failureOf(readForgotten(world.target.forget));
    assert.is(error.code, 'FORGET_LIST_INVALID');
    rmSync(place);
    renameSync(`${place}.kept`, place);
  }
  assert.equal(await finds(world, 'heron'), []);
});

test('after a kill once the list is written, the next sync completes the forget', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const forgetting = await world.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'birds.md#L7' }), { fromFile: false });
  assert.equal(await finds(world, 'heron'), []);
  assert.equal(indexFilesWith(world.target, SECRET, 'heron'), []);
});

test('what is forgotten is not found even while the index cannot be updated', async () => {
  const second = 'The feeder needs seeds.';
  const world = await worldOf({ 'birds.md': NOTE, 'other.md': `- ${SECRET}\n\n${second}\n` });
  const forgetting = await world.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'birds.md#L7' }), { fromFile: false });
  await withIndexLock(world.target.indexFile, { nowMs: Date.now() }, async () => {
    assert.equal(await finds(world, 'heron'), []);
    // Files that are read again keep their dates meanwhile.
    const documents = await onIndex(world.target, (index) => index.documents());
    assert.equal(
      documents.map(({ fingerprint }) => fingerprint.mtimeMs),
      documents.map(({ path }) => statSync(world.notes.at(path)).mtimeMs),
    );
  });
  assert.equal(await finds(world, 'kingfisher'), ['birds.md']);
  assert.equal((await finds(world, 'seeds')).toSorted(), ['birds.md', 'other.md']);
});

test('a heading, tag or link is not shown even while the index cannot be updated', async () => {
  const filler = Array.from({ length: 400 }, (_, at) => `Sentence ${at} is about nothing.`);
  const below = `${filler.join('\n')}\n\n## Animals\n\nZebras have stripes.\n`;
  const world = await worldOf({
    'a.md': `The weather, see [[Clouds]].\n\n# The **divorce** of #smith, see [[Smith]]\n\n${below}`,
  });
  const shown = () =>
    onIndex(world.target, async (index) => {
      const found = await index.lexicalCandidates('"zebras"', 9);
      const content = await index.content({ source: 'memory', path: 'a.md' });
      const links = (await index.links()).flatMap((one) => one.links.map(({ target }) => target));
      return [found.map(({ headingPath }) => headingPath), content?.facts?.tags, links];
    });
  const headings = ['The divorce of #smith, see [[Smith]]', 'Animals'];
  assert.equal(await shown(), [[headings], ['smith'], ['Clouds', 'Smith']]);
  const forgetting = await world.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'a.md#L3' }), { fromFile: false });
  assert.equal(await shown(), [[], undefined, []]);
  await forgetting.store.follow(await readForgotten(world.target.forget));
  assert.equal(await shown(), [[['Animals']], undefined, ['Clouds']]);
});

for (const next of [{}, { force: true }]) {
  test(`a concurrent reader delays erasing until the next sync ${JSON.stringify(next)}, which is reported`, async () => {
    const world = await worldOf({ 'birds.md': NOTE });
    const reader = openDatabase(world.target.indexFile, { readonly: true, busyTimeoutMs: 0 });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM chunks').get();
    assert.not.ok((await forget(world, 'birds.md#L7')).clean);
    assert.equal(await finds(world, 'heron'), []);
    reader.exec('COMMIT');
    reader.close();
    await world.backend.sync(next);
    assert.not.ok(await world.target.home.isScrubPending());
    assert.equal(indexFilesWith(world.target, SECRET, 'heron'), []);
  });
}

test('a rebuild while a process still reads the index leaves erasing to the next sync', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const reader = openDatabase(world.target.indexFile, { readonly: true, busyTimeoutMs: 0 });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM chunks').get();
  await forget(world, 'birds.md#L7');
  await world.backend.sync({ force: true });
  assert.ok(await world.target.home.isScrubPending());
  reader.exec('COMMIT');
  reader.close();
  await world.backend.sync({});
  assert.not.ok(await world.target.home.isScrubPending());
  assert.equal(indexFilesWith(world.target, SECRET, 'heron'), []);
});

test('what forgetting changes in the index counts as changes, and nothing as rebuilt', async () => {
  const world = await worldOf({ 'birds.md': NOTE, 'other.md': 'Boats.\n' });
  const forgetting = await world.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'birds.md#L7' }), { fromFile: false });
  rmSync(world.notes.at('other.md'));
  world.notes.write('new.md', 'Bridges.\n');
  const { rebuild, added, changed, removed, unchanged } = await world.backend.sync({});
  assert.equal([rebuild, added, changed, removed, unchanged], [undefined, 1, 1, 1, 0]);
});

test('vectors of forgotten text are removed, others stay', async () => {
  const world = await worldOf({ 'a.md': `${SECRET}\n`, 'b.md': 'Boats in the harbour.\n' });
  await onIndex(world.target, async (index) => {
    await index.putEmbeddings('space', []);
    const missing = await index.missingEmbeddings('space', 0, 10);
    const entries = missing.map(({ hash, text }) => {
      return { hash, vectors: [Float32Array.of(text.includes('heron') ? 1 : 0, 1)] };
    });
    await index.putEmbeddings('space', entries);
  });
  await forget(world, 'a.md#L1');
  const [space] = await onIndex(world.target, (index) => index.vectorSpaces());
  assert.equal([space?.chunks, space?.cached], [1, 0]);
});

test('text that another program writes into a file meanwhile is not lost', async () => {
  const files = { 'a.md': NOTE, 'b.md': NOTE };
  const notes = folderOf(files);
  const target = targetOf(notes.path);
  let write: () => void = () => undefined;
  const writeForgetList: typeof target.home.writeForgetList = async (list, traces) => {
    await target.home.writeForgetList(list, traces);
    write();
  };
  const backend = backendOn({ ...target, home: { ...target.home, writeForgetList } });
  await backend.sync({});
  const forgetting = await backend.forgetting();
  for (const wanted of ['a.md#L7', 'a.md']) {
    for (const [name, text] of Object.entries(files)) notes.write(name, text);
    const plan = await forgetting.plan({ target: wanted });
    write = () => notes.write('a.md', `A new line.\n${NOTE}`);
    const error = await failureOf(forgetting.hide(plan, { fromFile: true }));
    write = () => undefined;
    assert.is(error.code, 'FORGET_FAILED');
    assert.match(error.message, /^cannot change a\.md: it changed meanwhile$/u);
    assert.is(readFileSync(notes.at('a.md'), 'utf8'), `A new line.\n${NOTE}`);
    assert.not.match(readFileSync(notes.at('b.md'), 'utf8'), /heron/u);
    assert.equal(pathsOf(await backend.search({ query: 'heron', minScore: 0 })), []);
    const [entry] = (await forgetting.entries()).slice(-1);
    const undone = await forgetting.undo(entry?.id ?? '');
    assert.equal([undone.restored, undone.kept.map(({ path }) => path)], [['b.md'], ['a.md']]);
    assert.is(readFileSync(notes.at('b.md'), 'utf8'), NOTE);
  }
});

test('a picture is forgotten as a whole, and stays away under another name', async () => {
  const picture = png('a heron');
  const notes = folderOf({ 'memory/heron.png': picture, 'note.md': 'Boats.\n' });
  const media = { modalities: new Set(['image'] as const), maxFileBytes: 1_000_000 };
  const target = targetOf(notes.path, { media });
  const world: World = { notes, target, backend: backendOn(target) };
  assert.equal(await finds(world, 'heron.png'), ['memory/heron.png']);
  await forget(world, 'memory/heron.png');
  assert.equal(await finds(world, 'heron.png'), []);
  notes.write('memory/bird.png', picture);
  notes.write('memory/swan.png', png('a swan'));
  assert.equal(await finds(world, 'bird.png swan.png'), ['memory/swan.png']);
  const forgetting = await world.backend.forgetting();
  const { passages } = await forgetting.plan({ target: 'a picture of a swan' });
  assert.equal(
    passages.map(({ path, whole }) => [path, whole]),
    [['memory/swan.png', true]],
  );
  // A query deletes no file.
  const fromFile = { target: 'a picture of a swan', fromFile: true };
  assert.is((await failureOf(forgetting.plan(fromFile))).code, 'FORGET_NOTHING');
});

test('impossible targets are refused', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const forgetting = await world.backend.forgetting();
  const codeOf = async (target: string) => (await failureOf(forgetting.plan({ target }))).code;
  assert.is(await codeOf('missing.md'), 'DOCUMENT_NOT_INDEXED');
  assert.is(await codeOf('memory/a missing note.md'), 'DOCUMENT_NOT_INDEXED');
  assert.is(await codeOf('missing.md#L3'), 'DOCUMENT_NOT_INDEXED');
  assert.is(await codeOf('birds.md#L90'), 'RANGE_INVALID');
  const reversed = await failureOf(forgetting.plan({ target: 'birds.md#L3-L2' }));
  assert.equal([reversed.code, reversed.hint], ['RANGE_INVALID', 'did you mean birds.md#L2-L3?']);
  assert.is(await codeOf('birds.md#L2'), 'FORGET_NOTHING');
  assert.is(await codeOf('zebra xylophone'), 'FORGET_NOTHING');
});

test('an undo that could not write the list can be repeated', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const { id } = await forget(world, 'birds.md#L7', true);
  const context = { target: world.target, clock: { now: Date.now } };
  const { home } = world.target;
  const writeForgetList = async (): Promise<never> => Promise.reject(new Error('no space'));
  const full = { ...context, target: { ...world.target, home: { ...home, writeForgetList } } };
  const failed = await undoEntry(id, full).catch(({ message }: Error) => message);
  assert.match(String(failed), 'no space');
  const { restored, kept } = await undoEntry(id, context);
  assert.equal([restored, kept], [['birds.md'], []]);
  assert.is(readFileSync(world.notes.at('birds.md'), 'utf8'), NOTE);
});

test('a file that cannot be restored leaves the entry on the list', async () => {
  const world = await worldOf({ 'a/birds.md': NOTE });
  const { id } = await forget(world, 'a/birds.md#L7', true);
  renameSync(world.notes.at('a'), world.notes.at('b'));
  symlinkSync('a', world.notes.at('a'));
  const { code, message } = await failureOf(undo(world, id));
  assert.is(code, 'FORGET_FAILED');
  assert.match(message, /^cannot restore .*birds\.md: /);
  rmSync(world.notes.at('a'));
  renameSync(world.notes.at('b'), world.notes.at('a'));
  assert.equal((await undo(world, id)).restored, ['a/birds.md']);
});

test('a file that cannot be changed does not stop the others', async () => {
  const world = await worldOf({ 'a/birds.md': NOTE, 'b.md': NOTE });
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'a/birds.md#L7' });
  const writeForgetList: typeof world.target.home.writeForgetList = async (list, traces) => {
    await world.target.home.writeForgetList(list, traces);
    renameSync(world.notes.at('a'), world.notes.at('c'));
    symlinkSync('a', world.notes.at('a'));
  };
  const target = { ...world.target, home: { ...world.target.home, writeForgetList } };
  const hidden = hide(plan, { fromFile: true }, { target, clock: { now: Date.now } });
  const { code, message, hint } = await failureOf(hidden);
  assert.is(code, 'FORGET_FAILED');
  assert.match(message, /^cannot change a\/birds\.md: a symbolic link leads back to itself$/u);
  assert.match(hint ?? '', /^svc forgets the lines anyway/u);
  assert.not.ok(readFileSync(world.notes.at('b.md'), 'utf8').includes(SECRET));
});

test('only the host that has the backups undoes a change of files, whatever its name is now', async () => {
  const world = await worldOf({ 'birds.md': NOTE });
  const { id } = await forget(world, 'birds.md#L7', true);
  const { home } = world.target;
  const list = await home.readForgetList();
  const entries = (list?.entries ?? []).map((entry) => ({ ...entry, origin: 'ada-laptop' }));
  const listed = list && { ...list, entries };
  const on = (origin: string) => {
    const shared = { place: { origin } } as NonNullable<typeof home.others>;
    const there = { ...home, others: shared, readForgetList: async () => listed };
    return undoEntry(id, { target: { ...world.target, home: there }, clock: { now: Date.now } });
  };
  const backup = entries[0]?.files[0]?.backup ?? '';
  renameSync(backup, `${backup}.elsewhere`);
  const { code, message, hint } = await failureOf(on('server'));
  assert.is(code, 'FORGET_FAILED');
  assert.is(message, `the files that ${id} changed are on ada-laptop`);
  // Quoted, the command would get the flags of this host.
  assert.is(hint, 'run the command there');
  renameSync(`${backup}.elsewhere`, backup);
  assert.equal((await on('adas-new-laptop')).restored, ['birds.md']);
});

test('reading all notes for copies of what is forgotten can be stopped', async () => {
  const { target } = await worldOf({ 'note.md': NOTE, 'copy.md': NOTE });
  const documents = await onIndex(target, (index) => index.documents());
  const stop = new AbortController();
  const workspaceDir = target.sources.memory.workspaceDir;
  const search = { documents, workspaceDir, fromFile: false, signal: stop.signal };
  assert.equal((await sameLines([], search)).places, []);
  const reading = sameLines([], search);
  stop.abort(new Error('stopped'));
  assert.is(await reading.then(String, String), 'Error: stopped');
});

test.run();
