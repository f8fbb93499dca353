/**
 * Starts a program and is killed before it can say so: what a SIGKILL between the two would do.
 *
 *   node --import tsx dies-early.ts ATTEMPT-ID
 */
import { spawn } from 'node:child_process';
import { ATTEMPT_VARIABLE } from '../../../src/engine/child/child-group.js';
import { Minder } from '../../../src/engine/child/minder.js';

const [attemptId = ''] = process.argv.slice(2);
new Minder(process.execPath).announce(attemptId);
spawn('sleep', ['300'], {
  env: { PATH: process.env['PATH'], [ATTEMPT_VARIABLE]: attemptId },
  stdio: 'ignore',
  detached: true,
});
process.kill(process.pid, 'SIGKILL');
