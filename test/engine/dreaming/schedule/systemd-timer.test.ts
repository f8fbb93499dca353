import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  calendarEvents,
  systemdTimer,
} from '../../../../src/engine/dreaming/schedule/systemd-timer.js';
import { nextRuns } from '../../../../src/engine/support/cron-times.js';
import { tempFolder } from '../../../support/temp-folder.js';

test('steps, ranges and names are written out; seven days are every day', () => {
  assert.equal(calendarEvents('0 3 * * *', undefined), ['*-*-* 03:00:00']);
  assert.equal(calendarEvents('*/20 1-3 * jan,JUL 1-5/2', 'Europe/Berlin'), [
    'Mon,Wed,Fri *-01,07-* 01,02,03:00,20,40:00 Europe/Berlin',
  ]);
  assert.equal(calendarEvents('0 3 * * *', 'america/new_york'), [
    '*-*-* 03:00:00 America/New_York',
  ]);
  assert.equal(calendarEvents('0 3 * * *', 'Asia/Kolkata'), ['*-*-* 03:00:00 Asia/Kolkata']);
  assert.equal(calendarEvents('0 0 * * 0-7', undefined), ['*-*-* 00:00:00']);
});

test('with both day fields set, either matches, as in a crontab', () => {
  assert.equal(calendarEvents('30 4 1,15 * 5', undefined), [
    '*-*-01,15 04:30:00',
    'Fri *-*-* 04:30:00',
  ]);
  assert.equal(calendarEvents('30 4 */10 * 5', undefined), ['Fri *-*-01,11,21,31 04:30:00']);
});

test('the timer starts this program, and makes up for what was missed', () => {
  const { service, timer } = systemdTimer({
    frequency: '0 3 * * *',
    timeZone: undefined,
    command: ['/usr/bin/node', '/opt/my svc/50%.js', 'dream', 'run'],
    user: 'ada',
    homeDir: '/home/ada',
    env: { SVC_HOME: '/srv/a b' },
  });
  assert.match(service, /^ExecStart=\/usr\/bin\/node "\/opt\/my svc\/50%%\.js" dream run$/m);
  assert.match(service, /^Environment="SVC_HOME=\/srv\/a b"$/m);
  assert.match(service, /^EnvironmentFile=-\/etc\/svc\/svc\.env$/m);
  assert.match(timer, /^Persistent=true$/m);
});

const known = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!known) process.stdout.write('skipped: there is no systemd-analyze here\n');

(known ? test : test.skip)('systemd takes both units as they are', () => {
  const folder = tempFolder();
  const { service, timer } = systemdTimer({
    frequency: '*/7 2-4 1,15 * mon',
    timeZone: 'UTC',
    command: [process.execPath, folder.write('run.js', ''), 'dream', 'run'],
    user: userInfo().username,
    homeDir: folder.path,
    env: {},
  });
  const files = [
    folder.write('svc-dream.service', service),
    folder.write('svc-dream.timer', timer),
  ];
  const run = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
  const own = run.stderr.split('\n').filter((line) => line.includes(folder.path));
  assert.equal(own, []);
});

(known ? test : test.skip)('systemd fires when svc serve would', () => {
  const start = Date.UTC(2026, 1, 26, 22, 10);
  for (const frequency of ['0 3 * * *', '*/25 */6 * * 1-5', '30 4 1,15 * 5', '0 0 29 2 *']) {
    const runs = calendarEvents(frequency, 'UTC').flatMap((event) => firings(event, start));
    const expected = nextRuns(frequency, 'UTC', start, 4);
    assert.equal([...new Set(runs)].sort((a, b) => a - b).slice(0, 4), expected, frequency);
  }
});

/** The next four times of a calendar event, by systemd itself. */
function firings(event: string, afterMs: number): number[] {
  const base = `${new Date(afterMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const args = ['calendar', '--iterations=4', `--base-time=${base}`, event];
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8', env });
  return [
    ...stdout.matchAll(/(?:Next elapse|Iteration #\d+|Iter\. #\d+): \w+ (\S+) (\S+) UTC/gu),
  ].map(([, day, time]) => Date.parse(`${day}T${time}Z`));
}

test.run();
