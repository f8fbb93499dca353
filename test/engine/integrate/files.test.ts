import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { AGENT_IDS } from '../../../src/engine/integrate/agent.js';
import { applyIntegration } from '../../../src/engine/integrate/apply.js';
import { listIntegrations, registeredServers } from '../../../src/engine/integrate/list.js';
import { readLayers, writeLayers } from '../../../src/engine/integrate/receipts.js';
import { withProcessLock } from '../../../src/engine/sqlite/process-lock.js';
import { failureOf } from '../../support/failure.js';
import { home, PROGRAM, SERVER_WORDS } from './support.js';

/** What becomes of the files on disk, whatever state they are in. */
const test = suite('files of agents');

const MCP = '.cursor/mcp.json';
const OTHER = '{\n  "mcpServers": {\n    "a": { "url": "https://example.com" }\n  }\n}\n';

for (const [agent, file, text, line, column] of [
  ['cursor', MCP, '{\n  "mcpServers": {\n    "a": \n  }\n}', 4, 3],
  ['cursor', MCP, '{\n  "mcpServers": []\n}', 2, 17],
  ['cursor', MCP, '[]', 1, 1],
  ['codex', '.codex/config.toml', 'model = "x"\nmodel = "y"\n', 2, 1],
  ['codex', '.codex/config.toml', 'a = 1\nmcp_servers = { b = { command = "c" } }\n', 2, 1],
  ['gemini-cli', '.gemini/settings.json', '{ "hooks": { "BeforeAgent": {} } }', 1, 29],
] as const) {
  test(`${agent}: a file that cannot be edited is named with its place, and untouched: ${text.slice(0, 30)}`, async () => {
    const { folder, add, read } = home();
    folder.write(file, text);
    const error = await failureOf(() =>
      add(agent, { hookTimeoutMs: agent === 'gemini-cli' ? 9 : undefined }),
    );
    assert.is(error.code, 'INTEGRATION_FILE_INVALID');
    assert.equal(error.location, { file: folder.at(file), line, column });
    assert.is(read(file), text);
    assert.equal(readdirSync(folder.at(file.slice(0, file.indexOf('/')))).length, 1);
  });
}

test('text that is not UTF-8, and a folder in the place of the file, are refused', async () => {
  const { folder, add } = home();
  folder.write(MCP, new Uint8Array([0xff, 0xfe, 0x7b, 0]));
  assert.match((await failureOf(() => add('cursor'))).message, /is not UTF-8/);
  mkdirSync(folder.at('.codex/config.toml'), { recursive: true });
  assert.match((await failureOf(() => add('codex'))).message, /is not a regular file/);
});

test('a link stays a link, and the file it leads to keeps its mode', async () => {
  const { folder, add, remove } = home();
  const dotfile = folder.write('dotfiles/cursor.json', OTHER);
  chmodSync(dotfile, 0o640);
  mkdirSync(folder.at('.cursor'));
  symlinkSync('../dotfiles/cursor.json', folder.at(MCP));
  await add('cursor');
  assert.ok(lstatSync(folder.at(MCP)).isSymbolicLink());
  assert.match(readFileSync(dotfile, 'utf8'), /"svc"/);
  assert.is(statSync(dotfile).mode & 0o777, 0o640);
  await remove('cursor');
  assert.is(readFileSync(dotfile, 'utf8'), OTHER);
  assert.ok(lstatSync(folder.at(MCP)).isSymbolicLink());
});

test('a relative link in a linked folder leads from the real folder', async () => {
  const { folder, add, remove } = home();
  const shared = folder.write('dotfiles/shared/mcp.json', OTHER);
  mkdirSync(folder.at('dotfiles/cursor'));
  symlinkSync('../shared/mcp.json', folder.at('dotfiles/cursor/mcp.json'));
  symlinkSync('dotfiles/cursor', folder.at('.cursor'));
  await add('cursor');
  assert.match(readFileSync(shared, 'utf8'), /"svc"/);
  await remove('cursor');
  assert.is(readFileSync(shared, 'utf8'), OTHER);
});

test('a link to nothing yet leads to the new file', async () => {
  const { folder, add } = home();
  mkdirSync(folder.at('.cursor'));
  symlinkSync(folder.at('dotfiles/new.json'), folder.at(MCP));
  await add('cursor');
  assert.ok(lstatSync(folder.at(MCP)).isSymbolicLink());
  assert.match(readFileSync(folder.at('dotfiles/new.json'), 'utf8'), /"svc"/);
});

test('a link that leads back to itself is refused', async () => {
  const { folder, add } = home();
  mkdirSync(folder.at('.cursor'));
  symlinkSync('mcp.json', folder.at(MCP));
  assert.is((await failureOf(() => add('cursor'))).code, 'INTEGRATION_FILE_INVALID');
});

test('a read-only file is left alone', async () => {
  const { folder, add, read } = home();
  chmodSync(folder.write(MCP, OTHER), 0o444);
  const error = await failureOf(() => add('cursor'));
  assert.is(error.code, 'INTEGRATION_WRITE_FAILED');
  assert.match(error.message, /read-only/);
  assert.is(read(MCP), OTHER);
});

test('if the second file cannot be written, both are reported, and the next run continues', async () => {
  const { folder, add, read } = home();
  const settings = folder.write('.claude/settings.json', '{}');
  chmodSync(settings, 0o444);
  const error = await failureOf(() => add('claude-code', { hookTimeoutMs: 1000 }));
  assert.equal(error.details, { written: [folder.at('.claude.json')] });
  assert.ok(
    error.hint?.endsWith(
      `, then run the same command again to continue (already written: ${folder.at('.claude.json')})`,
    ),
  );
  assert.match(read('.claude.json'), /"svc"/);
  chmodSync(settings, 0o644);
  const plan = await add('claude-code', { hookTimeoutMs: 1000 });
  assert.equal(
    plan.files.map(({ changes }) => changes.length),
    [0, 1, 1],
  );
});

test('new user files are private, project files are not; created folders are removed again', async () => {
  const { folder, add, remove } = home();
  await add('vscode');
  assert.is(statSync(folder.at('.config/Code/User/mcp.json')).mode & 0o777, 0o600);
  await add('vscode', { scope: 'project' });
  assert.is(statSync(folder.at('project/.vscode/mcp.json')).mode & 0o777, 0o644);
  folder.write('.config/Code/User/settings.json', '{}');
  await remove('vscode');
  await remove('vscode', { scope: 'project' });
  assert.equal(readdirSync(folder.at('.config/Code/User')), ['settings.json']);
  assert.not(existsSync(folder.at('project')));
});

test('what the agent wrote between the question and the answer stays, and the entry is added to it', async () => {
  const { folder, context, plan, read } = home();
  folder.write('.claude.json', '{\n  "numStartups": 1\n}\n');
  const shown = plan('claude-code');
  folder.write('.claude.json', '{\n  "numStartups": 2\n}\n');
  await applyIntegration(context, shown, new AbortController().signal);
  const written = JSON.parse(read('.claude.json'));
  assert.is(written.numStartups, 2);
  assert.is(written.mcpServers.svc.type, 'stdio');
});

test('if the change is outdated, nothing is written', async () => {
  const { folder, context, plan, read, add } = home();
  folder.write(MCP, OTHER);
  const shown = plan('cursor', { target: { agent: 'notes' } });
  await add('cursor');
  const before = read(MCP);
  const signal = new AbortController().signal;
  const error = await failureOf(() => applyIntegration(context, shown, signal));
  assert.is(error.code, 'INTEGRATION_OUTDATED');
  assert.is(read(MCP), before);
});

/** Runs a change again, as its error advises, while another was made after its preview. */
async function untilCurrent(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'INTEGRATION_OUTDATED') throw error;
    await untilCurrent(change);
  }
}

test('many concurrent changes under different names lose nothing', async () => {
  const { folder, add, remove, read } = home();
  folder.write(MCP, OTHER);
  const names = Array.from({ length: 8 }, (_, at) => `svc-${at}`);
  await Promise.all(names.map((name) => untilCurrent(() => add('cursor', { name }))));
  assert.equal(Object.keys(JSON.parse(read(MCP)).mcpServers).sort(), ['a', ...names]);
  for (const name of names.toReversed()) await remove('cursor', { name });
  assert.is(read(MCP), OTHER);
});

test('a change waits for another one in progress', async () => {
  const { folder, add, read } = home();
  folder.write(MCP, OTHER);
  const lock = folder.at('state/integrations/lock');
  const { signal } = new AbortController();
  const waiting = await withProcessLock(lock, { signal }, async () => {
    const added = add('cursor');
    await new Promise(setImmediate);
    assert.is(read(MCP), OTHER);
    return { added };
  });
  await waiting.added;
  assert.match(read(MCP), /"svc"/);
});

test('another memory updates the entry, which can still be removed to the byte', async () => {
  const { folder, add, remove, read } = home();
  folder.write(MCP, OTHER);
  await add('cursor');
  const plan = await add('cursor', { target: { workspace: '/notes' } });
  assert.is(plan.files[0]?.changes[0]?.change, 'update');
  const { svc } = JSON.parse(read(MCP)).mcpServers;
  assert.equal(svc.args.slice(-2), ['--workspace', '/notes']);
  await remove('cursor');
  assert.is(read(MCP), OTHER);
});

test('an update keeps what somebody added to the entry', async () => {
  const { folder, add, read } = home({ SVC_HOME: '/state' });
  folder.write(
    MCP,
    `{ "mcpServers": { "svc": {
      "command": "svc", // short
      "args": ["mcp"], "disabled": true,
      "env": { "OPENAI_API_KEY": "k", "PORT": 8080, "NO_PROXY": null, "XDG_CACHE_HOME": "/old" }
    } } }`,
  );
  await add('cursor');
  assert.match(read(MCP), /\/\/ short/);
  const { svc } = JSON.parse(read(MCP).replace('// short', '')).mcpServers;
  assert.equal(svc, {
    command: SERVER_WORDS[0],
    args: SERVER_WORDS.slice(1),
    disabled: true,
    env: { OPENAI_API_KEY: 'k', PORT: 8080, NO_PROXY: null, SVC_HOME: '/state' },
    type: 'stdio',
  });
});

test('an update of a table keeps what somebody added to it', async () => {
  const { folder, add, remove, read } = home();
  const others = 'model = "x"\n\n[mcp_servers.b]\ncommand = "c"\n';
  folder.write(
    '.codex/config.toml',
    `model = "x"\n\n[mcp_servers.svc]\nenabled = false\nargs = [\n  "mcp",\n]\ncommand = "svc"\n\n[mcp_servers.svc.env]\nOPENAI_API_KEY = "k"\n\n[mcp_servers.b]\ncommand = "c"\n`,
  );
  await add('codex', { target: { agent: 'main' } });
  assert.is(
    read('.codex/config.toml'),
    `model = "x"\n\n[mcp_servers.svc]\nenabled = false\nargs = ["${SERVER_WORDS[1]}", "mcp", "--agent", "main"]\ncommand = "${SERVER_WORDS[0]}"\n\n[mcp_servers.svc.env]\nOPENAI_API_KEY = "k"\n\n[mcp_servers.b]\ncommand = "c"\n`,
  );
  await remove('codex');
  assert.is(read('.codex/config.toml'), others);
});

test("an entry of that name that is somebody else's is neither changed nor removed", async () => {
  const { folder, add, remove, read } = home();
  const text = '{\n  "mcpServers": { "svc": { "command": "other", "args": ["mcp"] } }\n}\n';
  folder.write(MCP, text);
  for (const work of [add, remove]) {
    const error = await failureOf(() => work('cursor'));
    assert.is(error.code, 'INTEGRATION_CONFLICT');
    assert.equal([error.location?.line, error.location?.column], [2, 19]);
    assert.match(error.hint ?? '', /--name/);
  }
  await add('cursor', { name: 'svc-notes' });
  await remove('cursor', { name: 'svc-notes' });
  assert.is(read(MCP), text);
  folder.write(MCP, '{ "mcpServers": { "svc": null } }\n');
  assert.is((await failureOf(() => add('cursor'))).code, 'INTEGRATION_CONFLICT');
});

test('an entry from a folder that svc has left since is still its own', async () => {
  const { folder, add, remove, read } = home();
  folder.write(MCP, OTHER);
  await add('cursor', { program: { node: PROGRAM.node, script: '/checkout/run.js' } });
  await add('cursor');
  assert.match(read(MCP), /svc-cli\/bin\/run\.js/);
  await remove('cursor');
  assert.is(read(MCP), OTHER);
});

test('a standalone executable is entered without a script, and still its own after it moved', async () => {
  const { folder, add, remove, read } = home();
  folder.write(MCP, OTHER);
  await add('cursor', { program: { node: undefined, script: '/opt/svc/svc' } });
  const { command, args } = JSON.parse(read(MCP)).mcpServers.svc;
  assert.equal([command, args], ['/opt/svc/svc', ['mcp']]);
  const program = { node: undefined, script: '/home/ada/svc/svc' };
  await add('cursor', { program });
  assert.is(JSON.parse(read(MCP)).mcpServers.svc.command, program.script);
  await remove('cursor', { program });
  assert.is(read(MCP), OTHER);
});

test('receipts contain nothing from the file', async () => {
  const { folder, add } = home();
  folder.write(MCP, OTHER.replace('example.com', 'example.com/?token=hush'));
  await add('cursor');
  const [receipt = ''] = readdirSync(folder.at('state/integrations')).filter((name) =>
    name.endsWith('.json'),
  );
  const file = folder.at(`state/integrations/${receipt}`);
  assert.not.match(readFileSync(file, 'utf8'), /hush|example/);
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('what is shown hides the values of other entries, in JSON and in TOML', () => {
  const { folder, plan } = home();
  folder.write(MCP, '{"mcpServers":{"a":{"command":"x","env":{"KEY":"hush","N":12345}}}}');
  folder.write(
    '.codex/config.toml',
    'key = "hush"\n[a]\nmany = [\n  "hush",\n]\ntext = """\nhush"""',
  );
  for (const agent of ['cursor', 'codex'] as const) {
    const shown = JSON.stringify(plan(agent).files[0]?.changes);
    assert.not.match(shown, /hush|12345/);
    assert.match(shown, /run\.js/);
  }
});

test('with a damaged receipt, only exact restoration is lost', async () => {
  const { folder, add, remove, read } = home();
  folder.write(MCP, OTHER);
  await add('cursor');
  for (const name of readdirSync(folder.at('state/integrations'))) {
    if (name.endsWith('.json')) writeFileSync(folder.at(`state/integrations/${name}`), '{"vers');
  }
  await remove('cursor');
  assert.equal(JSON.parse(read(MCP)), JSON.parse(OTHER));
});

test('a kill between writing the receipt and the file does no harm', async () => {
  const { folder, context, plan, add, remove, read } = home();
  const file = folder.write(MCP, OTHER);
  await add('cursor');
  const next = plan('cursor', { name: 'svc-notes' }).files[0]?.layers ?? [];
  assert.is(next.length, 2);
  writeLayers(context.state, file, next);
  await remove('cursor');
  assert.is(read(MCP), OTHER);
  // Nor does one between the file and the receipt.
  writeLayers(context.state, file, next);
  await add('cursor');
  await remove('cursor');
  assert.is(read(MCP), OTHER);
  assert.equal(
    readLayers(context.state, file).map(({ entry }) => entry),
    ['server svc-notes'],
  );
});

test('the next change removes what a killed one left next to the file', async () => {
  const { folder, add } = home();
  const left = folder.write('.cursor/.5e55104e9a1b.svc.tmp', '{');
  utimesSync(left, 0, 0);
  const fresh = folder.write('.cursor/.5e55104e9a1c.svc.tmp', '{');
  await add('cursor');
  assert.equal([existsSync(left), existsSync(fresh)], [false, true]);
});

test('an unwritable state folder is reported before anything is written', async () => {
  const { folder, add, read } = home();
  folder.write(MCP, OTHER);
  folder.write('state', 'no folder');
  const error = await failureOf(() => add('cursor'));
  assert.is(error.code, 'INTEGRATION_WRITE_FAILED');
  assert.match(error.message, /^cannot write to \S*state\/integrations: /);
  assert.is(read(MCP), OTHER);
});

test('a duplicate key is refused', async () => {
  const { folder, add, read } = home();
  const text = '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }';
  folder.write(MCP, text);
  const error = await failureOf(() => add('cursor'));
  assert.match(error.message, /^svc cannot edit /);
  assert.is(read(MCP), text);
});

test('a file that its agent would refuse for a trailing comma is not written', async () => {
  const { folder, add, read } = home();
  for (const text of ['{ "ui": { "theme": "GitHub", } }', '{ "mcpServers": {}, /* mine */ }']) {
    folder.write('.gemini/settings.json', text);
    const error = await failureOf(() => add('gemini-cli', { hookTimeoutMs: 1000 }));
    assert.is(error.code, 'INTEGRATION_FILE_INVALID');
    assert.match(error.message, /has a trailing comma/);
    assert.is(read('.gemini/settings.json'), text);
  }
  folder.write('.gemini/settings.json', '{ // mine\n}');
  await add('gemini-cli');
  assert.match(read('.gemini/settings.json'), /\/\/ mine/);
});

test('registering the hook enables active memory for the agent it recalls from', async () => {
  const { folder, context, plan, add, read } = home();
  folder.write('mine.json', '{\n  // mine\n  "agents": { "list": [{ "id": "work" }] }\n}\n');
  folder.write(
    'state/svc.json',
    '{ "models": { "providers": { "x": { "apiKey": "sk-planted" } } } }',
  );
  const effect = async () =>
    (await listIntegrations(context, 'user', ['codex'], PROGRAM))[0]?.activeMemory?.recalls;
  const program = { node: process.execPath, script: folder.write('svc-cli/bin/run.js', '') };
  await add('codex', { hookTimeoutMs: 1000, program });
  assert.is(await effect(), true);
  assert.equal(JSON.parse(read('state/svc.json')).plugins.entries['active-memory'], {
    enabled: true,
    config: { agents: ['main'] },
  });
  const own = { hookTimeoutMs: 1000, program, target: { config: folder.at('mine.json') } };
  const shown = JSON.stringify(plan('codex', own).files);
  assert.match(shown, /\+? *\\"enabled\\": true/);
  await add('codex', own);
  assert.match(read('mine.json'), /\/\/ mine[\s\S]*"agents": \[\s*"work"\s*\]/);
  assert.is(await effect(), true);
  folder.write('mine.json', read('mine.json').replace('"enabled": true', '"enabled": false'));
  assert.is(await effect(), false);
  assert.equal(
    plan('codex', own).files.flatMap(({ changes }) => changes.map(({ part }) => part)),
    ['settings'],
  );
});

for (const agent of AGENT_IDS) {
  test(`${agent}: a server whose svc or node has moved is listed with the command that updates it`, async () => {
    const { folder, context, add } = home();
    const moved = async () => (await listIntegrations(context, 'user', [agent], PROGRAM))[0]?.moved;
    // A checkout, which only its receipt shows.
    const script = folder.write('checkout/bin/run.js', '');
    const former = folder.write('node-22.1/bin/node', '');
    const workspace = dirname(folder.write('my notes/MEMORY.md', ''));
    const notes = { name: 'svc-notes', target: { workspace } };
    await add(agent, { program: { node: former, script } });
    await add(agent, { program: { node: former, script }, ...notes });
    await add(agent, {
      name: 'remote',
      remote: { url: 'https://memory.example.com/mcp', tokenEnv: undefined },
    });
    assert.equal(await moved(), []);
    rmSync(former);
    const update = `update the entry: svc integrate ${agent}`;
    assert.equal(await moved(), [
      { name: 'svc', missing: former, hint: update },
      {
        name: 'svc-notes',
        missing: former,
        hint: `${update} --name svc-notes --workspace '${workspace}'`,
      },
    ]);
    const node = folder.write('node-22.2/bin/node', '');
    await add(agent, { program: { node, script } });
    await add(agent, { program: { node, script }, ...notes });
    assert.equal(await moved(), []);
    rmSync(script);
    assert.equal(
      (await registeredServers(context)).map(({ moved: found }) => found?.missing),
      [script, script, undefined],
    );
  });
}

for (const agent of ['codex', 'opencode'] as const) {
  test(`${agent}: what uses a memory that does not exist is listed without it`, async () => {
    const { folder, context, add } = home({ SVC_HOME: 'home' });
    const program = {
      node: folder.write('node', ''),
      script: folder.write('svc-cli/bin/run.js', ''),
    };
    const configOf = (...ids: string[]) =>
      JSON.stringify({ agents: { list: ids.map((id) => ({ id })) } });
    const listed = async () => {
      const env = {};
      const [one] = await listIntegrations({ ...context, env }, 'user', [agent], program);
      return [one?.moved[0] ?? null, one?.captureMoved];
    };
    const update = `svc integrate ${agent}`;
    // In the configuration that its variables lead to, not in that of this process.
    const file = folder.write('project/home/svc.json', configOf('work'));
    await add(agent, { capture: true, program, target: { agent: 'work' } });
    assert.equal(await listed(), [null, null]);
    writeFileSync(file, configOf('other'));
    assert.equal(await listed(), [
      { name: 'svc', missing: 'agent work', hint: `update the entry: ${update}` },
      { missing: 'agent work', hint: `update the hook: ${update} --capture` },
    ]);
    const config = folder.write('mine.json', configOf('work'));
    await add(agent, { capture: true, program, target: { agent: 'work', config } });
    assert.equal(await listed(), [null, null]);
    rmSync(config);
    assert.equal(await listed(), [
      { name: 'svc', missing: config, hint: `update the entry: ${update} --agent work` },
      { missing: config, hint: `update the hook: ${update} --capture --agent work` },
    ]);
    writeFileSync(config, '{');
    assert.equal(await listed(), [null, null]);
  });
}

test('a hook whose svc or node has moved recalls nothing, and registering it again updates it', async () => {
  const { folder, context, add } = home();
  const effect = async () =>
    (await listIntegrations(context, 'user', ['codex'], PROGRAM))[0]?.activeMemory;
  const script = folder.write('svc-cli/bin/run.js', '');
  const former = folder.write('node-22.1/bin/node', '');
  const target = { workspace: folder.write('notes/MEMORY.md', '').replace('/MEMORY.md', '') };
  await add('codex', { hookTimeoutMs: 1000, program: { node: former, script }, target });
  assert.is((await effect())?.recalls, true);
  rmSync(former);
  assert.equal(await effect(), {
    recalls: false,
    why: `${former}, named in its hook, does not exist`,
    hint: `update the hook: svc integrate codex --active-memory --workspace ${target.workspace}`,
  });
  const node = folder.write('node-22.2/bin/node', '');
  await add('codex', { hookTimeoutMs: 1000, program: { node, script } });
  assert.is((await effect())?.recalls, true);
});

test('hooks stay with the server whose memory they use', async () => {
  const { folder, add, remove, read } = home();
  folder.write('.cursor/hooks.json', '{}\n');
  const hooks = () => [...read('.cursor/hooks.json').matchAll(/memory capture/gu)].length;
  const notes = { name: 'svc-notes', target: { workspace: folder.at('notes') } };
  await add('cursor', { capture: true });
  await add('cursor', notes);
  await remove('cursor', { name: 'svc-notes' });
  assert.is(hooks(), 2);
  await add('cursor', {
    name: 'team',
    remote: { url: 'https://a.example/mcp', tokenEnv: undefined },
  });
  await remove('cursor', { name: 'team' });
  assert.is(hooks(), 2);
  await remove('cursor');
  assert.is(read('.cursor/hooks.json'), '{}\n');
  await add('cursor');
  await add('cursor', { ...notes, capture: true });
  await remove('cursor', { name: 'svc-notes' });
  assert.is(hooks(), 0);
});

test('all agents are listed: installed or not, registered or not, broken or not', async () => {
  const { folder, context, add } = home();
  folder.write(MCP, OTHER);
  folder.write('.gemini/settings.json', '{');
  await add('cursor', { name: 'svc-notes', capture: true });
  await add('codex', { hookTimeoutMs: 1000, capture: true });
  const listed = await listIntegrations(context, 'user', AGENT_IDS, PROGRAM);
  const rows = listed.map((agent) => [
    agent.agent,
    agent.detected,
    agent.servers,
    agent.canRecall ? agent.hook : undefined,
    agent.canCapture ? agent.captures : undefined,
    agent.error?.code,
  ]);
  assert.equal(rows, [
    ['claude-code', false, [], false, false, undefined],
    ['codex', true, ['svc'], true, true, undefined],
    ['copilot-cli', false, [], false, undefined, undefined],
    ['cursor', true, ['svc-notes'], undefined, true, undefined],
    ['gemini-cli', true, [], false, false, 'INTEGRATION_FILE_INVALID'],
    ['kilo-code', false, [], undefined, undefined, undefined],
    ['opencode', false, [], undefined, false, undefined],
    ['qwen-code', false, [], false, undefined, undefined],
    ['vscode', false, [], undefined, undefined, undefined],
  ]);
});

test.run();
