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

/** Text that Codex inserts as the user, and what an answer cites of its own memories. */
const MACHINE_BLOCKS = blocksOf([
  'environment_context',
  'recommended_plugins',
  'codex_internal_context',
  'goal_context',
  'extension_context',
  'hook_prompt',
  'next_prompt_suggestion',
  'agent_message_board_notification',
  'oai-mem-citation',
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
/** Instructions, the summary of a conversation, and warnings of older releases, in parts of their own. */
const NOTICE =
  /^(?:# AGENTS\.md instructions\b|Another language model started to solve this problem and produced a summary |Warning: (?:The maximum number of unified exec processes |apply_patch was requested via |Your account was flagged for potentially high-risk ))/u;
/** What a client adds, and the tags around an image, in parts of their own. */
const TAGGED =
  /^<(?:external_(?<key>[\w.-]{1,80})>.*<\/external_\k<key>|image(?: name=[^>]*)?|\/image)>$/su;

/**
 * Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, and `archived_sessions` next to it if
 * configured (`CODEX_HOME` moves `~/.codex`). Lines are `{timestamp, type, payload}`: `session_meta` with the
 * `cwd` first, conversation as `response_item` of type `message`; `event_msg` lines repeat the same text.
 * Releases before autumn 2025 wrote only the payload. Files older than a week may be compressed (`.jsonl.zst`).
 * https://github.com/openai/codex, codex-rs/protocol/src/protocol.rs (RolloutItem), models.rs; rollout/src/compression.rs
 */
export const codexReader: TranscriptReader = {
  defaultLocation: ({ env, homeDir }) =>
    join(env['CODEX_HOME'] || join(homeDir, '.codex'), 'sessions'),
  accepts: (segments, kind) =>
    kind === 'folder'
      ? segments.length <= 3
      : /^rollout-.*\.jsonl(?:\.zst)?$/u.test(segments.at(-1) ?? ''),
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
    const rawText = textOfContent(item['content'], isSaid);
    const role = roleOf(stringField(item, 'role'));
    const message = withoutInjections(rawText, MACHINE_BLOCKS);
    const text = role === 'user' ? message.replace(CONTEXT, '').trim() : message;
    return turnOrNoise(role, text, timeOf(record['timestamp']));
  },
};

function isSaid(part: LineRecord): boolean {
  const text = stringField(part, 'text')?.trim() ?? '';
  return TEXT_PARTS.includes(part['type']) && !NOTICE.test(text) && !TAGGED.test(text);
}

/** `source` is a string, or `{subagent: …}` in a conversation started by another one. */
function isOfSubAgent({ source }: LineRecord): boolean {
  return source === 'subagent' || (isRecord(source) && 'subagent' in source);
}

function payloadOf(record: LineRecord): LineRecord {
  return objectField(record, 'payload') ?? record;
}
