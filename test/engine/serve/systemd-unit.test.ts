import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { userInfo } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemdUnit } from '../../../src/engine/serve/systemd-unit.js';
import { tempFolder } from '../../support/temp-folder.js';

const OPTIONS = {
  program: [process.execPath, '/opt/svc/bin/run.js'],
  args: [],
  user: userInfo().username,
  homeDir: '/home/ada',
  env: {},
  drainSeconds: 20,
  notifies: true,
};

/** The value of each key that is given once. */
function valuesOf(unit: string): ReadonlyMap<string, string> {
  const pairs = unit.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    return at === -1 || line.startsWith('#') ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  });
  return new Map(pairs);
}

test('it runs this installation, reloads by SIGHUP, and gives the drain its time', () => {
  const values = valuesOf(systemdUnit({ ...OPTIONS, args: ['--without', 'health'] }));
  assert.is(
    values.get('ExecStart'),
    `${process.execPath} /opt/svc/bin/run.js serve --plain --without health`,
  );
  assert.is(values.get('ExecReload'), '/bin/kill -HUP $MAINPID');
  assert.is(values.get('TimeoutStopSec'), '30');
  assert.is(values.get('RestartPreventExitStatus'), '2');
});

test('it reports readiness if systemd-notify exists, and reads secrets from a file', () => {
  const values = valuesOf(systemdUnit(OPTIONS));
  assert.equal([values.get('Type'), values.get('NotifyAccess')], ['notify', 'all']);
  assert.is(values.get('EnvironmentFile'), '-/etc/svc/svc.env');
  const without = valuesOf(systemdUnit({ ...OPTIONS, notifies: false }));
  assert.equal([without.get('Type'), without.has('NotifyAccess')], ['exec', false]);
});

test('paths with blanks, quotes, dollars and percent signs are kept', () => {
  const unit = systemdUnit({
    ...OPTIONS,
    // systemd looks for variables in arguments only.
    program: ['/opt/a $b/svc'],
    args: ['--config', '/etc/my "svc"/50%$HOME.json'],
    env: { SVC_HOME: '/srv/a b%' },
  });
  const values = valuesOf(unit);
  assert.match(
    values.get('ExecStart') ?? '',
    /^"\/opt\/a \$b\/svc" serve .* --config "\/etc\/my \\"svc\\"\/50%%\$\$HOME\.json"$/,
  );
  assert.is(values.get('Environment'), '"SVC_HOME=/srv/a b%%"');
});

const known = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!known) process.stdout.write('skipped: there is no systemd-analyze here\n');

(known ? test : test.skip)('systemd takes it as it is', () => {
  for (const parent of ['with blank', "it's", 'with "quotes"', 'back\\slash $HOME']) {
    const folder = tempFolder();
    const script = folder.write(`${parent}/run %h.js`, '');
    chmodSync(script, 0o755);
    for (const program of [[process.execPath, script], [script]]) {
      const file = folder.write(
        'svc.service',
        systemdUnit({
          ...OPTIONS,
          program,
          homeDir: folder.path,
          env: { SVC_HOME: folder.path },
        }),
      );
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], {
        encoding: 'utf8',
      });
      // It also remarks on units that other programs have installed here.
      const remarks = stderr
        .split('\n')
        .filter((line) => line !== '' && (!line.startsWith('/') || line.startsWith(file)));
      assert.equal([status, remarks], [0, []], script);
    }
  }
});

test.run();
