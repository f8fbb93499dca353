/**
 * A fake `qmd`: the same commands, answers and files as the release that its switches name, and
 * every way to fail. test/support/qmd.ts installs it, test/fakes/qmd.test.ts compares its answers
 * with those of real releases.
 */
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './commands.mjs';
import { serveMcp } from './mcp.mjs';
import { alterAnswer, linger, misbehaveBefore, misbehaviourOf } from './misbehave.mjs';
import { RELEASES } from './releases.mjs';
import { placesOf } from './store.mjs';

const LOGGED_VARIABLES = [
  'HOME',
  'NO_COLOR',
  'PATH',
  'QMD_CONFIG_DIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
];

/** @param folder where it is installed: its switches and its log */
export async function main(folder) {
  const switches = JSON.parse(readFileSync(join(folder, 'switches.json'), 'utf8'));
  const { env, pid } = process;
  const [, , ...args] = process.argv;
  const cwd = process.cwd();
  const loggedEnv = Object.fromEntries(LOGGED_VARIABLES.map((name) => [name, env[name]]));
  log(folder, { args, cwd, pid, env: loggedEnv });
  const release = RELEASES[switches.version];
  const context = { places: placesOf(env), release, cwd, folder };
  const misbehaviour = misbehaviourOf(commandOf(args), switches, folder);
  const failure = await misbehaveBefore(misbehaviour, context);
  const answer = failure ?? runCommand(args, { ...context, shape: misbehaviour?.kind });
  if (answer === undefined) {
    return serveMcp({ ...context, onRequest: requestLogger(misbehaviour, folder) });
  }
  await linger(misbehaviour, folder);
  finish(alterAnswer(misbehaviour, answer));
}

function commandOf(args) {
  const [first = 'help', second = ''] = args;
  if (first === 'collection') return second;
  return first.startsWith('-') ? first.replace(/^-+/, '') : first;
}

/** Logs each request to the MCP server, and misbehaves at it. */
function requestLogger(misbehaviour, folder) {
  return ({ method, params }) => {
    log(folder, { mcp: method, tool: params?.name, arguments: params?.arguments });
    const isCall = method === 'tools/call';
    if (misbehaviour?.kind === 'dies_in_call' && isCall) process.kill(process.pid, 'SIGKILL');
    if (misbehaviour?.kind === 'hangs_in_call' && isCall) return 'no answer';
    return misbehaviour?.kind === 'says_nothing' ? 'no answer' : undefined;
  };
}

function log(folder, line) {
  appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify(line)}\n`);
}

function finish({ status, stdout, stderr, dies }) {
  writeAll(2, stderr);
  writeAll(1, stdout);
  if (dies) process.kill(process.pid, 'SIGKILL');
  process.exitCode = status;
}

/** Writes the whole text before it returns: a pipe may take less at a time. */
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
