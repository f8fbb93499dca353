import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../config/index.js';
import type { AgentFormat, IntegrateWorld, IntegrationScope } from '../agent.js';
import { commandList, holdsEntries } from './shapes.js';

/**
 * OpenCode. Servers: "MCP servers" (opencode.ai/docs/mcp-servers, and /v1 and /v2 of it): version 1
 * has them by name under `mcp`, version 2 under `mcp.servers` and reads the older form as well
 * ("Migrate from V1"), so a new entry takes the form that the file has, and the older one where it
 * has none. `command` is a list, variables are called `environment`, and unknown keys are refused.
 * Files: "Config" (opencode.ai/docs/config): `opencode.json` or `opencode.jsonc` in
 * `~/.config/opencode` or the project; `OPENCODE_CONFIG` names one file; `{env:…}` and `{file:…}`
 * are replaced. What it calls before a turn are plugins in JavaScript, not commands.
 */
export const opencode: AgentFormat = {
  id: 'opencode',
  title: 'OpenCode',
  signs: (world) => [userFolder(world)],
  server: {
    syntax: 'json',
    file: configFile,
    maps: (data) => {
      const mcp = isRecord(data) ? data['mcp'] : undefined;
      const isSecondForm = holdsEntries(mcp, 'servers');
      return isSecondForm ? [['mcp', 'servers'], ['mcp']] : [['mcp']];
    },
    ...commandList({ type: 'local' }),
  },
  hook: {
    why: 'it runs no commands before a turn, only plugins in JavaScript',
    instead:
      'register the server alone, and say in AGENTS.md to call memory_search before answering',
  },
  replaced: /\{(?:env|file):/u,
  next: 'start OpenCode anew; opencode mcp list shows the server',
};

function configFile(world: IntegrateWorld, scope: IntegrationScope): string {
  const named = world.env['OPENCODE_CONFIG'];
  if (scope === 'user' && named) return named;
  const folder = scope === 'project' ? world.cwd : userFolder(world);
  const withComments = join(folder, 'opencode.jsonc');
  const plain = join(folder, 'opencode.json');
  return existsSync(withComments) && !existsSync(plain) ? withComments : plain;
}

function userFolder({ env, homeDir }: IntegrateWorld): string {
  return join(env['XDG_CONFIG_HOME'] || join(homeDir, '.config'), 'opencode');
}
