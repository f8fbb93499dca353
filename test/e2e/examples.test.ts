import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS, type Command } from '../docs/command-line.js';
import { OPENAI_KEY } from '../fakes/openai.js';
import { runInSession } from '../support/svc-session.js';
import {
  type ExampleVendors,
  type ExampleWorld,
  startVendors,
  worldFor,
} from './example-worlds.js';

/** Every example of every help text, as a shell understands it. */
const test = suite('examples of help');

/** Examples that run until they are stopped. */
const LONG_LIVED =
  /--follow|--watch|--http|^svc (?:(?:webhook )?serve|flow watch|task watch)(?! --print)/;
/** Commands whose examples would prevent each other: each example gets a new world. */
const NEEDS_NEW_WORLD =
  /^(?:config:init|dream:(?:promote|reject|undo)|flow:cancel|memory:(?:promote|import)|provider:logout|task:|.*backfill)/;
/** A command alone, without pipes, files or variables of its own. */
const ONLY_WORDS = /^svc [^|<>;&]*$/;
/** Set-up, which needs a home without a configuration. */
const SETS_UP = /^svc config init(?: --yes)?$/;
const TIME_LIMIT_MS = 60_000;

interface ExampleRun {
  readonly example: string;
  readonly code: number | null;
  readonly output: string;
}

function examplesOf(command: Command): readonly string[] {
  return (command.examples ?? []).map((example) =>
    example
      .replaceAll('<%= config.bin %>', 'svc')
      .replaceAll('<%= command.id %>', command.id.replaceAll(':', ' ')),
  );
}

async function runExample(
  { id, flags }: Command,
  example: string,
  world: ExampleWorld,
): Promise<ExampleRun> {
  const replacements = Object.entries(world.replacements).sort(([a], [b]) => b.length - a.length);
  const commandLine = replacements.reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    example,
  );
  // Nobody can answer a question here.
  const asks = id !== 'config:init' && 'yes' in flags && !/ (?:--yes|-y)\b/u.test(commandLine);
  const line = asks ? `${commandLine} --yes` : commandLine;
  const cwd = world.home.path;
  const env = { ...world.env, ...leaseEnv(world), ...keyEnv(example) };
  if (ONLY_WORDS.test(line) && world.input === '' && !LONG_LIVED.test(example)) {
    const split = `svc() { printf '%s\\0' "$@"; }; ${line}`;
    const { stdout: words } = spawnSync('sh', ['-c', split], { cwd, env, encoding: 'utf8' });
    const run = await runInSession(words.split('\0').slice(0, -1), { home: cwd, env });
    return { example, code: run.code, output: run.stdout + run.stderr };
  }
  const child = spawn('sh', ['-c', `exec ${line}`], {
    cwd,
    env,
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let isStopped = false;
  const addOutput = (text: string): void => {
    output += text;
    // Only once: a second Ctrl-C would end it at once.
    if (!isStopped && LONG_LIVED.test(example)) child.kill('SIGINT');
    isStopped = true;
  };
  child.stdout.setEncoding('utf8').on('data', addOutput);
  child.stderr.setEncoding('utf8').on('data', addOutput);
  child.stdin.on('error', () => undefined);
  child.stdin.end(world.input);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { example, code, output };
}

function leaseEnv({ replacements }: ExampleWorld): Readonly<Record<string, string>> {
  const { lease } = replacements;
  return lease === undefined ? {} : { SVC_LEASE_TOKEN: lease };
}

function keyEnv(example: string): Readonly<Record<string, string>> {
  return example.includes('OPENAI_API_KEY') ? { OPENAI_API_KEY: OPENAI_KEY } : {};
}

async function runAll(command: Command, vendors: ExampleVendors): Promise<readonly ExampleRun[]> {
  const runs: ExampleRun[] = [];
  const groups = NEEDS_NEW_WORLD.test(command.id)
    ? examplesOf(command).map((example) => [example])
    : [examplesOf(command)];
  for (const group of groups) {
    const world = await worldFor(command.id, vendors);
    try {
      for (const example of group) {
        if (SETS_UP.test(example)) rmSync(world.home.at('svc.json'));
        runs.push(await runExample(command, example, world));
      }
    } finally {
      await world.close();
    }
  }
  return runs;
}

/** An example that exits with 1, since it shows a refusal. */
const REFUSES = /^svc memory scope test --chat-type group/;

function faultOf({ example, code, output }: ExampleRun): string | undefined {
  const allowed = LONG_LIVED.test(example) ? [0, 130] : REFUSES.test(example) ? [1] : [0];
  const succeeded = code !== null && allowed.includes(code) && !/bug in svc|"BUG"/.test(output);
  return succeeded ? undefined : `${example}\nended with ${code}:\n${output}`;
}

test('every example of every help text runs', async () => {
  const vendors = await startVendors();
  const remaining = [...COMMANDS];
  const faults: string[] = [];
  const worker = async (): Promise<void> => {
    for (let command = remaining.shift(); command !== undefined; command = remaining.shift()) {
      const runs = await runAll(command, vendors);
      faults.push(...runs.flatMap((run) => faultOf(run) ?? []));
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  } finally {
    await vendors.close();
  }
  assert.equal(faults, []);
});

test.run();
