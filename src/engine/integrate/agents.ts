import { join } from 'node:path';
import { SvcError } from '../errors/index.js';
import { nameHint } from '../support/text.js';
import {
  AGENT_IDS,
  type AgentFormat,
  type AgentId,
  type IntegrateContext,
  type IntegrationScope,
  type RemoteServer,
} from './agent.js';
import { commandAndArgs, hookInMilliseconds, hookInSeconds, urlAndHeaders } from './agent-forms.js';
import { kiloCode, opencode } from './opencode.js';
import { shellLine } from './program.js';

/**
 * Claude Code. Servers: "Connect Claude Code to tools via MCP" (code.claude.com/docs/en/mcp): user
 * scope in `~/.claude.json`, project scope in `.mcp.json`, both under `mcpServers`; `${VAR}` is
 * expanded in an entry. Hooks: "Hooks reference" (code.claude.com/docs/en/hooks): `hooks` of the
 * settings files, `timeout` in seconds. `CLAUDE_CONFIG_DIR` moves the folder and, with it,
 * `.claude.json` ("Environment variables", code.claude.com/docs/en/env-vars).
 */
const claudeCode: AgentFormat = {
  id: 'claude-code',
  title: 'Claude Code',
  detectPaths: (context) => [stateFile(context), settingsFolder(context)],
  server: {
    syntax: 'json',
    file: (context, scope) =>
      scope === 'project' ? join(context.cwd, '.mcp.json') : stateFile(context),
    maps: () => [['mcpServers']],
    ...commandAndArgs({ type: 'stdio' }),
    ...urlAndHeaders('url', (name) => `\${${name}}`, { type: 'http' }),
  },
  hook: {
    syntax: 'json',
    // The project file that is not shared, since the line contains paths of this machine.
    file: (context, scope) =>
      scope === 'project'
        ? join(context.cwd, '.claude', 'settings.local.json')
        : join(settingsFolder(context), 'settings.json'),
    events: { recall: ['UserPromptSubmit'], capture: ['PreCompact', 'SessionEnd'] },
    listItems: 'groups',
    command: hookInSeconds,
  },
  expansion: /\$\{/u,
  nextStep:
    'start a new session of Claude Code; /mcp lists the server, and /hooks its hooks, if any',
};

function settingsFolder({ env, homeDir }: IntegrateContext): string {
  return env['CLAUDE_CONFIG_DIR'] || join(homeDir, '.claude');
}

function stateFile({ env, homeDir }: IntegrateContext): string {
  return join(env['CLAUDE_CONFIG_DIR'] || homeDir, '.claude.json');
}

/**
 * Codex. Servers: "Model Context Protocol" (developers.openai.com/codex/mcp): tables
 * `[mcp_servers.NAME]` of `config.toml`. Hooks: "Hooks" (developers.openai.com/codex/hooks):
 * `hooks.json` next to it, whose root takes only `hooks` and `description`; `timeout` in seconds; a
 * new hook runs after it was trusted. At the end of a session, more than 3 s are cut with a warning at each
 * start (openai/codex, `codex-rs/hooks/src/events/session_end.rs`). Files of a project count in trusted
 * projects. `CODEX_HOME` is the folder of all of it (openai/codex, `docs/config.md`).
 */
const codex: AgentFormat = {
  id: 'codex',
  title: 'Codex',
  detectPaths: (context) => [codexFolder(context, 'user')],
  server: {
    syntax: 'toml',
    file: (context, scope) => join(codexFolder(context, scope), 'config.toml'),
    maps: () => [['mcp_servers']],
    ...commandAndArgs(),
    urlKey: 'url',
    remote: ({ url, tokenEnv }: RemoteServer) => ({
      url,
      ...(tokenEnv === undefined ? {} : { bearer_token_env_var: tokenEnv }),
    }),
  },
  hook: {
    syntax: 'json',
    file: (context, scope) => join(codexFolder(context, scope), 'hooks.json'),
    events: { recall: ['UserPromptSubmit'], capture: ['PreCompact', 'SessionEnd'] },
    listItems: 'groups',
    longestMs: { SessionEnd: 3000 },
    command: hookInSeconds,
  },
  expansion: undefined,
  nextStep: 'restart Codex; /mcp lists the server, and /hooks asks you to trust a new hook',
};

function codexFolder({ env, homeDir, cwd }: IntegrateContext, scope: IntegrationScope): string {
  return scope === 'project' ? join(cwd, '.codex') : env['CODEX_HOME'] || join(homeDir, '.codex');
}

/**
 * Copilot CLI. Servers: "Adding MCP servers for GitHub Copilot CLI"
 * (docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers) and `copilot mcp --help`: `mcpServers`
 * of `~/.copilot/mcp-config.json` and, in trusted folders, of `.github/mcp.json`. Release 1.0.102 replaces `$VAR` and
 * `${VAR}` in an entry, and allows comments and trailing commas. Hooks: "GitHub Copilot CLI hooks reference"
 * (docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference) and `copilot help config`: `hooks` of
 * the settings files, with the groups of Claude Code and its names of events; `timeout` in seconds. No hook gets the file of
 * the conversation. `COPILOT_HOME` is the folder of all of it (`copilot help environment`).
 */
const copilotCli: AgentFormat = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  detectPaths: (context) => [copilotFolder(context)],
  server: {
    syntax: 'json',
    file: (context, scope) =>
      scope === 'project'
        ? join(context.cwd, '.github', 'mcp.json')
        : join(copilotFolder(context), 'mcp-config.json'),
    maps: () => [['mcpServers']],
    ...commandAndArgs({ type: 'local' }),
    ...urlAndHeaders('url', (name) => `\${${name}}`, { type: 'http' }),
  },
  hook: {
    syntax: 'json',
    // The project file that is not shared, since the line contains paths of this machine.
    file: (context, scope) =>
      scope === 'project'
        ? join(context.cwd, '.github', 'copilot', 'settings.local.json')
        : join(copilotFolder(context), 'settings.json'),
    events: { recall: ['UserPromptSubmit'], capture: [] },
    listItems: 'groups',
    command: hookInSeconds,
  },
  expansion: /\$(?:\w|\{)/u,
  nextStep: 'restart Copilot CLI; /mcp lists the server',
};

function copilotFolder({ env, homeDir }: IntegrateContext): string {
  return env['COPILOT_HOME'] || join(homeDir, '.copilot');
}

/**
 * Cursor. Servers: "Model Context Protocol" (cursor.com/docs/mcp): `mcpServers` of
 * `~/.cursor/mcp.json` and of a project's `.cursor/mcp.json`; `${env:NAME}` and its like are
 * replaced. Hooks: "Hooks" (cursor.com/docs/hooks): `hooks.EVENT` of `hooks.json` in the same folders lists commands,
 * `timeout` in seconds. Every hook gets `conversation_id`, `workspace_roots` and `transcript_path`, null if transcripts
 * are off; those of a user run in `~/.cursor`. The page calls `version` optional, but Cursor refuses a file without it.
 * The answer of `beforeSubmitPrompt` has `continue` and `user_message`: it can stop a turn but not add to it.
 */
const cursor: AgentFormat = {
  id: 'cursor',
  title: 'Cursor',
  detectPaths: ({ homeDir }) => [join(homeDir, '.cursor')],
  server: {
    syntax: 'json',
    file: ({ homeDir, cwd }, scope) =>
      join(scope === 'project' ? cwd : homeDir, '.cursor', 'mcp.json'),
    maps: () => [['mcpServers']],
    ...commandAndArgs({ type: 'stdio' }),
    ...urlAndHeaders('url', (name) => `\${env:${name}}`),
  },
  hook: {
    syntax: 'json',
    file: ({ homeDir, cwd }, scope) =>
      join(scope === 'project' ? cwd : homeDir, '.cursor', 'hooks.json'),
    events: {
      recall: {
        why: 'its hook can stop a prompt but not add to it',
        instead:
          'register without --active-memory, and add a rule to Cursor to call memory_search before answering',
      },
      capture: ['preCompact', 'sessionEnd'],
    },
    listItems: 'commands',
    version: 1,
    command: ({ call, timeoutMs }) => ({
      command: shellLine(call),
      timeout: Math.ceil(timeoutMs / 1000),
    }),
  },
  expansion: /\$\{/u,
  nextStep: 'restart Cursor; enable the server in its MCP settings (Customize, MCPs)',
};

/**
 * Gemini CLI. Servers and files: "Gemini CLI configuration" (geminicli.com/docs/reference/configuration,
 * "MCP servers with Gemini CLI"): `mcpServers` of `~/.gemini/settings.json` and of a project's
 * `.gemini/settings.json`; `$VAR` and `${VAR}` are resolved in every text of a settings file. Hooks:
 * "Hooks reference" (geminicli.com/docs/hooks/reference): `hooks.BeforeAgent` of the same file,
 * `timeout` in milliseconds. `GEMINI_CLI_HOME` replaces the home folder (google-gemini/gemini-cli,
 * `packages/core/src/utils/paths.ts`). Settings are read with `strip-json-comments` and `JSON.parse`
 * (`packages/cli/src/config/settings.ts`), so a trailing comma is an error. With trusted
 * folders enabled, no MCP server is started in others ("Trusted Folders",
 * geminicli.com/docs/cli/trusted-folders).
 */
const geminiCli: AgentFormat = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  detectPaths: (context) => [join(geminiHome(context), '.gemini')],
  server: {
    syntax: 'json-without-trailing-commas',
    file: settingsFile,
    maps: () => [['mcpServers']],
    ...commandAndArgs(),
    ...urlAndHeaders('httpUrl', (name) => `\${${name}}`),
  },
  hook: {
    syntax: 'json-without-trailing-commas',
    file: settingsFile,
    events: { recall: ['BeforeAgent'], capture: ['PreCompress', 'SessionEnd'] },
    listItems: 'groups',
    command: hookInMilliseconds,
  },
  expansion: /\$(?:\w|\{)/u,
  nextStep: 'restart Gemini CLI; /mcp lists the server, and /hooks its hooks, if any',
};

function settingsFile(context: IntegrateContext, scope: IntegrationScope): string {
  return join(scope === 'project' ? context.cwd : geminiHome(context), '.gemini', 'settings.json');
}

function geminiHome({ env, homeDir }: IntegrateContext): string {
  return env['GEMINI_CLI_HOME'] || homeDir;
}

/**
 * Qwen Code, a fork of Gemini CLI. Servers and files: "Connect Qwen Code to tools via MCP"
 * (qwenlm.github.io/qwen-code-docs/en/users/features/mcp): as Gemini CLI, in `~/.qwen/settings.json` and a project's
 * `.qwen/settings.json`; `QWEN_HOME` replaces the folder `~/.qwen`. The model sees the tools of a server only after a search
 * for them, unless its entry has `alwaysLoadTools`. Hooks: "Hooks" (…/users/features/hooks): events and answers of Claude
 * Code. `timeout` is in seconds, but a value of 1000 or more is in milliseconds, as it was in earlier releases.
 */
const qwenCode: AgentFormat = {
  id: 'qwen-code',
  title: 'Qwen Code',
  detectPaths: (context) => [qwenFolder(context, 'user')],
  server: {
    syntax: 'json-without-trailing-commas',
    file: qwenSettings,
    maps: () => [['mcpServers']],
    ...commandAndArgs({ alwaysLoadTools: true }),
    ...urlAndHeaders('httpUrl', (name) => `\${${name}}`, { alwaysLoadTools: true }),
  },
  hook: {
    syntax: 'json-without-trailing-commas',
    file: qwenSettings,
    events: { recall: ['UserPromptSubmit'], capture: [] },
    listItems: 'groups',
    command: hookInMilliseconds,
  },
  expansion: /\$(?:\w|\{)/u,
  nextStep: 'restart Qwen Code; /mcp lists the server, and /hooks its hooks, if any',
};

function qwenSettings(context: IntegrateContext, scope: IntegrationScope): string {
  return join(qwenFolder(context, scope), 'settings.json');
}

function qwenFolder({ env, homeDir, cwd }: IntegrateContext, scope: IntegrationScope): string {
  return scope === 'project' ? join(cwd, '.qwen') : env['QWEN_HOME'] || join(homeDir, '.qwen');
}

/**
 * VS Code. Servers: "MCP configuration reference"
 * (code.visualstudio.com/docs/agents/reference/mcp-configuration): `servers` of `mcp.json` in the
 * user profile or of `.vscode/mcp.json`; variables like `${workspaceFolder}` are replaced. The
 * profile's folder: "User and workspace settings" (code.visualstudio.com/docs/configure/settings)
 * and "Portable mode" (…/docs/setup/portable). Hooks: "Agent hooks in Visual Studio Code": for the
 * event before a prompt only the common answer is documented, which adds nothing to the turn.
 */
const vscode: AgentFormat = {
  id: 'vscode',
  title: 'VS Code',
  detectPaths: (context) => [profileFolder(context)],
  server: {
    syntax: 'json',
    file: (context, scope) =>
      scope === 'project'
        ? join(context.cwd, '.vscode', 'mcp.json')
        : join(profileFolder(context), 'mcp.json'),
    maps: () => [['servers']],
    ...commandAndArgs({ type: 'stdio' }),
    ...urlAndHeaders('url', (name) => `\${env:${name}}`, { type: 'http' }),
  },
  hook: {
    why: 'its documentation does not say that the output of a hook reaches the model',
    instead:
      'register without --active-memory, and tell it in .github/copilot-instructions.md to call memory_search before answering',
  },
  expansion: /\$\{/u,
  nextStep: 'run "MCP: List Servers" in VS Code, start the server and trust it',
};

function profileFolder({ env, homeDir, platform }: IntegrateContext): string {
  const portable = env['VSCODE_PORTABLE'];
  if (portable) return join(portable, 'user-data', 'User');
  const folder = join('Code', 'User');
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', folder);
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(homeDir, 'AppData', 'Roaming'), folder);
  }
  return join(env['XDG_CONFIG_HOME'] || join(homeDir, '.config'), folder);
}

export const AGENTS: Readonly<Record<AgentId, AgentFormat>> = {
  'claude-code': claudeCode,
  codex,
  'copilot-cli': copilotCli,
  cursor,
  'gemini-cli': geminiCli,
  'kilo-code': kiloCode,
  opencode,
  'qwen-code': qwenCode,
  vscode,
};

/**
 * Finds an agent by the name that a person typed.
 *
 * @throws SvcError USAGE
 */
export function agentNamed(name: string): AgentFormat {
  const id = AGENT_IDS.find((known) => known === name);
  if (id !== undefined) return AGENTS[id];
  throw new SvcError('USAGE', `unknown agent ${JSON.stringify(name)}`, {
    hint: nameHint(name, AGENT_IDS, `must be one of: ${AGENT_IDS.join(', ')}`),
  });
}
