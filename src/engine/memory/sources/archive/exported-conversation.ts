import type { ExportFormat } from '../../../config/index.js';
import { redactedStart } from '../../../masking/index.js';
import { isRecord, parsedJson, shortHash } from '../../../support/text.js';
import {
  type LineRecord,
  maskedText,
  type NumberedTurn,
  objectField,
  roleOf,
  stringField,
  textOfContent,
  timeOf,
  withoutInjections,
} from '../transcripts/transcript-reader.js';

/** A conversation of a data export. */
export interface ExportedConversation {
  readonly format: ExportFormat;
  /** Consists of letters, digits and dashes. */
  readonly id: string;
  readonly title: string | undefined;
  /** ISO 8601. */
  readonly updatedAt: string | undefined;
  readonly turns: readonly NumberedTurn[];
}

/** Reads one element of `conversations.json`; undefined for an unknown format. Secrets are masked. */
export function exportedConversation(value: LineRecord): ExportedConversation | undefined {
  if (isRecord(value['mapping'])) return fromChatGpt(value, value['mapping']);
  if (Array.isArray(value['chat_messages'])) return fromClaude(value, value['chat_messages']);
  return undefined;
}

const CHATGPT_CONTENT: readonly unknown[] = ['text', 'multimodal_text'];

const VOICE_TRANSCRIPT = 'audio_transcription';

/** ChatGPT: a tree of messages, of which the branch to `current_node` is shown. Times are seconds. */
function fromChatGpt(value: LineRecord, mapping: LineRecord): ExportedConversation {
  const turns: NumberedTurn[] = [];
  for (const message of branch(mapping, stringField(value, 'current_node'))) {
    const role = roleOf(stringField(objectField(message, 'author') ?? {}, 'role'));
    const content = objectField(message, 'content') ?? {};
    const isConversation =
      CHATGPT_CONTENT.includes(content['content_type']) &&
      // Others are calls of tools.
      (stringField(message, 'recipient') ?? 'all') === 'all' &&
      objectField(message, 'metadata')?.['is_visually_hidden_from_conversation'] !== true;
    if (!isConversation) continue;
    // Text is a string; what was spoken in a voice conversation is an object. Others are images and sound.
    const text = textOfContent(
      content['parts'],
      (part) => part['content_type'] === VOICE_TRANSCRIPT,
    );
    addTurn(turns, role, withoutMarks(text), timeOfSeconds(message['create_time']));
  }
  const id = stringField(value, 'conversation_id') ?? stringField(value, 'id');
  return {
    format: 'chatgpt',
    id: pathPartOf(id, value),
    title: titleIn(value, 'title'),
    updatedAt: timeOfSeconds(value['update_time']) ?? timeOfSeconds(value['create_time']),
    turns,
  };
}

/** `\ue200KIND\ue202FIELD\ue202FIELD\ue201`, in place of which ChatGPT shows a source, a link, a picture or a name. */
const MARK = /\ue200([a-z_]{1,40})\ue202([^\ue200\ue201]*)\ue201/gu;

/** A text with names and links as they were read, and without other marks. */
function withoutMarks(text: string): string {
  return text.replaceAll(MARK, (_mark, kind: string, rest: string) => {
    const [field = ''] = rest.split('\ue202', 1);
    if (kind === 'url') return field;
    // `["city", "Paris", "capital of France"]`
    const entity = kind === 'entity' ? parsedJson(field) : undefined;
    const name: unknown = Array.isArray(entity) ? entity[1] : undefined;
    return typeof name === 'string' ? name : '';
  });
}

/** The messages from the beginning to a node, or to the last one that nothing follows. */
function branch(mapping: LineRecord, current: string | undefined): readonly LineRecord[] {
  const messages: LineRecord[] = [];
  const seen = new Set<string>();
  const isKnown = current !== undefined && Object.hasOwn(mapping, current);
  let name = isKnown ? current : Object.keys(mapping).findLast((key) => isLeaf(mapping[key]));
  // A mapping may lead in a circle.
  while (name !== undefined && !seen.has(name)) {
    seen.add(name);
    const node = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
    if (!isRecord(node)) break;
    const message = objectField(node, 'message');
    if (message !== undefined) messages.push(message);
    name = stringField(node, 'parent');
  }
  return messages.reverse();
}

function isLeaf(node: unknown): boolean {
  const children = isRecord(node) ? node['children'] : undefined;
  return isRecord(node) && !(Array.isArray(children) && children.length > 0);
}

/**
 * Claude: messages with blocks of content, or text in older exports. Newer ones name what a message follows, and contain
 * what was replaced by editing or by another answer.
 */
function fromClaude(value: LineRecord, messages: readonly unknown[]): ExportedConversation {
  const turns: NumberedTurn[] = [];
  for (const message of shownOf(messages.filter(isRecord))) {
    const sender = stringField(message, 'sender');
    const blocks = textOfContent(message['content']);
    const text = blocks === '' ? (stringField(message, 'text') ?? '') : blocks;
    addTurn(
      turns,
      roleOf(sender === 'human' ? 'user' : sender),
      text,
      timeOf(message['created_at']),
    );
  }
  return {
    format: 'claude',
    id: pathPartOf(stringField(value, 'uuid'), value),
    title: titleIn(value, 'name'),
    updatedAt: timeOf(value['updated_at']) ?? timeOf(value['created_at']),
    turns,
  };
}

const PARENT = 'parent_message_uuid';
/** What the first message follows. */
const BEFORE_ALL = '00000000-0000-4000-8000-000000000000';

/** The branch that ends with the last message; all messages where they do not lead back to the first. */
function shownOf(messages: readonly LineRecord[]): readonly LineRecord[] {
  const byId = new Map(messages.map((message) => [message['uuid'], message]));
  const shown: LineRecord[] = [];
  let next = messages.at(-1);
  while (next !== undefined) {
    shown.push(next);
    // Messages may lead in a circle.
    byId.delete(next['uuid']);
    next = byId.get(next[PARENT]);
  }
  return shown.at(-1)?.[PARENT] === BEFORE_ALL ? shown.reverse() : messages;
}

function addTurn(
  turns: NumberedTurn[],
  role: NumberedTurn['role'] | undefined,
  rawText: string,
  at: string | undefined,
): void {
  const text = maskedText(withoutInjections(rawText));
  if (role !== undefined && text !== '') turns.push({ role, text, at, line: turns.length + 1 });
}

const TITLE_CHARS = 80;

function titleIn(value: LineRecord, name: string): string | undefined {
  const line =
    stringField(value, name)
      ?.replaceAll(/[\s\0]+/gu, ' ')
      .trim() ?? '';
  const title = redactedStart(line, TITLE_CHARS);
  return title === '' ? undefined : title;
}

/** An id becomes part of a path in results, so it must not contain anything else. */
function pathPartOf(id: string | undefined, value: LineRecord): string {
  if (id !== undefined && /^[\w-]{1,80}$/u.test(id)) return id;
  return shortHash(id ?? JSON.stringify(value));
}

function timeOfSeconds(value: unknown): string | undefined {
  return typeof value === 'number' ? timeOf(value * 1000) : undefined;
}
