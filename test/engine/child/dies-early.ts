/**
 * Starts a program and is killed before it can say so: what a SIGKILL between the two would do. With the second
 * argument `both`, its minder is killed before, and replaced.
 *
 *   node --import tsx dies-early.ts ATTEMPT-ID [both]
 */
import { execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPT_VARIABLE } from '../../../src/engine/child/child-group.js';
import { Minder } from '../../../src/engine/child/minder.js';

const [attemptId = '', victims] = process.argv.slice(2);
new Minder(process.execPath).announce(attemptId);
if (victims === 'both') {
  const minder = minderPid();
  process.kill(minder ?? 0, 'SIGKILL');
  for (let pid = minder; pid === minder || pid === undefined; pid = minderPid()) await sleep(10);
}
spawn('sleep', ['300'], {
  env: { PATH: process.env['PATH'], [ATTEMPT_VARIABLE]: attemptId },
  stdio: 'ignore',
  detached: true,
});
process.kill(process.pid, 'SIGKILL');

function minderPid(): number | undefined {
  const children = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,comm=']);
  const lines = children.toString().trim().split('\n');
  const line = lines.find((one) => !/(?:\bps|<defunct>)$/u.test(one));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
