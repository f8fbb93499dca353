import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readForgotten } from '../../../../src/engine/memory/forgotten/index.js';
import type { SyncEvent } from '../../../../src/engine/memory/sync/index.js';
import { openDatabase } from '../../../../src/engine/sqlite/database.js';
import { queryValue } from '../../../../src/engine/sqlite/query.js';
import { failureOf } from '../../../support/failure.js';
import { indexFilesWith } from '../../../support/index-content.js';
import { backendOn, onIndex, pathsOf } from '../../../support/memory.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';
import {
  message,
  transcriptContent,
  transcriptPlace,
  transcriptTarget,
} from '../../../support/transcripts.js';

const test = suite('forgetting conversations');

const SECRET = 'The heron nests behind the old waterworks.';

function worldOf(lines: readonly string[], note = 'Nothing of it.\n') {
  const notes = folderOf({ 'note.md': note });
  const talks: TempFolder = folderOf({ 'talk.jsonl': lines.join('') });
  const target = transcriptTarget(notes.path, [transcriptPlace(talks.path)]);
  const backend = backendOn(target);
  const forget = async (wanted: string, fromFile = false): Promise<void> => {
    const forgetting = await backend.forgetting();
    await forgetting.hide(await forgetting.plan({ target: wanted }), { fromFile });
    await forgetting.store.follow(await readForgotten(target.forget));
  };
  const finds = async (query: string) => pathsOf(await backend.search({ query, minScore: 0 }));
  return { notes, talks, target, backend, forget, finds };
}

/** From the database of an index. */
function valueIn({ indexFile }: { readonly indexFile: string }, sql: string) {
  const database = openDatabase(indexFile, { readonly: true, busyTimeoutMs: 5000 });
  try {
    return queryValue(database, sql);
  } finally {
    database.close();
  }
}

const TALK = [
  message('user', 'where does the heron nest'),
  message('assistant', `I looked it up.\n${SECRET}\nShall I note that?`),
  message('user', 'yes'),
];

test('cited turns are no longer found, and no byte of them is left in the index', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  assert.equal(indexFilesWith(world.target, 'waterworks').length, 1);
  await world.forget('sessions/main/talk.jsonl#L2');
  assert.equal(await world.finds('waterworks'), []);
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
  assert.equal(await world.finds('where does it nest'), ['sessions/main/talk.jsonl']);
  const { text } = await world.backend.get({ target: 'sessions/main/talk.jsonl' });
  assert.not.ok(text.includes('waterworks'));
  assert.ok(text.includes('where does the heron nest'));
});

test('many short conversations are read in several transactions: others wait for each', async () => {
  const world = worldOf(TALK);
  const output = message('toolResult', 'x'.repeat(900_000));
  for (let n = 0; n < 6; n++)
    world.talks.write(`${n}.jsonl`, output + message('user', `stork ${n}`));
  const transactions = async (): Promise<number> => {
    let count = 0;
    await world.backend.sync({
      onEvent: ({ type }) => {
        if (type === 'batch.committed') count += 1;
      },
    });
    return count;
  };
  assert.is(await transactions(), 2);
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'sessions/main/talk.jsonl#L2' });
  await forgetting.hide(plan, { fromFile: false });
  assert.is(await transactions(), 2);
  assert.equal(await world.finds('waterworks'), []);
});

test('a preview that reads every conversation can be stopped', async () => {
  const world = worldOf(TALK);
  for (const name of ['b', 'c'])
    copyFileSync(world.talks.at('talk.jsonl'), world.talks.at(`${name}.jsonl`));
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  const stop = new AbortController();
  const planning = forgetting.plan({ target: 'note.md' }, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error('stopped')));
  assert.is(await planning.catch(String), 'Error: stopped');
});

test('a growing conversation brings nothing back, even if it grew before the next sync', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'sessions/main/talk.jsonl#L2' });
  await forgetting.hide(plan, { fromFile: false });
  appendFileSync(world.talks.at('talk.jsonl'), message('user', 'and the stork'));
  assert.equal(await world.finds('stork'), ['sessions/main/talk.jsonl']);
  assert.equal(await world.finds('waterworks'), []);
  appendFileSync(world.talks.at('talk.jsonl'), message('assistant', `Again: ${SECRET}`));
  appendFileSync(world.talks.at('talk.jsonl'), message('assistant', SECRET));
  assert.equal((await world.finds('again')).length, 1);
  // In the log of the index as well, while somebody reads.
  assert.not.equal(indexFilesWith(world.target, `: ${SECRET}`), []);
  assert.equal(indexFilesWith(world.target, `Assistant: ${SECRET}`).length, 0);
});

test('text forgotten in a note is removed from conversations as well', async () => {
  const world = worldOf(TALK, `# Birds\n\n- ${SECRET}\n`);
  await world.backend.sync({});
  await world.forget('note.md#L3');
  assert.equal(await world.finds('waterworks'), []);
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
  const { text } = await world.backend.get({ target: 'sessions/main/talk.jsonl#L2' });
  assert.ok(text.includes('Shall I note that?'));
});

test('the plan lists the same turns of other conversations, except what is forgotten already', async () => {
  const world = worldOf(TALK, `${SECRET}\n`);
  world.talks.write(
    'other.jsonl',
    [message('user', 'and the stork'), ...TALK.slice(1, 2)].join(''),
  );
  world.talks.write('third.jsonl', message('assistant', SECRET));
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  const placesOf = async (target: string) =>
    (await forgetting.plan({ target })).alsoIn.map(({ path, startLine, endLine }) => {
      return { path, startLine, endLine };
    });
  const other = { path: 'sessions/main/other.jsonl', startLine: 2, endLine: 2 };
  const third = { path: 'sessions/main/third.jsonl', startLine: 1, endLine: 1 };
  const talk = { path: 'sessions/main/talk.jsonl', startLine: 2, endLine: 2 };
  const note = { path: 'note.md', startLine: 1, endLine: 1 };
  assert.equal(await placesOf('sessions/main/talk.jsonl'), [note, other, third]);
  assert.equal(await placesOf('note.md#L1'), [other, talk, third]);
  await world.forget('sessions/main/third.jsonl#L1');
  assert.equal(await placesOf('sessions/main/talk.jsonl#L2'), [note, other]);
  // Lines of a note are removed from its file while transcripts with the same lines stay as they are.
  await world.forget('note.md#L1', true);
  assert.is(readFileSync(world.notes.at('note.md'), 'utf8'), '');
  assert.is(readFileSync(world.talks.at('third.jsonl'), 'utf8'), message('assistant', SECRET));
});

test('a whole conversation is forgotten; later turns are remembered', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  await world.forget('sessions/main/talk.jsonl');
  for (const word of ['heron', 'waterworks', 'note'])
    assert.not.ok((await world.finds(word)).includes('sessions/main/talk.jsonl'), word);
  appendFileSync(world.talks.at('talk.jsonl'), message('user', 'the stork is back in town'));
  assert.equal(await world.finds('stork'), ['sessions/main/talk.jsonl']);
  assert.equal(await world.finds('waterworks'), []);
});

test('a whole conversation is forgotten, including what follows a very long turn', async () => {
  const long = message('user', 'a long paste '.repeat(20_000));
  const world = worldOf([long, ...TALK, long, message('assistant', 'The stork is back.')]);
  await world.backend.sync({});
  await world.forget('sessions/main/talk.jsonl');
  for (const word of ['waterworks', 'stork', 'paste']) {
    assert.equal(await world.finds(word), [], word);
    assert.equal(indexFilesWith(world.target, word), [], word);
  }
});

test('what a turn says is known in the words of dreaming, too', async () => {
  const said = ['The spare key of the boat house is kept', 'in the third drawer from above.'];
  const world = worldOf([message('assistant', said.join('\n'))]);
  await world.backend.sync({});
  await world.forget('sessions/main/talk.jsonl#L1');
  const forgotten = await (await world.backend.forgetting()).forgotten();
  assert.is(forgotten.removeFrom(said.join(' ')), '');
});

test('what turns and notes elsewhere say around a forgotten line is known in the words of dreaming, too', async () => {
  const said = ['We noted this for later.', SECRET];
  const wrapped = ['As the warden told us last spring,', SECRET, 'Nobody else has seen it.'];
  const world = worldOf([message('user', said.join('\n\n'))], `${SECRET}\n`);
  world.notes.write('other.md', `${wrapped.join('\n')}\n\nA line without it stays in memory.\n`);
  const joined = [said, wrapped].map((lines) => message('user', lines.join(' ')));
  world.talks.write('joined.jsonl', joined.join(''));
  await world.backend.sync({});
  const { alsoIn } = await (await world.backend.forgetting()).plan({ target: 'note.md#L1' });
  assert.equal(
    alsoIn.map(({ path, startLine, endLine }) => `${path}#L${startLine}-L${endLine}`),
    ['other.md#L2-L2', 'sessions/main/joined.jsonl#L1-L2', 'sessions/main/talk.jsonl#L1-L1'],
  );
  await world.forget('note.md#L1');
  const forgotten = await (await world.backend.forgetting()).forgotten();
  assert.is(forgotten.removeFrom(said.join(' ')), '');
  assert.is(forgotten.removeFrom(wrapped.join(' ')), '');
  for (const line of ['We noted this for later.', 'A line without it stays in memory.']) {
    assert.is(forgotten.removeFrom(line), line);
  }
});

test('a transcript itself is never changed', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const error = await failureOf(world.forget('sessions/main/talk.jsonl#L2', true));
  assert.is(error.code, 'FORGET_FAILED');
  assert.is(readFileSync(world.talks.at('talk.jsonl'), 'utf8'), TALK.join(''));
  assert.equal(await (await world.backend.forgetting()).entries(), []);
});

test('turns found by words are forgotten as they were shown', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const plan = await (await world.backend.forgetting()).plan({ target: 'old waterworks' });
  assert.equal(
    plan.passages.map(({ path, kind }) => [path, kind]),
    [['sessions/main/talk.jsonl', 'transcript']],
  );
  await world.forget('old waterworks');
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
  assert.equal(indexFilesWith(world.target, 'heron'), []);
});

test('until the next sync, only passages with what is forgotten are missing', async () => {
  const turns = Array.from({ length: 200 }, (_, at) =>
    message('user', at % 40 === 5 ? SECRET : `The stork${at} stands on the roof. `.repeat(20)),
  );
  const world = worldOf(turns, `${SECRET}\n\nThe feeder needs seeds.\n`);
  world.talks.write('other.jsonl', [...turns.slice(100), message('user', 'The end.')].join(''));
  await world.backend.sync({});
  const content = (sql: string) => valueIn(world.target, sql);
  const before = content('SELECT count(*) FROM chunks');
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'note.md#L1' });
  await forgetting.hide(plan, { fromFile: false });
  assert.is(content(`SELECT count(*) FROM chunks WHERE text LIKE '%heron%'`), 0);
  assert.is(content(`SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'heron'`), 0);
  const left = Number(content('SELECT count(*) FROM chunks'));
  assert.ok(left > Number(before) - 20);
  assert.is(Number(content(`SELECT value FROM meta WHERE key = 'chunks'`)), left);
  await world.backend.sync({});
  const fresh = worldOf([], '');
  fresh.notes.write('note.md', readFileSync(world.notes.at('note.md'), 'utf8'));
  for (const name of ['talk.jsonl', 'other.jsonl']) {
    fresh.talks.write(name, readFileSync(world.talks.at(name), 'utf8'));
  }
  mkdirSync(dirname(fresh.target.forget.listFile), { recursive: true });
  copyFileSync(world.target.forget.listFile, fresh.target.forget.listFile);
  await fresh.backend.sync({});
  assert.equal(
    transcriptContent(world.target.indexFile),
    transcriptContent(fresh.target.indexFile),
  );
});

test('a conversation without forgotten text is not indexed again', async () => {
  const world = worldOf(TALK);
  // Rows that are written again get higher numbers than the last one.
  for (const name of ['other', 'unrelated']) {
    world.talks.write(`${name}.jsonl`, message('user', `and the stork of ${name}`));
  }
  await world.backend.sync({});
  const rowsOfOther = () =>
    valueIn(
      world.target,
      `SELECT group_concat(chunks.id) FROM chunks JOIN documents ON documents.id = document_id
       WHERE path LIKE '%other%'`,
    );
  const before = rowsOfOther();
  await world.forget('sessions/main/talk.jsonl#L2');
  assert.is(rowsOfOther(), before);
  appendFileSync(world.talks.at('other.jsonl'), message('user', 'and the crane'));
  assert.equal(await world.finds('crane'), ['sessions/main/other.jsonl']);
});

test('what is undone comes back, also in a conversation that grew since, and in a last line that is not ended', async () => {
  const first = [message('user', 'yes'), message('user', SECRET)];
  const long = [...first, message('user', 'the crane '.repeat(1000))];
  for (const talk of [long, [first.join('').trimEnd()]]) {
    const world = worldOf(talk);
    await world.backend.sync({});
    await world.forget('sessions/main/talk.jsonl#L2');
    assert.equal(await world.finds('waterworks'), []);
    if (talk === long) appendFileSync(world.talks.at('talk.jsonl'), message('user', 'the stork'));
    await world.backend.sync({});
    await (await world.backend.forgetting()).undo('f1');
    assert.equal(await world.finds('waterworks'), ['sessions/main/talk.jsonl']);
  }
});

test('conversations follow a list that comes from elsewhere, also in a last line that is not ended', async () => {
  const elsewhere = worldOf([], `${SECRET}\n`);
  await elsewhere.backend.sync({});
  await elsewhere.forget('note.md#L1');
  const world = worldOf([...TALK, message('user', SECRET).trimEnd()]);
  world.talks.write('other.jsonl', [message('user', 'and the stork'), ...TALK].join(''));
  await world.backend.sync({});
  assert.is((await world.finds('waterworks')).length, 2);
  const { listFile } = world.target.forget;
  mkdirSync(dirname(listFile), { recursive: true });
  copyFileSync(elsewhere.target.forget.listFile, listFile);
  await world.backend.sync({});
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
  assert.equal(await world.finds('stork'), ['sessions/main/other.jsonl']);
  rmSync(listFile);
  assert.is((await world.finds('waterworks')).length, 2);
});

test('a long conversation follows a list that comes from elsewhere, and others run while it is checked', async () => {
  const elsewhere = worldOf([], `${SECRET}\n`);
  await elsewhere.backend.sync({});
  await elsewhere.forget('note.md#L1');
  const filler = message('user', 'x'.repeat(8000));
  // More than a batch, of 4 MiB, and more than a part, of 1 MiB.
  const world = worldOf([filler.repeat(600)]);
  world.talks.write('other.jsonl', filler.repeat(150) + message('user', SECRET));
  await world.backend.sync({});
  mkdirSync(dirname(world.target.forget.listFile), { recursive: true });
  copyFileSync(elsewhere.target.forget.listFile, world.target.forget.listFile);
  const seen: string[] = [];
  const onEvent = (event: SyncEvent): void => {
    if (event.type === 'batch.committed') seen.push('others run');
    if ('path' in event) seen.push(event.path);
  };
  await world.backend.sync({ onEvent });
  const [other, talk] = ['sessions/main/other.jsonl', 'sessions/main/talk.jsonl'];
  assert.equal(seen, ['note.md', other, 'others run', talk, 'others run']);
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
});

test('erasing that a reader delayed is completed without building the index again', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const reader = openDatabase(world.target.indexFile, { readonly: true, busyTimeoutMs: 0 });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM chunks').get();
  await world.forget('sessions/main/talk.jsonl#L2');
  assert.ok(await world.target.home.isScrubPending());
  reader.exec('COMMIT');
  reader.close();
  const events: string[] = [];
  const { added, changed } = await world.backend.sync({ onEvent: ({ type }) => events.push(type) });
  assert.equal([added, changed], [0, 0]);
  assert.not.ok(events.includes('publish.started'));
  assert.not.ok(await world.target.home.isScrubPending());
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
});

test('what forgetting changes in conversations counts as changes, and nothing as rebuilt', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'sessions/main/talk.jsonl#L2' });
  await forgetting.hide(plan, { fromFile: false });
  world.notes.write('new.md', 'Bridges.\n');
  const { rebuild, added, changed, unchanged } = await world.backend.sync({});
  assert.equal([rebuild, added, changed, unchanged], [undefined, 1, 1, 1]);
});

test('what a provider refused is not sent to it again because something is forgotten', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  // The chunk of the note gets a vector, that of the conversation is refused.
  await onIndex(world.target, async (index) => {
    await index.putEmbeddings('space', []);
    for (const { hash, text } of await index.missingEmbeddings('space', 0, 10)) {
      if (text.includes('heron')) {
        await index.refuseEmbeddings('space', [{ hash, why: 'no', isMedia: false }]);
      } else await index.putEmbeddings('space', [{ hash, vectors: [Float32Array.of(1, 1)] }]);
    }
  });
  world.notes.write('other.md', 'The ferry leaves at nine.\n');
  await world.forget('other.md#L1');
  const [space] = await onIndex(world.target, (index) => index.vectorSpaces());
  assert.equal([space?.chunks, space?.refused], [1, 1]);
});

test('a forget while the index is damaged is completed by the next sync, which replaces it', async () => {
  const world = worldOf(TALK);
  await world.backend.sync({});
  const forgetting = await world.backend.forgetting();
  const plan = await forgetting.plan({ target: 'sessions/main/talk.jsonl#L2' });
  const database = openDatabase(world.target.indexFile, { readonly: false, busyTimeoutMs: 5000 });
  database.exec('DROP TABLE chunks_fts');
  database.close();
  await forgetting.hide(plan, { fromFile: false });
  assert.equal(await world.finds('waterworks'), []);
  assert.equal(await world.finds('where does it nest'), ['sessions/main/talk.jsonl']);
  assert.equal(indexFilesWith(world.target, 'waterworks'), []);
});

test.run();
