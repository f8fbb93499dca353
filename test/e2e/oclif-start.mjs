// Runs a command line of the built program as oclif itself would: `node oclif-start.mjs ROOT config path`.
import { join } from 'node:path';
import { run } from '@oclif/core/run';

const [root, ...words] = process.argv.slice(2);
// What is written for agents and services names the program that was started.
process.argv[1] = join(root, 'bin/run.js');
await run(words, { root });
