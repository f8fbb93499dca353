import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchOutputSchema } from '../../src/engine/memory/output-schemas.js';
import { jsonOf } from '../support/json.js';
import { limitOpenFiles } from '../support/processes.js';
import { assertTerminalRestored, runInPty } from '../support/pty.js';
import { ROOT, type StartedSvc, startProgram, startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

/** The built program with `--watch`: what it prints, how it ends, and what other commands show of it. */
const test = suite('svc memory index --watch');

const DEBOUNCE = { memorySearch: { sync: { watchDebounceMs: 50 } } };

/** A home with two agents, each with a note. */
function twoAgents(): TempFolder {
  const config = {
    agents: {
      defaults: DEBOUNCE,
      list: [
        { id: 'main', default: true, workspace: './main' },
        { id: 'ops', workspace: './ops' },
      ],
    },
  };
  return folderOf({
    'svc.json': JSON.stringify(config),
    'main/memory/a.md': 'Amber.\n',
    'ops/memory/o.md': 'Onyx.\n',
  });
}

function watching(home: TempFolder, ...args: string[]): StartedSvc {
  return startSvc(['memory', 'index', '--watch', ...args], { home: home.path });
}

async function statusOf(home: TempFolder): Promise<ReturnType<typeof jsonOf.status>> {
  return jsonOf.status(await runInSession(['memory', 'status', '--json'], { home: home.path }));
}

test('--json: a line for each sync of each agent; SIGTERM ends it with 0', async () => {
  const home = twoAgents();
  const run = watching(home, '--json');
  await run.waitForText('/main","cause":"start"');
  await run.waitForText('/ops","cause":"start"');
  assert.ok(getPriority(run.child.pid) >= constants.priority.PRIORITY_BELOW_NORMAL, 'gives way');
  home.write('ops/memory/new.md', 'New.\n');
  await run.waitForText('"cause":"changed"');
  run.child.kill('SIGTERM');
  const { code, signal, stdout, stderr } = await run.done;
  assert.equal([code, signal, stderr], [0, null, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => watchOutputSchema.parse(JSON.parse(line)));
  const changed = lines.flatMap((line) =>
    line.type === 'synced' && line.cause === 'changed' ? [[line.agent, line.added]] : [],
  );
  assert.equal(changed, [['ops', 1]]);
  assert.equal(
    lines
      .filter(({ type }) => type === 'watching')
      .map(({ agent }) => agent)
      .sort(),
    ['main', 'ops'],
  );
});

for (const form of [['--json'], []]) {
  test(`${form.join('') || 'lines'}: commands in hints are about the memory that was named`, async () => {
    const home = twoAgents();
    home.write('my other.json', JSON.stringify({ agents: { defaults: { workspace: './gone' } } }));
    const other = home.at('my other.json');
    const run = watching(home, '--agent', 'main', '--config', other, ...form);
    await run.waitForText(`--config '${other}'`);
    run.child.kill('SIGTERM');
    const { stdout, stderr } = await run.done;
    assert.match(stdout + stderr, `svc config init --config '${other}'`);
  });
}

test('without a terminal it prints lines, status shows its process, and Ctrl-C ends it with 0 and leaves no file', async () => {
  const home = twoAgents();
  const run = watching(home);
  await run.waitForText('main  1 added');
  await run.waitForText('ops  1 added');
  const { agents } = await statusOf(home);
  for (const { watcher } of agents) {
    assert.equal([watcher?.pid, watcher?.mode], [run.child.pid, 'watching']);
  }
  const shown = await runInSession(['memory', 'status', '-a', 'main'], { home: home.path });
  assert.match(shown.stdout, /watched +watches files: process \d+, started just now/);
  home.write('main/memory/a.md', 'Amber and jade.\n');
  await run.waitForText('main  1 changed');
  run.child.kill('SIGINT');
  const { code, stdout } = await run.done;
  assert.is(code, 0);
  assert.match(stdout, /^\d\d:\d\d:\d\d {2}main {2}1 changed$/m);
  assert.equal(
    (await statusOf(home)).agents.map(({ watcher }) => watcher),
    [null, null],
  );
  const leftovers = readdirSync(home.at('memory')).filter((name) => name.includes('.watch.json'));
  assert.equal(leftovers, []);
});

test('after a kill, status shows no watcher, and the next one takes over', async () => {
  const home = twoAgents();
  const first = watching(home, '-a', 'main');
  await first.waitForText('main  1 added');
  first.child.kill('SIGKILL');
  await first.done;
  assert.is((await statusOf(home)).agents[0]?.watcher, null);
  home.write('main/memory/b.md', 'Written while nobody watched.\n');
  const second = watching(home, '-a', 'main');
  await second.waitForText('main  1 added · 1 unchanged');
  assert.is((await statusOf(home)).agents[0]?.watcher?.pid, second.child.pid);
  second.child.kill('SIGTERM');
  assert.is((await second.done).code, 0);
});

test('it waits for a missing workspace', async () => {
  const home = tempFolder();
  home.write('svc.json', JSON.stringify({ agents: { defaults: DEBOUNCE } }));
  const run = watching(home);
  await run.waitForText('no workspace at');
  home.write('workspace/memory/a.md', 'Amber.\n');
  await run.waitForText('main  1 added');
  run.child.kill('SIGTERM');
  assert.is((await run.done).code, 0);
});

test('it ends when nobody reads its lines any more', async () => {
  const home = twoAgents();
  const run = watching(home, '--json', '-a', 'main');
  await run.waitForText('"cause":"start"');
  run.child.stdout?.destroy();
  home.write('main/memory/b.md', 'Basil.\n');
  assert.is((await run.done).code, 0);
});

/** A process of a user namespace that has one inotify watch. */
const UNSHARE = ['-Ur', process.execPath, '--import'];
const LIMIT = '/proc/sys/user/max_inotify_watches';
const SET_LIMIT = `data:text/javascript,import fs from 'node:fs';fs.writeFileSync('${LIMIT}','1')`;
const canLimit = spawnSync('unshare', [...UNSHARE, SET_LIMIT, '-e', '0']).status === 0;

if (canLimit) {
  test('when the system is out of watches it polls, and status shows that', async () => {
    const home = twoAgents();
    const args = [join(ROOT, 'bin/run.js'), 'memory', 'index', '--watch', '-a', 'main'];
    const run = startProgram('unshare', [...UNSHARE, SET_LIMIT, ...args], { home: home.path });
    await run.waitForText('file watching is unavailable; polling every');
    await run.waitForText('main  1 added');
    const [main] = (await statusOf(home)).agents;
    assert.is(main?.watcher?.mode, 'polling');
    assert.match(main?.watcher?.why ?? '', /max_user_watches/);
    home.write('main/memory/b.md', 'Basil.\n');
    await run.waitForText('main  1 added · 1 unchanged');
    run.child.kill('SIGTERM');
    assert.is((await run.done).code, 0);
  });
}

if (limitOpenFiles(process.pid, 1024)) {
  test('without free file handles it treats nothing as deleted, and recovers', async () => {
    const home = twoAgents();
    const run = watching(home, '--json', '-a', 'main');
    await run.waitForText('"cause":"start"');
    assert.ok(limitOpenFiles(run.child.pid, 3));
    home.write('main/memory/b.md', 'Basil.\n');
    await run.waitForText('"type":"failed"');
    const { index } = (await statusOf(home)).agents[0] ?? {};
    assert.is(index?.state === 'ready' && index.statistics.documents, 1);
    assert.ok(limitOpenFiles(run.child.pid, 1024));
    await run.waitForText('"added":1,"changed":0,"removed":0,"renamed":0,"unchanged":1');
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.done;
    assert.is(code, 0);
    assert.match(stdout, /"type":"polling".*ulimit -n/);
    assert.not.match(stdout, /"removed":[1-9]/);
  });
}

for (const columns of [60, 80, 200]) {
  test(`the screen shows syncs as they happen and is left with q, at ${columns} columns`, async () => {
    const home = twoAgents();
    const session = runInPty(['memory', 'index', '--watch'], {
      home: home.path,
      columns,
    });
    await session.waitForText('2 indexes');
    await session.waitForText('1 added · new index');
    home.write('ops/memory/more.md', 'More.\n');
    await session.waitForText('1 added · 1 unchanged');
    for (const line of session.screen.text()) assert.ok(line.length <= columns, line);
    session.type('q');
    assert.is(await session.ended, 0);
    assertTerminalRestored(session);
  });
}

test('20 resizes while it works leave one complete frame', async () => {
  const home = twoAgents();
  const session = runInPty(['memory', 'index', '--watch'], {
    home: home.path,
    columns: 100,
    rows: 30,
  });
  await session.waitForText('2 indexes');
  await session.waitForText('new index');
  let seed = 7;
  const random = (from: number, to: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return from + Math.floor((seed / 2_147_483_648) * (to - from));
  };
  for (let n = 0; n < 20; n += 1) {
    const before = session.output().length;
    home.write(`ops/memory/note-${n}.md`, `Note ${n}.\n`);
    session.resize(random(44, 70) + (n % 2) * 40, random(12, 40));
    await waitFor('a frame', () => session.output().length > before);
  }
  session.resize(100, 30);
  const rows = (): readonly string[] => session.screen.text().filter((row) => row !== '');
  await waitFor(
    'one whole frame',
    () =>
      rows().length === 6 &&
      /^ {2}svc · watch +2 indexes$/.test(rows()[0] ?? '') &&
      rows().filter((row) => row.includes(' added · ')).length === 2 &&
      /\? help$/.test(rows()[5] ?? ''),
    rows,
  );
  session.type('q');
  assert.is(await session.ended, 0);
});

test('Ctrl-C on the screen ends it with 0 as well', async () => {
  const session = runInPty(['memory', 'index', '--watch', '-a', 'ops'], {
    home: twoAgents().path,
  });
  await session.waitForText('watching');
  session.type(KEYS.ctrlC);
  assert.is(await session.ended, 0);
});

test('--force and --watch exclude each other', async () => {
  const run = await runInSession(['memory', 'index', '--watch', '--force', '--json'], {
    home: twoAgents().path,
  });
  assert.is(run.code, 2);
  assert.is(jsonOf.error(run).code, 'USAGE');
});

test.run();
