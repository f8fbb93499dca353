import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFake } from '../fakes/fake-vendor.js';
import { jsonOf } from '../support/json.js';
import { giveToOrdinary, ORDINARY_UID, ordinaryProgram } from '../support/ordinary-user.js';
import {
  assertTerminalRestored,
  type PtyOptions,
  type PtySession,
  runInPty,
} from '../support/pty.js';
import { ROOT, runSvc, type SvcRun } from '../support/run-svc.js';
import { smallDisk } from '../support/small-disk.js';
import { SQLITE_BINARIES, SQLITE_PACKAGE } from '../support/sqlite-package.js';
import { runInSession } from '../support/svc-session.js';
import { type TempFolder, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

/** The doctor as people and scripts run it. */
const test = suite('svc config doctor');

const PLANTED = 'sk-planted-4f9a-never-shown';

/** A home with a workspace and this configuration. */
function homeWith(config: string): TempFolder {
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Memory\n');
  home.write('svc.json', config);
  chmodSync(home.at('svc.json'), 0o600);
  return home;
}

const doctor = (home: TempFolder, ...args: string[]): Promise<SvcRun> =>
  runInSession(['config', 'doctor', ...args], { home: home.path });

const codes = (run: SvcRun): string[] =>
  jsonOf.doctor(run).checks.flatMap(({ findings }) => findings.map(({ code }) => code));

const MISTYPED = '{\n  // the listener\n  "gateway": {\n    "prot": 9000\n  }\n}\n';

test('commands in hints are about the configuration that was named', async () => {
  const home = homeWith('{}\n');
  const keys = Array.from({ length: 200 }, (_, at) => `"k${at}": 1`);
  writeFileSync(home.at('my other.json'), `{ ${keys.join(', ')} }\n`);
  const named = `--config 'my other.json'`;
  const found = await doctor(home, '--config', 'my other.json');
  assert.match(found.stdout, `→ "svc config validate ${named}" lists them all`);
  const other = ['--config', 'my other.json'];
  const run = (...args: string[]) => runInSession([...args, ...other], { home: home.path });
  const failed = await run('flow', 'list');
  assert.match(failed.stderr, `hint: run "svc config validate ${named}" to see`);
  writeFileSync(home.at('my other.json'), '{}\n');
  const unset = await run('config', 'set', 'ui.theme', 'null');
  assert.match(unset.stderr, `to remove it: svc config unset ui.theme ${named}`);
  const recalled = await run('memory', 'recall', 'When does the backup run?');
  assert.match(recalled.stderr, `.enabled true ${named}"`);
  home.write('vault', 'not JSON');
  chmodSync(home.at('vault'), 0o600);
  const vault = { source: 'file', path: home.at('vault'), mode: 'json' };
  const apiKey = { source: 'file', provider: 'vault', id: '/key' };
  home.write(
    'my other.json',
    JSON.stringify({
      secrets: { providers: { vault } },
      models: { providers: { openai: { apiKey } } },
      plugins: {
        entries: {
          webhooks: {
            enabled: true,
            config: { routes: { ci: { sessionKey: 'ci', secret: apiKey } } },
          },
        },
      },
    }),
  );
  const tested = await run('provider', 'test', 'openai');
  assert.match(tested.stdout, `vault.mode singleValue ${named}"`);
  const routes = await run('webhook', 'routes');
  assert.match(routes.stdout, `vault.mode singleValue ${named}"`);
  home.write('my other.json', '{}');
  const shared = await run('storage', 'status');
  assert.match(shared.stdout, `svc config set storage.url env:SVC_DATABASE_URL ${named}\n`);
  const remote = { apiKey: 'sk-plain-0123456789abcdef' };
  const openclaw = { agents: { defaults: { memorySearch: { remote } } } };
  home.write('openclaw.json', JSON.stringify(openclaw));
  const imported = await run('config', 'import', '--from', 'openclaw', 'openclaw.json', '--yes');
  assert.match(imported.stdout, `memorySearch.remote.apiKey env:NAME ${named}\n`);
  const removed = await run('integrate', 'cursor', '--remove');
  assert.match(removed.stdout, `"svc integrate --list ${named}" shows what is\n`);
  const gone = { agents: { defaults: { workspace: 'gone' } } };
  home.write('my other.json', JSON.stringify(gone));
  const status = await run('memory', 'status', '--json');
  assert.match(jsonOf.status(status).agents[0]?.faults[0]?.hint ?? '', `init ${named}"`);
  const local = { agents: { defaults: { memorySearch: { provider: 'local' } } } };
  home.write('my other.json', JSON.stringify(local));
  const indexed = await run('memory', 'index');
  assert.match(indexed.stderr, ` hint: run "svc provider install local ${named}"\n`);
  const setUp = await run('config', 'init', '--yes', '--force', '--provider', 'local');
  assert.match(setUp.stdout, `→ run "svc provider install local ${named}"\n`);
});

test('exits with 1 while faults remain, with 0 for warnings alone', async () => {
  const home = homeWith(MISTYPED);
  const text = await doctor(home);
  assert.is(text.code, 1, text.stderr);
  assert.match(text.stdout, /✗ unknown key "prot" in gateway {2}~\/svc\.json:4:5/);
  assert.match(text.stdout, /→ did you mean "port"\?/);
  assert.match(text.stdout, /run it again with --fix/);
  const json = await doctor(home, '--json');
  assert.is(json.code, 1);
  assert.is(jsonOf.doctor(json).ok, false);
  assert.equal(codes(json), ['unknown-key']);
  writeFileSync(home.at('svc.json'), '{}\n');
  const warned = await doctor(home, '--json');
  assert.is(warned.code, 0, warned.stdout);
  assert.equal(codes(warned), ['index-missing']);
});

test('--fix applies safe fixes, keeps comments, and its exit code reflects what is left', async () => {
  const home = homeWith(MISTYPED);
  const run = await doctor(home, '--fix', '--json');
  assert.is(run.code, 0, run.stdout);
  const { applied, counts, ok } = jsonOf.doctor(run);
  assert.equal(
    applied.map(({ check }) => check),
    ['configuration', 'index'],
  );
  assert.equal([ok, counts.faults, counts.warnings], [true, 0, 0]);
  assert.is(readFileSync(home.at('svc.json'), 'utf8'), MISTYPED.replace('prot', 'port'));
  assert.equal(readdirSync(home.at('memory')).includes('main.sqlite'), true);
  const again = await doctor(home, '--fix');
  assert.is(again.code, 0);
  assert.not.match(again.stdout, /fixed/);
  writeFileSync(home.at('svc.json'), '{ "frobnicate": 1 }');
  assert.is((await doctor(home, '--fix')).code, 1);
});

test('without a terminal there is no screen, and with --json nothing but the document', async () => {
  const home = homeWith('{}');
  const run = await doctor(home);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act on
  assert.not.match(run.stdout, /\u001B/);
  assert.is((await doctor(home, '--json')).stderr, '');
});

test('no secret is printed, wherever it is set and whoever quotes it', async () => {
  const fake = await startFake({
    answer: ({ headers }) => ({
      status: 401,
      body: { error: { message: `wrong key ${String(headers.authorization)}` } },
    }),
    troubleAnswers: {},
  });
  const home = tempFolder();
  home.write('workspace/MEMORY.md', '# Memory\n');
  const vault = home.write('vault.json', JSON.stringify({ key: PLANTED }));
  const provider = (apiKey: unknown): object => ({
    agents: {
      defaults: { memorySearch: { provider: 'corp' } },
    },
    models: {
      providers: { corp: { api: 'openai', baseUrl: `${fake.origin}/v1`, apiKey } },
    },
    secrets: {
      providers: { vault: { source: 'file', path: vault, allowInsecurePath: true } },
    },
  });
  const configs = [
    JSON.stringify(provider(PLANTED), null, 2),
    JSON.stringify(provider('env:CORP_KEY')),
    JSON.stringify(provider({ source: 'file', provider: 'vault', id: '/key' })),
    JSON.stringify({ ...provider(PLANTED), frobnicate: PLANTED }),
    JSON.stringify(provider(PLANTED)).replace('apiKey', 'apiKy'),
    JSON.stringify(provider(PLANTED), null, 2).replace('"apiKey":', '"apiKey"'),
    `// ${PLANTED}\n{ "frob": { "port": "${PLANTED}" } }`,
  ];
  for (const config of configs) {
    for (const flags of [[], ['--json'], ['--fix'], ['--verbose']]) {
      home.write('svc.json', config);
      const run = await runInSession(['config', 'doctor', ...flags], {
        home: home.path,
        env: { CORP_KEY: PLANTED },
      });
      assert.ok(run.code === 0 || run.code === 1, run.stderr);
      assert.not.ok((run.stdout + run.stderr).includes('4f9a'), run.stdout + run.stderr);
    }
  }
  assert.ok(fake.requests.length > 0);
  await fake.close();
});

test('SQLite failing to load is one finding, and the other checks still run', async () => {
  const program = tempFolder();
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(join(ROOT, name), program.at(name), { recursive: true });
  }
  mkdirSync(program.at('node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name === 'better-sqlite3') continue;
    symlinkSync(join(ROOT, 'node_modules', name), program.at(`node_modules/${name}`));
  }
  const broken = SQLITE_PACKAGE;
  const copy = (part: string): void =>
    cpSync(join(ROOT, broken, part), program.at(`${broken}/${part}`), { recursive: true });
  copy('package.json');
  copy('lib');
  const native = program.write(`${broken}/build/Release/better_sqlite3.node`, 'no library');
  const home = homeWith('{}');
  // Otherwise, Node.js's own SQLite would be used where there is one.
  const off = '--no-experimental-sqlite';
  const env = process.allowedNodeEnvironmentFlags.has(off) ? { NODE_OPTIONS: off } : {};
  const doctor = ['config', 'doctor', '--json'];
  const run = await runSvc(doctor, { home: home.path, root: program.path, env });
  assert.is(run.code, 1, run.stderr);
  // A missing index cannot be built either, and no dreams are missing.
  assert.equal(codes(run), ['sqlite-unusable']);
  const status = await runSvc(['status', '--json'], { home: home.path, root: program.path, env });
  const faults = jsonOf.overallStatus(status).faults.map(({ about, code }) => `${about}: ${code}`);
  assert.equal(faults, ['agent main: SQLITE_UNUSABLE']);
  rmSync(native);
  copy(SQLITE_BINARIES);
  const fixed = await runSvc(doctor, { home: home.path, root: program.path, env });
  assert.is(fixed.code, 0, fixed.stdout);
});

const disk = smallDisk(8);
const whenDisk = disk === undefined ? test.skip : test;

whenDisk('a disk with little room is a fault until the index is elsewhere', async () => {
  const store = (path: string): string =>
    JSON.stringify({ agents: { defaults: { memorySearch: { store: { path } } } } });
  const home = homeWith(store(`${disk}/{agentId}.sqlite`));
  const run = await doctor(home, '--json');
  assert.is(run.code, 1, run.stdout);
  assert.ok(codes(run).includes('disk-full'), run.stdout);
  const status = await runInSession(['status', '--json'], { home: home.path });
  assert.is(status.code, 1, status.stdout);
  assert.match(
    String(jsonOf.overallStatus(status).faults[0]?.message),
    /^the disk of .+ is almost full: /,
  );
  writeFileSync(home.at('svc.json'), store('memory/{agentId}.sqlite'));
  assert.not.ok(codes(await doctor(home, '--json')).includes('disk-full'));
  assert.is((await runInSession(['status'], { home: home.path })).code, 0);
});

test('unreadable files, and files of other users, are reported', async () => {
  const program = ordinaryProgram();
  const home = homeWith('{}');
  home.write('workspace/memory/unreadable.md', 'x');
  giveToOrdinary(home.path);
  const run = async (): Promise<SvcRun> =>
    runSvc(['config', 'doctor', '--json'], { home: home.path, uid: ORDINARY_UID, root: program });
  const files: readonly (readonly [string, string])[] = [
    ['svc.json', 'unreadable-file'],
    ['workspace', 'workspace-unreadable'],
    ['workspace/memory/unreadable.md', 'file-skipped'],
  ];
  for (const [path, code] of files) {
    const { mode } = statSync(home.at(path));
    chmodSync(home.at(path), 0);
    const found = codes(await run());
    chmodSync(home.at(path), mode);
    assert.ok(found.includes(code), `${path}: ${found.join()}`);
    assert.not.ok(codes(await run()).includes(code), path);
  }
});

test('a state folder that svc cannot enter, write to or create is a finding, not a bug', async () => {
  const program = ordinaryProgram();
  const home = homeWith('{}');
  const fresh = tempFolder();
  giveToOrdinary(home.path);
  const run = (path: string): Promise<SvcRun> =>
    runSvc(['config', 'doctor', '--json'], {
      home: path,
      cwd: '/',
      uid: ORDINARY_UID,
      root: program,
    });
  assert.ok(!codes(await run(home.path)).includes('folder-refused'));
  chmodSync(home.path, 0);
  const unreadable = await run(home.path);
  chmodSync(home.path, 0o700);
  assert.ok(codes(unreadable).includes('folder-unwritable'), unreadable.stdout);
  assert.not.match(unreadable.stdout, /please report it/u);
  chmodSync(fresh.path, 0o555);
  const absent = await run(fresh.at('state'));
  assert.ok(codes(absent).includes('folder-refused'), absent.stdout);
  assert.match(absent.stdout, /state cannot be created: permission denied/u);
  fresh.write('file', '');
  const below = await run(fresh.at('file/state'));
  assert.match(below.stdout, /state cannot be created: part of its path is not a folder/u);
});

/** Runs the doctor in a terminal; a test that fails there does not leave it waiting for keys. */
async function inTerminal(
  options: PtyOptions,
  work: (session: PtySession) => Promise<void>,
): Promise<void> {
  const session = runInPty(['config', 'doctor'], options);
  try {
    await work(session);
  } catch (error) {
    session.type(KEYS.ctrlC);
    throw error;
  }
}

for (const [columns, rows] of [
  [60, 24],
  [80, 24],
  [200, 50],
] as const) {
  test(`on a terminal a fix is shown and applied with a key, at ${columns} columns`, async () => {
    const home = homeWith(MISTYPED);
    await inTerminal({ home: home.path, columns, rows }, async (session) => {
      await waitFor('the screen', () => session.screen.alternate);
      await session.waitForText('❯ ✗ unknown key "prot"');
      await session.waitForText('✗ configuration');
      session.type('a');
      await session.waitForText('+     "port": 9000');
      assert.is(readFileSync(home.at('svc.json'), 'utf8'), MISTYPED);
      session.type('a');
      await session.waitForText('fixed: rename "prot" to "port"');
      await session.waitForText('✓ configuration');
      await session.waitForText('agent main has no index yet');
      // Leaving before every check has finished is an interruption.
      await session.waitForText('✓ watchers');
      assert.is(session.screen.broken, 0);
      session.type('q');
      assert.is(await session.ended, 0);
      assertTerminalRestored(session);
      assert.is(readFileSync(home.at('svc.json'), 'utf8'), MISTYPED.replace('prot', 'port'));
      assert.match(session.output(), /fixed.*rename/);
    });
  });
}

test('leaving with faults exits with 1', async () => {
  const home = homeWith('{ "frobnicate": 1 }');
  await inTerminal({ home: home.path }, async (session) => {
    await session.waitForText('frobnicate');
    await session.waitForText('– watchers');
    await session.waitForText('✓ leftovers');
    await session.waitForText('– provider');
    session.type('q');
    assert.is(await session.ended, 1);
    // What is left on the terminal.
    const report = session.output().split('\u001B[?1049l').at(-1) ?? '';
    assert.match(report, '1 fault');
    assert.match(report, 'unknown key "frobnicate" in the configuration');
  });
});

test.run();
