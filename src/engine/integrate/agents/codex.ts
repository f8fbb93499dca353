import { join } from 'node:path';
import type { AgentFormat, IntegrateWorld, IntegrationScope } from '../agent.js';
import { commandAndArgs, hookInSeconds } from './shapes.js';

/**
 * Codex. Servers: "Model Context Protocol" (developers.openai.com/codex/mcp): tables
 * `[mcp_servers.NAME]` of `config.toml`. Hooks: "Hooks" (developers.openai.com/codex/hooks):
 * `hooks.json` beside it, whose root takes `hooks` and `description` alone; `timeout` in seconds; a
 * new hook runs after it was trusted. Files of a project count in trusted projects. `CODEX_HOME` is
 * the folder of all of it (openai/codex, `docs/config.md`).
 */
export const codex: AgentFormat = {
  id: 'codex',
  title: 'Codex',
  signs: (world) => [folder(world, 'user')],
  server: {
    syntax: 'toml',
    file: (world, scope) => join(folder(world, scope), 'config.toml'),
    maps: () => [['mcp_servers']],
    ...commandAndArgs(),
  },
  hook: {
    file: (world, scope) => join(folder(world, scope), 'hooks.json'),
    event: 'UserPromptSubmit',
    command: hookInSeconds,
  },
  replaced: undefined,
  next: 'start Codex anew; /mcp lists the server, and /hooks asks you to trust the hook',
};

function folder({ env, homeDir, cwd }: IntegrateWorld, scope: IntegrationScope): string {
  return scope === 'project' ? join(cwd, '.codex') : env['CODEX_HOME'] || join(homeDir, '.codex');
}
