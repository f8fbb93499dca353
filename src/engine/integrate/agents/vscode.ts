import { join } from 'node:path';
import type { AgentFormat, IntegrateWorld } from '../agent.js';
import { commandAndArgs } from './shapes.js';

/**
 * VS Code. Servers: "MCP configuration reference"
 * (code.visualstudio.com/docs/agents/reference/mcp-configuration): `servers` of `mcp.json` in the
 * user profile or of `.vscode/mcp.json`; variables like `${workspaceFolder}` are replaced. The
 * profile's folder: "User and workspace settings" (code.visualstudio.com/docs/configure/settings)
 * and "Portable mode" (…/docs/setup/portable). Hooks: "Agent hooks in Visual Studio Code": for the
 * event before a prompt only the common answer is documented, which adds nothing to the turn.
 */
export const vscode: AgentFormat = {
  id: 'vscode',
  title: 'VS Code',
  signs: (world) => [profileFolder(world)],
  server: {
    syntax: 'json',
    file: (world, scope) =>
      scope === 'project'
        ? join(world.cwd, '.vscode', 'mcp.json')
        : join(profileFolder(world), 'mcp.json'),
    maps: () => [['servers']],
    ...commandAndArgs({ type: 'stdio' }),
  },
  hook: {
    why: 'what its hook before a prompt answers is not documented to reach the model',
    instead:
      'register the server alone, and say in .github/copilot-instructions.md to call memory_search before answering',
  },
  replaced: /\$\{/u,
  next: 'run "MCP: List Servers" in VS Code, start the server and trust it',
};

function profileFolder({ env, homeDir, platform }: IntegrateWorld): string {
  const portable = env['VSCODE_PORTABLE'];
  if (portable) return join(portable, 'user-data', 'User');
  return join(applicationData({ env, homeDir, platform }), 'Code', 'User');
}

function applicationData({
  env,
  homeDir,
  platform,
}: Pick<IntegrateWorld, 'env' | 'homeDir' | 'platform'>): string {
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(homeDir, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(homeDir, '.config');
}
