// Runs command lines of the built program as oclif itself would, in one process, and prints a NUL after each to both
// streams: `node oclif-start.mjs ROOT '[["config","path"],…]'`.
import { join } from 'node:path';
import { run } from '@oclif/core/run';

const [root, lines] = process.argv.slice(2);
// What is written for agents and services names the program that was started.
process.argv[1] = join(root, 'bin/run.js');
for (const words of JSON.parse(lines)) {
  await run(words, { root });
  // A pipe that is full takes no more at once.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((done) => stream.write('\0', done));
  }
}
