import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('print');

const LINES = 2000;

/** Opening the stream makes the pipe non-blocking, so that a full one takes a part of a line. */
const PROGRAM = `
  import { print } from ${JSON.stringify(new URL('../../src/cli/print.ts', import.meta.url).href)};
  if (process.argv[1] === 'opened') process.stdout.isTTY;
  for (let line = 0; line < ${LINES}; line++) print(line + ' ' + 'x'.repeat(500) + '\\n');
`;

for (const state of ['opened', 'unopened']) {
  test(`nothing is lost or reordered in a pipe, with the stream ${state} before`, async () => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, state];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = await text(child.stdout);
    const numbers = output
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[0]));
    assert.equal(
      numbers,
      Array.from({ length: LINES }, (_, line) => line),
    );
  });
}

test.run();
