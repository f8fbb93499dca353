import { suggestName } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { AGENT_IDS, type AgentFormat, type AgentId } from './agent.js';
import { claudeCode } from './agents/claude-code.js';
import { codex } from './agents/codex.js';
import { cursor } from './agents/cursor.js';
import { geminiCli } from './agents/gemini-cli.js';
import { opencode } from './agents/opencode.js';
import { vscode } from './agents/vscode.js';

/** Every agent that svc knows. */
export const AGENTS: Readonly<Record<AgentId, AgentFormat>> = {
  'claude-code': claudeCode,
  codex,
  cursor,
  'gemini-cli': geminiCli,
  opencode,
  vscode,
};

/**
 * The agent of a name that a person typed.
 *
 * @throws SvcError USAGE
 */
export function agentNamed(name: string): AgentFormat {
  const id = AGENT_IDS.find((known) => known === name);
  if (id !== undefined) return AGENTS[id];
  const suggestion = suggestName(name, AGENT_IDS);
  throw new SvcError('USAGE', `svc knows no agent ${JSON.stringify(name)}`, {
    hint:
      suggestion === undefined
        ? `use one of: ${AGENT_IDS.join(', ')}`
        : `did you mean "${suggestion}"?`,
  });
}
