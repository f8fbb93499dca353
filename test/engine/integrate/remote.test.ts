import { rmSync } from 'node:fs';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AGENT_IDS, type AgentId } from '../../../src/engine/integrate/agent.js';
import { listIntegrations } from '../../../src/engine/integrate/list.js';
import { integrateOutput } from '../../../src/engine/integrate/plan.js';
import { prepareIntegration } from '../../../src/engine/integrate/prepare.js';
import { failureOf } from '../../support/failure.js';
import { home, PROGRAM, SERVER_WORDS } from './support.js';

/** Servers that the agent reaches over the network, in the forms that the documentation of each agent shows. */
const test = suite('remote servers');

const URL = 'https://memory.example.com/mcp';
const REMOTE = { url: URL, tokenEnv: 'SVC_MCP_TOKEN' };

interface Form {
  readonly file: string;
  readonly at: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

const bearer = (before: string) => ({
  headers: { Authorization: `Bearer ${before}SVC_MCP_TOKEN}` },
});

const FORMS: Readonly<Record<AgentId, Form>> = {
  'claude-code': {
    file: '.claude.json',
    at: 'mcpServers',
    entry: { type: 'http', url: URL, ...bearer('${') },
  },
  codex: {
    file: '.codex/config.toml',
    at: 'mcp_servers',
    entry: { url: URL, bearer_token_env_var: 'SVC_MCP_TOKEN' },
  },
  'copilot-cli': {
    file: '.copilot/mcp-config.json',
    at: 'mcpServers',
    entry: { type: 'http', url: URL, ...bearer('${') },
  },
  cursor: {
    file: '.cursor/mcp.json',
    at: 'mcpServers',
    entry: { url: URL, ...bearer('${env:') },
  },
  'gemini-cli': {
    file: '.gemini/settings.json',
    at: 'mcpServers',
    entry: { httpUrl: URL, ...bearer('${') },
  },
  'kilo-code': {
    file: '.config/kilo/kilo.json',
    at: 'mcp',
    entry: { type: 'remote', url: URL, ...bearer('{env:') },
  },
  opencode: {
    file: '.config/opencode/opencode.json',
    at: 'mcp',
    entry: { type: 'remote', url: URL, ...bearer('{env:') },
  },
  'qwen-code': {
    file: '.qwen/settings.json',
    at: 'mcpServers',
    entry: { alwaysLoadTools: true, httpUrl: URL, ...bearer('${') },
  },
  vscode: {
    file: '.config/Code/User/mcp.json',
    at: 'servers',
    entry: { type: 'http', url: URL, ...bearer('${env:') },
  },
};

function entryIn({ file, at }: Form, text: string): unknown {
  const data: unknown = file.endsWith('.toml') ? parseToml(text) : parseJson(text);
  return JSON.parse(JSON.stringify(Reflect.get(Reflect.get(Object(data), at), 'svc')));
}

const SIGNAL_FREE = { action: 'add', scope: 'user', name: 'svc', target: {} } as const;

for (const agent of AGENT_IDS) {
  const form = FORMS[agent];

  test(`${agent}: the entry has the documented form, and is removed to the byte`, async () => {
    const { folder, context, add, remove, read } = home();
    const text = form.file.endsWith('.toml') ? '# mine\nmodel = "x"\n' : '{\n  "mine": 1\n}\n';
    folder.write(form.file, text);
    const done = await add(agent, { remote: REMOTE });
    assert.equal(entryIn(form, read(form.file)), form.entry);
    const { server } = integrateOutput(done, true);
    assert.equal(server, {
      name: 'svc',
      command: [],
      env: {},
      url: URL,
      tokenEnv: 'SVC_MCP_TOKEN',
    });
    assert.is((await add(agent, { remote: REMOTE })).files[0]?.changes.length, 0);
    const [listed] = await listIntegrations(context, 'user', [agent], PROGRAM);
    assert.equal(listed?.servers, ['svc']);
    // As today's entries: without naming the URL again.
    await remove(agent);
    assert.is(read(form.file), text);
  });

  test(`${agent}: a server of this machine becomes a remote one, and back, in an edited file`, async () => {
    const { add, remove, read, folder } = home();
    await add(agent);
    const edit = form.file.endsWith('.toml')
      ? (text: string) => `${text}# later\n`
      : (text: string) => text.replace(/\}\s*$/u, ', "later": 1 }\n');
    folder.write(form.file, edit(read(form.file)));
    await add(agent, { remote: REMOTE });
    assert.equal(entryIn(form, read(form.file)), form.entry);
    const moved = 'https://memory.example.org/mcp';
    await add(agent, { remote: { url: moved, tokenEnv: 'SVC_MCP_TOKEN' } });
    assert.match(JSON.stringify(entryIn(form, read(form.file))), moved);
    await add(agent);
    assert.not.match(read(form.file), /memory\.example/);
    assert.match(JSON.stringify(entryIn(form, read(form.file))), SERVER_WORDS[1]);
    await remove(agent);
    assert.match(read(form.file), 'later');
    assert.not.match(read(form.file), /svc/);
  });
}

test('a server of the same name that svc did not write is not touched', async () => {
  const { folder, context, plan, read } = home();
  const text = `{ "mcpServers": { "svc": { "url": "https://other.example.com/mcp" } } }\n`;
  folder.write('.cursor/mcp.json', text);
  for (const action of ['add', 'remove'] as const) {
    const failure = await failureOf((async () => plan('cursor', { action, remote: REMOTE }))());
    assert.is(failure.code, 'INTEGRATION_CONFLICT');
  }
  assert.equal((await listIntegrations(context, 'user', ['cursor'], PROGRAM))[0]?.servers, []);
  assert.is(read('.cursor/mcp.json'), text);
});

test('a server that was made remote without a receipt is still known as svc’s', async () => {
  const { folder, context, add, remove, read } = home();
  await add('cursor');
  rmSync(folder.at('state/integrations'), { recursive: true });
  folder.write('.cursor/mcp.json', read('.cursor/mcp.json').replace('{', '{ "mine": 1,'));
  await add('cursor', { remote: REMOTE });
  assert.equal((await listIntegrations(context, 'user', ['cursor'], PROGRAM))[0]?.servers, ['svc']);
  await remove('cursor');
  assert.equal(JSON.parse(read('.cursor/mcp.json')), { mine: 1, mcpServers: {} });
});

test('a server that somebody pointed elsewhere is no longer svc’s', async () => {
  const { folder, context, add, plan, read } = home();
  await add('cursor', { remote: REMOTE });
  const elsewhere = read('.cursor/mcp.json').replace('memory.example.com', 'else.example.com');
  folder.write('.cursor/mcp.json', elsewhere);
  assert.equal((await listIntegrations(context, 'user', ['cursor'], PROGRAM))[0]?.servers, []);
  const failure = await failureOf((async () => plan('cursor', { action: 'remove' }))());
  assert.is(failure.code, 'INTEGRATION_CONFLICT');
  assert.is(read('.cursor/mcp.json'), elsewhere);
});

test('an invalid URL, one with a secret, or a token is refused, and not printed', async () => {
  const { context } = home();
  const refused = async (url: string, tokenEnv?: string) => {
    const wish = { ...SIGNAL_FREE, activeMemory: false, capture: false, program: PROGRAM };
    const remote = { url, tokenEnv };
    return failureOf(prepareIntegration(context, { ...wish, agent: 'codex', remote }));
  };
  for (const url of ['memory', 'ftp://example.com', 'https://ada:s3cret@example.com/mcp']) {
    const { code, message } = await refused(url);
    assert.is(code, 'USAGE', url);
    assert.not.match(message, 's3cret');
  }
  assert.is((await refused(`${URL}?token=s3cret`)).code, 'USAGE');
  const token = await refused(URL, 'svc-mcp.s3cret');
  assert.match(token.message, '--token-env must be the name of an environment variable');
  assert.not.match(`${token.message}${token.hint}`, 's3cret');
});

test('a server of this machine that would replace a remote one is warned about', async () => {
  const { context, add, folder } = home();
  folder.write('state/workspace/MEMORY.md', '');
  await add('codex', { remote: REMOTE });
  const wish = { ...SIGNAL_FREE, agent: 'codex', activeMemory: false, program: PROGRAM };
  for (const more of [
    { capture: true },
    { capture: false, target: { workspace: folder.path } },
    { capture: false },
  ]) {
    const { warnings } = await prepareIntegration(context, { ...wish, ...more });
    assert.equal(
      warnings.map(({ message }) => message),
      [`this replaces the entry that connects to ${URL}`],
    );
  }
  const other = { ...wish, capture: false, name: 'svc-notes' };
  assert.equal((await prepareIntegration(context, other)).warnings, []);
});

test('an unset variable and an unencrypted URL are warned about', async () => {
  const wish = { ...SIGNAL_FREE, activeMemory: false, capture: false, program: PROGRAM };
  const warnings = async (url: string, env: Readonly<Record<string, string>>) => {
    const remote = { url, tokenEnv: 'SVC_MCP_TOKEN' };
    const prepared = await prepareIntegration(home(env).context, {
      ...wish,
      agent: 'codex',
      remote,
    });
    return prepared.warnings.map(({ message }) => message).join('; ');
  };
  assert.is(await warnings(URL, { SVC_MCP_TOKEN: 'x' }), 'Codex not found');
  assert.match(await warnings(URL, {}), 'SVC_MCP_TOKEN is not set here');
  assert.match(await warnings('http://memory.example.com/mcp', {}), 'unencrypted');
  assert.not.match(await warnings('http://127.0.0.1:4000/mcp', {}), 'unencrypted');
});

test.run();
