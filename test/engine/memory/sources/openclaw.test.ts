import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scanTranscripts } from '../../../../src/engine/memory/sources/index.js';
import { mayContainTranscript } from '../../../../src/engine/memory/sources/transcripts/transcript-files.js';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { backendOn, pathsOf, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { GROWTH, transcriptPlace } from '../../../support/transcripts.js';

const test = suite('OpenClaw');

const AT = 1_770_091_506_789;

/** The database of one of OpenClaw's agents in its folder, open for writing as it is while OpenClaw runs. */
function openclawStore(agent = 'main', folder = tempFolder()) {
  folder.write(`${agent}/agent/x`, '');
  const database = createDatabase(folder.at(`${agent}/agent/openclaw-agent.sqlite`), 1000);
  database.pragma('journal_mode = WAL');
  database.exec(`
    CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
      updated_at INTEGER NOT NULL, transcript_updated_at INTEGER, spawned_by TEXT) STRICT;
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
      created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
      PRIMARY KEY (session_id, seq)) STRICT;`);
  let now = AT;
  const add = (session: string, json: string | null, packed?: Buffer, navigation?: unknown) => {
    now += 1;
    database
      .prepare(
        `INSERT INTO transcript_events VALUES (?,
          (SELECT count(*) FROM transcript_events WHERE session_id = ?), ?, ?, ?, 1, ?)`,
      )
      .run(
        session,
        session,
        json,
        now,
        packed ?? null,
        navigation ? JSON.stringify(navigation) : null,
      );
    database
      .prepare('UPDATE session_windows SET transcript_updated_at = ? WHERE session_id = ?')
      .run(now, session);
  };
  return {
    folder,
    database,
    add,
    session: (
      id: string,
      cwd: string,
      key = `agent:${agent}:main`,
      spawnedBy: string | null = null,
    ) => {
      database
        .prepare('INSERT INTO session_windows VALUES (?, ?, ?, NULL, ?)')
        .run(id, key, AT, spawnedBy);
      add(id, JSON.stringify({ type: 'session', version: 4, id, cwd }));
    },
    say: (session: string, role: string, content: unknown) =>
      add(session, JSON.stringify({ type: 'message', message: { role, content, timestamp: now } })),
  };
}

test('conversations in the workspace, found while OpenClaw writes, and what is added later', async () => {
  const { folder, database, session, say } = openclawStore();
  session('0b9d3c1e-1', '/home/ada/notes');
  session('0b9d3c1e-2', '/home/ada/elsewhere');
  session('0b9d3c1e-3', '/home/ada/notes', 'agent:main:subagent:7', 'agent:main:main');
  session('0b9d3c1e-4', '/home/ada/notes', 'agent:main:cron:morning');
  for (const id of [1, 2, 3, 4].map((n) => `0b9d3c1e-${n}`)) {
    say(id, 'user', 'where is the xylophone');
    say(id, 'toolResult', [{ type: 'text', text: 'a xylophone in a file' }]);
    say(id, 'assistant', [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'In the attic.' },
    ]);
  }
  session('0b9d3c1e-5', '/home/ada/notes');
  say('0b9d3c1e-5', 'user', '[cron:7 morning] look for the xylophone');
  say('0b9d3c1e-5', 'assistant', 'The xylophone is here.');
  const place = transcriptPlace(folder.path, 'openclaw', ['/home/ada/notes']);
  const target = targetOf(tempFolder().path, { transcripts: { places: [place], growth: GROWTH } });
  const backend = backendOn(target);
  const path = 'sessions/openclaw/0b9d3c1e-1';
  assert.equal(pathsOf(await backend.search({ query: 'xylophone' })), [path]);
  const { turns } = await backend.get({ target: `${path}#L2-L4` });
  assert.equal(
    turns?.map(({ line, role, text }) => `${line} ${role} ${text}`),
    ['2 user where is the xylophone', '4 assistant In the attic.'],
  );
  say('0b9d3c1e-1', 'user', 'and the trumpet');
  assert.equal(pathsOf(await backend.search({ query: 'trumpet' })), [path]);
  session('0b9d3c1e-6', '/home/ada/notes');
  say('0b9d3c1e-6', 'user', 'where is the tuba');
  assert.equal(pathsOf(await backend.search({ query: 'tuba' })), ['sessions/openclaw/0b9d3c1e-6']);
  // As cold storage does it.
  database.exec("DELETE FROM transcript_events WHERE session_id = '0b9d3c1e-6'");
  assert.equal(pathsOf(await backend.search({ query: 'tuba' })), []);
  assert.not.ok((await backend.list()).some((document) => document.path.endsWith('-6')));
  database.exec(`CREATE TABLE memory_session_tombstones (session_id TEXT PRIMARY KEY);
    INSERT INTO memory_session_tombstones VALUES ('0b9d3c1e-1')`);
  assert.equal(pathsOf(await backend.search({ query: 'trumpet' })), []);
  await backend.close();
  database.close();
});

/** A message of 1,764 bytes, as `zstdCompressSync` packs it. */
const PACKED = Buffer.from(
  'KLUv/WDkBU0FALIKIh9QSawDQYgnqdpKEJss4lgexKwayQ78GogAHpiNmVnBz5OZKhFDZSaJYfC8aH4t' +
    'AfZyiyJkyyxoNc5yjOEDlBbWvYiZRk65KnAX6NtxO2d5ervtyGLc67lx4A+aTpCZhUpFUgFywJDEkUTA' +
    'kcf1r21HbqyfLqC0Y7jv6WqxpzPCxsjten4L/UMKAKDmcxNzEPDX8ys1pVUO9NiBH8uTg6vMvFmseQc=',
  'base64',
);

test('long messages, which OpenClaw compresses; Node.js 20 reports them', () => {
  const { folder, database, add, session, say } = openclawStore();
  session('s1', '/p');
  say('s1', 'user', 'where is the trumpet');
  add('s1', null, PACKED, { navigation: { message: { role: 'assistant' } } });
  // The output of a tool is not even unpacked.
  add('s1', null, Buffer.from('x'), { navigation: { message: { role: 'toolResult' } } });
  const { files, skipped } = scanTranscripts({
    places: [transcriptPlace(folder.path, 'openclaw')],
  });
  database.close();
  if (!('zstdDecompressSync' in process.getBuiltinModule('node:zlib'))) {
    assert.equal(files, []);
    assert.match(skipped[0]?.detail ?? '', /Node\.js 22\.15/);
    return;
  }
  assert.equal(skipped, []);
  const [, answer, ...others] = files.flatMap(({ turns }) => [...(turns?.() ?? [])]);
  assert.match(answer?.text ?? '', /^In the attic, .* the trumpet\.$/);
  assert.is(answer?.line, 3);
  assert.equal(others, []);
});

test('the databases of all agents, of one, or a file; nothing else below is looked at', () => {
  const main = openclawStore();
  const work = openclawStore('work', main.folder);
  for (const [at, { session, say, database }] of [main, work].entries()) {
    session(`s${at}`, '/p');
    say(`s${at}`, 'user', 'yes');
    say(`s${at}`, 'user', '{');
    database.exec("UPDATE transcript_events SET event_json = 'no json' WHERE seq = 2");
    database.close();
  }
  const pathsAt = (path: string) => {
    const { files, skipped } = scanTranscripts({ places: [transcriptPlace(path, 'openclaw')] });
    assert.equal(skipped, []);
    return files.map((file) => `${file.path} ${[...(file.turns?.() ?? [])].length}`);
  };
  const { folder } = main;
  assert.equal(pathsAt(folder.path), ['sessions/openclaw/s0 1', 'sessions/openclaw/s1 1']);
  assert.equal(pathsAt(folder.at('work/agent')), ['sessions/openclaw/s1 1']);
  assert.equal(pathsAt(folder.at('work/agent/openclaw-agent.sqlite')), ['sessions/openclaw/s1 1']);
  const place = transcriptPlace(folder.path, 'openclaw');
  const isWatched = (kind: 'file' | 'folder', ...segments: string[]) =>
    mayContainTranscript(place, segments, kind);
  assert.ok(isWatched('folder', 'main'));
  assert.ok(isWatched('folder', 'main', 'agent'));
  assert.ok(isWatched('file', 'main', 'agent', 'openclaw-agent.sqlite-wal'));
  assert.not.ok(isWatched('folder', 'main', 'sessions'));
  assert.not.ok(isWatched('folder', 'main', 'agent', 'cache'));
  assert.not.ok(isWatched('file', 'main', 'agent', 'auth.json'));
});

test('a file that is not a database, or one of another program, is reported', () => {
  const folder = tempFolder();
  folder.write('main/agent/openclaw-agent.sqlite', 'not a database');
  createDatabase(folder.at('main/other.sqlite'), 1000).close();
  const { files, skipped } = scanTranscripts({
    places: [transcriptPlace(folder.path, 'openclaw')],
  });
  assert.equal(
    [files, skipped.map(({ path, reason }) => `${path} ${reason}`)],
    [[], ['sessions/openclaw/main/agent/openclaw-agent.sqlite unreadable']],
  );
});

test.run();
