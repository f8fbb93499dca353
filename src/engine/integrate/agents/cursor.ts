import { join } from 'node:path';
import type { AgentFormat } from '../agent.js';
import { commandAndArgs } from './shapes.js';

/**
 * Cursor. Servers: "Model Context Protocol" (cursor.com/docs/mcp): `mcpServers` of
 * `~/.cursor/mcp.json` and of a project's `.cursor/mcp.json`; `${env:NAME}` and its like are
 * replaced. Hooks: "Hooks" (cursor.com/docs/hooks): the answer of `beforeSubmitPrompt` holds
 * `continue` and `user_message`, so that it can stop a turn and not add to it.
 */
export const cursor: AgentFormat = {
  id: 'cursor',
  title: 'Cursor',
  signs: ({ homeDir }) => [join(homeDir, '.cursor')],
  server: {
    syntax: 'json',
    file: ({ homeDir, cwd }, scope) =>
      join(scope === 'project' ? cwd : homeDir, '.cursor', 'mcp.json'),
    maps: () => [['mcpServers']],
    ...commandAndArgs({ type: 'stdio' }),
  },
  hook: {
    why: 'its hook before a prompt can stop the prompt, but not add to it',
    instead:
      'register the server alone, and add a rule to Cursor to call memory_search before it answers',
  },
  replaced: /\$\{/u,
  next: 'restart Cursor; its MCP settings (Customize, MCPs) list the server and switch it on',
};
