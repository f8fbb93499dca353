/**
 * `npm run bench -- commands [--rounds N] [--only WORDS] [--write]`: every command of the manifest as a whole
 * process, doing what it is for in a small home, beside `node -e 0` in the same run. Cold is the first run
 * in a home in which svc has made nothing yet: no index, no remembered verdict on the configuration, no
 * compiled code. The files of the program itself may be in the system's cache. The fastest of each counts:
 * what else the machine does only ever adds. `--write` puts the table into docs/performance.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CLIENT_ID, startCopilotFake } from '../test/fakes/github-copilot.js';
import { peakOf, type Run, timeRun } from './child.js';
import { type CommandCase, commandCases } from './command-cases.js';
import { type CommandHome, makeCommandHome } from './command-home.js';
import { median } from './measure.js';
import { markdownTable, plainTable, takenOn, writeSection } from './page-tables.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const COLD_ROUNDS = 2;

interface Measured {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly floorMs: number;
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
    const provider = await started(
      children,
      ['--import', 'tsx', join(root, 'bench/instant-provider.ts'), '64'],
      {},
      /(http\S+)/,
    );
    const world = await makeCommandHome(dir, program, { provider, login: login.origin });
    const served = join(dir, 'served');
    cpSync(world.home, served, { recursive: true });
    const listener = await started(
      children,
      [program, 'webhook', 'serve', '--plain'],
      { HOME: served, SVC_HOME: served },
      /listening on (http[^"\s]+)/,
    );
    const cases = commandCases({ ...world.facts, clientId: CLIENT_ID, listener });
    const measured = new Map<string, Measured>();
    for (const command of commands) {
      try {
        const how = cases[command];
        if (how === undefined) throw new Error('bench/command-cases.ts has no arguments for it');
        measured.set(command, await measure(world, command, how, Number(values.rounds)));
      } catch (error) {
        // The others are worth having.
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

/** The words of every command, from the manifest that the package carries. */
function listedCommands(): readonly string[] {
  const text = readFileSync(join(root, 'oclif.manifest.json'), 'utf8');
  const { commands }: { readonly commands: Readonly<Record<string, unknown>> } = JSON.parse(text);
  return Object.keys(commands)
    .map((id) => id.replaceAll(':', ' '))
    .sort();
}

/** Starts a service; the address that it tells. */
function started(
  children: ChildProcess[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  told: RegExp,
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
      const url = told.exec(text)?.[1];
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
  how: CommandCase,
  rounds: number,
): Promise<Measured> {
  const { home, env } = world;
  const { input, ready, exits } = how;
  const args = [program, ...command.split(' '), ...how.args];
  const run: Run = { name: command, args, env, cwd: home, input, ready, exits };
  const bare: Run = { name: 'node -e 0', args: ['-e', '0'], env, cwd: home };
  const cold: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round++) {
    world.toFresh();
    cold.push(await timeRun(run));
  }
  const warm: number[] = [];
  const floor: number[] = [];
  world.toWarm('notes');
  const peakMb = await peakOf(run);
  // One round before counting warms what the home does not hold.
  for (let round = 0; round <= rounds; round++) {
    if (how.changes !== undefined) world.toWarm(how.changes);
    const floorMs = await timeRun(bare);
    const warmMs = await timeRun(run);
    if (round > 0) floor.push(floorMs);
    if (round > 0) warm.push(warmMs);
  }
  return {
    coldMs: Math.min(...cold),
    warmMs: Math.min(...warm),
    floorMs: Math.min(...floor),
    peakMb,
  };
}

function report(measured: ReadonlyMap<string, Measured>, write: boolean): void {
  const floorMs = median([...measured.values()].map((one) => one.floorMs));
  const head = ['command', 'cold', 'warm', 'beside node', 'peak memory'];
  const body = [...measured].map(([command, one]) => [
    command,
    `${one.coldMs.toFixed(0)} ms`,
    `${one.warmMs.toFixed(0)} ms`,
    `${(one.warmMs / one.floorMs).toFixed(2)} ×`,
    `${one.peakMb.toFixed(0)} MiB`,
  ]);
  const caption = `\`node -e 0\` took ${floorMs.toFixed(0)} ms. ${takenOn()}.`;
  console.log(`${caption}\n\n${plainTable([head, ...body])}`);
  if (!write) return;
  const named = body.map(([command = '', ...cells]) => [`\`svc ${command}\``, ...cells]);
  writeSection('commands', `${caption}\n\n${markdownTable([head, ...named])}`);
}

await main();
