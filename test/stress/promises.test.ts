import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMISES } from '../../stress/crash/promises.js';
import { ROOT } from '../support/run-svc.js';

test('every promise of docs/durability.md is checked after a kill', () => {
  const page = readFileSync(join(ROOT, 'docs/durability.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| [A-Z]/u.test(line));
  const promised = rows.map((row) => row.split('|')[1]?.trim());
  assert.equal(PROMISES.map(({ promise }) => promise).sort(), promised.sort());
});

test.run();
