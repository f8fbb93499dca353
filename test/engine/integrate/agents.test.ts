import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AGENT_IDS, type AgentId } from '../../../src/engine/integrate/agent.js';
import { agentNamed } from '../../../src/engine/integrate/agents.js';
import { planIntegration } from '../../../src/engine/integrate/plan.js';
import { prepareIntegration } from '../../../src/engine/integrate/prepare.js';
import type { ProgramFacts } from '../../../src/engine/integrate/program.js';
import { failureOf } from '../../support/failure.js';
import { waitFor } from '../../support/wait.js';
import { home, PROGRAM, SERVER_WORDS } from './support.js';

/** Files as each agent leaves them, and what comes to stand in them. */
const test = suite('each agent');

const [NODE, ...ARGS] = SERVER_WORDS;

/** A file of an agent, and where in its data the server has to stand, in which form. */
interface Sample {
  readonly agent: AgentId;
  readonly file: string;
  readonly text: string;
  readonly at: readonly string[];
  readonly entry: unknown;
}

const CLAUDE = `{
  "numStartups": 34,
  "installMethod": "global",
  "tipsHistory": { "new-user-warmup": 3 },
  "projects": {
    "/home/ada/work": {
      "allowedTools": [],
      "mcpServers": { "svc": { "command": "of-this-project" } },
      "history": [{ "display": "what is \\"svc\\"? {[", "pastedContents": {} }]
    }
  },
  "oauthAccount": { "accountUuid": "0b1c", "emailAddress": "ada@example.com" },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.example.com/mcp/",
      "headers": { "Authorization": "Bearer \${TOKEN}" }
    }
  },
  "hasCompletedOnboarding": true
}
`;

const CODEX = `model = "gpt-5.5" # the default
approval_policy = "on-request"
notify = [
  "python3",
  "/home/ada/notify.py", # [mcp_servers.svc] is not here
]

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
startup_timeout_sec = 20

[mcp_servers.context7.env]
KEY = "abc"

[projects."/home/ada/work"]
trust_level = "trusted"

[tui]
notifications = true`;

const CURSOR = `\uFEFF{\r
\t"mcpServers": {\r
\t\t"linear": {\r
\t\t\t"url": "https://mcp.example.com/sse"\r
\t\t}\r
\t}\r
}\r
`;

const COPILOT = `{
  "mcpServers": {
    "playwright": {
      "tools": ["*"],
      "type": "local",
      "command": "npx",
      "args": ["@playwright/mcp@latest"]
    }
  }
}`;

const QWEN = `{
  "security": { "auth": { "selectedType": "openai" } }, // a model of our own
  "mcpServers": {
    "linear": { "httpUrl": "https://mcp.example.com/mcp", "headers": { "Authorization": "$KEY" } }
  },
  "$version": 4
}
`;

const GEMINI = `{
    "general": { "previewFeatures": true, "preferredEditor": "vim" },
    /* servers that are switched off:
       "mcpServers": { "svc": {} } */
    "ui": { "theme": "GitHub" },
    "hooks": {
        "BeforeTool": [
            { "matcher": "write_file", "hooks": [{ "type": "command", "command": "./check.sh" }] }
        ]
    }
}
`;

const OPENCODE = `{
  "$schema": "https://opencode.ai/config.json",
  // Which model
  "model": "anthropic/claude-sonnet-5-5",
  "mcp": {
    "playwright": { "type": "local", "command": ["npx", "@playwright/mcp"], "enabled": false }, // off
  },
}
`;

const OPENCODE_2 = `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "servers": {
      "playwright": { "type": "local", "command": ["npx", "@playwright/mcp"] }
    }
  }
}
`;

const KILO = `{
  "$schema": "https://app.kilo.ai/config.json",
  "permission": { "bash": "ask" },
}
`;

const VSCODE = `{
	"inputs": [
		{ "type": "promptString", "id": "key", "description": "API key", "password": true }
	],
	"servers": {
		// of the team
		"playwright": {
			"command": "npx",
			"args": ["-y", "@playwright/mcp@latest"]
		}
	}
}`;

const STDIO = { type: 'stdio', command: NODE, args: ARGS };
const PLAIN = { command: NODE, args: ARGS };
const LOCAL = { type: 'local', command: SERVER_WORDS };

const SAMPLES: readonly Sample[] = [
  { agent: 'claude-code', file: '.claude.json', text: CLAUDE, at: ['mcpServers'], entry: STDIO },
  { agent: 'codex', file: '.codex/config.toml', text: CODEX, at: ['mcp_servers'], entry: PLAIN },
  {
    agent: 'copilot-cli',
    file: '.copilot/mcp-config.json',
    text: COPILOT,
    at: ['mcpServers'],
    entry: { ...PLAIN, type: 'local' },
  },
  { agent: 'cursor', file: '.cursor/mcp.json', text: CURSOR, at: ['mcpServers'], entry: STDIO },
  {
    agent: 'gemini-cli',
    file: '.gemini/settings.json',
    text: GEMINI,
    at: ['mcpServers'],
    entry: PLAIN,
  },
  {
    agent: 'kilo-code',
    file: '.config/kilo/kilo.jsonc',
    text: KILO,
    at: ['mcp'],
    entry: LOCAL,
  },
  {
    agent: 'opencode',
    file: '.config/opencode/opencode.jsonc',
    text: OPENCODE,
    at: ['mcp'],
    entry: LOCAL,
  },
  {
    agent: 'opencode',
    file: '.config/opencode/opencode.json',
    text: OPENCODE_2,
    at: ['mcp', 'servers'],
    entry: LOCAL,
  },
  {
    agent: 'qwen-code',
    file: '.qwen/settings.json',
    text: QWEN,
    at: ['mcpServers'],
    entry: { ...PLAIN, alwaysLoadTools: true },
  },
  {
    agent: 'vscode',
    file: '.config/Code/User/mcp.json',
    text: VSCODE,
    at: ['servers'],
    entry: STDIO,
  },
];

function dataOf(file: string, text: string): unknown {
  if (file.endsWith('.toml')) return parseToml(text);
  return parseJson(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), data);
}

/** Without the prototypes that parsers differ in. */
function plain(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}

for (const { agent, file, text, at, entry } of SAMPLES) {
  test(`${agent}: the entry has the documented form, and is removed to the byte (${file})`, async () => {
    const { folder, add, remove, read } = home();
    folder.write(file, text);
    await add(agent);
    const servers = valueAt(dataOf(file, read(file)), at);
    assert.equal(plain(valueAt(servers, ['svc'])), entry);
    const others = plain(servers) as Record<string, unknown>;
    delete others['svc'];
    assert.equal(others, plain(valueAt(dataOf(file, text), at) ?? {}));
    assert.is((await add(agent)).files[0]?.changes.length, 0);
    await remove(agent);
    assert.is(read(file), text);
    assert.is((await remove(agent)).files[0]?.changes.length, 0);
  });

  test(`${agent}: a missing or empty file is created and restored (${file})`, async () => {
    const { folder, add, remove, read, plan } = home();
    const target = plan(agent).files[0]?.file.path ?? '';
    await add(agent);
    await remove(agent);
    assert.throws(() => read(target.slice(folder.path.length + 1)), /ENOENT/);
    folder.write(target.slice(folder.path.length + 1), '');
    await add(agent);
    await remove(agent);
    assert.is(read(target.slice(folder.path.length + 1)), '');
  });
}

test('a comment that follows the last server stays with it', async () => {
  const { folder, add, read } = home();
  folder.write('.config/opencode/opencode.json', OPENCODE);
  await add('opencode');
  const text = read('.config/opencode/opencode.json');
  assert.match(text, /"enabled": false \}, \/\/ off\n {4}"svc": \{/);
});

const HOOKS: readonly (readonly [AgentId, string, readonly string[], unknown])[] = [
  ['claude-code', '.claude/settings.json', ['hooks', 'UserPromptSubmit'], { timeout: 21 }],
  ['codex', '.codex/hooks.json', ['hooks', 'UserPromptSubmit'], { timeout: 21 }],
  ['copilot-cli', '.copilot/settings.json', ['hooks', 'UserPromptSubmit'], { timeout: 21 }],
  [
    'gemini-cli',
    '.gemini/settings.json',
    ['hooks', 'BeforeAgent'],
    { name: 'svc-memory', timeout: 20_500 },
  ],
  [
    'qwen-code',
    '.qwen/settings.json',
    ['hooks', 'UserPromptSubmit'],
    { name: 'svc-memory', timeout: 20_500 },
  ],
];

for (const [agent, file, at, extra] of HOOKS) {
  test(`${agent}: active memory is a hook of its documented form next to existing ones`, async () => {
    const { folder, add, remove, read } = home();
    const theirs = { hooks: [{ type: 'command', command: 'date' }, { command: { run: 'date' } }] };
    const [, event = ''] = at;
    const text = `${JSON.stringify({ hooks: { Other: [], [event]: [theirs] } }, null, 2)}\n`;
    folder.write(file, text);
    await add(agent, { hookTimeoutMs: 20_500 });
    const command = `${PROGRAM.node} ${PROGRAM.script} memory recall --hook ${agent}`;
    assert.equal(valueAt(dataOf(file, read(file)), at), [
      theirs,
      { hooks: [{ type: 'command', command, ...(extra as object) }] },
    ]);
    await add(agent);
    assert.match(read(file), /memory recall/, 'without --active-memory it is left alone');
    await remove(agent);
    assert.is(read(file), text);
  });
}

for (const agent of ['cursor', 'kilo-code', 'opencode', 'vscode'] as const) {
  test(`${agent}: active memory is refused with the reason and an alternative`, async () => {
    const { plan } = home();
    const error = await failureOf(() => plan(agent, { hookTimeoutMs: 1000 }));
    assert.is(error.code, 'INTEGRATION_UNSUPPORTED');
    assert.match(error.message, /does not support active memory: /);
    assert.match(error.hint ?? '', /memory_search/);
  });
}

const CAPTURES = [
  ['claude-code', '.claude/settings.json', ['PreCompact', 'SessionEnd'], { timeout: 10 }],
  // Codex warns at each start if the end of a session has more than 3 s.
  ['codex', '.codex/hooks.json', ['PreCompact', 'SessionEnd'], { timeout: 10 }, { timeout: 3 }],
  [
    'gemini-cli',
    '.gemini/settings.json',
    ['PreCompress', 'SessionEnd'],
    { name: 'svc-capture', timeout: 10_000 },
  ],
] as const;

for (const [agent, file, events, extra, atEnd = extra] of CAPTURES) {
  test(`${agent}: captures are hooks before a compaction and at the end, next to others`, async () => {
    const { folder, add, remove, read, plan } = home();
    const theirs = { hooks: [{ type: 'command', command: 'date' }] };
    const text = `${JSON.stringify({ hooks: { Other: [], SessionEnd: [theirs] } }, null, 2)}\n`;
    folder.write(file, text);
    const { captureLine } = await add(agent, { capture: true });
    const command = `${PROGRAM.node} ${PROGRAM.script} memory capture --agent-hook ${agent}`;
    assert.is(captureLine, command);
    const group = (more: object) => ({ hooks: [{ type: 'command', command, ...more }] });
    const hooks = valueAt(dataOf(file, read(file)), ['hooks']);
    const atEvents = { [events[0]]: [group(extra)], [events[1]]: [theirs, group(atEnd)] };
    assert.equal(plain(hooks), { Other: [], ...atEvents });
    const written = read(file);
    await add(agent, { capture: true });
    await add(agent);
    assert.is(read(file), written, 'a second run, and one without --capture, change nothing');
    await add(agent, { hookTimeoutMs: 1000 });
    const changed = plan(agent, { action: 'remove' }).files.flatMap(({ changes }) =>
      changes.map(({ part }) => part).filter((part) => part !== 'server'),
    );
    assert.equal(changed.toSorted(), ['capture', 'capture', 'hook']);
    await remove(agent);
    assert.is(read(file), text);
  });
}

const CURSOR_HOOKS = '.cursor/hooks.json';

test('cursor: captures are listed without groups, in a versioned file that is removed again', async () => {
  const { folder, add, remove, read } = home();
  await add('cursor', { capture: true });
  const ours = {
    command: `${PROGRAM.node} ${PROGRAM.script} memory capture --agent-hook cursor`,
    timeout: 10,
  };
  const written = read(CURSOR_HOOKS);
  const expected = { version: 1, hooks: { preCompact: [ours], sessionEnd: [ours] } };
  assert.equal(JSON.parse(written), expected);
  await add('cursor', { capture: true });
  assert.is(read(CURSOR_HOOKS), written, 'a second run changes nothing');
  await remove('cursor');
  assert.not.ok(existsSync(folder.at('.cursor')), 'with the folder that was made for it');
});

test('cursor: captures stand next to other hooks, whose version stays', async () => {
  const { folder, add, remove, read } = home();
  const theirs = { command: './audit.sh' };
  const text = `${JSON.stringify({ version: 1, hooks: { sessionEnd: [theirs] } }, null, 2)}\n`;
  folder.write(CURSOR_HOOKS, text);
  await add('cursor', { capture: true });
  assert.is(JSON.parse(read(CURSOR_HOOKS)).hooks.sessionEnd.length, 2);
  await remove('cursor');
  assert.is(read(CURSOR_HOOKS), text);
});

test('cursor: a version that svc wrote stays while other hooks need it', async () => {
  const { folder, add, remove, read } = home();
  await add('cursor', { capture: true });
  const mine = { stop: [{ command: './done.sh' }] };
  const data = JSON.parse(read(CURSOR_HOOKS));
  folder.write(CURSOR_HOOKS, JSON.stringify({ ...data, hooks: { ...mine, ...data.hooks } }));
  await remove('cursor');
  assert.equal(JSON.parse(read(CURSOR_HOOKS)), { version: 1, hooks: mine });
});

test('cursor: hooks that had no version before have none after, to the byte', async () => {
  const { folder, add, remove, read } = home();
  const text = '{ "hooks": { "stop": [{ "command": "./done.sh" }] } }\n';
  folder.write(CURSOR_HOOKS, text);
  await add('cursor', { capture: true });
  assert.is(JSON.parse(read(CURSOR_HOOKS)).version, 1);
  await remove('cursor');
  assert.is(read(CURSOR_HOOKS), text);
});

test('cursor: a command that moved is updated in place', async () => {
  const { folder, add, read } = home();
  const hooks = { preCompact: [{ command: 'svc memory capture --agent-hook cursor' }] };
  folder.write(CURSOR_HOOKS, JSON.stringify({ version: 1, hooks }));
  await add('cursor', { capture: true });
  const { preCompact } = JSON.parse(read(CURSOR_HOOKS)).hooks;
  assert.is(preCompact.length, 1);
  assert.match(preCompact[0].command, /run\.js memory capture/);
});

const PLUGIN = '.config/opencode/plugins/svc-capture.js';

test('opencode: captures are a plugin of its own, updated, and removed with its folders', async () => {
  const { folder, add, remove, read, plan } = home();
  const { captureLine } = await add('opencode', { capture: true });
  assert.is(captureLine, `${PROGRAM.node} ${PROGRAM.script} memory capture --agent-hook opencode`);
  assert.equal(plan('opencode', { capture: true }).files[1]?.changes, []);
  await add('opencode', { capture: true, target: { workspace: '/my notes' } });
  assert.match(read(PLUGIN), /"--workspace","\/my notes"/);
  folder.write(PLUGIN, `${read(PLUGIN)}// edited\n`);
  await remove('opencode');
  assert.not.ok(existsSync(folder.at('.config')));
});

test('opencode: the plugin runs svc when an answer is complete, and before a compaction', async () => {
  const { folder, add, read } = home();
  const script = folder.write(
    'bin/run.js',
    "require('node:fs').appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n')",
  );
  await add('opencode', { capture: true, program: { node: process.execPath, script } });
  const url = pathToFileURL(folder.write('plugin.mjs', read(PLUGIN))).href;
  const exported = await import(url);
  assert.equal(Object.keys(exported), ['SvcCapture'], 'OpenCode calls every export');
  const hooks = await exported.SvcCapture({ directory: folder.path });
  await hooks.event({ event: { type: 'session.updated', properties: { sessionID: 'ses_0' } } });
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
  await hooks['experimental.session.compacting']({ sessionID: 'ses_2' }, { context: [] });
  const runs = () => (existsSync(folder.at('runs')) ? read('runs') : '').split('\n').sort();
  await waitFor('both captures', () => runs().length === 3);
  const line = 'memory capture --agent-hook opencode --session=';
  assert.equal(runs(), ['', `${line}ses_1`, `${line}ses_2`]);
});

test("opencode: somebody else's file is neither changed nor removed", async () => {
  const { folder, plan, add, remove, read } = home();
  folder.write(PLUGIN, 'export const Mine = 1;\n');
  const error = await failureOf(() => plan('opencode', { capture: true }));
  assert.is(error.code, 'INTEGRATION_FILE_INVALID');
  await add('opencode');
  await remove('opencode');
  assert.is(read(PLUGIN), 'export const Mine = 1;\n');
});

test('opencode: a configuration of version 2, which has other plugins, is refused', async () => {
  const configs = [
    { mcp: { servers: {} } },
    { mcp: { timeout: { startup: 5000 } } },
    { plugins: [] },
    { model: 'a/b', providers: { a: {} } },
    { permissions: [] },
  ];
  for (const config of configs) {
    const { folder, plan } = home();
    folder.write('.config/opencode/opencode.json', JSON.stringify(config));
    const error = await failureOf(() => plan('opencode', { capture: true }));
    assert.is(error.code, 'INTEGRATION_UNSUPPORTED');
    assert.match(error.message, /version 2/);
  }
});

for (const agent of ['copilot-cli', 'kilo-code', 'qwen-code', 'vscode'] as const) {
  test(`${agent}: captures are refused, naming the agents that have them`, async () => {
    const { plan } = home();
    const error = await failureOf(() => plan(agent, { capture: true }));
    assert.is(error.code, 'INTEGRATION_UNSUPPORTED');
    assert.match(error.message, /does not support --capture/);
    assert.match(error.hint ?? '', /: claude-code, codex, cursor, gemini-cli, opencode$/);
  });
}

test('a capture hook that was pasted is brought up to date instead of added twice', async () => {
  const { folder, add, read } = home();
  const pasted = { type: 'command', command: 'svc memory capture --agent-hook claude-code' };
  const hooks = { PreCompact: [{ hooks: [pasted] }], SessionEnd: [{ hooks: [pasted] }] };
  folder.write('.claude/settings.json', JSON.stringify({ hooks }, null, 2));
  const target = { workspace: '/my notes' };
  await add('claude-code', { capture: true, target });
  const command = `${PROGRAM.node} ${PROGRAM.script} memory capture --agent-hook claude-code --workspace '/my notes'`;
  const group = { hooks: [{ type: 'command', command, timeout: 10 }] };
  assert.equal(JSON.parse(read('.claude/settings.json')), {
    hooks: { PreCompact: [group], SessionEnd: [group] },
  });
});

test('a capture hook that somebody took out of one event is put back', async () => {
  const { folder, add, read } = home();
  await add('codex', { capture: true });
  const { hooks } = JSON.parse(read('.codex/hooks.json'));
  folder.write('.codex/hooks.json', JSON.stringify({ hooks: { SessionEnd: hooks.SessionEnd } }));
  const plan = await add('codex', { capture: true });
  assert.equal(
    plan.files.flatMap(({ changes }) => changes.map(({ part, change }) => [part, change])),
    [['capture', 'add']],
  );
});

test('hooks are refused on Windows, whose shell is not documented', async () => {
  const { request, context } = home();
  const windows = { ...context, platform: 'win32' };
  const error = await failureOf(() =>
    planIntegration(windows, request('codex', { capture: true })),
  );
  assert.match(error.message, /capturing is not supported/);
  assert.match(error.hint ?? '', /--capture/);
});

test("only svc's hook is removed from a group that someone put it in", async () => {
  const { folder, add, remove, read } = home();
  await add('codex', { hookTimeoutMs: 1000 });
  const ours = dataOf('a.json', read('.codex/hooks.json'));
  const command = valueAt(ours, ['hooks', 'UserPromptSubmit', '0', 'hooks', '0', 'command']);
  const group = { hooks: [{ command: 'a' }, { type: 'command', command }, { command: 'b' }] };
  const theirs = { description: 'mine', hooks: { UserPromptSubmit: [group] } };
  folder.write('.codex/hooks.json', JSON.stringify(theirs, null, 4));
  await remove('codex');
  assert.equal(dataOf('a.json', read('.codex/hooks.json')), {
    description: 'mine',
    hooks: { UserPromptSubmit: [{ hooks: [{ command: 'a' }, { command: 'b' }] }] },
  });
});

test('files of a project are those that each agent documents', () => {
  const { plan, context } = home();
  const files = AGENT_IDS.map((agent) => plan(agent, { scope: 'project' }).files[0]?.file.path);
  assert.equal(
    files.map((file) => file?.slice(context.cwd.length + 1)),
    [
      '.mcp.json',
      '.codex/config.toml',
      '.github/mcp.json',
      '.cursor/mcp.json',
      '.gemini/settings.json',
      'kilo.json',
      'opencode.json',
      '.qwen/settings.json',
      '.vscode/mcp.json',
    ],
  );
  const hook = (agent: AgentId) =>
    plan(agent, { scope: 'project', hookTimeoutMs: 1 }).files[1]?.file.path;
  assert.is(hook('claude-code'), `${context.cwd}/.claude/settings.local.json`);
  assert.is(hook('copilot-cli'), `${context.cwd}/.github/copilot/settings.local.json`);
});

test('variables move the files as they do for the agents', () => {
  const { plan } = home({
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/x',
    COPILOT_HOME: '/p',
    GEMINI_CLI_HOME: '/g',
    KILO_CONFIG: '/k/mine.json',
    OPENCODE_CONFIG: '/o/mine.json',
    QWEN_HOME: '/q',
    VSCODE_PORTABLE: '/v',
  });
  const files = (agent: AgentId) => plan(agent).files.map(({ file }) => file.path);
  assert.equal(files('claude-code'), ['/c/.claude.json']);
  assert.equal(files('codex'), ['/x/config.toml']);
  assert.equal(files('copilot-cli'), ['/p/mcp-config.json']);
  assert.equal(files('qwen-code'), ['/q/settings.json']);
  assert.equal(files('gemini-cli'), ['/g/.gemini/settings.json']);
  assert.equal(files('kilo-code'), ['/k/mine.json']);
  assert.equal(files('opencode'), ['/o/mine.json']);
  assert.equal(files('vscode'), ['/v/user-data/User/mcp.json']);
});

test('what an agent would take for a variable is refused', async () => {
  const dir = { target: { workspace: `/notes/${'$'}{HOME}/$x` } };
  const { plan } = home();
  const others: readonly AgentId[] = ['codex', 'kilo-code', 'opencode'];
  for (const agent of AGENT_IDS.filter((id) => !others.includes(id))) {
    assert.is((await failureOf(() => plan(agent, dir))).code, 'INTEGRATION_UNSUPPORTED', agent);
  }
  const file = { target: { workspace: '/notes/{file:x}' } };
  for (const agent of ['kilo-code', 'opencode'] as const) {
    assert.is((await failureOf(() => plan(agent, file))).code, 'INTEGRATION_UNSUPPORTED', agent);
  }
  assert.is(plan('codex', dir).files[0]?.changes.length, 1);
});

test('hostile paths reach the server as they are', async () => {
  const { add, read } = home();
  const workspace = '/notes/it\'s "quoted" \\ back\n\u007F\u{1F989}';
  const target = { workspace, config: '/etc/a b.json' };
  const args = [...ARGS, '--workspace', workspace, '--config', '/etc/a b.json'];
  await add('codex', { target });
  const toml = parseToml(read('.codex/config.toml'));
  assert.equal(valueAt(toml, ['mcp_servers', 'svc', 'args']), args);
  await add('opencode', { target });
  const json = JSON.parse(read('.config/opencode/opencode.json'));
  assert.equal(json.mcp.svc.command, [NODE, ...args]);
});

test('variables that locate the state are included', async () => {
  const { add, read } = home({
    SVC_HOME: '/data/svc',
    XDG_CACHE_HOME: 'cache',
    OPENAI_API_KEY: 'k',
  });
  await add('cursor');
  const entry = JSON.parse(read('.cursor/mcp.json')).mcpServers.svc;
  assert.is(entry.env.SVC_HOME, '/data/svc');
  assert.match(entry.env.XDG_CACHE_HOME, /^\/.*\/project\/cache$/);
  assert.equal(Object.keys(entry.env), ['SVC_HOME', 'XDG_CACHE_HOME']);
});

test('a folder in the home folder is registered by its absolute path', async () => {
  const { context, folder, request } = home();
  folder.write('notes/a.md', '');
  const wish = { ...request('codex'), agent: 'codex', activeMemory: false, program: PROGRAM };
  const { plan } = await prepareIntegration(context, { ...wish, target: { workspace: '~/notes' } });
  assert.ok('words' in plan.server);
  assert.is(plan.server.words.at(-1), folder.at('notes'));
});

test('svc from the cache of npx is warned about', async () => {
  const { context, request } = home();
  const script = '/home/ada/.npm/_npx/0f1e2d/node_modules/.bin/svc';
  const warnings = async (program: ProgramFacts) => {
    const wish = { ...request('codex'), agent: 'codex', activeMemory: false, program };
    const prepared = await prepareIntegration(context, wish);
    return prepared.warnings.map(({ message }) => message).join();
  };
  assert.match(await warnings({ ...PROGRAM, script }), 'cache of npx');
  assert.not.match(await warnings(PROGRAM), 'cache of npx');
});

test('a name that is mistyped is fixed, an unknown one is refused', async () => {
  const error = (name: string) => failureOf(() => agentNamed(name));
  assert.match((await error('claudecode')).hint ?? '', /claude-code/);
  assert.match((await error('emacs')).hint ?? '', /vscode/);
  assert.is((await error('emacs')).code, 'USAGE');
});

test.run();
