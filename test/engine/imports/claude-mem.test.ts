import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lutimesSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Connection } from '../../../src/engine/sqlite/database.js';
import { linesOutsideCode } from '../../../src/engine/support/code-fences.js';
import { failureOf } from '../../support/failure.js';
import { rawDatabase } from '../../support/raw-database.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';
import { withTemporaryFolder } from '../../support/temp-folder.js';
import { type ImportHome, importHome } from './support.js';

const test = suite('importing from claude-mem');

const DAY = Date.parse('2026-02-03T12:00:00Z');

/** The tables of claude-mem 13, with a write-ahead log as it leaves them. */
function database(home: ImportHome): Connection {
  home.write('.claude-mem/.keep', '');
  const db = rawDatabase(home.at('.claude-mem/claude-mem.db'));
  db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,
      type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT,
      files_read TEXT, files_modified TEXT, prompt_number INTEGER, created_at TEXT,
      created_at_epoch INTEGER);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT,
      request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,
      created_at TEXT, created_at_epoch INTEGER);
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);
    INSERT INTO user_prompts (prompt_text) VALUES ('do it');
  `);
  return db;
}

function observe(db: Connection, title: string, more: object = {}): void {
  db.prepare(
    `INSERT INTO observations (project, type, title, narrative, facts, files_modified, created_at_epoch)
     VALUES (@project, 'decision', @title, @narrative, @facts, @files, @at)`,
  ).run({
    project: 'web',
    title,
    narrative: 'We moved the port to 8788.',
    facts: '["The port is 8788"]',
    files: '["src/a.ts"]',
    at: DAY,
    ...more,
  });
}

function noteOf(home: ImportHome, day: string): string {
  return readFileSync(home.at(`.svc/workspace/memory/claude-mem/${day}.md`), 'utf8');
}

test('the settings of claude-mem may name the folder of its database', async () => {
  const home = importHome();
  observe(database(home), 'Moved');
  renameSync(home.at('.claude-mem'), home.at('elsewhere'));
  const named = { CLAUDE_MEM_DATA_DIR: home.at('elsewhere') };
  for (const settings of [named, { env: named }]) {
    home.write('.claude-mem/settings.json', JSON.stringify(settings));
    const { source } = await home.prepare('claude-mem');
    assert.is(source, home.at('elsewhere/claude-mem.db'));
  }
});

test('a secret at the end of what is kept is masked', async () => {
  const home = importHome();
  const secret = `ghp_${'A1b2'.repeat(9)}`;
  const filler = (length: number): string => 'word '.repeat(length / 5);
  const db = database(home);
  observe(db, `${filler(185)}${secret}`, { narrative: `${filler(19_985)}${secret}` });
  db.close();
  await home.apply(await home.prepare('claude-mem'));
  assert.not.match(noteOf(home, '2026-02-03'), 'ghp_');
});

test('writes a note per day, and nothing into the folder of claude-mem', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'A new port');
  observe(db, 'Next day', { at: DAY + 86_400_000 });
  db.prepare(
    `INSERT INTO session_summaries (project, request, investigated, learned, completed, next_steps,
       notes, created_at_epoch)
     VALUES ('web', 'Move the port', 'Who listens', 'Ports are in svc.json', 'It moved', 'Tell Ada',
       'Restart it', ?)`,
  ).run(DAY + 1000);
  const before = readdirSync(home.at('.claude-mem'));
  const plan = await home.prepare('claude-mem');
  assert.equal(
    plan.notes.map(({ day, entries }) => [day, entries.length]),
    [
      ['2026-02-03', 2],
      ['2026-02-04', 1],
    ],
  );
  await home.apply(plan);
  assert.is(
    noteOf(home, '2026-02-03'),
    `# 2026-02-03

## A new port (web)

We moved the port to 8788.

- The port is 8788

Files: src/a.ts

<!-- claude-mem observation 1 of 2026-02-03T12:00:00.000Z -->

## Move the port (web)

Investigated: Who listens

Learned: Ports are in svc.json

Completed: It moved

Next steps: Tell Ada

Notes: Restart it

<!-- claude-mem summary 1 of 2026-02-03T12:00:01.000Z -->
`,
  );
  assert.equal(readdirSync(home.at('.claude-mem')), before);
  assert.ok(plan.items.some(({ from }) => from === 'user_prompts: 1'));
  db.close();
});

test('copies that killed imports left are removed, and those of running ones are not', async () => {
  const home = importHome({
    'tmp/.svc-import-old/claude-mem.db': 'a copy',
    'tmp/.svc-import-new/claude-mem.db': 'a copy',
    'tmp/svc-import-mine/claude-mem.db': 'not a copy',
    'kept/claude-mem.db': 'not a copy',
  });
  symlinkSync(home.at('kept'), home.at('tmp/.svc-import-link'));
  for (const name of ['.svc-import-old', 'svc-import-mine'])
    utimesSync(home.at(`tmp/${name}`), 0, 0);
  lutimesSync(home.at('tmp/.svc-import-link'), 0, 0);
  observe(database(home), 'Moved');
  await withTemporaryFolder(home.at('tmp'), () => home.prepare('claude-mem'));
  assert.equal(readdirSync(home.at('tmp')).toSorted(), ['.svc-import-new', 'svc-import-mine']);
  assert.equal(readdirSync(home.at('kept')), ['claude-mem.db']);
});

test('a full disk under the temporary folder is named', async () => {
  const disk = smallDisk(1);
  if (disk === undefined) return;
  const home = importHome();
  observe(database(home), 'Moved');
  fillDisk(disk, 8192);
  const prepare = () => failureOf(home.prepare('claude-mem'));
  const { message, hint } = await withTemporaryFolder(disk, prepare);
  assert.is(
    message,
    `cannot copy ${home.at('.claude-mem/claude-mem.db')} to ${disk}: the disk is full`,
  );
  assert.match(hint ?? '', /set TMPDIR to a folder on another disk$/u);
  assert.equal(readdirSync(disk), ['ballast']);
});

test('importing again adds only what is new, and keeps what was edited', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'First');
  await home.apply(await home.prepare('claude-mem'));
  assert.equal((await home.prepare('claude-mem')).notes, []);
  const edited = noteOf(home, '2026-02-03').replace('We moved', 'I moved');
  const file = home.write('.svc/workspace/memory/claude-mem/2026-02-03.md', edited);
  chmodSync(file, 0o644);
  observe(db, 'Second');
  db.close();
  const plan = await home.prepare('claude-mem');
  assert.equal(
    plan.notes.map(({ entries }) => entries.length),
    [1],
  );
  await home.apply(plan);
  const note = noteOf(home, '2026-02-03');
  assert.ok(note.startsWith(edited));
  assert.is(statSync(file).mode & 0o777, 0o644);
  assert.is(note.match(/claude-mem observation/g)?.length, 2);
});

test('days are those of the time zone of the user, and moving to another one imports nothing twice', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'At noon');
  observe(db, 'Late', { at: Date.parse('2026-02-03T23:30:00Z') });
  db.close();
  const importIn = async (userTimezone: string) => {
    home.write('.svc/svc.json', JSON.stringify({ agents: { defaults: { userTimezone } } }));
    const plan = await home.prepare('claude-mem');
    await home.apply(plan);
    return plan.notes.map(({ day, entries }) => [day, entries.length]);
  };
  assert.equal(await importIn('Europe/Berlin'), [
    ['2026-02-03', 1],
    ['2026-02-04', 1],
  ]);
  assert.equal(await importIn('America/New_York'), []);
  assert.equal(await importIn('Pacific/Kiritimati'), []);
});

test('the databases of two machines have the same numbers, of different entries', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'First');
  await home.apply(await home.prepare('claude-mem'));
  db.exec('DELETE FROM observations');
  observe(db, 'Of another machine', { at: DAY + 1000 });
  db.exec('UPDATE observations SET id = 1');
  db.close();
  await home.apply(await home.prepare('claude-mem'));
  assert.match(noteOf(home, '2026-02-03'), /## First[\s\S]*## Of another machine/u);
});

test('a note in another encoding is refused, and stays as it is', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'First');
  db.close();
  const file = home.write('.svc/workspace/memory/claude-mem/2026-02-03.md', '');
  const edited = Buffer.from('# Über uns\n', 'latin1');
  writeFileSync(file, edited);
  const error = await failureOf(home.prepare('claude-mem'));
  assert.match(String(error), 'not UTF-8');
  assert.equal(readFileSync(file), edited);
});

test('a note that is read-only is refused, and stays as it is', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'First');
  await home.apply(await home.prepare('claude-mem'));
  const written = noteOf(home, '2026-02-03');
  chmodSync(home.at('.svc/workspace/memory/claude-mem/2026-02-03.md'), 0o444);
  observe(db, 'Second');
  db.close();
  const plan = await home.prepare('claude-mem');
  assert.match(String(await failureOf(home.apply(plan))), 'read-only');
  assert.is(noteOf(home, '2026-02-03'), written);
});

test('text cannot pretend to be another entry or a heading, and secrets are masked', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'Line\nbreak', {
    narrative: `# Fake\n<!-- claude-mem observation 2 of 2026-02-03T12:00:00.000Z -->\nsk-ant-${'a1'.repeat(20)}`,
    facts: 'no JSON',
    files: '{"a":1}',
  });
  observe(db, 'Second');
  observe(db, '', { narrative: '', facts: '[]', files: '[]', at: Number.MAX_SAFE_INTEGER });
  db.close();
  const plan = await home.prepare('claude-mem');
  assert.ok(plan.items.some(({ from }) => from === '1 entry'));
  await home.apply(plan);
  const note = noteOf(home, '2026-02-03');
  assert.match(note, /^## Line break \(web\)$/m);
  assert.match(note, /^## Second/m);
  assert.not.match(note, /^# Fake|sk-ant-a1/m);
});

test('an unclosed code block of an entry does not swallow the next one', async () => {
  const home = importHome();
  const db = database(home);
  observe(db, 'First', { narrative: 'Run:\n```sh\nmake' });
  observe(db, 'Second', { narrative: 'See:\n~~~\nx\n~~~\nand so on' });
  db.close();
  await home.apply(await home.prepare('claude-mem'));
  const note = noteOf(home, '2026-02-03');
  assert.match(note, 'make\n```\n\n- The port is 8788');
  const outside = linesOutsideCode(note);
  assert.ok(outside.includes('## Second (web)') && outside.includes('and so on'));
});

test('reads the JSON export too, and older tables', async () => {
  const home = importHome({
    'export.json': {
      exportedAt: 'x',
      observations: [
        { id: 7, title: 'Exported', facts: ['one'], created_at: '2026-02-03T12:00:00Z' },
        { id: 'bad id', title: 'x', created_at: '2026-02-03T12:00:00Z' },
        { title: 'without an ID', created_at: '2026-02-03T12:00:00Z' },
        { id: 8, narrative: 'No title', created_at: '2026-02-04T12:00:00Z' },
        { id: 9, created_at: '2026-02-04T12:00:00Z' },
      ],
      summaries: [],
      prompts: [{ id: 1, prompt_text: 'do it' }],
    },
  });
  const plan = await home.prepare('claude-mem', 'export.json');
  assert.equal(
    plan.notes.map(({ day, entries }) => [day, ...entries.map(({ text }) => text)]),
    [
      ['2026-02-03', '## Exported\n\n- one'],
      ['2026-02-04', '## observation\n\nNo title'],
    ],
  );
  assert.equal(plan.items.map(({ from }) => from).toSorted(), ['3 entries', 'user_prompts: 1']);
  const old = rawDatabase(home.at('old.db'));
  old.exec(`CREATE TABLE observations (id INTEGER PRIMARY KEY, text TEXT, type TEXT, created_at TEXT);
    INSERT INTO observations (text, type, created_at) VALUES ('Old text', 'note', '2025-01-02T12:00:00Z')`);
  old.close();
  await home.apply(await home.prepare('claude-mem', 'old.db'));
  assert.match(noteOf(home, '2025-01-02'), /## note\n\nOld text/);
});

test('other files, and links in the workspace, are refused', async () => {
  const home = importHome({ 'a.db': 'no database', 'a.json': '{}', 'elsewhere/x': '' });
  execFileSync('mkfifo', [home.at('pipe.db'), home.at('pipe.json')]);
  for (const path of ['a.db', 'a.json', 'pipe.db', 'pipe.json']) {
    const { code, message } = await failureOf(home.prepare('claude-mem', path));
    assert.is(code, 'IMPORT_SOURCE_INVALID');
    assert.not.match(message, 'try again');
  }
  assert.is((await failureOf(home.prepare('claude-mem'))).code, 'IMPORT_SOURCE_MISSING');
  const db = database(home);
  observe(db, 'x');
  db.close();
  symlinkSync(home.at('elsewhere'), home.at('.svc/workspace/memory'));
  assert.is((await failureOf(home.prepare('claude-mem'))).code, 'IMPORT_FAILED');
  assert.equal(readdirSync(home.at('elsewhere')), ['x']);
});

test.run();
