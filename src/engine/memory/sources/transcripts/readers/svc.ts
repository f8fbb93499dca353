import {
  type LineMeaning,
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

/** `x.jsonl`, and what a reset or a deletion leaves: `x.jsonl.reset.2026-02-03T04-05-06Z`. */
const TRANSCRIPT = /\.jsonl(?:\.(?:reset|deleted)\.[\w.:-]{1,255})?$/u;
/** Written next to transcripts, but not one. */
const OTHER = /\.trajectory\.jsonl|\.checkpoint\.[\w-]+\.jsonl|\.(?:bak|lock|tmp)$/u;

/** Keys of sessions that are not conversations: `agent:main:cron:…`. */
const MACHINE_SESSION = /(?:^|:)(?:cron|dreaming[\w-]*|heartbeat)(?::|$)/u;

/** Whether the key of a session says that no person takes part. */
export function isMachineSession(key: string): boolean {
  return MACHINE_SESSION.test(key);
}

/** Lines that the host adds before a message: `System: [2026-02-03 04:05] Node connected`. */
const SYSTEM_LINE = /^System(?: \([^)\n]{0,40}\))?: \[[^\]\n]{0,80}\]/u;
const SCHEDULED = /^\[cron:[^\]\n]{1,200}\]/u;
const HEARTBEAT_PROMPT = /^Read HEARTBEAT\.md\b/u;
const EXEC_NOTE =
  /^(?:An async command (?:you ran|did not run)|Exec (?:completed|finished|failed) \()/u;
/** An agent's reply when it has nothing to say. */
const SILENT = /^(?:NO_REPLY|HEARTBEAT_OK)[.!]?$|^\*\*HEARTBEAT_OK\*\*$/u;

/**
 * Transcripts of the agents that svc serves: `agents/{agentId}/sessions/*.jsonl` in the state folder. The first line
 * may be `{"type":"session", …}`; conversation is `{"type":"message","message":{"role","content","timestamp"}}`, with
 * content as text or as parts `{"type":"text","text"}`. See docs/sessions.md for the format.
 */
export const svcReader: TranscriptReader = {
  defaultLocation: ({ agentSessionsDir }) => agentSessionsDir,
  accepts: (segments, kind) => {
    const name = segments.at(-1) ?? '';
    return kind === 'file' && segments.length === 1 && TRANSCRIPT.test(name) && !OTHER.test(name);
  },
  read(record) {
    const type = stringField(record, 'type');
    if (type === 'session') return header(record);
    const message = type === 'message' ? objectField(record, 'message') : undefined;
    if (message === undefined) return NOISE;
    const at = timeOf(message['timestamp']) ?? timeOf(record['timestamp']);
    const role = roleOf(stringField(message, 'role'));
    const text = withoutInjections(textOfContent(message['content']));
    if (role === 'user') return userTurn(message, text, at);
    return SILENT.test(text) ? NOISE : turnOrNoise(role, text, at);
  },
};

function header(record: LineRecord): LineMeaning {
  const key = stringField(record, 'sessionKey') ?? stringField(record, 'key') ?? '';
  return isMachineSession(key) ? { type: 'exclude' } : NOISE;
}

function userTurn(message: LineRecord, text: string, at: string | undefined): LineMeaning {
  // Sent by another session, not by a person.
  if (stringField(objectField(message, 'provenance') ?? {}, 'kind') === 'inter_session')
    return NOISE;
  const typed = withoutSystemLines(withoutMetadata(text));
  if (SCHEDULED.test(typed)) return { type: 'exclude' };
  if (HEARTBEAT_PROMPT.test(typed) || EXEC_NOTE.test(typed)) return NOISE;
  return turnOrNoise('user', typed, at);
}

function withoutSystemLines(text: string): string {
  if (!text.trimStart().startsWith('System')) return text.trim();
  const lines = text.trim().split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !SYSTEM_LINE.test(line));
  return first === -1 ? '' : lines.slice(first).join('\n').trim();
}

/** `Sender (untrusted metadata):` and similar lines, each followed by a fenced JSON block. */
const METADATA_HEADER = /^[A-Z][\w ,'-]{0,80} \(untrusted[ ,\w]{0,40}\):[ \t]*$/u;

/** A chat message without the surrounding notes on its sender. */
function withoutMetadata(text: string): string {
  if (!text.includes('(untrusted')) return text;
  const kept: string[] = [];
  let state: 'fence' | 'header' | 'text' = 'text';
  for (const line of text.split('\n')) {
    if (state === 'fence') {
      if (line.trim() === '```') state = 'text';
    } else if (METADATA_HEADER.test(line.trimEnd())) {
      state = 'header';
    } else if (state === 'header' && line.trimStart().startsWith('```')) {
      state = 'fence';
    } else {
      state = 'text';
      kept.push(line);
    }
  }
  return kept.join('\n').trim();
}
