import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandCase, commandCases } from '../../bench/command-cases.js';
import { makeCommandHome } from '../../bench/command-home.js';
import { COMMANDS } from '../docs/command-line.js';
import { ROOT } from '../support/run-svc.js';
import { needsProcess, runInOclifSession, runInSession } from '../support/svc-session.js';
import { tempFolder } from '../support/temp-folder.js';

/*
 * Commands start without oclif's manifest and plugins, on a configuration object that holds a fraction of
 * oclif's own. Here each is run both ways, on real work, and must print the same.
 */
const test = suite('the fast start compared with oclif');

const OCLIF_START = fileURLToPath(new URL('oclif-start.mjs', import.meta.url));
const TIME_LIMIT_MS = 60_000;
/** Commands that need services which this test does not start. */
const NEEDS_A_SERVICE = ['provider login', 'provider test', 'webhook call', 'webhook trigger'];

interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const world = await makeCommandHome(tempFolder().path, join(ROOT, 'bin/run.js'), {
  provider: 'http://127.0.0.1:9',
  login: 'http://127.0.0.1:9',
});
const cases = commandCases({ ...world.facts, clientId: 'none', listener: 'http://127.0.0.1:9' });

/** Runs a program to its end, or a long-lived one until it is ready. */
function runProgram(args: readonly string[], { input, ready }: CommandCase): Promise<ProgramRun> {
  const child = spawn(process.execPath, args, {
    cwd: world.home,
    env: { PATH: process.env['PATH'], ...world.env },
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      text[name] += part;
      if (ready?.test(text[name]) === true && !child.killed) child.kill('SIGTERM');
    });
  }
  child.stdin.on('error', () => undefined);
  // A long-lived program exits when its input ends.
  if (ready === undefined) child.stdin.end(input ?? '');
  else child.stdin.write(input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // How much it prints before it is stopped differs from run to run.
    const output = (): Omit<ProgramRun, 'code'> =>
      child.killed ? { stdout: String(ready), stderr: '' } : text;
    child.on('close', (code) => resolve({ code, ...output() }));
  });
}

/** Without what differs from run to run: times, durations, ids, sizes, ports. */
function withoutVariables({ code, stdout, stderr }: ProgramRun): ProgramRun {
  const clean = (text: string): string =>
    text
      // It may arrive before the end or not.
      .replace(/^.*notifications\/resources\/list_changed.*\n/gm, '')
      .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'TIME')
      .replace(/\d\d:\d\d(?::\d\d)?/g, 'TIME')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replace(/[\w-]{32,}/g, 'TOKEN')
      .replace(/^replay \w+/gm, 'replay ID')
      .replace(/\b(?:\d+ (?:s|min) ago|just now)/g, 'NOW')
      .replace(/\bin \d+ (?:s|min|h|days?)\b/g, 'in DURATION')
      .replace(/\b\d+(?:[.,]\d+)* m?s\b/g, 'DURATION')
      .replace(/\d+(?:[., ]\d+)*/g, 'N');
  // The width of a column depends on the ages in it.
  const withoutPadding = (text: string): string =>
    /NOW/.test(text) ? text.replace(/ {2,}/g, '  ') : text;
  return { code, stdout: withoutPadding(clean(stdout)), stderr: withoutPadding(clean(stderr)) };
}

type Start = 'fast' | 'oclif';

const PROGRAMS: Readonly<Record<Start, readonly string[]>> = {
  fast: [join(ROOT, 'bin/run.js')],
  oclif: [OCLIF_START, ROOT],
};
const SESSIONS = { fast: runInSession, oclif: runInOclifSession } as const;

/** What a command line prints: in one process with others if it ends by itself and reads nothing. */
async function runOneWay(
  start: Start,
  words: readonly string[],
  commandCase: CommandCase,
): Promise<ProgramRun> {
  world.toWarm(commandCase.changes ?? 'state');
  const { home, env } = world;
  const { ready, input } = commandCase;
  const run =
    ready !== undefined || input !== undefined || needsProcess(words)
      ? runProgram([...PROGRAMS[start], ...words], commandCase)
      : SESSIONS[start](words, { home, env });
  return withoutVariables(await run);
}

for (const { id, aliases } of COMMANDS) {
  const command = id.replaceAll(':', ' ');
  if (NEEDS_A_SERVICE.includes(command)) continue;
  test(`svc ${command} prints the same`, async () => {
    const commandCase = cases[command];
    assert.ok(commandCase, 'bench/command-cases.ts must have a case for it');
    const { args } = commandCase;
    const expected = await runOneWay('oclif', [...command.split(' '), ...args], commandCase);
    assert.ok((commandCase.exits ?? [0]).includes(expected.code ?? -1), expected.stderr);
    for (const name of [id, ...aliases]) {
      const run = await runOneWay('fast', [...name.split(':'), ...args], commandCase);
      assert.equal(run, expected, name);
    }
  });
}

for (const command of NEEDS_A_SERVICE) {
  test(`svc ${command} with an unknown flag prints the same`, async () => {
    const commandCase = { args: ['--no-such-flag'] };
    const words = [...command.split(' '), ...commandCase.args];
    const expected = await runOneWay('oclif', words, commandCase);
    assert.is(expected.code, 2);
    assert.equal(await runOneWay('fast', words, commandCase), expected);
  });
}

test.run();
