import { isRecord } from '../config/index.js';
import { parsedJson } from '../parse-json.js';

/** The coding agents whose hooks can add to a prompt. */
export const HOOK_AGENTS = ['claude-code', 'codex', 'gemini-cli'] as const;

/** The id of such an agent. */
export type HookAgent = (typeof HOOK_AGENTS)[number];

/**
 * The event before a prompt is answered, by each agent's own name (Claude Code's hooks reference;
 * openai/codex, codex-rs/hooks/schema; google-gemini/gemini-cli, docs/hooks/reference.md).
 */
const EVENTS: Readonly<Record<HookAgent, string>> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  'gemini-cli': 'BeforeAgent',
};

/** What an agent tells its hook of a turn. */
export interface HookCall {
  readonly prompt: string;
  readonly sessionId: string | undefined;
  /** Where it writes the conversation down. */
  readonly transcriptFile: string | undefined;
  /** `user`, or `subagent` for a prompt that an agent gave to another. */
  readonly trigger: 'subagent' | 'user';
}

/**
 * Reads an agent's hook JSON; undefined for everything else: not JSON, another event, no prompt. Fields
 * beyond those that are needed may be missing, and be there: the formats grow.
 */
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

/**
 * The answer that adds a block to the prompt, on one line. An agent drops an answer, or fails the hook,
 * when anything else is in it.
 */
export function hookAnswer(agent: HookAgent, block: string): string {
  const answer = { hookEventName: EVENTS[agent], additionalContext: block };
  return `${JSON.stringify({ hookSpecificOutput: answer })}\n`;
}

/** The first of the names that holds a text with something in it; VS Code writes them otherwise. */
function textIn(input: Readonly<Record<string, unknown>>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
