import { join } from 'node:path';
import type { AgentFormat, IntegrateWorld, IntegrationScope } from '../agent.js';
import { commandAndArgs } from './shapes.js';

/**
 * Gemini CLI. Servers and files: "Gemini CLI configuration" (geminicli.com/docs/reference/configuration,
 * "MCP servers with Gemini CLI"): `mcpServers` of `~/.gemini/settings.json` and of a project's
 * `.gemini/settings.json`; `$VAR` and `${VAR}` are resolved in every text of a settings file. Hooks:
 * "Hooks reference" (geminicli.com/docs/hooks/reference): `hooks.BeforeAgent` of the same file,
 * `timeout` in milliseconds. `GEMINI_CLI_HOME` stands for the home folder (google-gemini/gemini-cli,
 * `packages/core/src/utils/paths.ts`).
 */
export const geminiCli: AgentFormat = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  signs: (world) => [join(home(world), '.gemini')],
  server: {
    syntax: 'json',
    file: settingsFile,
    maps: () => [['mcpServers']],
    ...commandAndArgs(),
  },
  hook: {
    file: settingsFile,
    event: 'BeforeAgent',
    command: (line, timeoutMs) => ({
      name: 'svc-memory',
      type: 'command',
      command: line,
      timeout: timeoutMs,
    }),
  },
  replaced: /\$(?:\w|\{)/u,
  next: 'start Gemini CLI anew; /mcp lists the server, /hooks the hook',
};

function settingsFile(world: IntegrateWorld, scope: IntegrationScope): string {
  return join(scope === 'project' ? world.cwd : home(world), '.gemini', 'settings.json');
}

function home({ env, homeDir }: IntegrateWorld): string {
  return env['GEMINI_CLI_HOME'] || homeDir;
}
