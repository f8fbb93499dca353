/**
 * `npm run check-agents [AGENT…]`: installs the agents' own programs from npm into a temporary folder, and checks that
 * they accept what `svc integrate` writes, connect to both kinds of servers, and no longer see them after `--remove`. In
 * between, a conversation with a model of our own searches memory and, where svc supports it, recalls a note and is
 * captured and read.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '../../src/engine/integrate/agent.js';
import type { FakeVendor } from '../../test/fakes/fake-vendor.js';
import { startHttpMcp } from '../../test/support/mcp.js';
import { runSvc } from '../../test/support/run-svc.js';
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.js';
import { waitFor } from '../../test/support/wait.js';
import { ANSWER, startModel } from './model.js';

interface CheckedAgent {
  readonly id: AgentId;
  readonly package: string;
  readonly command: string;
  readonly list: readonly string[];
  readonly flags: readonly string[];
  /** Its own settings: which model it uses, and that it trusts the folder that it is started in. */
  readonly settings?: (home: TempFolder, model: string) => void;
  /** A conversation of one question. */
  readonly ask: (model: string) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** What its list says of a server that it accepts. */
  accepts(output: string, server: string): boolean;
}

const HOOKS = ['--active-memory', '--capture'];
const QUESTION = 'Where is the blue mug?';
const NOTE = 'memory/2026-02-03.md';
const KEY = 'sk-only-for-our-own-model';
const LOCAL = 'svc';
const REMOTE = 'svc-remote';

function isConnected(output: string, server: string): boolean {
  const lines = output.split('\n').map((line) => line.toLowerCase());
  const named = new RegExp(`(?:^|\\s)${server}[:\\s]`, 'u');
  return lines.some((line) => named.test(line) && /connected/u.test(line) && !/dis/u.test(line));
}

const AGENTS: readonly CheckedAgent[] = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    list: ['mcp', 'list'],
    flags: HOOKS,
    ask: (model) => ({
      args: ['--print', QUESTION, '--allowedTools', 'mcp__svc__memory_search'],
      env: { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: KEY },
    }),
    accepts: isConnected,
  },
  {
    id: 'codex',
    package: '@openai/codex',
    command: 'codex',
    list: ['mcp', 'list', '--json'],
    flags: HOOKS,
    ask: (model) => ({
      args: [
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust'],
        ...['-c', 'model_provider=own', '-c', 'model_providers.own.name=own'],
        ...['-c', `model_providers.own.base_url=${model}/v1`],
        ...['-c', 'model_providers.own.env_key=OPENAI_API_KEY', QUESTION],
      ],
      env: { OPENAI_API_KEY: KEY },
    }),
    // It lists without connecting.
    accepts: (output, server) => {
      const from = output.indexOf('[\n');
      if (from < 0) return false;
      const listed: unknown = JSON.parse(output.slice(from, output.lastIndexOf(']') + 1));
      const text = JSON.stringify(
        (Array.isArray(listed) ? listed : []).find((one) => one?.name === server) ?? {},
      );
      const expected = server === REMOTE ? '"auth_status":"bearer_token"' : '"type":"stdio"';
      return text.includes('"enabled":true') && text.includes(expected);
    },
  },
  {
    id: 'copilot-cli',
    package: '@github/copilot',
    command: 'copilot',
    list: ['mcp', 'list'],
    flags: ['--active-memory'],
    ask: (model) => ({
      args: ['--prompt', QUESTION],
      env: {
        COPILOT_MODEL: 'm',
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_API_KEY: KEY,
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      },
    }),
    // It lists without connecting.
    accepts: (output, server) =>
      output.includes(` ${server} (${server === REMOTE ? 'http' : 'local'})`),
  },
  {
    id: 'gemini-cli',
    package: '@google/gemini-cli',
    command: 'gemini',
    list: ['mcp', 'list'],
    flags: HOOKS,
    settings: (home) => {
      const security = { auth: { selectedType: 'gemini-api-key' } };
      home.write('.gemini/settings.json', JSON.stringify({ security }));
      home.write(
        '.gemini/trustedFolders.json',
        JSON.stringify({ [home.at('project')]: 'TRUST_FOLDER' }),
      );
    },
    ask: (model) => ({
      args: ['--yolo', '--model', 'gemini-2.5-pro', '--prompt', QUESTION],
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: model },
    }),
    accepts: isConnected,
  },
  {
    id: 'opencode',
    package: 'opencode-ai',
    command: 'opencode',
    list: ['mcp', 'list'],
    flags: ['--capture'],
    settings: (home, model) => {
      const own = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${model}/v1`, apiKey: KEY },
        models: { m: { tool_call: true } },
      };
      const settings = { model: 'own/m', provider: { own } };
      home.write('.config/opencode/opencode.json', JSON.stringify(settings));
    },
    ask: () => ({ args: ['run', QUESTION], env: {} }),
    accepts: isConnected,
  },
  {
    id: 'qwen-code',
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    list: ['mcp', 'list'],
    flags: ['--active-memory'],
    ask: (model) => ({
      args: ['--auth-type', 'openai', '--yolo', QUESTION],
      env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'm' },
    }),
    accepts: isConnected,
  },
];

const MAX_INSTALL_MS = 300_000;
const MAX_LIST_MS = 90_000;
const MAX_ANSWER_MS = 120_000;

interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly limitMs: number },
): Promise<CommandResult> {
  const { cwd, env, limitMs } = options;
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code, output };
}

/** What is wrong; undefined if the agent accepts everything. */
async function check(
  agent: CheckedAgent,
  programs: TempFolder,
  remote: { readonly url: string; readonly token: string },
  model: FakeVendor,
): Promise<string | undefined> {
  const program = programs.at(`node_modules/.bin/${agent.command}`);
  if (!existsSync(program)) return 'npm did not install it';
  const home = tempFolder();
  const project = home.at('project');
  home.write(`project/${NOTE}`, 'The blue mug is in the kitchen.\n');
  const readers = agent.flags.includes('--capture') ? [agent.id] : [];
  home.write('svc.json', JSON.stringify(configuration(readers, project)));
  agent.settings?.(home, model.origin);
  const env = { SVC_MCP_TOKEN: remote.token };
  const svc = (...args: readonly string[]) => runSvc(args, { home: home.path, env, cwd: project });
  const integrate = (...args: readonly string[]) => svc('integrate', agent.id, '--yes', ...args);
  const surroundings = {
    PATH: process.env['PATH'],
    HOME: home.path,
    SVC_HOME: home.path,
    NO_COLOR: '1',
    ...env,
  };
  const list = async (): Promise<string> => {
    const options = { cwd: project, env: surroundings, limitMs: MAX_LIST_MS };
    const { output } = await run(program, agent.list, options);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours that NO_COLOR does not prevent.
    return output.replaceAll(/\u001B\[[\d;]*m/gu, '');
  };
  const steps = [
    await integrate(...agent.flags),
    await integrate('--name', REMOTE, '--remote', remote.url, '--token-env', 'SVC_MCP_TOKEN'),
  ];
  const failed = steps.find(({ code }) => code !== 0);
  if (failed !== undefined) return failed.stderr;
  const listed = await list();
  const refused = [LOCAL, REMOTE].filter((server) => !agent.accepts(listed, server));
  if (refused.length > 0) return `does not accept ${refused.join(', ')}:\n${listed}`;
  await integrate('--remove', '--name', REMOTE);

  const ask = async (): Promise<string> => {
    const { args, env: keys } = agent.ask(model.origin);
    const options = { cwd: project, env: { ...surroundings, ...keys }, limitMs: MAX_ANSWER_MS };
    return (await run(program, args, options)).output;
  };
  const fault = await conversationFault(agent, model, ask, home.at('project/memory'));
  if (fault !== undefined) return fault;
  if (readers.length > 0) {
    const { stdout } = await svc('memory', 'sessions', 'list', '--json');
    if (!stdout.includes(`"title": "${QUESTION}"`))
      return `its conversation is not read:\n${stdout}`;
  }
  await integrate('--remove');
  const left = await list();
  return /\bsvc\b/u.test(left.replaceAll(home.path, '')) ? `still lists svc:\n${left}` : undefined;
}

/** What is wrong with a conversation: its model gets the note from the tool and its hooks, and its answer is captured. */
async function conversationFault(
  { id, flags }: CheckedAgent,
  model: FakeVendor,
  ask: () => Promise<string>,
  notes: string,
): Promise<string | undefined> {
  const before = model.requests.length;
  const sent = (text: RegExp): boolean =>
    model.requests.slice(before).some(({ body }) => text.test(body.toString('utf8')));
  let said = '';
  // Codex does not wait for a server that takes longer to start than itself.
  for (let tries = 0; tries < 3 && !sent(FOUND); tries++) said = await ask();
  if (!sent(FOUND)) return `its model did not get what memory_search found:\n${said}`;
  const recalls = flags.includes('--active-memory');
  if (recalls && !sent(/active_memory_plugin/u)) return `recalled nothing:\n${said}`;
  if (!flags.includes('--capture')) return undefined;
  const isCaptured = (): boolean =>
    readdirSync(notes).some((name) => readFileSync(join(notes, name), 'utf8').includes(ANSWER));
  await waitFor(`a captured decision of ${id}`, isCaptured, () => said);
  return undefined;
}

/** What a tool returned, with the note. */
const FOUND =
  /(?:"tool_result"|"function_call_output"|"role":"tool"|"functionResponse").*2026-02-03\.md/u;

/** Notes and conversations of a project. */
function configuration(readers: readonly AgentId[], workspace: string): object {
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  };
  return { agents: { defaults: { workspace, memorySearch } }, sessions: { readers } };
}

const requested = process.argv.slice(2);
const agents = AGENTS.filter(({ id }) => requested.length === 0 || requested.includes(id));
const programs = tempFolder();
await run(
  'npm',
  ['install', '--no-audit', '--no-fund', ...agents.map((agent) => agent.package)],
  // With its own environment, which may name a registry or a proxy.
  { cwd: programs.path, env: process.env, limitMs: MAX_INSTALL_MS },
);
const server = await startHttpMcp(tempFolder());
const model = await startModel();
let faults = agents.length === 0 ? 1 : 0;
for (const agent of agents) {
  const fault = await check(agent, programs, server, model);
  if (fault !== undefined) faults++;
  const { version } = existsSync(programs.at(join('node_modules', agent.package, 'package.json')))
    ? await import(programs.at(join('node_modules', agent.package, 'package.json')), {
        with: { type: 'json' },
      }).then(({ default: manifest }) => manifest)
    : { version: '' };
  console.log(`${fault === undefined ? 'ok  ' : 'FAIL'} ${agent.id} ${version}`);
  if (fault !== undefined) console.log(fault);
}
server.child.kill();
await server.done;
await model.close();
process.exitCode = faults === 0 ? 0 : 1;
