import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  openWatchRecord,
  readWatchRecord,
  type WatchRecord,
} from '../../../../src/engine/memory/sync/watch-record.js';
import { ROOT } from '../../../support/run-svc.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('the record of a watcher');

const SINCE = 1_700_000_000_000;

/** What another process reads. */
function readElsewhere(indexFile: string): WatchRecord | null {
  const script = `
    import { readWatchRecord } from './src/engine/memory/sync/watch-record.ts';
    console.log(JSON.stringify(await readWatchRecord(${JSON.stringify(indexFile)})));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return JSON.parse(run.stdout);
}

test('exists while its watcher runs, for this process and for others', async () => {
  const indexFile = tempFolder().at('index.sqlite');
  assert.is(await readWatchRecord(indexFile), null);
  const recorder = await openWatchRecord(indexFile, SINCE);
  recorder.write({ mode: 'polling', why: 'nothing left' });
  const since = new Date(SINCE).toISOString();
  const record = { pid: process.pid, since, mode: 'polling', why: 'nothing left' };
  assert.equal(await readWatchRecord(indexFile), record);
  // Reading it in the same process must not have ended the lock.
  assert.equal(readElsewhere(indexFile), record);
  recorder.write({ mode: 'watching' });
  assert.equal(await readWatchRecord(indexFile), { ...record, mode: 'watching', why: null });
  recorder.close();
  assert.is(await readWatchRecord(indexFile), null);
});

test('with two watchers the first is reported', async () => {
  const indexFile = tempFolder().at('index.sqlite');
  const first = await openWatchRecord(indexFile, 1000);
  first.write({ mode: 'watching' });
  const second = await openWatchRecord(indexFile, 2000);
  second.write({ mode: 'polling' });
  second.close();
  assert.is((await readWatchRecord(indexFile))?.since, new Date(1000).toISOString());
  first.close();
});

test('without write permission there is none, and nothing fails', async () => {
  const folder = tempFolder();
  folder.write('file', 'no folder');
  const recorder = await openWatchRecord(folder.at('file/index.sqlite'), SINCE);
  recorder.write({ mode: 'watching' });
  recorder.close();
  mkdirSync(folder.at('empty'));
  assert.is(await readWatchRecord(folder.at('empty/index.sqlite')), null);
  assert.equal(readdirSync(folder.at('empty')), []);
});

test.run();
