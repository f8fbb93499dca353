import { join } from 'node:path';
import {
  blocksOf,
  NOISE,
  stringField,
  type TranscriptReader,
  type TurnRole,
  textOfContent,
  timeOf,
  turnOrNoise,
  withoutInjections,
} from '../transcript-reader.js';

const ROLES: Readonly<Record<string, TurnRole>> = { user: 'user', gemini: 'assistant' };
const MACHINE_BLOCKS = blocksOf(['session_context', 'state_snapshot', 'hook_context']);
const SET_UP = /^This is the Gemini CLI\. We are setting up the context for our chat\./u;

/**
 * Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl` (`GEMINI_CLI_HOME` moves the home folder). The
 * first line has `sessionId`, `projectHash` (SHA-256 of the project's folder) and `kind`; conversation is `{id,
 * timestamp, type: "user" | "gemini", content}`, and a line with an earlier id replaces that line. Older releases wrote
 * one `.json` file per session; these are not read, because the program converts a file to lines when it is resumed.
 * https://github.com/google-gemini/gemini-cli, packages/core/src/services/chatRecordingService.ts
 */
export const geminiCliReader: TranscriptReader = {
  defaultLocation: ({ env, homeDir }) => join(env['GEMINI_CLI_HOME'] || homeDir, '.gemini', 'tmp'),
  // A session's own folder contains its sub-agents' sessions.
  accepts: (segments, kind) =>
    kind === 'folder'
      ? segments.length === 1 || (segments.length === 2 && segments[1] === 'chats')
      : /^session-.*\.jsonl$/u.test(segments.at(-1) ?? '') && segments.length <= 3,
  folderOf: (record) => stringField(record, 'projectHash'),
  read(record) {
    if (stringField(record, 'kind') === 'subagent') return { type: 'exclude' };
    const role = ROLES[stringField(record, 'type') ?? ''];
    if (role === undefined) return NOISE;
    // Parts in the Gemini API have no type: those with text that are not thoughts are text.
    const content = record['displayContent'] ?? record['content'];
    const rawText = textOfContent(content, ({ thought }) => thought !== true);
    const text = withoutInjections(rawText, MACHINE_BLOCKS);
    if (SET_UP.test(text)) return NOISE;
    return turnOrNoise(role, text, timeOf(record['timestamp']), stringField(record, 'id'));
  },
};
