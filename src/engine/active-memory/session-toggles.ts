import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { PRIVATE_MODE, replaceFile } from '../support/files.js';

/** Conversations with recalls turned off, by agent and session key. */
const togglesSchema = z.record(z.string(), z.object({ offSinceMs: z.number() }));
type Toggles = z.infer<typeof togglesSchema>;

/** Beyond this number, those turned off longest ago are dropped. */
const MAX_TOGGLES = 10_000;

function folderOf(stateDir: string): string {
  return join(stateDir, 'plugins', 'active-memory');
}

/** Where turned-off conversations are stored (facts §1.5). */
export function togglesFile(stateDir: string): string {
  return join(folderOf(stateDir), 'session-toggles.json');
}

/**
 * Whether recalls are turned off for a conversation. An unreadable file counts as off: a damaged file must
 * not turn recalls back on.
 */
export function isSwitchedOff(stateDir: string, agentId: string, sessionKey: string): boolean {
  const toggles = readToggles(stateDir);
  return toggles === 'broken' || Object.hasOwn(toggles, keyOf(agentId, sessionKey));
}

/**
 * Turns recalls on or off for one conversation, permanently.
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
  const { withProcessLock } = await import('../sqlite/process-lock.js');
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
    throw new SvcError('STATE_UNWRITABLE', `cannot write ${file}: ${systemReason(error)}`, {
      hint: `check the permissions of ${folderOf(stateDir)} and free disk space`,
      cause: error,
    });
  }
}

function readToggles(stateDir: string): Toggles | 'broken' {
  try {
    return togglesSchema.parse(JSON.parse(readFileSync(togglesFile(stateDir), 'utf8')));
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? {} : 'broken';
  }
}

function keyOf(agentId: string, sessionKey: string): string {
  return `${agentId}:${sessionKey.trim().toLowerCase()}`;
}
