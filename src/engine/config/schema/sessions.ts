import * as z from 'zod/mini';
import { key, requiredKey, text } from './keys.js';

/** `sessions`: whose transcripts are read (configuration reference). */
export function sessions() {
  const named = z.strictObject({
    id: requiredKey(text(), 'Name of the reader'),
    path: key(
      text(),
      'Folder of its transcripts when not the usual one; all below it are taken, whatever project they are of; `{agentId}` stands for the agent',
    ),
  });
  return z.strictObject({
    readers: key(
      z.array(z.union([text(), named])),
      'Readers of session transcripts, by name or as `{id, path}`: `svc`, `claude-code`, `codex`, `gemini-cli`, `cursor`',
    ),
  });
}
