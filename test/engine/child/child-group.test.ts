import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChildGroup } from '../../../src/engine/child/child-group.js';
import { compileProgram } from '../../support/compile.js';
import { waitFor } from '../../support/wait.js';

const test = suite('a program with all that it starts');

const DIES_EARLY = await compileProgram(new URL('dies-early.ts', import.meta.url));

const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a group that has ended is neither signalled nor waited for', async () => {
  const child = new ChildGroup({
    command: ['/bin/sh', '-c', 'exit 3'],
    env: {},
    cwd: '/',
  });
  assert.equal(await child.ended, { kind: 'exited', exitCode: 3 });
  const before = timers();
  child.stop();
  child.kill();
  assert.is(timers(), before);
});

const setsid = process.platform === 'linux' ? test : test.skip;

setsid(
  'what left the group for a session of its own ends with the attempt it belongs to',
  async () => {
    const script = 'setsid sleep 300 & setsid sh -c "setsid sleep 301 & wait" & ';
    const start = (attemptId: string, end: string): ChildGroup =>
      new ChildGroup({
        command: ['/bin/sh', '-c', `${script} ${end}`],
        env: { PATH: process.env['PATH'] ?? '' },
        cwd: '/',
        attemptId,
      });
    const [own, others] = [randomUUID(), randomUUID()];
    const other = start(others, 'sleep 300');
    await waitFor('programs of another attempt', () => marked(others).length >= 4);
    const child = start(own, 'read line');
    await waitFor('programs', () => marked(own).length >= 4);
    child.stdin.end('\n');
    assert.equal(await child.ended, { kind: 'exited', exitCode: 0 });
    assert.is(marked(own).length, 0);
    assert.ok(marked(others).length >= 4, 'those of another attempt go on');
    other.kill();
    await other.ended;
    assert.is(marked(others).length, 0);
  },
);

setsid('what was started just before svc was killed is found by what was announced', async () => {
  const attemptId = randomUUID();
  // Also where the minder was killed before: another one has taken its place.
  for (const victims of ['one', 'both']) {
    const { status, signal } = spawnSync(process.execPath, [DIES_EARLY, attemptId, victims]);
    assert.equal([status, signal], [null, 'SIGKILL']);
    await waitFor('the end of the program', () => marked(attemptId).length === 0);
  }
});

/** Processes of an attempt that are alive. */
function marked(attemptId: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const environ = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      return environ.includes(`SVC_ATTEMPT_ID=${attemptId}`);
    } catch {
      return false;
    }
  });
}

test.run();
