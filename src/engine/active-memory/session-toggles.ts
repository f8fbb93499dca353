import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { SvcError, systemErrorCode } from '../errors/index.js';

/** Conversations that recalls are switched off for; by agent and session key. */
type Toggles = Readonly<Record<string, { readonly offSinceMs: number }>>;

/** Conversations that were switched off longest ago are forgotten beyond this number. */
const MAX_TOGGLES = 10_000;

function folderOf(stateDir: string): string {
  return join(stateDir, 'plugins', 'active-memory');
}

/** Where the switches lie (facts §1.5). */
export function togglesFile(stateDir: string): string {
  return join(folderOf(stateDir), 'session-toggles.json');
}

/**
 * Whether the person switched recalls off for a conversation. A file that is there and cannot be read
 * counts as off: nobody is to get what they switched off because a file broke.
 */
export function isSwitchedOff(stateDir: string, agentId: string, sessionKey: string): boolean {
  const toggles = readToggles(stateDir);
  return toggles === 'broken' || Object.hasOwn(toggles, keyOf(agentId, sessionKey));
}

/**
 * Switches recalls on or off for one conversation, for good.
 *
 * @throws SvcError STATE_UNWRITABLE
 */
export async function switchSession(
  context: EngineContext,
  agentId: string,
  sessionKey: string,
  on: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { stateDir } = context.state;
  const [{ withProcessLock }, { PRIVATE_MODE, replaceFile }] = await Promise.all([
    import('../process-lock.js'),
    import('../replace-file.js'),
  ]);
  const work = async (): Promise<void> => {
    const found = readToggles(stateDir);
    const { [keyOf(agentId, sessionKey)]: _, ...others } = found === 'broken' ? {} : found;
    const toggles: Toggles = on
      ? others
      : { ...others, [keyOf(agentId, sessionKey)]: { offSinceMs: context.clock.now() } };
    const kept = Object.entries(toggles).slice(-MAX_TOGGLES);
    const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
    replaceFile(togglesFile(stateDir), text, PRIVATE_MODE);
  };
  try {
    await withProcessLock(join(folderOf(stateDir), 'session-toggles.lock'), { signal }, work);
  } catch (error) {
    signal.throwIfAborted();
    const file = togglesFile(stateDir);
    throw new SvcError('STATE_UNWRITABLE', `${file} cannot be written (${codeOf(error)})`, {
      hint: `check the permissions of ${folderOf(stateDir)} and the space on its disk`,
      cause: error,
    });
  }
}

function readToggles(stateDir: string): Toggles | 'broken' {
  try {
    const value: unknown = JSON.parse(readFileSync(togglesFile(stateDir), 'utf8'));
    return isToggles(value) ? value : 'broken';
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? {} : 'broken';
  }
}

function isToggles(value: unknown): value is Toggles {
  return (
    isRecord(value) &&
    Object.values(value).every((entry) => isRecord(entry) && Number.isFinite(entry['offSinceMs']))
  );
}

function keyOf(agentId: string, sessionKey: string): string {
  return `${agentId}:${sessionKey.trim().toLowerCase()}`;
}

function codeOf(error: unknown): string {
  return systemErrorCode(error) ?? 'unknown error';
}
