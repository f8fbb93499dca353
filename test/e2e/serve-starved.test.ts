import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { limitOpenFiles } from '../support/processes.js';
import { runSvc } from '../support/run-svc.js';
import {
  recordsOf,
  serve,
  serverHome,
  whenLogged,
  whenReady,
  writeConfig,
} from '../support/serving.js';
import { fillDisk, freeDisk, smallDisk } from '../support/small-disk.js';
import { folderAt, tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('svc serve without file handles or watches');

const canLimit = limitOpenFiles(process.pid, 1024);
if (!canLimit) process.stdout.write('skipped: there is no prlimit here\n');

(canLimit ? test : test.skip)(
  'without free file handles it keeps running, and catches up once there are some',
  async () => {
    const home = serverHome({ logging: { level: 'debug' } });
    const { child, done } = serve(home);
    const url = await whenReady(home);
    const pid = child.pid ?? 0;
    const open = readdirSync(`/proc/${pid}/fd`).length;
    assert.ok(limitOpenFiles(pid, open));
    for (let n = 0; n < 20; n++) home.write(`workspace/memory/n${n}.md`, `note ${n}`);
    // It cannot answer now, and a request must not end it either.
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(300) }).catch(() => undefined);
    child.kill('SIGHUP');
    await waitFor('an error in the log', () =>
      recordsOf(home).find(
        ({ level, message }) => level === 'error' && !message.includes('listening'),
      ),
    );
    assert.is(child.exitCode, null);
    assert.ok(limitOpenFiles(pid, 1024));
    await waitFor('an answer', async () => {
      const answer = await fetch(`${url}/healthz`).catch(() => undefined);
      return answer?.ok === true;
    });
    await waitFor('the notes', async () => {
      const run = await runSvc(['memory', 'status', '--json'], { home: home.path });
      const { staleness, index } = jsonOf.status(run).agents[0] ?? {};
      const fresh = staleness?.added === 0 && index?.state === 'ready';
      return fresh && index.statistics.documents === 21;
    });
    child.kill('SIGTERM');
    assert.is((await done).code, 0);
  },
);

const disk = smallDisk(4);

(disk === undefined ? test.skip : test)(
  'on a full disk it keeps running without its log, and reports lost lines once there is room',
  async () => {
    const home = folderAt(disk ?? '');
    const notes = tempFolder();
    notes.write('MEMORY.md', 'The first note.');
    writeConfig(home, { agents: { defaults: { workspace: notes.path } } });
    const { child, done } = serve(home);
    const url = await whenReady(home);
    fillDisk(home.path);
    for (let n = 0; n < 50; n++) notes.write(`memory/n${n}.md`, `note ${n} `.repeat(2000));
    // More than what is left of the last block of the log.
    for (let n = 0; n < 40; n++) {
      child.kill('SIGHUP');
      assert.is((await fetch(`${url}/healthz`)).status, 200);
    }
    assert.is((await fetch(`${url}/readyz`)).status, 200);
    assert.is(child.exitCode, null);
    freeDisk(home.path);
    child.kill('SIGHUP');
    await whenLogged(home, 'lines were lost');
    await waitFor(
      'the notes',
      () =>
        recordsOf(home).find(
          ({ message }) => /\d+ added/.test(message) && !message.includes('new index'),
        ),
      () => recordsOf(home),
    );
    child.kill('SIGTERM');
    const run = await done;
    assert.is(run.code, 0);
    assert.match(run.stderr, /warning: cannot write the log/);
  },
);

test.run();
