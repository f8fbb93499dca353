import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { jsonOf } from '../support/json.js';
import { type PtySession, runInPty } from '../support/pty.js';
import { runSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';

/** The built program and the files of agents in a home folder of its own. */
const test = suite('svc integrate');

const SETTINGS = '{\n  // mine\n  "mcpServers": {}\n}\n';
const FILE = '.cursor/mcp.json';

function homeWithCursor(): TempFolder {
  return folderOf({ [FILE]: SETTINGS, 'workspace/MEMORY.md': '' });
}

function textOf(home: TempFolder): string {
  return readFileSync(home.at(FILE), 'utf8');
}

function inTerminal(home: TempFolder, ...args: readonly string[]): PtySession {
  return runInPty(['integrate', ...args], {
    home: home.path,
    columns: 100,
    rows: 60,
    lines: true,
    env: { HOME: home.path },
  });
}

test('on a terminal it shows the change, asks, and writes after confirmation', async () => {
  const home = homeWithCursor();
  const session = inTerminal(home, 'cursor');
  await session.waitForText('Write ~/.cursor/mcp.json? [y/N]');
  assert.match(session.output(), /\+ {5}"svc": \{/);
  assert.is(textOf(home), SETTINGS);
  session.type(`y${KEYS.enter}`);
  assert.is(await session.ended, 0);
  await session.waitForText('next: restart Cursor');
  assert.match(textOf(home), /\/\/ mine\r?\n {2}"mcpServers": \{\n {4}"svc": \{/);
});

test('answering no, or just pressing Enter, writes nothing', async () => {
  for (const answer of ['n', '']) {
    const home = homeWithCursor();
    const session = inTerminal(home, 'cursor');
    await session.waitForText('[y/N]');
    session.type(`${answer}${KEYS.enter}`);
    assert.is(await session.ended, 0);
    await session.waitForText('nothing written');
    assert.is(textOf(home), SETTINGS);
  }
});

test('changes made while it asks are not lost', async () => {
  const home = homeWithCursor();
  const session = inTerminal(home, 'cursor', '--remove', '--name', 'svc-gone');
  assert.is(await session.ended, 0);
  const asking = inTerminal(home, 'cursor');
  await asking.waitForText('[y/N]');
  home.write(FILE, '{ "mcpServers": { "svc": { "command": "svc", "args": ["mcp"] } } }');
  asking.type(`y${KEYS.enter}`);
  assert.is(await asking.ended, 1);
  await asking.waitForText('changed after the preview');
  assert.match(textOf(home), /"command": "svc"/);
});

test('a server and a hook that their agent cannot start are in the list and the status', async () => {
  const svc = { command: '/gone/node', args: ['/gone/svc-cli/bin/run.js', 'mcp'] };
  const command = '/gone/node /gone/svc memory capture --agent-hook cursor';
  const home = folderOf({
    [FILE]: JSON.stringify({ mcpServers: { svc } }),
    '.cursor/hooks.json': JSON.stringify({ version: 1, hooks: { sessionEnd: [{ command }] } }),
  });
  const { stdout } = await runInSession(['integrate', '--list'], { home: home.path });
  assert.match(stdout, /^cursor +yes +broken +– +broken /m);
  assert.match(
    stdout,
    'cursor: it cannot start svc: /gone/node does not exist; update the entry: ',
  );
  const update = 'update the hook: svc integrate cursor --capture';
  assert.match(stdout, `cursor: it captures nothing: /gone/node does not exist; ${update}\n`);
  const status = await runInSession(['status', '--json'], { home: home.path });
  const message = 'it cannot start the server svc: /gone/node does not exist';
  const hint = 'update the entry: svc integrate cursor';
  const { faults, captures } = jsonOf.overallStatus(status);
  assert.equal(faults.at(-1), { about: 'Cursor', code: null, message, hint });
  assert.is(captures[0]?.error, 'it cannot start: /gone/node does not exist');
});

test('without a terminal it shows the change and requires --yes', async () => {
  const home = homeWithCursor();
  const run = await runInSession(['integrate', 'cursor'], { home: home.path });
  assert.is(run.code, 2);
  assert.match(run.stdout, /\+ {5}"svc": \{/);
  assert.match(run.stderr, /pass --yes/);
  const json = await runInSession(['integrate', 'cursor', '--json'], { home: home.path });
  assert.is(jsonOf.error(json).code, 'CONFIRMATION_NEEDED');
  assert.is(textOf(home), SETTINGS);
});

test('scripts can dry-run, apply, repeat, list, and remove an integration to the byte', async () => {
  const home = homeWithCursor();
  const svc = (...args: readonly string[]) =>
    runInSession(['integrate', ...args, '--json'], { home: home.path });
  const dry = jsonOf.integrate(await svc('cursor', '--dry-run'));
  assert.equal([dry.written, dry.changes.length], [false, 1]);
  assert.is(textOf(home), SETTINGS);
  const done = jsonOf.integrate(await svc('cursor', '--yes'));
  assert.equal([done.written, done.changes], [true, dry.changes]);
  const again = jsonOf.integrate(await svc('cursor'));
  assert.equal([again.written, again.changes], [false, []]);
  const { agents } = jsonOf.integrations(await svc('--list'));
  assert.equal(
    agents.filter(({ servers }) => servers.length > 0).map(({ agent }) => agent),
    ['cursor'],
  );
  const removal = jsonOf.integrate(await svc('cursor', '--remove', '--yes'));
  assert.equal([removal.written, removal.changes[0]?.change], [true, 'remove']);
  assert.is(textOf(home), SETTINGS);
  assert.is((await svc('cursor', '--remove')).code, 0);
});

test('an agent that is not installed is registered with a warning', async () => {
  const home = folderOf({ 'workspace/MEMORY.md': '' });
  const run = await runInSession(['integrate', 'vscode', '--yes', '--json'], { home: home.path });
  const { written, warnings } = jsonOf.integrate(run);
  assert.equal([written, warnings?.map(({ code }) => code)], [true, ['INTEGRATION_DOUBTFUL']]);
});

test('a memory whose workspace does not exist yet is registered with a warning', async () => {
  const home = homeWithCursor();
  rmSync(home.at('workspace'), { recursive: true });
  const warningsOf = async (...args: readonly string[]) => {
    const run = await runInSession(['integrate', 'cursor', ...args, '--json'], { home: home.path });
    return jsonOf.integrate(run).warnings.map(({ message }) => message);
  };
  const missing = `there is no workspace at ${home.at('workspace')}`;
  assert.equal(await warningsOf('--dry-run'), [missing]);
  assert.equal(await warningsOf('--yes'), [missing]);
  assert.equal(await warningsOf('--remove', '--yes'), []);
});

test('a file that several changes create is listed as new once', async () => {
  const home = tempFolder();
  const args = ['integrate', 'cursor', '--capture', '--dry-run'];
  const { stdout } = await runInSession(args, { home: home.path });
  const heads = stdout.split('\n').filter((line) => line.includes('~/.cursor/hooks.json'));
  assert.equal(
    heads.map((line) => line.endsWith(', a new file')),
    [true, false, false],
  );
});

test('it reports an existing registration', async () => {
  const home = homeWithCursor();
  const svc = (...args: readonly string[]) =>
    runInSession(['integrate', ...args], { home: home.path });
  await svc('cursor', '--yes');
  const again = await svc('cursor');
  assert.equal(
    [again.code, again.stdout],
    [0, `svc is already registered with Cursor: ~/${FILE}\n`],
  );
  const piped = await runSvc(['integrate', '--list'], { home: home.path, input: 'codex\n' });
  assert.match(piped.stdout, /^vscode /m);
  const list = await svc('cursor', '--list');
  assert.is(list.stdout.split('\n').length, 3);
  assert.match(list.stdout, /^cursor +yes +yes +– +no +~\/\.cursor\/mcp\.json$/m);
});

test('it warns before an entry loses the memory that it selected', async () => {
  const home = homeWithCursor();
  home.write('my notes/MEMORY.md', '');
  const notes = home.at('my notes');
  const warningsOf = async (...args: readonly string[]) => {
    const run = await runInSession(['integrate', 'cursor', ...args, '--json'], { home: home.path });
    return jsonOf.integrate(run).warnings.map(({ message, hint }) => [message, hint]);
  };
  assert.equal(await warningsOf('--workspace', notes, '--yes'), []);
  assert.equal(await warningsOf('--workspace', notes), []);
  const dropped = `the entry selected another memory: --workspace '${notes}'`;
  const hint = 'pass these flags again to keep it, or its new name if it was renamed';
  assert.equal(await warningsOf('--dry-run'), [[dropped, hint]]);
  assert.equal(await warningsOf('--remove', '--dry-run'), []);
  renameSync(notes, home.at('renamed'));
  assert.equal(await warningsOf('--dry-run'), [[dropped, hint]]);
  assert.equal(await warningsOf('--workspace', home.at('renamed'), '--dry-run'), []);
});

test('it warns before the hooks of another server are replaced', async () => {
  const home = homeWithCursor();
  home.write('notes/MEMORY.md', '');
  const warningsOf = async (...args: readonly string[]) => {
    const run = await runInSession(['integrate', 'cursor', ...args, '--json'], { home: home.path });
    return jsonOf.integrate(run).warnings.map(({ message, hint }) => [message, hint]);
  };
  assert.equal(await warningsOf('--capture', '--yes'), []);
  const notes = ['--name', 'svc-notes', '--workspace', home.at('notes')];
  assert.equal(await warningsOf(...notes, '--yes'), []);
  assert.equal(await warningsOf('--capture', '--dry-run'), []);
  assert.equal(await warningsOf(...notes, '--capture', '--dry-run'), [
    [
      'this replaces the hooks of svc: Cursor has hooks for one memory',
      'to keep them, register svc-notes without --active-memory and --capture',
    ],
  ]);
});

const entrySchema = z.object({
  mcpServers: z.object({
    svc: z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
});

test('a registered command runs without a shell and its PATH, and finds the same state', async () => {
  const home = homeWithCursor();
  await runInSession(['integrate', 'cursor', '--yes'], { home: home.path });
  const { svc } = entrySchema.parse(JSON.parse(textOf(home).replace('// mine', ''))).mcpServers;
  assert.equal(svc.args.slice(1), ['mcp']);
  const [script = ''] = svc.args;
  const { stdout } = spawnSync(svc.command, [script, 'version', '--json'], {
    cwd: tempFolder().path,
    env: svc.env,
    encoding: 'utf8',
  });
  assert.is(JSON.parse(stdout).paths.state, home.path);
});

test('a hook is a command line that the shell can run', async () => {
  const home = folderOf({ "it's $HOME/notes/a.md": '# A\n' });
  const notes = home.at("it's $HOME/notes");
  const run = await runInSession(
    ['integrate', 'codex', '--active-memory', '--yes', '--json', '--workspace', notes],
    { home: home.path },
  );
  const { hook } = jsonOf.integrate(run);
  assert.ok(hook !== null);
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s|' ${hook}`], { encoding: 'utf8' });
  const words = stdout.split('|').slice(0, -1);
  assert.is(words[0], `SVC_HOME=${home.path}`);
  assert.equal(words.slice(3), ['memory', 'recall', '--hook', 'codex', '--workspace', notes]);
  const parsed = JSON.parse(readFileSync(home.at('.codex/hooks.json'), 'utf8'));
  assert.is(parsed.hooks.UserPromptSubmit[0].hooks[0].command, hook);
  // The deadline of a recall as it is by default, and the time to start.
  assert.is(parsed.hooks.UserPromptSubmit[0].hooks[0].timeout, 20);
});

test('registered active memory recalls, and the list and status report when it cannot', async () => {
  const home = folderOf({
    'workspace/MEMORY.md': '# Memory\n\nThe nightly backup runs at 02:30.\n',
  });
  const svc = (...args: readonly string[]) => runInSession(args, { home: home.path });
  const done = await svc('integrate', 'claude-code', '--active-memory', '--yes');
  assert.match(done.stdout, /enable active memory in .*svc\.json, a new file/);
  assert.match(done.stdout, /^\+ .*"enabled": true/m);
  const settings = JSON.parse(readFileSync(home.at('.claude/settings.json'), 'utf8'));
  const command: unknown = settings.hooks.UserPromptSubmit[0].hooks[0].command;
  const prompt = { session_id: 's1', prompt: 'when does the nightly backup run?' };
  const { stdout } = spawnSync('/bin/sh', ['-c', String(command)], {
    encoding: 'utf8',
    cwd: home.path,
    env: { PATH: process.env['PATH'], HOME: home.path },
    input: JSON.stringify({ ...prompt, hook_event_name: 'UserPromptSubmit' }),
  });
  assert.match(stdout, /02:30/);
  const recalls = async () =>
    jsonOf.integrations(await svc('integrate', 'claude-code', '--list', '--json')).agents[0]
      ?.activeMemory?.recalls;
  assert.is(await recalls(), true);
  await svc('config', 'set', 'plugins.entries.active-memory.enabled', 'false');
  assert.is(await recalls(), false);
  const list = await svc('integrate', '--list');
  assert.match(list.stdout, /^claude-code +yes +yes +off /m);
  assert.match(list.stdout, /its hook recalls nothing: active memory is not enabled/);
  assert.match(
    (await svc('status')).stdout,
    /the hook of Claude Code recalls nothing: active memory is not enabled/,
  );
  const { hooks } = jsonOf.overallStatus(await svc('status', '--json'));
  assert.equal(
    hooks.map(({ agent, recalls: does, why }) => [agent, does, why]),
    [['claude-code', false, 'active memory is not enabled']],
  );
});

test('a nearer configuration that silences a hook is named', async () => {
  const home = folderOf({ 'project/svc.json': '{}' });
  const run = await runInSession(['integrate', 'codex', '--active-memory', '--yes', '--json'], {
    home: home.path,
    cwd: home.at('project'),
  });
  const { warnings } = jsonOf.integrate(run);
  assert.match(String(warnings?.at(-1)?.message), /recalls nothing in this folder/);
});

for (const [args, code, message] of [
  [['integrate'], 2, /pass one of claude-code/],
  [['integrate', 'cursr'], 2, /did you mean "cursor"/],
  [['integrate', 'cursor', '--active-memory', '--yes'], 2, /memory_search/],
  [['integrate', 'cursor', '--name', 'a_b', '--yes'], 2, /letters, digits and hyphens/],
  [['integrate', 'cursor', '--agent', 'nobody', '--yes'], 2, /unknown agent "nobody"/],
  [['integrate', 'cursor', '--workspace', 'nowhere', '--yes'], 1, /there is no workspace/],
  [['integrate', 'cursor', '--config', 'nowhere.json', '--yes'], 2, /nowhere\.json/],
  [['integrate', 'cursor', '-a', 'x', '-w', '.', '--yes'], 2, /cannot be combined/],
] as const) {
  test(`svc ${args.join(' ')} is refused with a hint`, async () => {
    const home = tempFolder();
    const run = await runInSession(args, { home: home.path });
    assert.is(run.code, code, run.stderr);
    assert.match(run.stderr, message);
    assert.not(existsSync(home.at(FILE)));
  });
}

test('a broken file is reported with its line and left unchanged', async () => {
  const home = folderOf({ [FILE]: '{\n  "mcpServers": {\n}\n' });
  const run = await runInSession(['integrate', 'cursor', '--yes'], { home: home.path });
  assert.is(run.code, 1);
  assert.match(run.stderr, /mcp\.json:4:1/);
  assert.is(textOf(home), '{\n  "mcpServers": {\n}\n');
});

test.run();
