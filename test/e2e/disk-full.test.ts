import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { noteText } from '../support/many-notes.js';
import { runSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { smallDisk } from '../support/tmpfs.js';

const test = suite('a full disk');

const disk = smallDisk(8);
const when = disk === undefined ? test.skip : test;
if (disk === undefined) process.stdout.write('skipped: this user may mount no disk of its own\n');

const home = disk ?? '';
const notes = tempFolder();
const svc = (...args: string[]) => runSvc(['memory', ...args, '-w', notes.path], { home });

/** Leaves only this many bytes on the disk. */
function fill(leaving: number): void {
  rmSync(`${home}/ballast`, { force: true });
  const { bavail, bsize } = statfsSync(home);
  writeFileSync(`${home}/ballast`, Buffer.alloc(Math.max(0, bavail * bsize - leaving)));
}

async function failure(...args: string[]): Promise<string> {
  const run = await svc('index', '--json', ...args);
  const [agent] = jsonOf.index(run).agents;
  assert.is(run.code, 1, run.stdout);
  assert.ok(agent !== undefined && 'error' in agent, run.stdout);
  return agent.error.code;
}

when('fails an index with INDEX_DISK_FULL, and the old one still answers', async () => {
  for (let n = 0; n < 60; n++) notes.write(`n${n}.md`, noteText(n));
  assert.is((await svc('index')).code, 0);
  for (let n = 60; n < 900; n++) notes.write(`n${n}.md`, noteText(n, 12));
  for (const leaving of [0, 64 * 1024, 600 * 1024]) {
    fill(leaving);
    assert.is(await failure(), 'INDEX_DISK_FULL', `${leaving} left`);
    assert.is(await failure('--force'), 'INDEX_DISK_FULL', `${leaving} left, forced`);
    const run = await svc('search', 'amber cedar', '--json');
    const found = jsonOf.search(run);
    assert.ok(found.results.length > 0);
    assert.equal(
      found.warnings?.map((warning) => warning.code),
      ['INDEX_STALE'],
    );
    assert.equal(
      readdirSync(`${home}/memory`).filter((name) => name.includes('.build')),
      [],
    );
  }
});

when('is forgotten once there is room again', async () => {
  rmSync(`${home}/ballast`);
  for (let n = 200; n < 900; n++) rmSync(notes.at(`n${n}.md`));
  const run = await svc('index', '--json');
  assert.is(run.code, 0, run.stdout);
  const status = jsonOf.status(await svc('status', '--json')).agents[0];
  assert.equal(status?.staleness, { added: 0, changed: 0, removed: 0, examples: [] });
});

when('fails a first search with an error that says what to do', async () => {
  assert.is((await svc('reset', '--yes')).code, 0);
  fill(16 * 1024);
  const run = await svc('search', 'amber', '--json');
  assert.equal([run.code, jsonOf.error(run).code], [1, 'INDEX_DISK_FULL']);
  assert.match(jsonOf.error(run).hint ?? '', /free some space/);
});

test.run();
