import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/run-svc.js';

test('the man page is roff without warnings, and names every command', () => {
  const file = join(ROOT, 'man/svc.1');
  const groff = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-c', file], { encoding: 'utf8' });
  // A machine without groff cannot tell.
  if (groff.error !== undefined) return;
  assert.is(groff.stderr, '');
  for (const name of ['svc memory search', 'svc webhook serve', 'svc config doctor']) {
    assert.match(groff.stdout, name);
  }
});

test.run();
