import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SvcError, systemErrorCode, systemReason, type Warning } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { PRIVATE_MODE, readRegularFile, unlessSystemError } from '../support/files.js';
import { replaceFile } from '../support/replace-file.js';
import { parsedJson } from '../support/text.js';
import { activeMemoryFolder } from './state-file.js';

/** Conversations with recalls turned off, by agent and session key. */
const togglesSchema = z.record(z.string(), z.object({ offSinceMs: z.number() }));
type Toggles = z.infer<typeof togglesSchema>;

/** Beyond this number, those turned off longest ago are dropped. */
const MAX_TOGGLES = 10_000;

/** Where turned-off conversations are stored (facts §1.5). */
export function togglesFile(stateDir: string): string {
  return join(activeMemoryFolder(stateDir), 'session-toggles.json');
}

/**
 * Whether recalls are turned off for a conversation. An unreadable file counts as off: a damaged file must
 * not turn recalls back on.
 */
export function isSwitchedOff(stateDir: string, agentId: string, sessionKey: string): boolean {
  const toggles = unlessSystemError(() => readToggles(togglesFile(stateDir))) ?? 'damaged';
  return toggles === 'damaged' || Object.hasOwn(toggles, keyOf(agentId, sessionKey));
}

/** Which conversation to turn recalls on or off for. */
interface SessionSwitch {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly on: boolean;
}

/**
 * Turns recalls on or off for one conversation, permanently. A file that is damaged is kept under another name.
 *
 * @returns a warning if the switches of other conversations were lost
 * @throws SvcError STATE_UNWRITABLE
 */
export async function switchSession(
  context: EngineContext,
  { agentId, sessionKey, on }: SessionSwitch,
  signal: AbortSignal,
): Promise<Warning | undefined> {
  const { stateDir } = context.state;
  const file = togglesFile(stateDir);
  const { withProcessLock } = await import('../sqlite/process-lock.js');
  const work = async (): Promise<Warning | undefined> => {
    const found = readToggles(file);
    const { [keyOf(agentId, sessionKey)]: _, ...others } = found === 'damaged' ? {} : found;
    const toggles: Toggles = on
      ? others
      : { ...others, [keyOf(agentId, sessionKey)]: { offSinceMs: context.clock.now() } };
    const kept = Object.entries(toggles).slice(-MAX_TOGGLES);
    const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
    if (found === 'damaged') copyFileSync(file, `${file}.broken`);
    replaceFile(file, text, PRIVATE_MODE);
    if (found !== 'damaged') return undefined;
    return {
      code: 'RECALL_SWITCHES_RESET',
      message: `${file} was damaged: recalls are on again for all other conversations`,
      hint: `turn them off again; what the file contained is in ${file}.broken`,
    };
  };
  try {
    const lock = join(activeMemoryFolder(stateDir), 'session-toggles.lock');
    return await withProcessLock(lock, { signal }, work);
  } catch (error) {
    signal.throwIfAborted();
    throw new SvcError('STATE_UNWRITABLE', `cannot change ${file}: ${systemReason(error)}`, {
      hint: `check the permissions of ${activeMemoryFolder(stateDir)} and free disk space`,
      cause: error,
    });
  }
}

/** @throws the system's error */
function readToggles(file: string): Toggles | 'damaged' {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw error;
  }
  const read = togglesSchema.safeParse(parsedJson(text));
  return read.success ? read.data : 'damaged';
}

function keyOf(agentId: string, sessionKey: string): string {
  return `${agentId}:${sessionKey.trim().toLowerCase()}`;
}
