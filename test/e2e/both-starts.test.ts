import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandCase, commandCases } from '../../bench/command-cases.js';
import { makeCommandHome } from '../../bench/command-home.js';
import { COMMANDS } from '../docs/command-line.js';
import { ROOT } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

/*
 * Commands start without oclif's manifest and plugins, on a configuration object that holds a fraction of
 * oclif's own. Here each is run both ways, doing what it is for, and has to say the same.
 */
const test = suite('the fast start compared with oclif');

const OCLIF_START = fileURLToPath(new URL('../support/oclif-start.mjs', import.meta.url));
const GIVE_UP_MS = 60_000;
/** They ask services that this test does not start. */
const NEEDS_A_SERVICE = ['provider login', 'provider test', 'webhook call', 'webhook trigger'];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const world = await makeCommandHome(tempFolder().path, join(ROOT, 'bin/run.js'), {
  provider: 'http://127.0.0.1:9',
  login: 'http://127.0.0.1:9',
});
const cases = commandCases({ ...world.facts, clientId: 'none', listener: 'http://127.0.0.1:9' });

/** Runs it to its end; one that stays until it has said that it is ready. */
function runProgram(args: readonly string[], { input, ready }: CommandCase): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: world.home,
    env: { PATH: process.env['PATH'], ...world.env },
    timeout: GIVE_UP_MS,
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
  // What stays reads on; its input ends with it.
  if (ready === undefined) child.stdin.end(input ?? '');
  else child.stdin.write(input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // How much of its log it writes before it is stopped is chance.
    const kept = (): Omit<Ended, 'code'> =>
      child.killed ? { stdout: String(ready), stderr: '' } : text;
    child.on('close', (code) => resolve({ code, ...kept() }));
  });
}

/** Without what differs from run to run: times, durations, ids, sizes, ports. */
function steady({ code, stdout, stderr }: Ended): Ended {
  const clean = (text: string): string =>
    text
      // Whether it comes before the end is chance.
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
  // A column is as wide as its widest age.
  const aged = (text: string): string => (/NOW/.test(text) ? text.replace(/ {2,}/g, '  ') : text);
  return { code, stdout: aged(clean(stdout)), stderr: aged(clean(stderr)) };
}

const FAST = join(ROOT, 'bin/run.js');
const byOclif = (...lines: readonly (readonly string[])[]): readonly string[] => [
  OCLIF_START,
  ROOT,
  JSON.stringify(lines),
];

/** What a command line prints, without the marks that {@link OCLIF_START} puts after it. */
async function ended(args: readonly string[], how: CommandCase): Promise<Ended> {
  world.toWarm(how.changes ?? 'state');
  const { code, stdout, stderr } = await runProgram(args, how);
  return steady({ code, stdout: stdout.replace(/\0$/, ''), stderr: stderr.replace(/\0$/, '') });
}

/** They update the index and log what they find, which other commands show. */
const LEAVES_TRACES = /^memory /;
/** Commands that only print, and succeed: oclif runs all of them in one process. */
const PRINTING = COMMANDS.map(({ id }) => id.replaceAll(':', ' ')).filter((command) => {
  const { changes, ready, input, exits } = cases[command] ?? {};
  const isPlain = [changes, ready, input, exits].every((how) => how === undefined);
  return isPlain && !LEAVES_TRACES.test(command) && !NEEDS_A_SERVICE.includes(command);
});

async function printedByOclif(): Promise<ReadonlyMap<string, Ended>> {
  const lines = PRINTING.map((command) => [...command.split(' '), ...(cases[command]?.args ?? [])]);
  const { code, ...text } = await runProgram(byOclif(...lines), { args: [] });
  const [stdout, stderr] = [text.stdout.split('\0'), text.stderr.split('\0')];
  assert.equal([code, stdout.length], [0, PRINTING.length + 1], text.stderr);
  return new Map(
    PRINTING.map((command, at) => [
      command,
      steady({ code: 0, stdout: stdout[at] ?? '', stderr: stderr[at] ?? '' }),
    ]),
  );
}

const printed = await printedByOclif();

for (const { id, aliases } of COMMANDS) {
  const command = id.replaceAll(':', ' ');
  if (NEEDS_A_SERVICE.includes(command)) continue;
  test(`svc ${command}`, async () => {
    const how = cases[command];
    assert.ok(how, 'bench/command-cases.ts says how it is run');
    const own =
      printed.get(command) ?? (await ended(byOclif([...command.split(' '), ...how.args]), how));
    assert.ok((how.exits ?? [0]).includes(own.code ?? -1), own.stderr);
    for (const name of [id, ...aliases]) {
      assert.equal(await ended([FAST, ...name.split(':'), ...how.args], how), own, name);
    }
  });
}

for (const command of NEEDS_A_SERVICE) {
  test(`svc ${command} with an unknown flag`, async () => {
    const how = { args: ['--no-such-flag'] };
    const words = [...command.split(' '), ...how.args];
    const own = await ended(byOclif(words), how);
    assert.is(own.code, 2);
    assert.equal(await ended([FAST, ...words], how), own);
  });
}

test.run();
