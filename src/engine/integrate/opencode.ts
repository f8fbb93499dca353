import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parsedJson } from '../support/text.js';
import type {
  AgentFormat,
  IntegrateContext,
  IntegrationScope,
  NoRecall,
  ProgramCall,
} from './agent.js';
import { commandList, urlAndHeaders } from './agent-forms.js';
import { variableWords } from './program.js';

/** Of OpenCode and its fork. */
const ONLY_PLUGINS: NoRecall = {
  why: 'it runs JavaScript plugins before a turn, not commands',
  instead:
    'register without --active-memory, and tell it in AGENTS.md to call memory_search before answering',
};

/**
 * OpenCode. Servers: "MCP servers" (opencode.ai/docs/mcp-servers, and /v1 and /v2 of it): version 1
 * has them by name under `mcp`, version 2 under `mcp.servers` and reads the older form as well
 * ("Migrate from V1"), so a new entry takes the form that the file has, and the older one where it
 * has none. `command` is a list, variables are called `environment`, and unknown keys are refused.
 * Files: "Config" (opencode.ai/docs/config): `opencode.json` or `opencode.jsonc` in
 * `~/.config/opencode` or the project; `OPENCODE_CONFIG` names one file; `{env:…}` and `{file:…}`
 * are replaced. Hooks: "Plugins" (opencode.ai/docs/plugins): files in `plugins` of that folder or of `.opencode` are
 * loaded; none of their hooks is documented to add to a turn. Version 2 does not load plugins of version 1 ("Migrate
 * plugins from V1").
 */
export const opencode: AgentFormat = {
  id: 'opencode',
  title: 'OpenCode',
  detectPaths: (context) => [userFolder(context, 'opencode')],
  server: {
    syntax: 'json',
    file: (context, scope) => configFile(context, scope, 'opencode'),
    maps: (data) => {
      const mcp = isRecord(data) ? data['mcp'] : undefined;
      const isSecondForm = hasEntries(mcp, 'servers');
      return isSecondForm ? [['mcp', 'servers'], ['mcp']] : [['mcp']];
    },
    ...commandList({ type: 'local' }),
    ...urlAndHeaders('url', (name) => `{env:${name}}`, { type: 'remote' }),
  },
  hook: {
    syntax: 'script',
    file: (context, scope) => {
      const folder =
        scope === 'project' ? join(context.cwd, '.opencode') : userFolder(context, 'opencode');
      return join(folder, 'plugins', 'svc-capture.js');
    },
    events: {
      recall: ONLY_PLUGINS,
    },
    script: opencodePlugin,
    words: opencodePluginWords,
    whyNot: (data) => {
      if (!isRecord(data)) return undefined;
      const isSecondVersion =
        ['servers', 'timeout'].some((key) => hasEntries(data['mcp'], key)) ||
        SECOND_VERSION_KEYS.some((key) => key in data);
      return isSecondVersion ? 'its configuration is of version 2, with other plugins' : undefined;
    },
  },
  expansion: /\{(?:env|file):/u,
  nextStep: 'restart OpenCode; opencode mcp list shows the server',
};

/**
 * Kilo Code 7, a fork of OpenCode with the same entries. Files: "Using MCP in Kilo Code"
 * (kilo.ai/docs/automate/mcp/using-in-kilo-code): `kilo.json` and `kilo.jsonc`, both read, in `~/.config/kilo` or the
 * project, for the program and the extension of VS Code; release 7.7.9 also reads the file that `KILO_CONFIG` names.
 */
export const kiloCode: AgentFormat = {
  id: 'kilo-code',
  title: 'Kilo Code',
  detectPaths: (context) => [userFolder(context, 'kilo')],
  server: {
    ...opencode.server,
    file: (context, scope) => configFile(context, scope, 'kilo'),
  },
  hook: ONLY_PLUGINS,
  expansion: opencode.expansion,
  nextStep: 'restart Kilo Code; kilo mcp list shows the server',
};

/** In version 1, each of these keys is singular ("Migrate from V1", opencode.ai/docs/migrate-v1). */
const SECOND_VERSION_KEYS = ['agents', 'commands', 'permissions', 'plugins', 'providers'];

function configFile(
  context: IntegrateContext,
  scope: IntegrationScope,
  program: 'kilo' | 'opencode',
): string {
  const configured = context.env[`${program.toUpperCase()}_CONFIG`];
  if (scope === 'user' && configured) return configured;
  const folder = scope === 'project' ? context.cwd : userFolder(context, program);
  const withComments = join(folder, `${program}.jsonc`);
  const plain = join(folder, `${program}.json`);
  return existsSync(withComments) && !existsSync(plain) ? withComments : plain;
}

function userFolder({ env, homeDir }: IntegrateContext, program: string): string {
  return join(env['XDG_CONFIG_HOME'] || join(homeDir, '.config'), program);
}

/** Whether the value of a key is a map of entries rather than one entry. */
function hasEntries(data: unknown, key: string): boolean {
  const value = isRecord(data) ? data[key] : undefined;
  return isRecord(value) && !('type' in value) && !('command' in value) && !('enabled' in value);
}

const MARK = '// svc memory capture --agent-hook opencode';

/**
 * The plugin with which OpenCode runs svc: "Plugins" (opencode.ai/docs/plugins). A plugin is a function that returns
 * hooks. `event` gets `session.idle` when the agent has answered, with `properties.sessionID` (`@opencode-ai/sdk`,
 * `EventSessionIdle`); `experimental.session.compacting` runs before a conversation is compacted, with `sessionID`
 * (`@opencode-ai/plugin`). No event tells that a conversation has ended.
 */
function opencodePlugin({ words, env }: ProgramCall): string {
  return `${MARK}
// Written by "svc integrate opencode --capture", and removed by "svc integrate opencode --remove".
import { spawn } from 'node:child_process';

const call = ${JSON.stringify({ words, env })};

function capture(session, cwd) {
  if (typeof session !== 'string') return;
  const [command, ...args] = [...call.words, \`--session=\${session}\`];
  const env = { ...process.env, ...call.env };
  spawn(command, args, { cwd, env, detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

export const SvcCapture = async ({ directory }) => ({
  event: async ({ event }) => {
    if (event.type === 'session.idle') capture(event.properties?.sessionID, directory);
  },
  'experimental.session.compacting': async (input) => capture(input?.sessionID, directory),
});
`;
}

/** The command that a plugin of svc runs, after its variables; undefined for a text that svc did not write. */
function opencodePluginWords(text: string): readonly string[] | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const call = parsedJson(/^const call = (?<call>\{.*\});$/mu.exec(text)?.groups?.['call'] ?? '');
  const { words, env } = isRecord(call) ? call : {};
  const command = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  return [...variableWords(env), ...command];
}
