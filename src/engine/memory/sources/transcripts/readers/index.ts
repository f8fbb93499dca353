import type { SessionReaderId } from '../../../../config/index.js';
import type { TranscriptReader } from '../transcript-reader.js';
import { claudeCodeReader } from './claude-code.js';
import { codexReader } from './codex.js';
import { cursorReader } from './cursor.js';
import { geminiCliReader } from './gemini-cli.js';
import { openclawReader } from './openclaw.js';
import { opencodeReader } from './opencode.js';
import { svcReader } from './svc.js';

/** Readers by their name in `sessions.readers`. */
export const TRANSCRIPT_READERS: Readonly<Record<SessionReaderId, TranscriptReader>> = {
  svc: svcReader,
  'claude-code': claudeCodeReader,
  codex: codexReader,
  'gemini-cli': geminiCliReader,
  cursor: cursorReader,
  opencode: opencodeReader,
  openclaw: openclawReader,
};
