import { readdirSync, utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readGuarded, writeGuarded } from '../../../src/engine/memory-files/guarded-file.js';
import { WRITING_MS } from '../../../src/engine/support/files.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('replacing files');

test('the next write removes what a killed one left, and nothing that may be under way or of others', () => {
  const folder = tempFolder();
  const stray = folder.write('.0123456789ab.svc.tmp', 'text of a note');
  const old = (Date.now() - 2 * WRITING_MS) / 1000;
  const others = ['.notes.svc.tmp', '.ba9876543210.svc.tmp', 'a.md'];
  for (const name of others) folder.write(name, 'x');
  utimesSync(stray, old, old);
  utimesSync(folder.at('.notes.svc.tmp'), old, old);
  writeGuarded(readGuarded(folder.path, 'MEMORY.md'), '# Memory\n');
  assert.equal(readdirSync(folder.path).toSorted(), [...others, 'MEMORY.md'].toSorted());
});

test.run();
