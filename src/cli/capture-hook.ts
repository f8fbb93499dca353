import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_ROTATION, RotatingFile } from '../engine/serve/log/rotating-file.js';
import type { EngineContext } from '../engine/support/context.js';
import { PRIVATE_MODE } from '../engine/support/files.js';
import { isRecord, parsedJson } from '../engine/support/text.js';
import type { TargetFlags } from './memory-command.js';
import { BoundedInput } from './recall-turn.js';

const MAX_INPUT_BYTES = 4 * 1024 * 1024;
/** The shortest time that an agent gives a hook is 1.5 s. */
const INPUT_MS = 800;

/**
 * Answers a hook of an agent: starts the capture of its conversation in a process of its own and does not wait for it,
 * since some agents end their hooks after a moment. What goes wrong there is in `logs/capture.log`.
 */
export async function runCaptureHook(
  reader: string,
  flags: TargetFlags,
  context: EngineContext,
): Promise<void> {
  if (process.stdin.isTTY) return;
  const text = await new BoundedInput(process.stdin, MAX_INPUT_BYTES).text(INPUT_MS);
  const call = text === undefined ? undefined : parsedJson(text);
  const transcript = isRecord(call) ? call['transcript_path'] : undefined;
  const session = isRecord(call) ? call['session_id'] : undefined;
  const script = process.argv[1];
  if (typeof transcript !== 'string' || transcript === '' || script === undefined) return;
  const words = [
    ...(typeof session === 'string' && session !== '' ? [`--session=${session}`] : []),
    ...(['agent', 'workspace', 'config'] as const).flatMap((name) => {
      const value = flags[name];
      return value === undefined ? [] : [`--${name}=${value}`];
    }),
  ];
  const file = join(context.state.stateDir, 'logs', 'capture.log');
  // Makes the folder, and sets a full log aside.
  const rotating = new RotatingFile(file, LOG_ROTATION);
  rotating.write('');
  rotating.close();
  const log = openSync(file, 'a', PRIVATE_MODE);
  try {
    const args = [script, 'memory', 'capture', `--reader=${reader}`, ...words, '--', transcript];
    const child = spawn(process.execPath, args, {
      detached: true,
      cwd: context.cwd,
      stdio: ['ignore', 'ignore', log],
    });
    await new Promise<void>((resolve) => {
      child.once('spawn', resolve).once('error', () => resolve());
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}
