import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KILL_GRACE_MS } from '../../../../../../src/engine/child/child-group.js';
import {
  type Tool,
  ToolFailure,
} from '../../../../../../src/engine/memory/backends/ext/tool/open-tool.js';
import { runTool } from '../../../../../../src/engine/memory/backends/ext/tool/run-tool.js';
import { isRunning } from '../../../../../support/processes.js';
import { tempFolder } from '../../../../../support/temp-folder.js';
import { waitFor } from '../../../../../support/wait.js';

const test = suite('running the external program');

const folder = tempFolder();
const RUN = { timeoutMs: 20_000 };

/** A program that does what a line of shell says. */
function toolOf(script: string, first = '#!/bin/sh'): Tool {
  const program = folder.write(`tool-${Math.random()}`, `${first}\n${script}\n`);
  chmodSync(program, 0o755);
  return { program, env: { PATH: process.env['PATH'] ?? '' }, cwd: folder.path, key: 'k' };
}

async function failureOf(run: Promise<unknown>): Promise<ToolFailure> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolFailure)) throw error ?? new Error('it did not fail');
  return error;
}

test('returns its output, and gives it an empty stdin', async () => {
  const tool = toolOf('cat; echo out "$1"; echo err >&2');
  assert.equal(await runTool(tool, ['a b;$(x)'], RUN), {
    stdout: 'out a b;$(x)\n',
    stderr: 'err\n',
  });
});

test('a program that takes too long is killed with its children', async () => {
  const pidFile = folder.at('pid');
  const tool = toolOf(`trap '' TERM; (trap '' TERM; exec sleep 600) & echo $! > ${pidFile}; wait`);
  const started = performance.now();
  const { code, message, hint } = await failureOf(runTool(tool, ['search'], { timeoutMs: 300 }));
  // It is not asked to end first: nobody waits for its answer any more.
  assert.ok(performance.now() - started < KILL_GRACE_MS);
  assert.is(code, 'BACKEND_TIMEOUT');
  assert.match(message, /\(search\) timed out after 300 ms/);
  assert.match(hint, /memory\.ext\.limits\.timeoutMs/);
  assert.not.match(hint, 'searchMode', 'this is the mode without models');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await waitFor('the end of what it started', () => !isRunning(pid));
});

test('a signal ends it and is the reason of the failure', async () => {
  const stop = new AbortController();
  const pidFile = folder.at('aborted');
  const run = runTool(toolOf(`echo $$ > ${pidFile}; exec sleep 600`), [], {
    ...RUN,
    signal: stop.signal,
  });
  await waitFor('the start', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  stop.abort('enough');
  assert.is(await run.catch((reason: unknown) => reason), 'enough');
  assert.is(isRunning(Number(readFileSync(pidFile, 'utf8'))), false);
});

test('oversized output is refused', async () => {
  const { code, message } = await failureOf(
    runTool(toolOf('head -c 700000 /dev/zero; exec sleep 600'), ['search'], RUN),
  );
  assert.equal([code, message.includes('600000 bytes')], ['BACKEND_FAILED', true]);
});

test('exit codes and signals are reported with its output', async () => {
  const exit = await failureOf(
    runTool(toolOf('echo "at x" >&2; echo "Error: index is locked" >&2; exit 3'), ['update'], RUN),
  );
  assert.is(
    exit.message,
    'the external search program (update) ended with exit code 3: Error: index is locked',
  );
  const killed = await failureOf(runTool(toolOf('kill -9 $$'), ['collection', 'list'], RUN));
  assert.is(killed.message, 'the external search program (collection list) was ended by SIGKILL');
});

test('an unsuitable Node.js version is named as the cause', async () => {
  for (const said of [
    'Error: bun not found',
    'Error: node (>=22) not found',
    'NODE_MODULE_VERSION 137',
  ]) {
    const { code, hint } = await failureOf(runTool(toolOf(`echo '${said}' >&2; exit 1`), [], RUN));
    assert.is(code, 'BACKEND_UNAVAILABLE', said);
    assert.match(hint, /memory\.ext\.command/);
  }
});

test('a program that cannot be started is reported with the reason, immediate or delayed', async () => {
  const gone: Tool = { ...toolOf(''), program: folder.at('nowhere') };
  assert.match(
    (await failureOf(runTool(gone, ['search'], RUN))).message,
    /cannot be started \(ENOENT\)/,
  );
  const long = ['search', 'x'.repeat(300_000)];
  assert.match(
    (await failureOf(runTool(toolOf(''), long, RUN))).message,
    /cannot be started \(E2BIG\)/,
  );
  assert.match(
    (await failureOf(runTool(toolOf('', '#!/no/interpreter'), [], RUN))).message,
    /cannot be started \(ENOENT\)/,
  );
});

test('messages never contain the query', async () => {
  const { message } = await failureOf(
    runTool(toolOf('exit 1'), ['search', '--json', '--', 'my secret question'], RUN),
  );
  assert.not.match(message, /secret/);
});

test.run();
