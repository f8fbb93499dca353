/**
 * `npm run check-agents [AGENT…]`: installs the agents' own programs from npm into a temporary folder, and checks that
 * they accept what `svc integrate` writes, connect to both kinds of servers, and no longer see them after `--remove`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '../../src/engine/integrate/agent.js';
import { startHttpMcp } from '../../test/support/mcp.js';
import { runSvc } from '../../test/support/run-svc.js';
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.js';

interface CheckedAgent {
  readonly id: AgentId;
  readonly package: string;
  readonly command: string;
  readonly list: readonly string[];
  readonly flags: readonly string[];
  /** What makes it trust the folder that it is started in. */
  readonly trust?: (home: TempFolder) => void;
  /** What its list says of a server that it accepts. */
  accepts(output: string, server: string): boolean;
}

const HOOKS = ['--active-memory', '--capture'];
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
    accepts: isConnected,
  },
  {
    id: 'codex',
    package: '@openai/codex',
    command: 'codex',
    list: ['mcp', 'list', '--json'],
    flags: HOOKS,
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
    id: 'gemini-cli',
    package: '@google/gemini-cli',
    command: 'gemini',
    list: ['mcp', 'list'],
    flags: HOOKS,
    trust: (home) => {
      home.write(
        '.gemini/trustedFolders.json',
        JSON.stringify({ [home.at('project')]: 'TRUST_FOLDER' }),
      );
    },
    accepts: isConnected,
  },
  {
    id: 'opencode',
    package: 'opencode-ai',
    command: 'opencode',
    list: ['mcp', 'list'],
    flags: [],
    accepts: isConnected,
  },
];

const MAX_INSTALL_MS = 300_000;
const MAX_LIST_MS = 90_000;

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
): Promise<string | undefined> {
  const program = programs.at(`node_modules/.bin/${agent.command}`);
  if (!existsSync(program)) return 'npm did not install it';
  const home = tempFolder();
  home.write('project/memory/2026-02-03.md', 'The blue mug is in the kitchen.\n');
  const project = home.at('project');
  agent.trust?.(home);
  const token = { SVC_MCP_TOKEN: remote.token };
  const svc = (...args: readonly string[]) =>
    runSvc(['integrate', agent.id, '--yes', ...args], { home: home.path, env: token });
  const agentEnv: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: home.path,
    NO_COLOR: '1',
    ...token,
  };
  const list = async (): Promise<string> => {
    const options = { cwd: project, env: agentEnv, limitMs: MAX_LIST_MS };
    const { output } = await run(program, agent.list, options);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours that NO_COLOR does not prevent.
    return output.replaceAll(/\u001B\[[\d;]*m/gu, '');
  };
  const steps = [
    await svc(...agent.flags),
    await svc('--name', REMOTE, '--remote', remote.url, '--token-env', 'SVC_MCP_TOKEN'),
  ];
  const failed = steps.find(({ code }) => code !== 0);
  if (failed !== undefined) return failed.stderr;
  const listed = await list();
  const refused = [LOCAL, REMOTE].filter((server) => !agent.accepts(listed, server));
  if (refused.length > 0) return `does not accept ${refused.join(', ')}:\n${listed}`;
  await svc('--remove', '--name', REMOTE);
  await svc('--remove');
  const left = await list();
  return /\bsvc\b/u.test(left.replaceAll(home.path, '')) ? `still lists svc:\n${left}` : undefined;
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
let faults = agents.length === 0 ? 1 : 0;
for (const agent of agents) {
  const fault = await check(agent, programs, server);
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
process.exitCode = faults === 0 ? 0 : 1;
