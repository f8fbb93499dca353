/**
 * `npm run bench -- commands [--rounds N] [--only WORDS] [--write]`: runs every command of the manifest as a whole
 * process with a typical task in a small home, compared with `node -e 0` in the same run. Cold is the first run
 * in a home where svc has created nothing yet: no index, no cached configuration verdict, no compiled code. The
 * program's files may be in the system's cache. The fastest run counts, since other load only adds time.
 * `--write` puts the table into docs/performance.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readManifest } from '../src/cli/manifest.js';
import { CLIENT_ID, startCopilotFake } from '../test/fakes/github-copilot.js';
import { peakOf, type Run, timeRun } from './child.js';
import { type CommandCase, commandCases } from './command-cases.js';
import { type CommandHome, makeCommandHome } from './command-home.js';
import { median } from './measure.js';
import { markdownTable, plainTable, takenOn, writeSection } from './page-tables.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const COLD_ROUNDS = 2;

interface CommandTimes {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly baselineMs: number;
  readonly peakMb: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const commands = listedCommands().filter((command) => command.includes(values.only));
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-commands-')));
  const children: ChildProcess[] = [];
  const login = await startCopilotFake();
  try {
    const provider = await startService(
      children,
      ['--import', 'tsx', join(root, 'bench/instant-provider.ts'), '64'],
      {},
      /(http\S+)/,
    );
    const world = await makeCommandHome(dir, program, { provider, login: login.origin });
    const listenerHome = join(dir, 'listenerHome');
    cpSync(world.home, listenerHome, { recursive: true });
    const listener = await startService(
      children,
      [program, 'webhook', 'serve', '--plain'],
      { HOME: listenerHome, SVC_HOME: listenerHome },
      /listening on (http[^"\s]+)/,
    );
    const cases = commandCases({ ...world.facts, clientId: CLIENT_ID, listener });
    const measured = new Map<string, CommandTimes>();
    for (const command of commands) {
      try {
        const commandCase = cases[command];
        if (commandCase === undefined)
          throw new Error('bench/command-cases.ts has no arguments for it');
        measured.set(command, await measure(world, command, commandCase, Number(values.rounds)));
      } catch (error) {
        // Keep the results of the other commands.
        process.exitCode = 1;
        console.error(`${command} was not measured: ${error}`);
      }
    }
    report(measured, values.write);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await login.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The names of all documented commands. */
function listedCommands(): readonly string[] {
  return Object.values(readManifest(root))
    .filter(({ hidden }) => !hidden)
    .map(({ id }) => id.replaceAll(':', ' '))
    .sort();
}

/** Starts a service. @returns the address it prints */
function startService(
  children: ChildProcess[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  urlPattern: RegExp,
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (part: string): void => {
      text += part;
      const url = urlPattern.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('exit', () => reject(new Error(`did not start: ${text}`)));
  });
}

async function measure(
  world: CommandHome,
  command: string,
  commandCase: CommandCase,
  rounds: number,
): Promise<CommandTimes> {
  const { home, env } = world;
  const { input, ready, exits } = commandCase;
  const args = [program, ...command.split(' '), ...commandCase.args];
  const run: Run = { name: command, args, env, cwd: home, input, ready, exits };
  const bare: Run = { name: 'node -e 0', args: ['-e', '0'], env, cwd: home };
  const cold: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round++) {
    world.toFresh();
    cold.push(await timeRun(run));
  }
  const warm: number[] = [];
  const baseline: number[] = [];
  world.toWarm('notes');
  const peakMb = await peakOf(run);
  // The first round is for warming up.
  for (let round = 0; round <= rounds; round++) {
    if (commandCase.changes !== undefined) world.toWarm(commandCase.changes);
    const baselineMs = await timeRun(bare);
    const warmMs = await timeRun(run);
    if (round > 0) baseline.push(baselineMs);
    if (round > 0) warm.push(warmMs);
  }
  return {
    coldMs: Math.min(...cold),
    warmMs: Math.min(...warm),
    baselineMs: Math.min(...baseline),
    peakMb,
  };
}

function report(measured: ReadonlyMap<string, CommandTimes>, write: boolean): void {
  const baselineMs = median([...measured.values()].map((one) => one.baselineMs));
  const head = ['command', 'cold', 'warm', 'relative to node', 'peak memory'];
  const body = [...measured].map(([command, one]) => [
    command,
    `${one.coldMs.toFixed(0)} ms`,
    `${one.warmMs.toFixed(0)} ms`,
    `${(one.warmMs / one.baselineMs).toFixed(2)} ×`,
    `${one.peakMb.toFixed(0)} MiB`,
  ]);
  const caption = `\`node -e 0\` took ${baselineMs.toFixed(0)} ms. ${takenOn()}.`;
  console.log(`${caption}\n\n${plainTable([head, ...body])}`);
  if (!write) return;
  const named = body.map(([command = '', ...cells]) => [`\`svc ${command}\``, ...cells]);
  writeSection('commands', `${caption}\n\n${markdownTable([head, ...named])}`);
}

await main();
