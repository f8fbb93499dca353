/**
 * Stands in for `qmd`: the same commands, answers and files, by the release that its switches name,
 * and every way to fail. test/support/qmd.ts installs it, test/fakes/qmd.test.ts holds it against
 * what real releases answered.
 */
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './commands.mjs';
import { serveMcp } from './mcp.mjs';
import { after, before, between, dueFor } from './misbehave.mjs';
import { RELEASES } from './releases.mjs';
import { placesOf } from './store.mjs';

const TOLD = ['HOME', 'NO_COLOR', 'PATH', 'QMD_CONFIG_DIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'];

/** @param folder where it is installed: its switches and its log */
export async function main(folder) {
  const switches = JSON.parse(readFileSync(join(folder, 'switches.json'), 'utf8'));
  const { env, pid } = process;
  const [, , ...args] = process.argv;
  const cwd = process.cwd();
  log(folder, { args, cwd, pid, env: Object.fromEntries(TOLD.map((name) => [name, env[name]])) });
  const release = RELEASES[switches.version];
  const at = { places: placesOf(env), release, cwd, folder };
  const command = commandOf(args);
  const due = dueFor(command, switches, folder);
  const ended = await before(due, at);
  const answer = ended ?? runCommand(args, { ...at, shape: due?.kind });
  if (answer === undefined) return serveMcp({ ...at, heard: hearing(due, folder) });
  await between(due, folder);
  end(after(due, answer));
}

function commandOf(args) {
  const [first = 'help', second = ''] = args;
  if (first === 'collection') return second;
  return first.startsWith('-') ? first.replace(/^-+/, '') : first;
}

function hearing(due, folder) {
  return ({ method, params }) => {
    log(folder, { mcp: method, tool: params?.name, arguments: params?.arguments });
    const call = method === 'tools/call';
    if (due?.kind === 'dies_in_call' && call) process.kill(process.pid, 'SIGKILL');
    if (due?.kind === 'hangs_in_call' && call) return 'say nothing';
    return due?.kind === 'says_nothing' ? 'say nothing' : undefined;
  };
}

function log(folder, line) {
  appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify(line)}\n`);
}

function end({ status, stdout, stderr, dies }) {
  writeAll(2, stderr);
  writeAll(1, stdout);
  if (dies) process.kill(process.pid, 'SIGKILL');
  process.exitCode = status;
}

/** At once, and the whole: a pipe may take less than is written. */
function writeAll(descriptor, text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (error.code === 'EPIPE') return;
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
