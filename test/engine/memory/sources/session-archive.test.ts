import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Forgotten, hashesOf } from '../../../../src/engine/memory/forgotten/index.js';
import { ArchiveStore } from '../../../../src/engine/memory/sources/archive/archive-store.js';
import {
  type ArchiveSettings,
  SessionArchive,
} from '../../../../src/engine/memory/sources/archive/session-archive.js';
import { scanTranscripts } from '../../../../src/engine/memory/sources/index.js';
import { type Connection, openDatabase } from '../../../../src/engine/sqlite/database.js';
import { queryValue, runSql } from '../../../../src/engine/sqlite/query.js';
import { compileProgram } from '../../../support/compile.js';
import { failureOf } from '../../../support/failure.js';
import { indexFilesWith } from '../../../support/index-content.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { GROWTH, message, TALK, transcriptPlace } from '../../../support/transcripts.js';

const test = suite('archive of conversations');

const ATTIC = message('user', 'the xylophone is in the attic');
const TALK_PATH = 'sessions/main/talk.jsonl';

/** A workspace, transcripts, and an archive of them. */
function world(settings: Partial<ArchiveSettings> = {}) {
  const [workspace, sessions, state] = [tempFolder(), tempFolder(), tempFolder()];
  workspace.write('note.md', '# A note\n\nabout nothing\n');
  const file = state.at('archive/main.sqlite');
  const archive = new SessionArchive({
    file,
    retention: 'keep',
    maxAgeDays: 0,
    maxBytes: 0,
    imports: [],
    ...settings,
  });
  const places = [transcriptPlace(sessions.path)];
  const target = targetOf(workspace.path, { transcripts: { places, growth: GROWTH, archive } });
  const update = (leftOf = (text: string) => text, nowMs = Date.now()) =>
    archive.update(scanTranscripts({ places }).files, { leftOf, nowMs });
  const archivedTexts = (): readonly string[] =>
    archive.list(() => false).files.flatMap((one) => [...(one.turns?.() ?? [])].map((t) => t.text));
  return { workspace, sessions, file, archive, places, target, update, archivedTexts };
}

test('a conversation that an agent deletes is still found at the same lines, and not read again', async () => {
  const { sessions, target } = world();
  sessions.write('talk.jsonl', TALK + ATTIC);
  const backend = backendOn(target);
  const before = await backend.search({ query: 'xylophone' });
  const cited = `${TALK_PATH}#L11-L11`;
  const got = await backend.get({ target: cited });
  rmSync(sessions.at('talk.jsonl'));
  const { outcome, added, changed, removed } = await backend.sync({});
  assert.equal(
    { outcome, added, changed, removed },
    { outcome: 'unchanged', added: 0, changed: 0, removed: 0 },
  );
  assert.equal((await backend.search({ query: 'xylophone' })).results, before.results);
  assert.equal((await backend.get({ target: cited })).turns, got.turns);
  // A new index has it too.
  await backend.reset();
  assert.equal(pathsOf(await backend.search({ query: 'xylophone' })), [TALK_PATH]);
  await backend.close();
});

test('an index that was fresh before is no reason not to archive', async () => {
  const { sessions, target, archive, places } = world({ retention: 'follow' });
  sessions.write('talk.jsonl', TALK);
  const follows = backendOn(target);
  await follows.sync({});
  await follows.close();
  assert.is(existsSync(archive.settings.file), false);
  const keeping = new SessionArchive({ ...archive.settings, retention: 'keep' });
  const transcripts = { places, growth: GROWTH, archive: keeping };
  const keeps = backendOn({ ...target, sources: { ...target.sources, transcripts } });
  await keeps.search({ query: 'backup' });
  await keeps.close();
  assert.is(keeping.sessions()[0]?.turns, 6);
  assert.is(statSync(archive.settings.file).mode & 0o777, 0o600);
});

test('without "keep", a conversation is removed with its transcript', async () => {
  const { sessions, target } = world({ retention: 'follow' });
  sessions.write('talk.jsonl', TALK);
  const backend = backendOn(target);
  await backend.sync({});
  rmSync(sessions.at('talk.jsonl'));
  assert.equal(pathsOf(await backend.search({ query: 'backup' })), []);
  await backend.close();
});

test('a growing conversation adds what is new; a rewritten one replaces it', async () => {
  const { sessions, archivedTexts, update } = world();
  sessions.write('talk.jsonl', message('user', 'one'));
  await update();
  appendFileSync(
    sessions.at('talk.jsonl'),
    message('assistant', 'two') + message('user', 'th').slice(0, 20),
  );
  await update();
  assert.equal(archivedTexts(), ['one', 'two']);
  appendFileSync(sessions.at('talk.jsonl'), message('user', 'th').slice(20));
  await update();
  assert.equal(archivedTexts(), ['one', 'two', 'th']);
  sessions.write('talk.jsonl', message('user', 'something else entirely'));
  await update();
  assert.equal(archivedTexts(), ['something else entirely']);
});

test('a conversation that is rewritten while it is read is read from its beginning next time', async () => {
  const { sessions, archive, archivedTexts, update, places } = world();
  sessions.write('talk.jsonl', message('user', 'one'));
  const [file] = scanTranscripts({ places }).live;
  if (file === undefined) throw new Error('nothing was found');
  let isRewritten = false;
  const place = {
    ...file.place,
    // Needed for each line.
    get reader() {
      if (!isRewritten) sessions.write('talk.jsonl', message('user', '1') + message('user', 'two'));
      isRewritten = true;
      return file.place.reader;
    },
  };
  await archive.update([{ ...file, place }], { leftOf: (text) => text, nowMs: Date.now() });
  assert.equal(archivedTexts(), ['one']);
  await update();
  assert.equal(archivedTexts(), ['1', 'two']);
});

test('a conversation that cannot be read stays as it is archived until it changes', async () => {
  const { sessions, archive, places, update, archivedTexts } = world();
  sessions.write('talk.jsonl', message('user', 'one'));
  await update();
  sessions.write('talk.jsonl', message('user', 'one') + message('user', 'two'));
  sessions.write('more.jsonl', message('user', 'more'));
  const live = scanTranscripts({ places }).files;
  for (const { absolutePath } of live) {
    rmSync(absolutePath);
    symlinkSync('/elsewhere', absolutePath);
  }
  await archive.update(live, { leftOf: (text) => text, nowMs: Date.now() });
  assert.equal(archivedTexts(), ['one']);
  const kept = archive.sessions().map(({ title, turns }) => [title, turns]);
  assert.equal(kept, [
    ['', 0],
    ['one', 1],
  ]);
  assert.is(archive.isBehind(live, Date.now()), false);
  rmSync(sessions.at('talk.jsonl'));
  sessions.write('talk.jsonl', message('user', 'one') + message('user', 'three'));
  await update();
  assert.equal(archivedTexts(), ['one', 'three']);
});

test('a conversation whose stop point is damaged is read from its beginning', async () => {
  const { sessions, file, archivedTexts, update } = world();
  const texts = ['0'];
  sessions.write('talk.jsonl', message('user', '0'));
  await update();
  const withDatabase = <T>(use: (database: Connection) => T): T => {
    const database = openDatabase(file, { readonly: false, busyTimeoutMs: 0 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  const stored = withDatabase((one) => queryValue<string>(one, 'SELECT resume FROM sessions'));
  const { reading, ...without } = JSON.parse(stored ?? '{}');
  const damaged = [without, { ...without, reading: { ...reading, hasBegun: 1 } }, { offset: -1 }];
  for (const resume of ['{', ...damaged.map((point) => JSON.stringify(point))]) {
    withDatabase((one) => runSql(one, 'UPDATE sessions SET resume = ?', resume));
    const text = String(texts.length);
    appendFileSync(sessions.at('talk.jsonl'), message('user', text));
    texts.push(text);
    await update();
    assert.equal(archivedTexts(), texts, resume);
  }
});

test('the unterminated last line of a deleted conversation is kept once', async () => {
  const { sessions, archivedTexts, update } = world();
  sessions.write('talk.jsonl', message('user', 'one') + message('user', 'two').trimEnd());
  await update();
  assert.equal(archivedTexts(), ['one', 'two']);
  appendFileSync(sessions.at('talk.jsonl'), `\n${message('user', 'three')}`);
  await update();
  rmSync(sessions.at('talk.jsonl'));
  await update();
  assert.equal(archivedTexts(), ['one', 'two', 'three']);
});

test('a long conversation comes back whole, from parts', async () => {
  const { sessions, archivedTexts, update, archive } = world();
  const texts = Array.from({ length: 300 }, (_, at) =>
    `${at} ${'words and more of them '.repeat(200)}`.trim(),
  );
  sessions.write('talk.jsonl', '');
  for (let at = 0; at < texts.length; at += 50) {
    appendFileSync(
      sessions.at('talk.jsonl'),
      texts
        .slice(at, at + 50)
        .map((text) => message('user', text))
        .join(''),
    );
    await update();
  }
  assert.equal(archivedTexts(), texts);
  assert.ok((archive.sessions()[0]?.bytes ?? 0) < statSync(sessions.at('talk.jsonl')).size / 10);
});

/** How many transactions of an archive some work takes. */
async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
  const { transaction } = ArchiveStore.prototype;
  let count = 0;
  ArchiveStore.prototype.transaction = function (change) {
    count += 1;
    transaction.call(this, change);
  };
  try {
    await work();
    return count;
  } finally {
    ArchiveStore.prototype.transaction = transaction;
  }
}

test('long conversations are archived in several transactions, so that other work continues', async () => {
  const exported = [0, 1, 2, 3, 4, 5].map((n) => ({
    uuid: `c${n}`,
    name: '',
    chat_messages: [{ sender: 'human', text: `heron ${n} ${'on the pond '.repeat(75_000)}` }],
  }));
  const file = tempFolder().write('conversations.json', JSON.stringify(exported));
  const { sessions, update, archivedTexts } = world({ imports: [file] });
  assert.is(await transactionsOf(update), 2 + 1);
  const output = message('toolResult', 'x'.repeat(900_000));
  for (let n = 0; n < 6; n++) sessions.write(`${n}.jsonl`, output + message('user', `stork ${n}`));
  // The last one applies the limits.
  assert.is(await transactionsOf(update), 2 + 1);
  assert.is(archivedTexts().length, 12);
});

test('compressed conversations are archived in several transactions, too, however little was said', async () => {
  const { sessions, archive, places } = world();
  for (let n = 0; n < 6; n++) sessions.write(`${n}.jsonl`, message('user', `stork ${n}`));
  const files = scanTranscripts({ places }).files.map((file, n) => ({
    ...file,
    size: 900_000,
    turns: () => [{ role: 'user' as const, text: `stork ${n}`, at: undefined, line: 1 }],
  }));
  const update = () => archive.update(files, { leftOf: (text) => text, nowMs: Date.now() });
  // The last one applies the limits.
  assert.is(await transactionsOf(update), 2 + 1);
});

test('a sync reports how much of exports and conversations is archived', async () => {
  const exported = [0, 1, 2].map((n) => ({
    uuid: `c${n}`,
    name: '',
    chat_messages: [{ sender: 'human', text: 'heron '.repeat(100_000) }],
  }));
  const file = tempFolder().write('conversations.json', JSON.stringify(exported));
  const { sessions, target } = world({ imports: [file] });
  for (let n = 0; n < 100; n++) sessions.write(`${n}.jsonl`, message('user', `stork ${n}`));
  const backend = backendOn(target);
  const reported: (readonly [conversations: number, percent: number])[] = [];
  await backend.sync({
    onEvent: (event) => {
      if (event.type !== 'archive.updated') return;
      reported.push([event.conversations, Math.round(event.fraction * 100)]);
    },
  });
  assert.equal(
    reported.map(([conversations]) => conversations),
    [0, 1, 2, 0, 64],
  );
  const [first, second, third, ...ofAgents] = reported.map(([, percent]) => percent);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.ok(first > 30 && first < second && second < third && third <= 100);
  assert.equal(ofAgents, [0, 64]);
  await backend.close();
});

test('conversations of other projects are not archived', async () => {
  const { sessions, archive } = world();
  const place = transcriptPlace(sessions.path, 'codex', ['/home/ada/project']);
  const meta = { type: 'session_meta', payload: { id: 'x', cwd: '/home/ada/other' } };
  const turn = {
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  };
  sessions.write(
    '2026/02/03/rollout-a.jsonl',
    `${JSON.stringify(meta)}\n${JSON.stringify(turn)}\n`,
  );
  const live = scanTranscripts({ places: [place] }).files;
  assert.is(live.length, 1);
  await archive.update(live, { leftOf: (text) => text, nowMs: Date.now() });
  assert.equal(archive.list(() => false).files, []);
  assert.is(archive.isBehind(live, Date.now()), false);
});

test('secrets are masked', async () => {
  const { sessions, file, archivedTexts, update } = world();
  sessions.write(
    'talk.jsonl',
    message('user', 'use ghp_0123456789abcdefghijABCDEFGHIJ012345 for it'),
  );
  await update();
  assert.not.match(archivedTexts().join(), 'ghp_0123456789');
  assert.is(readFileSync(file).includes('ghp_'), false);
});

test('forgotten turns leave no bytes in the archive, and do not come back', async () => {
  const { sessions, file, archive, update, archivedTexts } = world();
  const secret = 'the code of the garage is under the third flower pot';
  sessions.write(
    'talk.jsonl',
    message('user', secret) + message('assistant', 'I will remember that.'),
  );
  await update();
  const forgotten = new Forgotten('salt', [{ documents: [], lines: [hashesOf('salt', secret)] }]);
  const leftOf = (text: string): string => forgotten.removeFrom(text);
  assert.is(await archive.erase(leftOf), 1);
  assert.equal(archivedTexts(), ['I will remember that.']);
  assert.is(archive.sessions()[0]?.title, 'I will remember that.');
  assert.is(readFileSync(file).includes('flower pot'), false);
  await update(leftOf);
  assert.equal(archivedTexts(), ['I will remember that.']);
  // Undone while the agent still has it.
  await archive.erase((text) => text);
  await update();
  assert.equal(archivedTexts(), [secret, 'I will remember that.']);
});

test('what is left of a conversation that its agent deleted is found again after forgetting, each time', async () => {
  const { sessions, target, archive } = world();
  const secrets = ['the code of the garage is 4711 today', 'the key is under the third flower pot'];
  sessions.write(
    'talk.jsonl',
    [...secrets, 'the kettle is red'].map((said) => message('user', said)).join(''),
  );
  const backend = backendOn(target);
  await backend.sync({});
  rmSync(sessions.at('talk.jsonl'));
  for (const at of secrets.keys()) {
    const forgetting = await backend.forgetting();
    const plan = await forgetting.plan({ target: `${TALK_PATH}#L${at + 1}` });
    await forgetting.hide(plan, { fromFile: false });
    const forgotten = await forgetting.forgotten();
    await archive.erase((text) => forgotten.removeFrom(text));
    await forgetting.store.follow(forgotten);
    assert.equal(pathsOf(await backend.search({ query: 'kettle' })), [TALK_PATH]);
  }
  assert.equal(indexFilesWith(target, ...secrets), []);
  // A list from elsewhere applies to it, too.
  const elsewhere = world();
  elsewhere.workspace.write('note.md', 'the kettle is red\n');
  const other = backendOn(elsewhere.target);
  await other.sync({});
  const forgetting = await other.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'note.md' }), { fromFile: false });
  copyFileSync(elsewhere.target.forget.listFile, target.forget.listFile);
  await backend.sync({});
  assert.equal(indexFilesWith(target, 'kettle'), []);
  await backend.close();
  await other.close();
});

test('erasing can be stopped between two conversations, and is completed later', async () => {
  const { sessions, update, archive, archivedTexts } = world();
  for (const name of ['a', 'b']) sessions.write(`${name}.jsonl`, TALK + ATTIC);
  await update();
  const leftOf = (text: string): string => (text.includes('xylophone') ? '' : text);
  const stop = new AbortController();
  const erasing = archive.erase((text) => {
    stop.abort();
    return leftOf(text);
  }, stop.signal);
  assert.is(await erasing, 1);
  assert.is(await archive.erase(leftOf), 1);
  assert.not.match(archivedTexts().join('\n'), 'xylophone');
});

test('forgetting rewrites only conversations that contain it, and keeps the sizes of all', async () => {
  const { sessions, archive, update, archivedTexts } = world();
  sessions.write(
    'a.jsonl',
    message('user', 'the code of the garage is under the third flower pot'),
  );
  sessions.write('b.jsonl', message('user', 'the kettle is red'));
  await update();
  const before = archive.sessions().map(({ size }) => size);
  const { write } = ArchiveStore.prototype;
  const written: string[] = [];
  ArchiveStore.prototype.write = function (content) {
    written.push(content.path);
    write.call(this, content);
  };
  try {
    await archive.erase((text) => (text.includes('garage') ? '' : text));
  } finally {
    ArchiveStore.prototype.write = write;
  }
  assert.equal(written, ['sessions/main/a.jsonl']);
  assert.equal(
    archive.sessions().map(({ size }) => size),
    before,
  );
  assert.equal(archivedTexts(), ['the kettle is red']);
});

test('the oldest go first when the archive is too large, and the old when they are too old', async () => {
  const big = (day: string): string =>
    Array.from({ length: 200 }, (_, at) =>
      message('user', `${day} ${Math.sin(at)}`, `${day}T01:00:00.000Z`),
    ).join('');
  const { sessions, archive, update } = world({ maxBytes: 5000, maxAgeDays: 20 });
  const days = ['2026-03-01', '2026-02-27', '2026-02-20', '2026-01-01'];
  for (const day of days) sessions.write(`${day}.jsonl`, big(day));
  const nowMs = Date.parse('2026-03-02');
  await update(undefined, nowMs);
  const kept = (): string[] =>
    archive
      .sessions()
      .filter(({ turns }) => turns > 0)
      .map(({ path }) => path.slice(-16, -6));
  const each = archive.sessions().find(({ turns }) => turns > 0)?.bytes ?? 0;
  assert.ok(each > 1000 && each < 5000, `${each}`);
  assert.is(kept().includes('2026-01-01'), false);
  assert.is(kept().at(-1), '2026-03-01');
  assert.ok(archive.sessions().reduce((sum, { bytes }) => sum + bytes, 0) <= 5000);
  // What was dropped stays dropped as long as it is the same.
  const live = scanTranscripts({ places: [transcriptPlace(sessions.path)] }).files;
  assert.is(archive.isBehind(live, nowMs), false);
});

test('limits apply although no conversation changed: when time passes, or they are lowered', async () => {
  const { sessions, archive, update } = world({ maxAgeDays: 20 });
  const talk = message('user', 'the kettle is red', '2026-03-01T01:00:00.000Z');
  sessions.write('talk.jsonl', talk);
  const nowMs = Date.parse('2026-03-02');
  await update(undefined, nowMs);
  rmSync(sessions.at('talk.jsonl'));
  assert.is(archive.isBehind([], nowMs), false);
  assert.is(archive.isBehind([], Date.parse('2026-03-22')), true);
  const smaller = new SessionArchive({ ...archive.settings, maxBytes: 1 });
  assert.is(smaller.isBehind([], nowMs), true);
  await smaller.update([], { leftOf: (text) => text, nowMs });
  assert.equal(smaller.sessions(), []);
  assert.is(smaller.isBehind([], nowMs), false);
});

test('over the size limit, nothing older is kept than what is dropped', async () => {
  const talk = (day: string, turns: number): string =>
    Array.from({ length: turns }, (_, at) =>
      message('user', `${day} ${Math.sin(at)}`, `${day}T01:00:00.000Z`),
    ).join('');
  const turnsOf = { '2026-03-03': 200, '2026-03-02': 900, '2026-03-01': 200, '2026-02-01': 60 };
  const { sessions, archive, update } = world();
  for (const [day, turns] of Object.entries(turnsOf)) {
    sessions.write(`${day}.jsonl`, talk(day, turns));
  }
  await update();
  const dayOf = (path: string): string => path.slice(-16, -6);
  const bytes = new Map(archive.sessions().map((one) => [dayOf(one.path), one.bytes]));
  const [newest = 0, huge = 0, middle = 0, oldest = 0] = Object.keys(turnsOf).map((day) =>
    bytes.get(day),
  );
  const maxBytes = newest + middle - 1;
  assert.ok(newest + oldest <= maxBytes && huge > maxBytes, `${[newest, huge, middle, oldest]}`);
  const limited = new SessionArchive({ ...archive.settings, maxBytes });
  for (const day of Object.keys(turnsOf)) rmSync(sessions.at(`${day}.jsonl`));
  await limited.update([], { leftOf: (text) => text, nowMs: Date.now() });
  assert.equal(
    limited.sessions().map(({ path }) => dayOf(path)),
    ['2026-03-03'],
  );
  const roomy = world({ maxBytes: newest + middle });
  for (const [day, turns] of Object.entries(turnsOf)) {
    roomy.sessions.write(`${day}.jsonl`, talk(day, turns));
  }
  await roomy.update();
  const kept = roomy.archive.sessions().filter(({ turns }) => turns > 0);
  assert.equal(kept.map(({ path }) => dayOf(path)).toSorted(), ['2026-03-01', '2026-03-03']);
});

test('a damaged archive is a warning, and search goes on', async () => {
  const { sessions, workspace, target, file, archive } = world();
  workspace.write('note.md', '# A note\n\nThe kettle is red.\n');
  sessions.write('talk.jsonl', TALK);
  const backend = backendOn(target);
  await backend.sync({});
  writeFileSync(file, 'no database '.repeat(1000));
  const response = await backend.search({ query: 'kettle' });
  assert.equal(pathsOf(response), ['note.md']);
  appendFileSync(sessions.at('talk.jsonl'), ATTIC);
  const next = await backend.search({ query: 'xylophone' });
  assert.equal(pathsOf(next), [TALK_PATH]);
  assert.equal(warningCodes(next), ['FILES_SKIPPED']);
  await backend.close();
  const failed = await failureOf(Promise.resolve().then(() => archive.sessions()));
  assert.is(failed.code, 'ARCHIVE_UNUSABLE');
});

test('a kill at any moment loses nothing and keeps nothing twice, even if its agent then deletes it', async () => {
  const { sessions, places, archive, update, archivedTexts } = world();
  for (let at = 0; at < 150; at++) {
    sessions.write(
      `talk-${String(at).padStart(3, '0')}.jsonl`,
      message('user', `number ${at} `.repeat(300)),
    );
  }
  const program = await compileProgram(new URL('archiving-child.ts', import.meta.url));
  const args = [program, JSON.stringify(archive.settings), JSON.stringify(places)];
  for (const mostMs of [0, 8, 20, 20, 40]) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const end = once(child, 'exit');
    setTimeout(() => child.kill('SIGKILL'), Math.random() * mostMs);
    await end;
    // Whole conversations or none of them.
    for (const { turns } of archive.sessions()) assert.is(turns, 1);
    for (const text of archivedTexts())
      assert.match(text, /^number \d+ (?:number \d+ )+number \d+$/);
    // What is in the archive needs its transcript no longer.
    for (const { path } of archive.sessions()) {
      rmSync(sessions.at(path.replace('sessions/main/', '')), { force: true });
    }
  }
  await update();
  const texts = archivedTexts();
  assert.equal([texts.length, new Set(texts).size], [150, 150]);
});

test.run();
