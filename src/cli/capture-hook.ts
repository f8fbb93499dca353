import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { TRANSCRIPT_READERS } from '../engine/memory/sources/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { makeFolders, PRIVATE_MODE } from '../engine/support/files.js';
import { RotatingFile } from '../engine/support/rotating-file.js';
import { isRecord, parsedJson } from '../engine/support/text.js';
import { programWords } from './context.js';
import type { TargetFlags } from './flags.js';
import { readHookInput } from './hook-input.js';

/** The shortest time that an agent gives a hook is 1.5 s. */
const INPUT_MS = 800;

async function callOnStdin(): Promise<unknown> {
  if (process.stdin.isTTY) return undefined;
  const text = await readHookInput(process.stdin)(INPUT_MS);
  return text === undefined ? undefined : parsedJson(text);
}

/** Its plugin names the conversation, and runs svc with its variables, which say where the database is. */
function opencodeCall(session: string | undefined, { env, homeDir }: EngineContext): unknown {
  if (session === undefined) return undefined;
  const folder = TRANSCRIPT_READERS.opencode.defaultLocation({
    env,
    homeDir,
    agentSessionsDir: '',
  });
  return { session_id: session, transcript_path: folder };
}

/** The first of some fields of a hook's JSON that is not empty. */
function textField(call: unknown, ...names: readonly string[]): string | undefined {
  const values = names.map((name) => (isRecord(call) ? call[name] : undefined));
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Agents create a transcript with the first message, so a conversation that ends without one has none. */
function isEnd(call: unknown): boolean {
  return textField(call, 'hook_event_name')?.toLowerCase() === 'sessionend';
}

/** Cursor runs the hooks of a user in its own folder, and names those of the project. */
function projectFolder(call: unknown): string | undefined {
  const roots = isRecord(call) ? call['workspace_roots'] : undefined;
  const [root]: readonly unknown[] = Array.isArray(roots) ? roots : [];
  if (typeof root !== 'string' || !isAbsolute(root)) return undefined;
  return statSync(root, { throwIfNoEntry: false })?.isDirectory() === true ? root : undefined;
}

/**
 * Answers a hook of an agent: starts the capture of its conversation in a process of its own and does not wait for it,
 * since some agents end their hooks after a moment. What goes wrong there is in `logs/capture.log`.
 *
 * @throws the system's error if there can be no log, or no process
 */
export async function runCaptureHook(
  reader: string,
  flags: TargetFlags & { readonly session?: string | undefined },
  context: EngineContext,
): Promise<void> {
  const call = reader === 'opencode' ? opencodeCall(flags.session, context) : await callOnStdin();
  const transcript = textField(call, 'transcript_path');
  const session = textField(call, 'session_id', 'conversation_id');
  if (transcript === undefined) return;
  if (isEnd(call) && !existsSync(transcript)) return;
  const { agent, workspace, config } = flags;
  const words = Object.entries({ session, agent, workspace, config }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  const file = join(context.state.stateDir, 'logs', 'capture.log');
  // Fails if the folder cannot be created; a RotatingFile would ignore that.
  makeFolders(dirname(file));
  // Sets a full log aside.
  const rotating = new RotatingFile(file);
  rotating.write('');
  rotating.close();
  const log = openSync(file, 'a', PRIVATE_MODE);
  try {
    const [command, ...script] = programWords();
    const capture = ['memory', 'capture', `--reader=${reader}`, ...words, '--', transcript];
    const child = spawn(command, [...script, ...capture], {
      detached: true,
      cwd: projectFolder(call) ?? context.cwd,
      stdio: ['ignore', 'ignore', log],
    });
    await once(child, 'spawn');
    child.unref();
  } finally {
    closeSync(log);
  }
}
