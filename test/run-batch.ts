/**
 * Runs several test files in one process, one after the other, as uvu's own runner does.
 *
 *   node --import tsx test/run-batch.ts FILE…
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from 'uvu/run';

const files = process.argv.slice(2);
await run(
  files.map((file) => ({ name: file, file: pathToFileURL(resolve(file)).pathname.slice(1) })),
);
