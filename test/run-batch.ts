/**
 * Runs several compiled test files in one process, one after the other, as uvu's own runner does: test/run.ts gives
 * the folder that test/support/compile.ts made, and the names of the files.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from 'uvu/run';

const [folder = '', ...files] = process.argv.slice(2);
await run(
  files.map((name) => {
    return { name, file: pathToFileURL(join(folder, `${name}.mjs`)).pathname.slice(1) };
  }),
);

/** For each file, uvu leaves a list of its suites here; it has taken off the name. */
const groups: unknown = Reflect.get(globalThis, 'UVU_QUEUE');
for (const [at, file] of files.entries()) {
  const group: unknown = Array.isArray(groups) ? groups[at] : undefined;
  if (Array.isArray(group) && group.length > 0) continue;
  process.stdout.write(`${file} ran no test\n`);
  process.exitCode = 1;
}
