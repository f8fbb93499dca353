import { statSync } from 'node:fs';
import { TRANSCRIPT_READERS, type Turn } from '../memory/sources/index.js';
import type { SessionFacts } from '../scope/decide-scope.js';
import { readPart } from '../support/files.js';
import { isRecord, parsedJson } from '../support/text.js';

/** The coding agents whose hooks can add to a prompt. */
export const HOOK_AGENTS = [
  'claude-code',
  'codex',
  'copilot-cli',
  'gemini-cli',
  'qwen-code',
] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/**
 * Each agent's name for the event before a prompt is answered (Claude Code's hooks reference;
 * openai/codex, codex-rs/hooks/schema; google-gemini/gemini-cli, docs/hooks/reference.md). Copilot CLI and Qwen Code know
 * Claude Code's.
 */
const EVENTS: Readonly<Record<HookAgent, string>> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  'copilot-cli': 'UserPromptSubmit',
  'gemini-cli': 'BeforeAgent',
  'qwen-code': 'UserPromptSubmit',
};

/** What an agent passes to its hook. */
interface HookCall {
  readonly prompt: string;
  readonly sessionId: string | undefined;
  readonly transcriptFile: string | undefined;
  /** `subagent` for a prompt to or from another agent, or about a task that ended. */
  readonly trigger: 'subagent' | 'user';
}

/** How Claude Code's prompts begin that nobody typed: it runs the hook for these as well. */
const NOTIFICATION =
  /^\s*(?:<(?:task-notification|teammate-message|agent-message|cross-session-message)[\s>]|\[SYSTEM NOTIFICATION\b)/u;

/** Reads an agent's hook JSON, ignoring unknown fields; undefined for invalid JSON, another event, or no prompt. */
export function readHookCall(agent: HookAgent, text: string): HookCall | undefined {
  const input = parsedJson(text);
  if (!isRecord(input)) return undefined;
  const event = textIn(input, 'hook_event_name', 'hookEventName');
  const prompt = textIn(input, 'prompt');
  if ((event !== undefined && event !== EVENTS[agent]) || prompt === undefined) return undefined;
  // `agent_type` alone is that of a main conversation, as with `claude --agent NAME`.
  const isOfSubagent = textIn(input, 'agent_id') !== undefined || NOTIFICATION.test(prompt);
  return {
    prompt,
    sessionId: textIn(input, 'session_id', 'sessionId'),
    transcriptFile: textIn(input, 'transcript_path', 'transcriptPath'),
    trigger: isOfSubagent ? 'subagent' : 'user',
  };
}

/**
 * The one-line answer that adds a block to the prompt; agents reject answers with anything else in them. Copilot CLI ignores
 * a block inside `hookSpecificOutput`.
 */
export function hookAnswer(agent: HookAgent, block: string): string {
  const context = { additionalContext: block };
  const answer =
    agent === 'copilot-cli'
      ? context
      : { hookSpecificOutput: { hookEventName: EVENTS[agent], ...context } };
  return `${JSON.stringify(answer)}\n`;
}

/** The first of these fields that is not blank; VS Code uses camelCase names. */
function textIn(input: Readonly<Record<string, unknown>>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** An earlier message of the conversation. */
export type ConversationTurn = Pick<Turn, 'role' | 'text'>;

/** A turn of a conversation that is about to be answered. */
export interface RecallTurn {
  readonly message: string;
  /** The conversation before the message, oldest first; read on demand. */
  readonly earlier: () => readonly ConversationTurn[];
  /** Where the agent records the conversation, if known. */
  readonly transcriptFile?: string | undefined;
  readonly session: SessionFacts;
  /** The agent's ID of the conversation, if there is one apart from the key. */
  readonly sessionId?: string | undefined;
  /** What triggered the turn: `user` for a person. */
  readonly trigger: string;
  /** `provider/model` that answers the turn, if known. */
  readonly runModel?: string | undefined;
}

const MAX_ID = 128;

/**
 * The session key for a coding agent's session ID. The chat type is direct, because coding agents talk to one
 * person. Undefined if the ID is not valid in a key.
 *
 * @param host such as `claude-code`
 */
export function sessionKeyOf(agentId: string, host: string, sessionId: string): string | undefined {
  const id = sessionId.trim();
  if (id.length > MAX_ID || !/^[\w.-]+$/u.test(id)) return undefined;
  return `agent:${agentId}:${host}:direct:${id}`;
}

/** Only the end of a transcript is read. */
const MAX_BYTES = 256 * 1024;
/** Size limit of a transcript that is a single JSON document. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/**
 * The last turns of a transcript, oldest first; empty if it cannot be read. Supports JSON lines, and the JSON document
 * with a list of `messages` of earlier releases of Gemini CLI.
 *
 * @param file absolute path
 * @param message the message being answered, dropped if the agent already recorded it
 */
export function readConversationTail(file: string, message: string): readonly ConversationTurn[] {
  const turns = readTurns(file);
  const last = turns.at(-1);
  return last?.role === 'user' && last.text.trim() === message.trim() ? turns.slice(0, -1) : turns;
}

function readTurns(file: string): readonly ConversationTurn[] {
  try {
    const found = statSync(file);
    // Opening a named pipe would block.
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

/** A cut text usually starts in the middle of a line. */
function linesOf(text: string, isCut: boolean): readonly string[] {
  const lines = text.split('\n');
  return isCut ? lines.slice(1) : lines;
}

/** The readers of all agents: a line of one means nothing to the others. What no person said is left out. */
function turnsOf(record: unknown): readonly ConversationTurn[] {
  if (!isRecord(record)) return [];
  // Lines of a program that no reader knows have no type, and the message at the top or in `message`.
  const known =
    'type' in record ? record : { type: 'message', message: record['message'] ?? record };
  return Object.values(TRANSCRIPT_READERS).flatMap((reader) => {
    const meaning = reader.read(known);
    return meaning.type === 'turn' ? [{ role: meaning.turn.role, text: meaning.turn.text }] : [];
  });
}
