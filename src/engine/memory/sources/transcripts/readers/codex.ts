import { join } from 'node:path';
import { isRecord } from '../../../../support/text.js';
import {
  blocksOf,
  type LineRecord,
  NOISE,
  objectField,
  roleOf,
  stringField,
  type TranscriptReader,
  textOfContent,
  timeOf,
  turnOrNoise,
  withoutInjections,
} from '../transcript-reader.js';

const TEXT_PARTS: readonly unknown[] = ['input_text', 'output_text', 'text'];

/** Text that Codex inserts as the user. */
const MACHINE_BLOCKS = blocksOf([
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'turn_aborted',
  'user_action',
  'user_shell_command',
  'subagent_notification',
  'skill',
]);
/** What the IDE extension and the desktop app put before a message: open tabs, attached files. */
const CONTEXT = /^(?:# [^\n]{1,80}:\n.*?\n)?## My request for Codex:/su;
const INSTRUCTIONS = /^# AGENTS\.md instructions\b/u;

/**
 * Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, and `archived_sessions` next to it if
 * configured (`CODEX_HOME` moves `~/.codex`). Lines are `{timestamp, type, payload}`: `session_meta` with the
 * `cwd` first, conversation as `response_item` of type `message`; `event_msg` lines repeat the same text.
 * Releases before autumn 2025 wrote only the payload. https://github.com/openai/codex,
 * codex-rs/protocol/src/protocol.rs (RolloutItem), models.rs
 */
export const codexReader: TranscriptReader = {
  defaultLocation: ({ env, homeDir }) =>
    join(env['CODEX_HOME'] || join(homeDir, '.codex'), 'sessions'),
  accepts: (segments, kind) =>
    kind === 'folder' ? segments.length <= 3 : /^rollout-.*\.jsonl$/u.test(segments.at(-1) ?? ''),
  folderOf(record) {
    const isMeta = stringField(record, 'type') === 'session_meta';
    return isMeta ? stringField(payloadOf(record), 'cwd') : undefined;
  },
  read(record) {
    const type = stringField(record, 'type');
    if (type === 'session_meta' && isOfSubAgent(payloadOf(record))) return { type: 'exclude' };
    if (type !== 'response_item' && type !== 'message') return NOISE;
    const item = payloadOf(record);
    if (stringField(item, 'type') !== 'message') return NOISE;
    const rawText = textOfContent(item['content'], (part) => TEXT_PARTS.includes(part['type']));
    const role = roleOf(stringField(item, 'role'));
    const message = withoutInjections(rawText, MACHINE_BLOCKS);
    if (INSTRUCTIONS.test(message)) return NOISE;
    const text = role === 'user' ? message.replace(CONTEXT, '').trim() : message;
    return turnOrNoise(role, text, timeOf(record['timestamp']));
  },
};

/** `source` is a string, or `{subagent: …}` in a conversation started by another one. */
function isOfSubAgent({ source }: LineRecord): boolean {
  return source === 'subagent' || (isRecord(source) && 'subagent' in source);
}

function payloadOf(record: LineRecord): LineRecord {
  return objectField(record, 'payload') ?? record;
}
