import { renameSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scanTranscripts } from '../../../../src/engine/memory/sources/index.js';
import { opencodeReader } from '../../../../src/engine/memory/sources/transcripts/readers/opencode.js';
import type { SyncEvent } from '../../../../src/engine/memory/sync/events.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { opencodeStore, opencodeStore2 } from '../../../support/opencode.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';
import { GROWTH, transcriptPlace } from '../../../support/transcripts.js';

const test = suite('OpenCode');

test('conversations of the project, found while OpenCode writes, and what is added later', async () => {
  const { folder, database, session, say } = opencodeStore();
  session('ses_1', '/home/ada/project/app');
  session('ses_2', '/home/ada/elsewhere');
  session('ses_3', '/home/ada/project', 'ses_1');
  for (const id of ['ses_1', 'ses_2', 'ses_3']) {
    say(
      id,
      'user',
      { type: 'text', text: 'where is the xylophone' },
      { type: 'text', text: 'a file', synthetic: true },
    );
    say(id, 'assistant', { type: 'tool', tool: 'read' }, { type: 'text', text: 'In the attic.' });
  }
  const place = transcriptPlace(folder.path, 'opencode', ['/home/ada/project']);
  const target = targetOf(tempFolder().path, { transcripts: { places: [place], growth: GROWTH } });
  const backend = backendOn(target);
  assert.equal(pathsOf(await backend.search({ query: 'xylophone' })), ['sessions/opencode/ses_1']);
  const { turns } = await backend.get({ target: 'sessions/opencode/ses_1#L2-L2' });
  assert.equal(
    turns?.map(({ line, role, text, asked }) => ({ line, role, text, asked })),
    [
      { line: 1, role: 'user', text: 'where is the xylophone', asked: false },
      { line: 2, role: 'assistant', text: 'In the attic.', asked: true },
    ],
  );
  say('ses_1', 'user', { type: 'text', text: 'and the trumpet' });
  assert.equal(pathsOf(await backend.search({ query: 'trumpet' })), ['sessions/opencode/ses_1']);
  await backend.close();
  database.close();
});

test('a transaction ends with the text that was read, not with a number of conversations', async () => {
  const { folder, database, session, say } = opencodeStore();
  for (let n = 0; n < 6; n++) {
    session(`ses_${n}`, '/home/ada');
    say(`ses_${n}`, 'user', { type: 'text', text: `stork ${n} ${'on the roof '.repeat(70_000)}` });
  }
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada'])];
  const target = targetOf(tempFolder().path, { transcripts: { places, growth: GROWTH } });
  const backend = backendOn(target);
  const transactions = async (): Promise<number> => {
    let count = 0;
    await backend.sync({
      onEvent: ({ type }) => {
        if (type === 'batch.committed') count += 1;
      },
    });
    return count;
  };
  assert.is(await transactions(), 2);
  const forgetting = await backend.forgetting();
  const plan = await forgetting.plan({ target: 'sessions/opencode/ses_0#L1' });
  await forgetting.hide(plan, { fromFile: false });
  // All are read again.
  assert.is(await transactions(), 2);
  await backend.close();
  database.close();
});

test('the number of its messages is not shown as the size of a conversation', async () => {
  const { folder, database, session, say } = opencodeStore();
  session('ses_1', '/home/ada');
  for (let n = 0; n < 9; n++) say('ses_1', 'user', { type: 'text', text: 'x'.repeat(1000) });
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada'])];
  const ws = folderOf({ 'MEMORY.md': 'y'.repeat(500) });
  const backend = backendOn(targetOf(ws.path, { transcripts: { places, growth: GROWTH } }));
  const events: SyncEvent[] = [];
  const { bytes } = await backend.sync({ onEvent: (event) => events.push(event) });
  assert.is(bytes, 9 * 1000 + 500);
  const [scanned] = events.filter((event) => event.type === 'scan.finished');
  assert.is(scanned?.bytes, 500);
  // Its work is far more than that of a note of 9 bytes, and complete at the end.
  assert.is(scanned?.workToIndex, 9 * 1024 + 500);
  const works = events.flatMap((event) => (event.type === 'document.indexed' ? [event.work] : []));
  assert.equal(
    works.toSorted((a, b) => a - b),
    [500, 9 * 1024],
  );
  await backend.close();
  database.close();
});

test('only as much of a conversation is read as is needed, in both versions', () => {
  const { folder, database, version1, session, say, rewrite } = opencodeStore2();
  version1.session('ses_1', '/home/ada');
  version1.say('ses_1', 'user', { type: 'text', text: 'first' });
  version1.say('ses_1', 'user', { type: 'text', text: 'second' });
  session('ses_2', '/home/ada');
  say('ses_2', 'user', { text: 'first' });
  const last = say('ses_2', 'user', { text: 'second' });
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada'])];
  const readings = scanTranscripts({ places }).files.map((file) => {
    const turns = file.turns?.() ?? [];
    return turns[Symbol.iterator]();
  });
  const nextTexts = () => readings.map((reading) => reading.next().value?.text);
  assert.equal(nextTexts(), ['first', 'first']);
  database.exec("UPDATE part SET data = replace(data, 'second', 'changed')");
  rewrite(last, { text: 'changed' });
  assert.equal(nextTexts(), ['changed', 'changed']);
  for (const reading of readings) reading.return?.();
  database.close();
});

test('a message given to opencode run, which records it in quotes, is read as it was written', () => {
  const { folder, database, session, say } = opencodeStore();
  session('ses_1', '/home/ada');
  // A pasted file, which a regular expression would give up on.
  const long = 'x'.repeat(16e6);
  const texts = ['"where is the \\"red\\" box"', '"either" or "both"', '"', `"${long}"`];
  for (const text of texts) say('ses_1', 'user', { type: 'text', text });
  say('ses_1', 'assistant', { type: 'text', text: '"In the attic."' });
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada'])];
  const [file] = scanTranscripts({ places }).files;
  assert.equal(
    [...(file?.turns?.() ?? [])].map(({ text }) => text),
    ['where is the "red" box', '"either" or "both"', '"', long, '"In the attic."'],
  );
  database.close();
});

test('the output of tools, most of a conversation, is not even parsed', () => {
  const { folder, database, session, say } = opencodeStore();
  session('ses_1', '/home/ada');
  const tool = { type: 'tool', tool: 'bash', state: { output: 'text' } };
  say('ses_1', 'assistant', tool, { type: 'text', text: 'done' });
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada'])];
  const { parse } = JSON;
  const parsed: string[] = [];
  JSON.parse = (text, ...rest) => {
    parsed.push(text);
    return parse(text, ...rest);
  };
  try {
    for (const { turns } of scanTranscripts({ places }).files) Array.from(turns?.() ?? []);
  } finally {
    JSON.parse = parse;
  }
  assert.ok(parsed.some((text) => text.includes('done')));
  assert.not.ok(parsed.some((text) => text.includes('bash')));
  database.close();
});

test('OpenCode 2: what was said, from its own tables, also as an answer grows', async () => {
  const { folder, database, session, say, rewrite } = opencodeStore2();
  database.exec('DROP TABLE session; DROP TABLE message; DROP TABLE part');
  session('ses_1', '/home/ada/project/app');
  session('ses_2', '/home/ada/elsewhere');
  session('ses_3', '/home/ada/project', 'ses_1');
  let answer = '';
  for (const id of ['ses_1', 'ses_2', 'ses_3']) {
    say(id, 'model-switched', { model: { id: 'm' } });
    say(id, 'user', { text: 'where is the xylophone', files: [], time: {} });
    say(id, 'synthetic', { text: 'a note on the xylophone' });
    const content = [
      { type: 'reasoning', text: 'hm' },
      { type: 'tool', name: 'read', state: {} },
      { type: 'text', text: 'In the attic.' },
      { type: 'text', text: 'a notice', synthetic: true },
    ];
    const written = say(id, 'assistant', { agent: 'build', content });
    if (id === 'ses_1') answer = written;
    say(id, 'compaction', { summary: 'about a xylophone', recent: '' });
  }
  session('ses_4', '/home/ada/project');
  const places = [transcriptPlace(folder.path, 'opencode', ['/home/ada/project'])];
  const target = targetOf(tempFolder().path, { transcripts: { places, growth: GROWTH } });
  const backend = backendOn(target);
  assert.equal(pathsOf(await backend.search({ query: 'xylophone' })), ['sessions/opencode/ses_1']);
  const { turns } = await backend.get({ target: 'sessions/opencode/ses_1#L2-L4' });
  assert.equal(
    turns?.map(({ line, role, text }) => `${line} ${role} ${text}`),
    ['2 user where is the xylophone', '4 assistant In the attic.'],
  );
  rewrite(answer, { content: [{ type: 'text', text: 'In the attic, next to the trumpet.' }] });
  assert.equal(pathsOf(await backend.search({ query: 'trumpet' })), ['sessions/opencode/ses_1']);
  await backend.close();
  database.close();
});

test('OpenCode 2 next to version 1: each conversation once, where it went on', () => {
  const { folder, database, version1, session, say } = opencodeStore2();
  const sayIn1 = (id: string, text: string) => version1.say(id, 'user', { type: 'text', text });
  version1.session('ses_1', '/p');
  sayIn1('ses_1', 'only in 1');
  version1.session('ses_2', '/p');
  sayIn1('ses_2', 'taken over');
  session('ses_2', '/p');
  say('ses_2', 'user', { text: 'taken over' });
  say('ses_2', 'user', { text: 'went on in 2' });
  session('ses_3', '/p');
  say('ses_3', 'user', { text: 'taken over' });
  version1.session('ses_3', '/p');
  for (const text of ['taken over', 'and', 'so', 'on', 'in 1']) sayIn1('ses_3', text);
  session('ses_4', '/p');
  say('ses_4', 'user', { text: 'only in 2' });
  const { files, skipped } = scanTranscripts({
    places: [transcriptPlace(folder.path, 'opencode')],
  });
  assert.equal(skipped, []);
  assert.equal(
    files.map(({ path, turns }) => [
      path.slice(-5),
      ...[...(turns?.() ?? [])].map(({ text }) => text),
    ]),
    [
      ['ses_1', 'only in 1'],
      ['ses_2', 'taken over', 'went on in 2'],
      ['ses_3', 'taken over', 'and', 'so', 'on', 'in 1'],
      ['ses_4', 'only in 2'],
    ],
  );
  database.close();
});

test('a time beyond the range of dates is clamped, and the conversation is read once', async () => {
  const { folder, database, session, say } = opencodeStore();
  session('ses_1', '/p');
  say('ses_1', 'user', { type: 'text', text: 'where is the xylophone' });
  database.exec('UPDATE session SET time_updated = 9e999');
  const places = [transcriptPlace(folder.path, 'opencode')];
  const { files } = scanTranscripts({ places });
  assert.equal(
    files.map(({ mtimeMs }) => new Date(mtimeMs).toISOString()),
    ['+275760-09-13T00:00:00.000Z'],
  );
  const target = targetOf(tempFolder().path, { transcripts: { places, growth: GROWTH } });
  const backend = backendOn(target);
  const indexed: string[] = [];
  const onEvent = ({ type }: SyncEvent) => indexed.push(type);
  await backend.search({ query: 'xylophone' }, { onEvent });
  assert.ok(indexed.includes('document.indexed'));
  indexed.length = 0;
  await backend.search({ query: 'xylophone' }, { onEvent });
  assert.equal(indexed, []);
  await backend.close();
  database.close();
});

test('invalid rows are left out; a file that is not a database is reported', () => {
  const { folder, database, session, say } = opencodeStore();
  session('../../x', '/p');
  session('ses_1', '/p');
  say(
    'ses_1',
    'user',
    'no json',
    '[]',
    'null',
    { type: 'text', text: 7 },
    { type: 'text', text: 'yes' },
  );
  say('ses_1', 'tool', { type: 'text', text: 'no' });
  database.prepare("UPDATE message SET data = '{' WHERE id = 'msg_0002'").run();
  const { files, skipped } = scanTranscripts({
    places: [transcriptPlace(folder.path, 'opencode')],
  });
  assert.equal(skipped, []);
  for (const { path } of files) assert.match(path, /^sessions\/opencode\/\w+$/);
  const texts = files.flatMap(({ turns }) => [...(turns?.() ?? [])].map(({ text }) => text));
  assert.equal(texts, ['yes']);
  database.close();
  const other = tempFolder();
  other.write('opencode.db', 'not a database');
  const broken = scanTranscripts({ places: [transcriptPlace(other.path, 'opencode')] });
  assert.equal(broken.files, []);
  assert.is(broken.skipped[0]?.reason, 'unreadable');
  const place = transcriptPlace(other.at('nowhere'), 'opencode', [other.path]);
  const missing = scanTranscripts({ places: [place] });
  assert.equal(missing, { files: [], live: [], skipped: [] });
});

test('conversations of builds of other channels, which have databases of their own', () => {
  const stores = ['latest', 'dev'].map((channel) => {
    const store = opencodeStore();
    store.session(`ses_${channel}`, '/p');
    store.say(`ses_${channel}`, 'user', { type: 'text', text: 'yes' });
    store.database.close();
    return store.folder;
  });
  const [latest, dev] = stores;
  renameSync(dev?.at('opencode.db') ?? '', latest?.at('opencode-dev.db') ?? '');
  latest?.write('opencode.log', 'no database');
  const { files, skipped } = scanTranscripts({
    places: [transcriptPlace(latest?.path ?? '', 'opencode')],
  });
  assert.equal(
    [files.map(({ path }) => path).sort(), skipped],
    [['sessions/opencode/ses_dev', 'sessions/opencode/ses_latest'], []],
  );
});

test('the database is where OpenCode keeps it: in its data folder, or as OPENCODE_DB names it', () => {
  const locationIn = (env: Readonly<Record<string, string>>) =>
    opencodeReader.defaultLocation({ env, homeDir: '/home/ada', agentSessionsDir: '' });
  assert.is(locationIn({ OPENCODE_DB: '' }), '/home/ada/.local/share/opencode');
  assert.is(locationIn({ XDG_DATA_HOME: '/data' }), '/data/opencode');
  assert.is(locationIn({ OPENCODE_DB: '/srv/opencode.db' }), '/srv');
  assert.is(locationIn({ OPENCODE_DB: '/srv/work.db' }), '/srv/work.db');
  assert.is(locationIn({ OPENCODE_DB: 'opencode.db' }), '/home/ada/.local/share/opencode');
  assert.is(locationIn({ OPENCODE_DB: 'dev.db', XDG_DATA_HOME: '/data' }), '/data/opencode/dev.db');
});

test.run();
