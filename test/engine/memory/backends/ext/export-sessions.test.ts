import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  exportSessions,
  removeExports,
} from '../../../../../src/engine/memory/backends/ext/export-sessions.js';
import { hashesOf, writeForgetList } from '../../../../../src/engine/memory/forgotten/index.js';
import { folderOf, type TempFolder } from '../../../../support/temp-folder.js';
import { GROWTH, message, transcriptPlace } from '../../../../support/transcripts.js';

const test = suite('exporting conversations');

const DAY_MS = 24 * 60 * 60 * 1000;

function world(files: Readonly<Record<string, string>>) {
  const folder: TempFolder = folderOf({ 'out/own.md': 'mine', ...files });
  const places = [transcriptPlace(folder.at('sessions'))];
  const run = (retentionDays?: number) =>
    exportSessions({
      transcripts: { places, growth: GROWTH },
      exportDir: folder.at('out'),
      retentionDays,
      listFile: folder.at('state/exports.json'),
      forget: { listFile: folder.at('forgotten.json'), backupDir: folder.at('forgotten') },
      nowMs: Date.now(),
    });
  return {
    folder,
    run,
    names: () => readdirSync(folder.at('out')).toSorted(),
    text: (name: string) => readFileSync(folder.at(`out/${name}`), 'utf8'),
  };
}

test('exports contain who said what, without secrets, readable only by the owner', async () => {
  const key = `sk-${'a1B2c3D4'.repeat(5)}`;
  const messages = [message('user', `the key is ${key}`), message('assistant', 'Noted.')];
  const talk = [...messages, 'no json\n'].join('');
  const { run, text, folder } = world({ 'sessions/s1.jsonl': talk });
  assert.equal(await run(), []);
  const exported = text('s1.md');
  assert.match(exported, /^# Session s1\n\nuser \(2026-02-03T04:05:06\.000Z\): the key is /);
  assert.match(exported, /\n\nassistant \([^)]+\): Noted\.\n$/);
  assert.not.ok(exported.includes(key));
  assert.is(statSync(folder.at('out/s1.md')).mode & 0o777, 0o600);
});

test('only grown conversations are rewritten; exports of deleted ones are removed, other files stay', async () => {
  const { run, names, folder, text } = world({
    'sessions/a.jsonl': message('user', 'one'),
    'sessions/b.jsonl': message('user', 'two'),
  });
  await run();
  folder.write('out/a.md', 'as it was left');
  folder.write('sessions/b.jsonl', message('user', 'two') + message('user', 'three'));
  await run();
  assert.is(text('a.md'), 'as it was left');
  assert.match(text('b.md'), /three/);
  rmSync(folder.at('sessions/b.jsonl'));
  await run();
  assert.equal(names(), ['a.md', 'own.md']);
  removeExports(folder.at('state/exports.json'));
  assert.equal(names(), ['own.md']);
});

test('conversations that have been inactive for too long are left out', async () => {
  const { run, names, folder } = world({
    'sessions/old.jsonl': message('user', 'one'),
    'sessions/new.jsonl': message('user', 'two'),
  });
  await run();
  assert.equal(names(), ['new.md', 'old.md', 'own.md']);
  const before = (Date.now() - 8 * DAY_MS) / 1000;
  utimesSync(folder.at('sessions/old.jsonl'), before, before);
  await run(7);
  assert.equal(names(), ['new.md', 'own.md']);
});

test('no two conversations share a file', async () => {
  const { run, folder } = world({
    'sessions/a b.jsonl': message('user', 'one'),
    'sessions/a-b.jsonl': message('user', 'two'),
    'sessions/a.b.jsonl': message('user', 'three'),
  });
  await run();
  const words = readdirSync(folder.at('out'))
    .map((name) => /: (one|two|three)\n$/.exec(readFileSync(folder.at(`out/${name}`), 'utf8'))?.[1])
    .filter((word) => word !== undefined);
  assert.equal(words.toSorted(), ['one', 'three', 'two']);
});

test('a conversation with nothing to remember has no file', async () => {
  const { run, names, folder } = world({ 'sessions/s.jsonl': message('toolResult', 'a list') });
  await run();
  assert.equal(names(), ['own.md']);
  folder.write('sessions/s.jsonl', message('user', 'now then'));
  await run();
  assert.equal(names(), ['own.md', 's.md']);
});

test('leftovers of a killed export are removed', async () => {
  const { run, names, folder } = world({ 'sessions/s.jsonl': message('user', 'one') });
  folder.write('out/.0123456789ab.svc.tmp', 'half');
  const before = (Date.now() - DAY_MS) / 1000;
  utimesSync(folder.at('out/.0123456789ab.svc.tmp'), before, before);
  await run();
  assert.equal(names(), ['own.md', 's.md']);
});

test('a broken list of exports causes a full re-export', async () => {
  const { run, folder, text } = world({ 'sessions/a.jsonl': message('user', 'one') });
  await run();
  folder.write('out/a.md', 'old');
  folder.write('state/exports.json', '{"sessions/main/a.jsonl": 7');
  await run();
  assert.match(text('a.md'), /one/);
});

test('text forgotten during archiving is in no export after the next run', async () => {
  const secret = 'the door code is heliotrope 4711, tell no one';
  const { folder, text } = world({
    'sessions/a.jsonl': message('user', secret) + message('user', 'two'),
  });
  const forget = { listFile: folder.at('forgotten.json'), backupDir: folder.at('forgotten') };
  const lines = [hashesOf('salt', secret)];
  const at = '2026-02-03T04:05:06.000Z';
  const entry = { id: 'f1', at, passages: [], documents: [], lines, files: [] };
  let isBehind = true;
  const archive = {
    list: () => ({ files: [], skipped: [] }),
    isBehind: () => isBehind,
    update: async () => {
      isBehind = false;
      writeForgetList(forget.listFile, { version: 1, salt: 'salt', next: 2, entries: [entry] });
      return undefined;
    },
  };
  const run = () =>
    exportSessions({
      transcripts: { places: [transcriptPlace(folder.at('sessions'))], growth: GROWTH, archive },
      exportDir: folder.at('out'),
      retentionDays: undefined,
      listFile: folder.at('state/exports.json'),
      forget,
      nowMs: Date.now(),
    });
  await run();
  await run();
  assert.match(text('a.md'), 'two');
  assert.not.match(text('a.md'), 'heliotrope');
});

test.run();
