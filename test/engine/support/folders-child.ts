/** Creates the same folders as others at the same times: `folders-child.ts FOLDER START_MS`. Prints what failed. */
import { join } from 'node:path';
import { makeFolders } from '../../../src/engine/support/files.js';
import { realTarget } from '../../../src/engine/support/paths.js';

const [base = '', startMs] = process.argv.slice(2);
const TIMES = 300;
const EVERY_MS = 2;
for (let at = 0; at < TIMES; at++) {
  const folder = join(base, String(at), 'a/b/c');
  while (Date.now() < Number(startMs) + at * EVERY_MS);
  const target = realTarget(join(folder, 'file'));
  if (target === undefined) process.stdout.write(`${folder} cannot be resolved\n`);
  makeFolders(folder);
}
