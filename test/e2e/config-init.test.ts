import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { type PtySession, runInPty } from '../support/pty.js';
import { runSvc, type SvcRun, startSvc } from '../support/run-svc.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';
import { KEYS, waitFor } from '../support/terminal.js';

/** `svc config init`, asked and by flags, against a strict fake of OpenAI. */
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

/** Every file of the state that holds the key. */
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
  readonly index: { readonly outcome: string } | null;
  readonly search: { readonly query: string; readonly results: readonly unknown[] } | null;
}

function documentOf(run: SvcRun): InitDocument {
  assert.not.match(run.stdout + run.stderr, OPENAI_KEY);
  return JSON.parse(run.stdout);
}

test('without a terminal and without flags it writes a file to start from', async () => {
  const home = tempFolder();
  const run = await runSvc(['config', 'init'], { home: home.path });
  assert.equal(
    [run.code, run.stdout],
    [0, `wrote ${home.at('svc.json')}\nwrote ${home.at('svc.schema.json')}\n`],
  );
  const again = await runSvc(['config', 'init', '--json'], { home: home.path });
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

  const search = await runSvc(['memory', 'search', 'nightly'], { home: home.path });
  assert.match(search.stdout, '02:30');
});

test('a variable is referred to by its name', async () => {
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
  const run = await runSvc(['config', 'init', ...args], { home: home.path, env });
  const { diagnosis, index, search, secretsFile } = documentOf(run);
  assert.equal([run.code, diagnosis?.ok, index, search, secretsFile], [0, true, null, null, null]);
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), '"env:OUR_KEY"');
  assert.equal(filesWithKey(home.path), []);
});

test('a provider that does not work is told, and written all the same', async () => {
  const home = homeWithCorp();
  const args = ['-w', 'notes', '--provider', 'corp', '--key-env', 'OUR_KEY', '--no-index'];
  const env = { OUR_KEY: 'sk-wrong-0123456789' };
  const run = await runSvc(['config', 'init', ...args], { home: home.path, env });
  assert.is(run.code, 1);
  assert.match(run.stdout, 'PROVIDER_AUTH');
  assert.match(run.stdout, 'corp cannot embed');
  assert.not.match(run.stdout + run.stderr, 'sk-wrong-0123456789');
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), 'env:OUR_KEY');
});

test('--yes takes what is proposed: the usual place, and words alone', async () => {
  const home = tempFolder();
  const run = await runSvc(['config', 'init', '--yes', '--json'], { home: home.path });
  const { provider, workspace, diagnosis, index } = documentOf(run);
  assert.equal([run.code, provider, diagnosis], [0, null, null]);
  assert.equal([workspace, index?.outcome], [home.at('workspace'), 'updated']);
  assert.not(existsSync(home.at('workspace/MEMORY.md')));
});

test('flags that make no sense are refused before anything is written', async () => {
  const home = tempFolder();
  for (const [args, code] of [
    [['--provider', 'none', '--key-env', 'OUR_KEY'], 'USAGE'],
    [['--provider', 'nowhere'], 'PROVIDER_UNKNOWN'],
    [['--provider', 'openai', '--key-env', OPENAI_KEY], 'USAGE'],
    [['--provider', 'openai', '--key-stdin'], 'USAGE'],
  ] as const) {
    const run = await startSvc(['config', 'init', ...args, '--json'], { home: home.path }).done;
    assert.equal([run.code, JSON.parse(run.stdout).error.code], [2, code]);
    assert.not.match(run.stdout + run.stderr, OPENAI_KEY);
  }
  assert.equal(readdirSync(home.path), []);
});

function inTerminal(home: TempFolder): PtySession {
  return runInPty(['config', 'init'], {
    home: home.path,
    columns: 100,
    rows: 60,
    lines: true,
    env: { HOME: home.path, OPENAI_API_KEY: '', CORP_API_KEY: '' },
  });
}

function countOf(session: PtySession, text: string): number {
  return session.output().split(text).length - 1;
}

test('on a terminal it asks its way through, and the pasted key is nowhere to be seen', async () => {
  const home = homeWithCorp();
  const session = inTerminal(home);
  await session.waitForText('a number, or a folder [1]');
  session.type(`notes${KEYS.enter}`);
  await session.waitForText('a number, or the name of a provider');
  session.type(`corp${KEYS.enter}`);
  await session.waitForText('paste it (');
  session.type(`sk-wrong-0123456789${KEYS.enter}`);
  await session.waitForText('go on with it all the same? [y/N]');
  session.type(KEYS.enter);
  await waitFor('the list again', () => countOf(session, '2 of 5') === 2);
  await waitFor('its question', () => countOf(session, 'name of a provider [') === 2);
  session.type(`corp${KEYS.enter}`);
  await waitFor('the key again', () => countOf(session, 'paste it (') === 2);
  session.type(`${OPENAI_KEY}${KEYS.enter}`);
  await session.waitForText('works: corp embeds');
  await session.waitForText('write this?');
  assert.not(existsSync(home.at('secrets.json')));
  session.type(KEYS.enter);
  await session.waitForText('a first question');
  session.type(`which car did we buy${KEYS.enter}`);
  assert.is(await session.ended, 0);
  await session.waitForText('automobile');
  assert.not.match(session.output(), OPENAI_KEY);
  assert.not.match(session.output(), 'sk-wrong');
  assert.equal(filesWithKey(home.path), ['secrets.json']);
  assert.match(readFileSync(home.at('svc.json'), 'utf8'), '// endpoints of ours');
});

for (const [name, key] of [
  ['Esc', KEYS.escape],
  ['Ctrl-C', KEYS.ctrlC],
] as const) {
  test(`${name} at the last question leaves everything as it was`, async () => {
    const home = folderOf(NOTES);
    const session = inTerminal(home);
    await session.waitForText('a number, or a folder [1]');
    session.type(KEYS.enter);
    await session.waitForText('make ~/workspace? [Y/n]');
    session.type(KEYS.enter);
    await session.waitForText('an example MEMORY.md');
    session.type(`y${KEYS.enter}`);
    await session.waitForText('a number, or the name of a provider');
    session.type(`none${KEYS.enter}`);
    await session.waitForText('write this?');
    session.type(key);
    assert.is(await session.ended, 130);
    assert.equal(readdirSync(home.path), ['notes']);
  });
}

test.run();
