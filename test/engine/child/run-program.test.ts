import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../../../src/engine/child/run-program.js';
import { isRunning } from '../../support/processes.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

/** Limits and aborts are tested with secrets and with the external search program. */
const test = suite('a program within limits');

const folder = tempFolder();
const shell = (script: string) => ({
  command: ['/bin/sh', '-c', script] as const,
  env: { PATH: process.env['PATH'] ?? '' },
  cwd: folder.path,
  maxOutputBytes: 10,
  signal: undefined,
});

test('stderr is dropped, or its end is kept and counts for nothing', async () => {
  const script = 'printf out; printf 1234567 >&2';
  const dropped = await runProgram(shell(script));
  assert.equal([dropped.kind, `${dropped.stdout}`, `${dropped.stderr}`], ['exited', 'out', '']);
  const kept = await runProgram({ ...shell(`${script}; printf 89abc >&2`), stderrBytes: 5 });
  assert.equal([kept.kind, `${kept.stdout}`, `${kept.stderr}`], ['exited', 'out', '89abc']);
});

test('background processes are killed, or kept running', async () => {
  const background = (file: string) =>
    `(sleep 0.3; : > ${file}; sleep 600) > /dev/null 2>&1 & echo $!`;
  const others = await runProgram({ ...shell(background('others')), keepsBackground: true });
  const none = await runProgram(shell(background('none')));
  await waitFor(
    'the file',
    () => existsSync(folder.at('others')),
    () => '',
  );
  process.kill(Number(`${others.stdout}`), 'SIGKILL');
  await waitFor(
    'its end',
    () => !isRunning(Number(`${none.stdout}`)),
    () => '',
  );
  assert.not(existsSync(folder.at('none')));
});

test('a program that exits cleanly has time to clean up', async () => {
  const script = 'trap "printf cleaned; exit 0" TERM; while :; do sleep 0.05; done';
  const limits = { maxOutputBytes: 100, timeoutMs: 300 };
  const end = await runProgram({ ...shell(script), ...limits, endsGracefully: true });
  assert.equal([end.kind, `${end.stdout}`], ['killed', 'cleaned']);
});

test.run();
