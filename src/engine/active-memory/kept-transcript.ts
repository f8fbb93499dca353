import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineContext } from '../context.js';
import { shortHash } from '../short-hash.js';
import type { CondensePrompt } from './condense.js';

/**
 * Keeps what a model was asked and answered (`persistTranscripts`), as one file of JSON lines that only
 * its owner may read.
 *
 * @param dir `transcriptDir`; stays below the state folder whatever it says
 * @throws nothing: a turn does not fail for it
 */
export function keepTranscript(
  { state, clock }: EngineContext,
  agentId: string,
  dir: string,
  { prompt, summary }: { readonly prompt: CondensePrompt; readonly summary: string },
): void {
  const parts = dir.split(/[\\/]+/u).filter((part) => !/^\.*$/u.test(part) && !part.includes('\0'));
  const root = join(state.stateDir, 'plugins', 'active-memory', 'transcripts', 'agents', agentId);
  const timestamp = new Date(clock.now()).toISOString();
  const lines = [
    { role: 'system', content: prompt.system },
    { role: 'user', content: prompt.user },
    { role: 'assistant', content: summary === '' ? 'NONE' : summary },
  ].map((message) => JSON.stringify({ type: 'message', message: { ...message, timestamp } }));
  const name = `${timestamp.replaceAll(':', '-')}-${shortHash(prompt.user)}.jsonl`;
  try {
    const folder = join(root, ...parts);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o600 });
  } catch {
    // What is kept is for looking at later.
  }
}
