import { join } from 'node:path';
import type { AgentFormat, IntegrateWorld } from '../agent.js';
import { commandAndArgs, hookInSeconds } from './shapes.js';

/**
 * Claude Code. Servers: "Connect Claude Code to tools via MCP" (code.claude.com/docs/en/mcp): user
 * scope in `~/.claude.json`, project scope in `.mcp.json`, both under `mcpServers`; `${VAR}` is
 * expanded in an entry. Hooks: "Hooks reference" (code.claude.com/docs/en/hooks): `hooks` of the
 * settings files, `timeout` in seconds. `CLAUDE_CONFIG_DIR` moves the folder and, with it,
 * `.claude.json` ("Environment variables", code.claude.com/docs/en/env-vars).
 */
export const claudeCode: AgentFormat = {
  id: 'claude-code',
  title: 'Claude Code',
  signs: (world) => [stateFile(world), settingsFolder(world)],
  server: {
    syntax: 'json',
    file: (world, scope) => (scope === 'project' ? join(world.cwd, '.mcp.json') : stateFile(world)),
    maps: () => [['mcpServers']],
    ...commandAndArgs({ type: 'stdio' }),
  },
  hook: {
    // The project's file that is not shared: the line holds paths of this machine.
    file: (world, scope) =>
      scope === 'project'
        ? join(world.cwd, '.claude', 'settings.local.json')
        : join(settingsFolder(world), 'settings.json'),
    event: 'UserPromptSubmit',
    command: hookInSeconds,
  },
  replaced: /\$\{/u,
  next: 'start a new session of Claude Code; /mcp lists the server, /hooks the hook',
};

function settingsFolder({ env, homeDir }: IntegrateWorld): string {
  return env['CLAUDE_CONFIG_DIR'] || join(homeDir, '.claude');
}

function stateFile({ env, homeDir }: IntegrateWorld): string {
  return join(env['CLAUDE_CONFIG_DIR'] || homeDir, '.claude.json');
}
