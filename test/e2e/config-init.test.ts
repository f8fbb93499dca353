import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireIndexLock } from '../../src/engine/memory/sync/index-lock.js';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { type PtySession, runInPty } from '../support/pty.js';
import { runSvc, type SvcRun } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

/** `svc config init`, by questions and by flags, against a strict fake of OpenAI. */
const test = suite('svc config init');

let fake: FakeVendor;
test.before(async () => {
  fake = await startOpenAiFake({ dimensions: 64 });
});
test.after(() => fake.close());

const NOTES = {
  'notes/MEMORY.md': '# Cars\n\nWe bought an automobile in spring.\n',
  'notes/memory/2026-02-03.md': '# Backups\n\nThe nightly backup runs at 02:30.\n',
};

/** A home whose configuration knows the fake as `corp`, and nothing about its key. */
function homeWithCorp(): TempFolder {
  const corp = `{ "api": "openai", "baseUrl": "${fake.origin}/v1" }`;
  return folderOf({
    ...NOTES,
    'svc.json': `{\n  // endpoints of ours\n  "models": { "providers": { "corp": ${corp} } },\n}\n`,
  });
}

/** Every file of the state folder that contains the key. */
function filesWithKey(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(OPENAI_KEY);
  });
}

interface InitDocument {
  readonly file: string;
  readonly schemaFile: string | null;
  readonly secretsFile: string | null;
  readonly workspace: string;
  readonly provider: string | null;
  readonly diagnosis: { readonly ok: boolean } | null;
  readonly index: { readonly added: number; readonly outcome: string } | null;
  readonly search: { readonly query: string; readonly results: readonly unknown[] } | null;
}

function documentOf(run: SvcRun): InitDocument {
  assert.not.match(run.stdout + run.stderr, OPENAI_KEY);
  return JSON.parse(run.stdout);
}

test('--force replaces the configuration and keeps the index', async () => {
  const home = folderOf(NOTES);
  const words = ['config', 'init', '--workspace', 'notes', '--provider', 'none', '--json'];
  const first = documentOf(await runInSession(words, { home: home.path, cwd: home.path }));
  assert.is(first.index?.added, 2);
  const again = documentOf(
    await runInSession([...words, '--force'], { home: home.path, cwd: home.path }),
  );
  assert.equal([again.index?.outcome, again.index?.added], ['unchanged', 0]);
});

test('without a terminal and without flags it writes a file to start from', async () => {
  const home = tempFolder();
  const run = await runInSession(['config', 'init'], { home: home.path });
  assert.equal(
    [run.code, run.stdout],
    [0, `wrote ${home.at('svc.json')}\nwrote ${home.at('svc.schema.json')}\n`],
  );
  const again = await runInSession(['config', 'init', '--json'], { home: home.path });
  assert.equal([again.code, JSON.parse(again.stdout).error.code], [1, 'CONFIG_EXISTS']);
});

test('a key on stdin goes into the file of secrets, and the index is built with it', async () => {
  const home = homeWithCorp();
  const args = ['--workspace', 'notes', '--provider', 'corp', '--key-stdin', '--json'];
  const options = { home: home.path, input: `${OPENAI_KEY}\n` };
  const run = await runSvc(['config', 'init', ...args], options);
  const document = documentOf(run);
  assert.is(run.code, 0, run.stdout);
  assert.equal(
    [document.file, document.schemaFile, document.secretsFile, document.workspace],
    [home.at('svc.json'), null, home.at('secrets.json'), home.at('notes')],
  );
  assert.equal(
    [document.provider, document.diagnosis?.ok, document.index?.outcome, document.search?.query],
    ['corp', true, 'updated', 'Cars'],
  );
  assert.is(document.search?.results.length === 0, false);
  assert.equal(filesWithKey(home.path), ['secrets.json']);
  assert.is(statSync(home.at('secrets.json')).mode & 0o777, 0o600);
  const text = readFileSync(home.at('svc.json'), 'utf8');
  assert.match(text, '// endpoints of ours');
  assert.match(text, '/providers/corp');

  const search = await runInSession(['memory', 'search', 'nightly'], { home: home.path });
  assert.match(search.stdout, '02:30');
});

test('the first search shows few results, so that the set-up stays on the screen', async () => {
  const notes = Array.from({ length: 8 }, (_, n) => [
    `notes/memory/${n}.md`,
    `# Cars\n\nCar ${n}.\n`,
  ]);
  const home = folderOf(Object.fromEntries(notes));
  const args = ['--workspace', 'notes', '--provider', 'none', '--json'];
  const { search } = documentOf(await runSvc(['config', 'init', ...args], { home: home.path }));
  assert.is(search?.results.length, 3);
});

test('an API key in the environment is stored as a reference to its variable', async () => {
  const home = homeWithCorp();
  const args = [
    '-w',
    'notes',
    '--provider',
    'corp',
    '--key-env',
    'OUR_KEY',
    '--no-index',
    '--json',
  ];
  const env = { OUR_KEY: OPENAI_KEY };
  const run = await runInSession(['config', 'init', ...args], { home: home.path, env });
  const { diagnosis, index, search, secretsFile } = documentOf(run);
  assert.equal([run.code, diagnosis?.ok, index, search, secretsFile], [0, true, null, null, null]);
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), '"env:OUR_KEY"');
  assert.equal(filesWithKey(home.path), []);
});

test('a provider that does not work is reported, but written anyway', async () => {
  const home = homeWithCorp();
  const args = ['-w', 'notes', '--provider', 'corp', '--key-env', 'OUR_KEY', '--no-index'];
  const env = { OUR_KEY: 'sk-wrong-0123456789' };
  const run = await runInSession(['config', 'init', ...args], { home: home.path, env });
  assert.is(run.code, 1);
  assert.match(run.stdout, 'PROVIDER_AUTH');
  assert.match(run.stdout, 'corp cannot embed');
  assert.not.match(run.stdout + run.stderr, 'sk-wrong-0123456789');
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), 'env:OUR_KEY');
});

test('--yes accepts the defaults: the default location and keyword search only', async () => {
  const home = tempFolder();
  const run = await runInSession(['config', 'init', '--yes', '--json'], { home: home.path });
  const { provider, workspace, diagnosis, index } = documentOf(run);
  assert.equal([run.code, provider, diagnosis], [0, null, null]);
  assert.equal([workspace, index?.outcome], [home.at('workspace'), 'updated']);
  assert.not(existsSync(home.at('workspace/MEMORY.md')));
});

test('without notes, no example query is suggested, and the next step is to add a note', async () => {
  const home = tempFolder();
  const args = ['config', 'init', '--yes', '--config', 'my own.json'];
  const { code, stdout } = await runInSession(args, { home: home.path });
  assert.is(code, 0);
  assert.ok(stdout.startsWith(`wrote ${home.at('my own.json')}\n`));
  assert.not.match(stdout, /^\? |No matches/mu);
  assert.match(stdout, `: svc memory add "a first note" --config 'my own.json'\n`);
  assert.match(stdout, /: svc serve --config 'my own\.json'\n$/u);
});

test('commands to try next use the memory that was set up, not a folder without a configuration', async () => {
  const home = homeWithCorp();
  const args = [
    'config',
    'init',
    '--workspace',
    'notes',
    '--provider',
    'corp',
    '--key-env',
    'NONE',
  ];
  const { stdout, stderr } = await runInSession(args, { home: home.path });
  assert.match(stdout, /: svc memory search "a question"\n/u);
  assert.not.match(stdout + stderr, '--workspace');
});

test('without prompts, a folder of notes is indexed as a whole and listed once', async () => {
  const home = folderOf({ 'notes/cars/van.md': '# Van\n\nThe van is red.\n' });
  const init = ['config', 'init', '--workspace', home.at('notes'), '--provider', 'none', '--json'];
  for (const added of [1, 0]) {
    const { index } = documentOf(await runInSession(init, { home: home.path }));
    assert.is(index?.added, added);
  }
  const key = ['config', 'get', 'agents.defaults.memorySearch.extraPaths', '--json'];
  assert.equal(JSON.parse((await runInSession(key, { home: home.path })).stdout).value, ['.']);
});

test('another folder than the first one is only a warning if that had notes', async () => {
  const home = folderOf({ 'a/a.md': '# A\n', 'b/b.md': '# B\n' });
  const codesAfter = async (folder: string) => {
    const init = ['config', 'init', '--workspace', home.at(folder), '--provider', 'none', '--json'];
    const { stdout } = await runInSession(init, { home: home.path });
    const { warnings } = JSON.parse(stdout) as { readonly warnings: readonly { code: string }[] };
    return warnings.map(({ code }) => code);
  };
  assert.equal(await codesAfter('empty'), ['INDEX_EMPTY']);
  assert.equal(await codesAfter('a'), []);
  assert.equal(await codesAfter('b'), ['INDEX_OF_OTHER_WORKSPACE']);
});

test('conflicting flags are refused before anything is written', async () => {
  const home = tempFolder();
  for (const [args, code] of [
    [['--provider', 'none', '--key-env', 'OUR_KEY'], 'USAGE'],
    [['--provider', 'nowhere'], 'PROVIDER_UNKNOWN'],
    [['--provider', 'openai', '--key-env', OPENAI_KEY], 'USAGE'],
    [['--provider', 'openai', '--key-stdin'], 'USAGE'],
  ] as const) {
    const run = await runInSession(['config', 'init', ...args, '--json'], { home: home.path });
    assert.equal([run.code, JSON.parse(run.stdout).error.code], [2, code]);
    assert.not.match(run.stdout + run.stderr, OPENAI_KEY);
  }
  assert.equal(readdirSync(home.path), []);
});

test('"provider": "none" is written only on request', async () => {
  for (const [args, isWritten] of [
    [[], false],
    [['--provider', 'none'], true],
    [['--provider', 'auto'], false],
  ] as const) {
    const home = tempFolder();
    const env = { OPENAI_API_KEY: '' };
    const run = await runInSession(['config', 'init', '--yes', '--no-index', ...args], {
      home: home.path,
      env,
    });
    assert.is(run.code, 0, run.stderr);
    const text = readFileSync(home.at('svc.json'), 'utf8');
    assert.is(/^\s*"provider": "none"/mu.test(text), isWritten, text);
    const again = ['config', 'init', '--workspace', home.at('notes'), '--no-index'];
    const moved = await runInSession(again, { home: home.path, env });
    assert.is(moved.code, 0, moved.stderr);
    const now = readFileSync(home.at('svc.json'), 'utf8');
    assert.is(/^\s*"provider": "none"/mu.test(now), isWritten, now);
  }
});

function inTerminal(home: TempFolder): PtySession {
  return runInPty(['config', 'init'], {
    home: home.path,
    columns: 100,
    rows: 60,
    lines: true,
    env: {
      HOME: home.path,
      OPENAI_API_KEY: '',
      CORP_API_KEY: '',
      NO_COLOR: '1',
      OPENCLAW_STATE_DIR: '',
    },
  });
}

const { down, enter } = KEYS;
const FOLDER = '◆  Which folder contains the memory?';
const PROVIDER = '◆  Which embedding provider should svc use?';
const OTHER = '◆  Which one?';
const WRITE = '◆  Write these changes?';
const FIRST_SEARCH = '◆  First search';
const AGENT = '◆  Give a coding agent this memory?';

/** Answers each question once it is shown below the answer before it. */
function answering(session: PtySession): (question: string, keys: string) => Promise<void> {
  let from = 0;
  return async (question, keys) => {
    await waitFor(question, () => session.output().indexOf(question, from) !== -1, session.output);
    from = session.output().length;
    session.type(keys);
  };
}

async function chooseNotes(answer: (question: string, keys: string) => Promise<void>) {
  await answer(FOLDER, down + enter);
  await answer('◆  Path of the folder', `notes${enter}`);
}

test('on a terminal it asks question by question and never shows the pasted key', async () => {
  const home = homeWithCorp();
  const session = inTerminal(home);
  const answer = answering(session);
  await answer(FOLDER, down + enter);
  await answer('◆  Path of the folder', enter);
  await session.waitForText('type a path, such as ~/notes');
  session.type(`notes${enter}`);
  await answer(PROVIDER, KEYS.up + enter);
  await answer('◆  Key of corp', `sk-wrong-0123456789${enter}`);
  await answer('◆  Continue anyway?', enter);
  await answer(PROVIDER, KEYS.up + enter);
  await answer('◆  Key of corp', `${OPENAI_KEY}${enter}`);
  await session.waitForText('works: corp embeds');
  await session.waitForText('keywords and corp, key in ~/secrets.json');
  assert.not.match(session.output(), 'endpoints of ours');
  await answer(WRITE, down + enter);
  await session.waitForText('"workspace": "~/notes"');
  assert.not(existsSync(home.at('secrets.json')));
  await answer(WRITE, enter);
  await answer(FIRST_SEARCH, `which car did we buy${enter}`);
  await answer(AGENT, enter);
  assert.is(await session.ended, 0);
  await session.waitForText('automobile');
  await session.waitForText('Next:');
  assert.not.match(session.output(), OPENAI_KEY);
  assert.not.match(session.output(), 'sk-wrong');
  assert.equal(filesWithKey(home.path), ['secrets.json']);
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), '// endpoints of ours');
});

test('where OpenClaw is set up, it says how to take over its settings instead', async () => {
  const home = folderOf({ '.openclaw/openclaw.json': '{}' });
  const session = inTerminal(home);
  const answer = answering(session);
  await session.waitForText('svc config import --from openclaw');
  await answer(FOLDER, KEYS.escape);
  assert.is(await session.ended, 130);
  assert.not(existsSync(home.at('svc.json')));
});

test('after the index screen it asks for a first query and answers it', async () => {
  const home = homeWithCorp();
  const session = inTerminal(home);
  const answer = answering(session);
  await chooseNotes(answer);
  await answer(PROVIDER, enter);
  // The screen appears only for work that takes a while, however fast the machine is.
  const holder = { nowMs: Date.now(), waitMs: 0 };
  const lock = await acquireIndexLock(home.at('memory/main.sqlite'), holder);
  await answer(WRITE, enter);
  await session.waitForText('? help');
  lock?.release();
  await answer(FIRST_SEARCH, `which car did we buy${enter}`);
  await answer(AGENT, enter);
  assert.is(await session.ended, 0);
  await session.waitForText('automobile');
});

test('indexing a whole folder of notes is offered, and leaving the first query is not a failure', async () => {
  const home = folderOf({
    'notes/cars/van.md': '# Van\n\nThe van is red.\n',
    'notes/b.md': 'beta',
  });
  const session = inTerminal(home);
  const answer = answering(session);
  await chooseNotes(answer);
  await answer('◆  Index 2 Markdown files in ~/notes?', enter);
  await answer(PROVIDER, enter);
  await answer(WRITE, enter);
  await answer(FIRST_SEARCH, KEYS.escape);
  assert.is(await session.ended, 0);
  const key = 'agents.defaults.memorySearch';
  const setting = async (name: string) =>
    (await runInSession(['config', 'get', `${key}.${name}`, '--json'], { home: home.path })).stdout;
  assert.equal(JSON.parse(await setting('extraPaths')).value, ['.']);
  assert.is(JSON.parse(await setting('provider')).origin, 'default');
  const found = await runInSession(['memory', 'search', 'van'], { home: home.path });
  assert.match(found.stdout, 'cars/van.md');
});

/** Up to the question about coding agents, with keyword search. */
async function upToAgents(session: PtySession): Promise<ReturnType<typeof answering>> {
  const answer = answering(session);
  await chooseNotes(answer);
  await answer(PROVIDER, enter);
  await answer(WRITE, enter);
  await answer(FIRST_SEARCH, enter);
  return answer;
}

const CURSOR = '.cursor/mcp.json';

test('a coding agent on this machine is offered, and registered after confirmation', async () => {
  const home = folderOf({ ...NOTES, [CURSOR]: '{}\n' });
  const session = inTerminal(home);
  const answer = await upToAgents(session);
  await session.waitForText('● Cursor (adds svc to ~/.cursor/mcp.json)');
  await answer(AGENT, enter);
  await session.waitForText('◆  Write ~/.cursor/mcp.json?');
  assert.is(readFileSync(home.at(CURSOR), 'utf8'), '{}\n');
  session.type(enter);
  assert.is(await session.ended, 0);
  await session.waitForText('next: restart Cursor');
  await session.waitForText('svc integrate --list');
  const { mcpServers } = JSON.parse(readFileSync(home.at(CURSOR), 'utf8'));
  assert.is(mcpServers.svc.args[1], 'mcp');
  const later = await runInSession(['config', 'init', '--yes'], { home: home.path });
  assert.match(later.stdout, /: svc integrate --list$/mu, 'it is registered by now');
});

test('without a coding agent "not now" is the default, and Esc is not a failure', async () => {
  const home = folderOf(NOTES);
  const session = inTerminal(home);
  const answer = await upToAgents(session);
  await session.waitForText('● not now');
  await answer(AGENT, KEYS.escape);
  assert.is(await session.ended, 0);
  await session.waitForText('Next:');
  assert.equal(readdirSync(home.path).includes('.cursor'), false);
});

test('? explains each question and shows it again', async () => {
  const home = folderOf(NOTES);
  const session = inTerminal(home);
  const answer = answering(session);
  await answer(FOLDER, '?');
  await answer('another folder: type its path', down + enter);
  await answer('◆  Path of the folder', `?${enter}`);
  await session.waitForText('An absolute path, one below');
  await answer('◆  Path of the folder', `new?${enter}`);
  await answer('◆  Create ~/new??', '?');
  await answer('Yes creates the folder', enter);
  await answer('◆  Add an example MEMORY.md?', enter);
  await answer(PROVIDER, down + enter);
  await answer(OTHER, '?');
  await answer('voyage: voyage-4-large', enter);
  await answer('◆  Key of openai', KEYS.ctrlC);
  assert.is(await session.ended, 130);
  assert.equal(readdirSync(home.path), ['notes']);
});

for (const [name, key] of [
  ['Esc', KEYS.escape],
  ['Ctrl-C', KEYS.ctrlC],
  ['Ctrl-D', '\u0004'],
] as const) {
  test(`${name} at the last question changes nothing`, async () => {
    const home = folderOf(NOTES);
    const session = inTerminal(home);
    const answer = answering(session);
    await answer(FOLDER, enter);
    await answer('◆  Add an example MEMORY.md?', 'y');
    await answer(PROVIDER, KEYS.up + enter);
    await session.waitForText(WRITE);
    session.type(key);
    assert.is(await session.ended, 130);
    assert.ok(showsCursor(session));
    assert.equal(readdirSync(home.path), ['notes']);
  });
}

test('Ctrl-Z at a question leaves the shell with a cursor, and the question is asked again', async () => {
  const session = inTerminal(folderOf(NOTES));
  await session.waitForText(FOLDER);
  assert.not(showsCursor(session));
  session.type('\u001A');
  await waitFor('the cursor', () => showsCursor(session) && !session.isRaw(), session.output);
  session.kill('SIGCONT');
  await waitFor('the question', () => session.output().split(FOLDER).length > 2, session.output);
  session.type(KEYS.escape);
  assert.is(await session.ended, 130);
  assert.ok(showsCursor(session));
});

function showsCursor(session: PtySession): boolean {
  const output = session.output();
  return output.lastIndexOf('\u001B[?25h') > output.lastIndexOf('\u001B[?25l');
}

test('closing the terminal at a question ends the program in order', async () => {
  const session = inTerminal(folderOf(NOTES));
  await session.waitForText(FOLDER);
  session.close();
  // By the end of input, or by SIGHUP.
  assert.ok([129, 130].includes(await session.ended));
});

test.run();
