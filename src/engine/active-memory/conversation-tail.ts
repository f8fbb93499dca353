import { statSync } from 'node:fs';
import { isRecord } from '../config/index.js';
import { parsedJson } from '../parse-json.js';
import { readPart } from '../read-part.js';
import type { ConversationTurn } from './turn.js';

/** More of a conversation is never looked at. */
const MAX_BYTES = 256 * 1024;
/** A transcript that is one document is read as far as this. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/**
 * The last turns of a transcript, oldest first; none where it cannot be read. Takes what the agents
 * that have hooks write: lines of JSON with a role and a text at the top, in `message` (Claude Code,
 * svc) or in `payload` (Codex), or one document with a list of `messages` (Gemini CLI).
 *
 * @param file absolute path
 * @param message the one that is being answered: left out at the end, where an agent wrote it down
 *   before it asked
 */
export function readConversationTail(file: string, message: string): readonly ConversationTurn[] {
  const turns = readTurns(file);
  const last = turns.at(-1);
  return last?.role === 'user' && last.text.trim() === message.trim() ? turns.slice(0, -1) : turns;
}

function readTurns(file: string): readonly ConversationTurn[] {
  try {
    const found = statSync(file);
    // Opening a pipe would wait for whoever writes into it.
    if (!found.isFile()) return [];
    const lines = linesOf(readEnd(file, found.size, MAX_BYTES), found.size > MAX_BYTES);
    const turns = lines.flatMap((line) => turnsOf(parsedJson(line)));
    if (turns.length > 0 || found.size > MAX_DOCUMENT_BYTES) return turns;
    const document = parsedJson(readEnd(file, found.size, MAX_DOCUMENT_BYTES));
    const messages = isRecord(document) ? document['messages'] : document;
    return Array.isArray(messages) ? messages.flatMap(turnsOf) : [];
  } catch {
    return [];
  }
}

function readEnd(file: string, size: number, maxBytes: number): string {
  const length = Math.min(size, maxBytes);
  return readPart(file, size - length, length).toString('utf8');
}

/** The first line of an end is a part of one as a rule. */
function linesOf(text: string, isCut: boolean): readonly string[] {
  const lines = text.split('\n');
  return isCut ? lines.slice(1) : lines;
}

const ROLES: ReadonlyMap<unknown, ConversationTurn['role']> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['gemini', 'assistant'],
  ['model', 'assistant'],
]);

function turnsOf(record: unknown): ConversationTurn[] {
  // What Claude Code says to itself, or a sub-agent of it, is no part of the conversation.
  if (!isRecord(record) || record['isMeta'] === true || record['isSidechain'] === true) return [];
  for (const part of [record, record['message'], record['payload']]) {
    if (!isRecord(part)) continue;
    const role = ROLES.get(part['role'] ?? part['type']);
    const text = textOf(part['content']);
    if (role !== undefined && text.trim() !== '') return [{ role, text }];
  }
  return [];
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', undefined]);

/** Calls of tools, their results and thoughts are other kinds of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) =>
    isRecord(part) && TEXT_PARTS.has(part['type']) ? part['text'] : undefined,
  );
  return texts.filter((text) => typeof text === 'string').join('\n');
}
