import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamHome, OFTEN_ASKED } from '../support/dreams.js';
import { jsonOf } from '../support/json.js';
import { giveToOrdinary, ORDINARY_UID, ordinaryProgram } from '../support/ordinary-user.js';
import { runSvc } from '../support/run-svc.js';
import { serve, stateOf, writeConfig } from '../support/serving.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('missing permissions');

const program = ordinaryProgram();

/** A home and notes that belong to a user whom permissions hold back. */
function world(files: Readonly<Record<string, string>>) {
  const root = tempFolder();
  root.write('home/.keep', '');
  for (const [path, text] of Object.entries(files)) root.write(`notes/${path}`, text);
  giveToOrdinary(root.path);
  const memory = (...args: string[]) =>
    runSvc(['memory', ...args, '-w', root.at('notes')], {
      home: root.at('home'),
      uid: ORDINARY_UID,
      root: program,
    });
  const indexFile = async (): Promise<string> =>
    jsonOf.status(await memory('status', '--json')).agents[0]?.indexFile ?? '';
  return { root, memory, indexFile };
}

/** Changes a file's mode for the time of some work, so that the folder can be removed later. */
async function withMode<T>(path: string, mode: number, work: () => Promise<T>): Promise<T> {
  chmodSync(path, mode);
  try {
    return await work();
  } finally {
    chmodSync(path, 0o755);
  }
}

test('an unreadable file and an unreadable folder are named, the rest is indexed', async () => {
  const { root, memory } = world({ 'a.md': 'alpha', 'shut.md': 'alpha', 'dir/b.md': 'alpha' });
  await withMode(root.at('notes/shut.md'), 0, () =>
    withMode(root.at('notes/dir'), 0, async () => {
      const run = await memory('index', '--json');
      const [agent] = jsonOf.index(run).agents;
      assert.ok(agent !== undefined && 'skipped' in agent, run.stdout);
      assert.equal(
        [...agent.skipped].sort((x, y) => (x.path < y.path ? -1 : 1)),
        [
          { path: 'dir', reason: 'permission_denied' },
          { path: 'shut.md', reason: 'permission_denied' },
        ],
      );
      const found = jsonOf.search(await memory('search', 'alpha', '--json'));
      assert.equal(
        found.results.map((result) => result.path),
        ['a.md'],
      );
      const [status] = jsonOf.status(await memory('status', '--json')).agents;
      assert.equal(status?.skipped.map((skip) => skip.path).sort(), ['dir', 'shut.md']);
      assert.is(status?.staleness?.added, 0);
      assert.match((await memory('index')).stderr, /shut\.md.*permission/i);
    }),
  );
  const found = jsonOf.search(await memory('search', 'alpha', '--json'));
  const paths = found.results.flatMap(({ path, similar = [] }) => [
    path,
    ...similar.map((one) => one.path),
  ]);
  assert.equal(paths.sort(), ['a.md', 'dir/b.md', 'shut.md']);
});

test('a file that becomes unreadable does not answer with its old text', async () => {
  const { root, memory } = world({ 'a.md': 'alpha', 'b.md': 'alpha' });
  await memory('index');
  await withMode(root.at('notes/b.md'), 0, async () => {
    const found = jsonOf.search(await memory('search', 'alpha', '--json'));
    assert.equal(
      found.results.map((result) => result.path),
      ['a.md'],
    );
    assert.equal(
      found.warnings?.map((warning) => warning.code),
      ['FILES_SKIPPED'],
    );
    assert.match(found.warnings?.[0]?.message ?? '', /b\.md/);
  });
});

test('a memory of which nothing can be read is not called empty', async () => {
  const { root, memory } = world({ 'a.md': 'alpha', 'dir/b.md': 'alpha' });
  await withMode(root.at('notes/a.md'), 0, () =>
    withMode(root.at('notes/dir'), 0, async () => {
      await memory('index');
      for (const _ of [1, 2]) {
        const { warnings } = jsonOf.search(await memory('search', 'alpha', '--json'));
        assert.equal(
          warnings?.map(({ code, message }) => [code, message]),
          [['FILES_SKIPPED', 'not indexed: dir (permission denied), a.md (permission denied)']],
        );
      }
    }),
  );
});

test('a workspace without search permission is explained', async () => {
  const { root, memory } = world({ 'a.md': 'alpha' });
  await withMode(root.at('notes'), 0, async () => {
    const run = await memory('search', 'alpha', '--json');
    assert.equal([run.code, jsonOf.error(run).code], [1, 'WORKSPACE_UNREADABLE']);
  });
});

test('an index in a read-only folder still answers, and says when it is behind', async () => {
  const { root, memory } = world({ 'a.md': 'alpha' });
  await memory('index');
  for (const name of readdirSync(root.at('home/memory')))
    chmodSync(root.at(`home/memory/${name}`), 0o444);
  await withMode(root.at('home/memory'), 0o555, async () => {
    const same = jsonOf.search(await memory('search', 'alpha', '--json'));
    assert.equal([same.results.length, same.warnings], [1, []]);
    root.write('notes/b.md', 'alpha');
    const behind = jsonOf.search(await memory('search', 'alpha', '--json'));
    assert.equal(
      behind.results.map((result) => result.path),
      ['a.md'],
    );
    assert.equal(
      behind.warnings?.map((warning) => warning.code),
      ['INDEX_STALE'],
    );
    const text = await memory('search', 'alpha');
    assert.equal([text.code, /warning: .*out of date/.test(text.stderr)], [0, true]);
    for (const command of [
      ['recent'],
      ['links', 'a.md'],
      ['links', 'b.md'],
      ['inspect', 'a.md'],
      ['forget', 'nothing of the kind'],
    ]) {
      assert.match((await memory(...command)).stderr, /warning: .*out of date/, command.join(' '));
    }
    assert.match((await memory('get', 'a.md')).stdout, /alpha/);
    assert.is(jsonOf.status(await memory('status', '--json')).agents[0]?.staleness?.added, 1);
    for (const args of [['index'], ['index', '--force']]) {
      const run = await memory(...args, '--json');
      const [agent] = jsonOf.index(run).agents;
      assert.is(run.code, 1);
      assert.is(agent !== undefined && 'error' in agent && agent.error.code, 'INDEX_UNWRITABLE');
    }
    const reset = await memory('reset', '--yes', '--json');
    assert.equal([reset.code, jsonOf.error(reset).code], [1, 'INDEX_UNWRITABLE']);
  });
});

test('a read-only index answers even if a kill left only the header of its log', async () => {
  const { memory, indexFile } = world({ 'a.md': 'alpha' });
  assert.is((await memory('index')).code, 0);
  const file = await indexFile();
  for (const [ending, content] of [
    ['-wal', Buffer.alloc(32, 1)],
    ['-shm', Buffer.alloc(32_768)],
  ] as const) {
    writeFileSync(file + ending, content);
    chmodSync(file + ending, 0o444);
  }
  chmodSync(file, 0o444);
  await withMode(dirname(file), 0o555, async () => {
    const found = jsonOf.search(await memory('search', 'alpha', '--json'));
    assert.equal(
      found.results.map(({ path }) => path),
      ['a.md'],
    );
  });
});

test('an index in a folder without search permission is an error that names it', async () => {
  const { root, memory, indexFile } = world({ 'a.md': 'alpha' });
  await memory('index');
  const file = await indexFile();
  await withMode(root.at('home/memory'), 0, async () => {
    for (const args of [['search', 'alpha'], ['status'], ['get', 'a.md'], ['reset', '--yes']]) {
      const run = await memory(...args, '--json');
      const error = jsonOf.error(run);
      assert.equal([run.code, error.code], [1, 'INDEX_UNWRITABLE'], args[0]);
      assert.ok(error.message.includes(file), error.message);
    }
  });
});

test('an unreadable index file is an error that names it', async () => {
  const { memory, indexFile } = world({ 'a.md': 'alpha' });
  await memory('index');
  const file = await indexFile();
  await withMode(file, 0, async () => {
    for (const args of [['search', 'alpha'], ['status'], ['get', 'a.md']]) {
      const run = await memory(...args, '--json');
      const error = jsonOf.error(run);
      assert.equal([run.code, error.code], [1, 'INDEX_UNWRITABLE'], args[0]);
      assert.ok(error.message.startsWith(`cannot open the index ${file}`), error.message);
    }
  });
});

test('a first index that cannot be created is an error that names it', async () => {
  const { root, memory, indexFile } = world({ 'a.md': 'alpha' });
  const file = await indexFile();
  mkdirSync(root.at('home/memory'), { recursive: true });
  giveToOrdinary(root.path);
  await withMode(root.at('home/memory'), 0o555, async () => {
    const error = jsonOf.error(await memory('search', 'alpha', '--json'));
    assert.is(error.message, `cannot open the index ${file}: permission denied`);
  });
});

test('a state folder that cannot be created is an error that names it', async () => {
  const { root, memory } = world({ 'a.md': 'alpha' });
  await withMode(root.at('home'), 0o555, async () => {
    const run = await memory('search', 'alpha', '--json');
    assert.equal([run.code, jsonOf.error(run).code], [1, 'INDEX_UNWRITABLE']);
  });
});

test('the configuration in a read-only state folder is not changed, and the reason is named', async () => {
  const { root } = world({});
  writeFileSync(root.at('home/config.lock'), '');
  giveToOrdinary(root.path);
  await withMode(root.at('home'), 0o555, async () => {
    const args = ['config', 'set', 'storage.poolSize', '5', '--json'];
    const run = await runSvc(args, { home: root.at('home'), uid: ORDINARY_UID, root: program });
    const { code, message } = jsonOf.error(run);
    assert.is(code, 'STATE_UNWRITABLE');
    // Node's own driver only knows that the file is read-only.
    assert.match(message, /^cannot write to \S+\/home: (?:permission denied|it is read-only)$/u);
  });
});

test('a link to an unreadable file is reported as a link', async () => {
  const { root, memory } = world({ 'a.md': 'alpha' });
  symlinkSync('/root/.profile', root.at('notes/link.md'));
  const [agent] = jsonOf.index(await memory('index', '--json')).agents;
  assert.ok(agent !== undefined && 'skipped' in agent);
  assert.equal(agent.skipped, [{ path: 'link.md', reason: 'symlink' }]);
});

/** A home with something to promote, of a user whom permissions hold back. */
function dreams() {
  const world = dreamHome();
  giveToOrdinary(world.home.path);
  const options = { home: world.home.path, uid: ORDINARY_UID, root: program };
  const dream = () => runSvc(['dream', 'run', '--json'], options);
  return { ...world, dream, options };
}

test('a workspace that cannot be written fails its phase with a hint, and nothing is lost', async () => {
  const { home, dream, read } = dreams();
  await withMode(home.at('workspace'), 0o555, async () => {
    const run = await dream();
    const [swept] = jsonOf.dreamRun(run).sweeps;
    assert.ok(swept !== undefined && 'sweep' in swept, run.stdout);
    const { deep, light } = swept.sweep.phases;
    assert.equal([run.code, light?.state, deep?.state], [1, 'done', 'failed']);
    assert.is(deep?.error, `cannot write ${home.at('workspace/MEMORY.md')}: permission denied`);
    assert.equal([deep?.code, /permissions/u.test(deep?.hint ?? '')], ['SYSTEM_REFUSED', true]);
    assert.equal(readdirSync(home.at('workspace')), ['memory']);
  });
  assert.is((await dream()).code, 0);
  assert.ok(read('MEMORY.md').includes(OFTEN_ASKED));
});

test('a state folder that cannot be written fails a sweep with a hint, and nothing is lost', async () => {
  const { home, dream, read } = dreams();
  await withMode(home.at('dreaming'), 0o555, async () => {
    const run = await dream();
    const [swept] = jsonOf.dreamRun(run).sweeps;
    assert.ok(swept !== undefined && 'error' in swept, run.stdout);
    assert.equal([run.code, swept.error.code], [1, 'SYSTEM_REFUSED']);
    assert.match(swept.error.hint ?? '', /permissions/u);
  });
  assert.is((await dream()).code, 0);
  assert.ok(read('MEMORY.md').includes(OFTEN_ASKED));
});

test('svc serve without permission to write its flows says so, and serves once it may', async () => {
  const { home, options } = dreams();
  writeConfig(home, {
    flows: { notify: { command: ['true'] } },
    logging: { file: home.at('workspace/serve.log') },
  });
  home.write('flows.sqlite', '');
  giveToOrdinary(home.path);
  await withMode(home.at('flows.sqlite'), 0o444, async () => {
    const { child, done } = serve(home, ['--without', 'memory'], options);
    const failed = await waitFor('the failure', () =>
      stateOf(home)?.services.find(({ failure }) => failure !== null),
    );
    assert.equal(
      [failed.name, failed.state, failed.failure?.code],
      ['flows', 'waiting', 'FLOWS_PERSIST_FAILED'],
    );
    assert.match(failed.failure?.hint ?? '', /permissions/u);
    chmodSync(home.at('flows.sqlite'), 0o600);
    await waitFor('recovery', () =>
      stateOf(home)?.services.every(({ state }) => state === 'ready'),
    );
    child.kill('SIGTERM');
    assert.is((await done).code, 0);
  });
});

test('who can only read the state folder sees that svc serve runs, and starts no second one', async () => {
  const { home, options } = dreams();
  writeConfig(home, {});
  giveToOrdinary(home.path);
  const running = serve(home, ['--without', 'memory'], options);
  await waitFor('the start', () => stateOf(home)?.services.every(({ state }) => state === 'ready'));
  await withMode(home.at('serve.lock'), 0o444, async () => {
    const { serving } = jsonOf.overallStatus(await runSvc(['status', '--json'], options));
    assert.is(serving?.pid, running.child.pid);
    const second = await serve(home, ['--without', 'memory'], options).done;
    assert.equal([second.code, second.stderr.includes('already running')], [1, true]);
  });
  running.child.kill('SIGTERM');
  assert.is((await running.done).code, 0);
});

test('an unreadable configuration of another user is not for this one to chmod', async () => {
  // As in a volume that a container of another user wrote.
  if (process.getuid?.() !== 0) return;
  const { root } = world({});
  root.write('home/svc.json', '{}');
  const options = { home: root.at('home'), uid: ORDINARY_UID, root: program };
  const failure = () =>
    withMode(root.at('home/svc.json'), 0, async () =>
      jsonOf.error(await runSvc(['config', 'get', 'gateway', '--json'], options)),
    );
  const foreign = await failure();
  assert.is(foreign.code, 'CONFIG_UNREADABLE');
  assert.is(foreign.hint, 'let the user that svc runs as read the file and enter its folder');
  giveToOrdinary(root.path);
  assert.match((await failure()).hint ?? '', /^run "chmod u\+r/u);
});

test('a user without a home folder is told to set HOME', async () => {
  // A user that the system does not know, as in many containers.
  if (process.getuid?.() !== 0) return;
  const { root } = world({});
  const run = await runSvc(['memory', 'status', '--json'], {
    home: root.at('home'),
    env: { HOME: '' },
    uid: 12_345,
    root: program,
  });
  assert.equal([run.code, jsonOf.error(run).code], [1, 'SYSTEM_REFUSED']);
  assert.match(jsonOf.error(run).hint ?? '', /set HOME/u);
});

test.run();
