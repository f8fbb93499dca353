import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { ingestRecalls } from '../../../../src/engine/dreaming/recall-log/ingest-recalls.js';
import { openDreamDatabase } from '../../../../src/engine/dreaming/store/dream-database.js';
import { recallEntries } from '../../../../src/engine/dreaming/store/recall-entries.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('ingesting the recall log');

const lineAt = (atMs: number): string =>
  `${JSON.stringify({ atMs, queryHash: 'x'.repeat(1000), claims: [] })}\n`;

function inbox() {
  const { path } = tempFolder();
  const workspace = dreamWorkspace(path, { stateDir: path });
  const database = openDreamDatabase(workspace.files.database);
  let nowMs = 0;
  const options = {
    database,
    entries: recallEntries(database),
    dayOf: () => '2026-02-03',
    rotates: true,
    logs: [],
    workspace,
  };
  return {
    log: workspace.files.recallLog,
    aside: workspace.files.rotatedLog,
    /** A new log, of searches of one moment. */
    write: (searches: number) =>
      writeFileSync(workspace.files.recallLog, lineAt(++nowMs).repeat(searches)),
    ingest: () => ingestRecalls(options),
    database,
    positions: () => Number(database.prepare('SELECT count(*) FROM inbox').pluck().get()),
    close: () => database.close(),
  };
}

test('logs of any size are counted once, however often they are rotated', async () => {
  const { aside, write, ingest, positions, close } = inbox();
  for (const searches of [4600, 4400, 4200, 4500, 4100]) {
    write(searches);
    assert.is(await ingest(), searches);
    assert.ok(existsSync(aside));
    assert.is(positions(), 1);
    assert.is(await ingest(), 0);
  }
  close();
});

test('a named pipe is refused instead of waiting for a writer', async () => {
  const { log, ingest, close } = inbox();
  execFileSync('mkfifo', [log]);
  const failure = await failureOf(ingest());
  assert.is(failure.message, `${log} is not a regular file`);
  close();
});

test('a kill while rotating counts nothing twice', async () => {
  const { log, aside, write, ingest, close } = inbox();
  write(4500);
  assert.is(await ingest(), 4500);
  write(10);
  assert.is(await ingest(), 10);
  // After the older log was removed …
  rmSync(aside);
  assert.is(await ingest(), 0);
  // … and after its successor took its place.
  renameSync(log, aside);
  assert.is(await ingest(), 0);
  write(4300);
  assert.is(await ingest(), 4300);
  assert.is(await ingest(), 0);
  close();
});

test('a copy of the log is the same log', async () => {
  const { log, aside, write, ingest, close } = inbox();
  write(3);
  assert.is(await ingest(), 3);
  copyFileSync(log, aside);
  rmSync(log);
  copyFileSync(aside, log);
  assert.is(await ingest(), 0);
  appendFileSync(log, lineAt(99));
  assert.is(await ingest(), 1);
  close();
});

test('a log that version 0.1 has read is not read again', async () => {
  const { log, write, ingest, database, positions, close } = inbox();
  write(3);
  const { ino, birthtimeMs, size } = statSync(log);
  const position = [`${ino}:${Math.floor(birthtimeMs)}`, size];
  database.prepare('INSERT INTO inbox (file, bytes) VALUES (?, ?)').run(position);
  assert.is(await ingest(), 0);
  assert.is(positions(), 1);
  close();
});

test.run();
