import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryStore } from '../memory/forget/index.js';
import type { EngineContext } from '../support/context.js';
import { ifThere, makeFolders, PRIVATE_MODE } from '../support/files.js';
import { shortHash } from '../support/text.js';
import { iso } from '../support/time.js';
import type { CondensePrompt } from './model.js';
import { activeMemoryFolder, emptyRecalls } from './state-file.js';

function transcriptsFolder(stateDir: string): string {
  return join(activeMemoryFolder(stateDir), 'transcripts');
}

/**
 * Stores a model's prompt and answer (`persistTranscripts`) as JSON lines readable by the owner only.
 *
 * @param dir `transcriptDir`; always below the state folder
 * @throws nothing: it must not fail the turn
 */
export function keepTranscript(
  { state, clock }: EngineContext,
  agentId: string,
  dir: string,
  { prompt, summary }: { readonly prompt: CondensePrompt; readonly summary: string },
): void {
  const parts = dir.split(/[\\/]+/u).filter((part) => !/^\.*$/u.test(part) && !part.includes('\0'));
  const timestamp = iso(clock.now());
  const lines = [
    { role: 'system', content: prompt.system },
    { role: 'user', content: prompt.user },
    { role: 'assistant', content: summary === '' ? 'NONE' : summary },
  ].map((message) => JSON.stringify({ type: 'message', message: { ...message, timestamp } }));
  const name = `${timestamp.replaceAll(':', '-')}-${shortHash(prompt.user)}.jsonl`;
  try {
    const folder = join(transcriptsFolder(state.stateDir), 'agents', agentId, ...parts);
    makeFolders(folder);
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: PRIVATE_MODE });
  } catch {
    // Transcripts are only for debugging.
  }
}

/** The names that {@link keepTranscript} gives. */
const TRANSCRIPT_NAME = /^\d{4}-\d\d-\d\dT[\d.-]+Z-[\da-f]+\.jsonl$/u;

/**
 * Deletes the stored transcripts of all agents.
 *
 * @returns how many
 * @throws the system's error
 */
function removeTranscripts(stateDir: string): number {
  const folder = transcriptsFolder(stateDir);
  const entries =
    ifThere(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = entries.filter((entry) => entry.isFile() && TRANSCRIPT_NAME.test(entry.name));
  for (const { parentPath, name } of files) rmSync(join(parentPath, name), { force: true });
  return files.length;
}

/**
 * Removes all cached recalls and stored transcripts: notes are shortened and reworded in them, so what
 * contains forgotten text cannot be recognized. Undefined if nothing was ever recalled.
 */
export function recallStore(stateDir: string): MemoryStore | undefined {
  if (!existsSync(activeMemoryFolder(stateDir))) return undefined;
  return {
    follow: async () => {
      const changed = emptyRecalls(stateDir) + removeTranscripts(stateDir);
      return { store: 'active memory', changed, clean: true };
    },
  };
}
