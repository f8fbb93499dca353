import { isRecord, parsedJson } from '../support/text.js';

/** The coding agents whose hooks can add to a prompt. */
export const HOOK_AGENTS = ['claude-code', 'codex', 'gemini-cli'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/**
 * Each agent's name for the event before a prompt is answered (Claude Code's hooks reference;
 * openai/codex, codex-rs/hooks/schema; google-gemini/gemini-cli, docs/hooks/reference.md).
 */
const EVENTS: Readonly<Record<HookAgent, string>> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  'gemini-cli': 'BeforeAgent',
};

/** What an agent passes to its hook. */
export interface HookCall {
  readonly prompt: string;
  readonly sessionId: string | undefined;
  readonly transcriptFile: string | undefined;
  /** `subagent` for a prompt from another agent. */
  readonly trigger: 'subagent' | 'user';
}

/** Reads an agent's hook JSON, ignoring unknown fields; undefined for invalid JSON, another event, or no prompt. */
export function readHookCall(agent: HookAgent, text: string): HookCall | undefined {
  const input = parsedJson(text);
  if (!isRecord(input)) return undefined;
  const event = textIn(input, 'hook_event_name', 'hookEventName');
  const prompt = textIn(input, 'prompt');
  if ((event !== undefined && event !== EVENTS[agent]) || prompt === undefined) return undefined;
  const isOfSubagent = textIn(input, 'agent_id', 'agent_type') !== undefined;
  return {
    prompt,
    sessionId: textIn(input, 'session_id', 'sessionId'),
    transcriptFile: textIn(input, 'transcript_path', 'transcriptPath'),
    trigger: isOfSubagent ? 'subagent' : 'user',
  };
}

/** The one-line answer that adds a block to the prompt; agents reject answers with anything else in them. */
export function hookAnswer(agent: HookAgent, block: string): string {
  const answer = { hookEventName: EVENTS[agent], additionalContext: block };
  return `${JSON.stringify({ hookSpecificOutput: answer })}\n`;
}

/** The first of these fields that is not blank; VS Code uses camelCase names. */
function textIn(input: Readonly<Record<string, unknown>>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
