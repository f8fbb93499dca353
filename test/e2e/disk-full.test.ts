import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { openDreamDatabase } from '../../src/engine/dreaming/store/dream-database.js';
import { dreamHome, OFTEN_ASKED } from '../support/dreams.js';
import { jsonOf } from '../support/json.js';
import { noteText } from '../support/many-notes.js';
import { runSvc } from '../support/run-svc.js';
import { serve, stateOf, whenLogged, writeConfig } from '../support/serving.js';
import { fillDisk, freeDisk, smallDisk } from '../support/small-disk.js';
import { folderAt, tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('a full disk');

const disk = smallDisk(8);
const when = disk === undefined ? test.skip : test;

const home = disk ?? '';
const notes = tempFolder();
const svc = (...args: string[]) => runSvc(['memory', ...args, '-w', notes.path], { home });

async function failure(...args: string[]): Promise<string> {
  const run = await svc('index', '--json', ...args);
  const [agent] = jsonOf.index(run).agents;
  assert.is(run.code, 1, run.stdout);
  assert.ok(agent !== undefined && 'error' in agent, run.stdout);
  return agent.error.code;
}

when('fails an index with INDEX_DISK_FULL, and the old one still answers', async () => {
  for (let n = 0; n < 60; n++) notes.write(`n${n}.md`, noteText(n));
  assert.is((await svc('index')).code, 0);
  for (let n = 60; n < 900; n++) notes.write(`n${n}.md`, noteText(n, 12));
  for (const leaving of [0, 64 * 1024, 600 * 1024]) {
    fillDisk(home, leaving);
    assert.is(await failure(), 'INDEX_DISK_FULL', `${leaving} left`);
    assert.is(await failure('--force'), 'INDEX_DISK_FULL', `${leaving} left, forced`);
    const run = await svc('search', 'amber cedar', '--json');
    const found = jsonOf.search(run);
    assert.ok(found.results.length > 0);
    assert.equal(
      found.warnings?.map((warning) => warning.code),
      ['INDEX_STALE'],
    );
    assert.equal(
      readdirSync(`${home}/memory`).filter((name) => name.includes('.build')),
      [],
    );
  }
});

when('is forgotten once there is room again', async () => {
  freeDisk(home);
  for (let n = 200; n < 900; n++) rmSync(notes.at(`n${n}.md`));
  const run = await svc('index', '--json');
  assert.is(run.code, 0, run.stdout);
  const status = jsonOf.status(await svc('status', '--json')).agents[0];
  assert.equal(status?.staleness, { added: 0, changed: 0, removed: 0, examples: [] });
});

when('fails a first search with an error that says what to do', async () => {
  assert.is((await svc('reset', '--yes')).code, 0);
  fillDisk(home, 16 * 1024);
  const run = await svc('search', 'amber', '--json');
  assert.equal([run.code, jsonOf.error(run).code], [1, 'INDEX_DISK_FULL']);
  assert.match(jsonOf.error(run).hint ?? '', /free some space/);
});

/** A home on a small disk of its own. */
function dreamHomeOnDisk() {
  return dreamHome(folderAt(smallDisk(4) ?? ''));
}

when('fails a sweep with a code and a hint, and the next one loses nothing', async () => {
  const world = dreamHomeOnDisk();
  const dream = () => runSvc(['dream', 'run', '--json'], { home: world.home.path });
  for (const leaving of [0, 8 * 1024, 64 * 1024, 0]) {
    fillDisk(world.home.path, leaving);
    const run = await dream();
    assert.is(run.code, 1, run.stdout);
    const [swept] = jsonOf.dreamRun(run).sweeps;
    assert.ok(swept !== undefined && 'error' in swept, run.stdout);
    assert.match(swept.error.code, /^(?:SYSTEM_REFUSED|DREAM_STORE_UNUSABLE)$/u);
    assert.match(swept.error.message, /disk/u);
    assert.match(swept.error.hint ?? '', /free (?:some|disk) space/u);
    assert.not(existsSync(world.home.at('workspace/MEMORY.md')));
  }
  freeDisk(world.home.path);
  assert.is((await dream()).code, 0);
  assert.ok(world.read('MEMORY.md').includes(OFTEN_ASKED));
});

when('keeps svc serve from starting, with a hint', async () => {
  const world = dreamHomeOnDisk();
  fillDisk(world.home.path);
  const run = await runSvc(['serve', '--json'], { home: world.home.path });
  assert.equal([run.code, jsonOf.error(run).code], [1, 'SYSTEM_REFUSED']);
  assert.match(jsonOf.error(run).hint ?? '', /free some space/u);
});

when('below the notes fails the sweep of svc serve, which keeps running and says why', async () => {
  const world = dreamHomeOnDisk();
  const home = tempFolder();
  cpSync(world.home.at('dreaming'), home.at('dreaming'), { recursive: true });
  const workspace = world.home.at('workspace');
  writeConfig(home, {
    agents: { defaults: { workspace } },
    plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: true } } } } },
  });
  // The schedule was kept until two days ago, so that a sweep is due.
  const { files } = dreamWorkspace(workspace, { stateDir: home.path });
  const database = openDreamDatabase(files.database);
  const keptUntilMs = Date.now() - 2 * 86_400_000;
  database.prepare('INSERT OR REPLACE INTO schedule VALUES (1, ?)').run(keptUntilMs);
  database.close();
  fillDisk(world.home.path);
  const { child, done } = serve(home);
  const line = await whenLogged(home, 'phase of a sweep failed');
  assert.is(line.level, 'error');
  assert.match(line.message, /deep phase .* cannot write .*MEMORY\.md: the disk is full/u);
  assert.match(String(line.fields['hint']), /free some space/u);
  const state = await waitFor('the state file', () =>
    stateOf(home)?.services.find(({ failure }) => failure !== null),
  );
  assert.equal(
    [state.name, state.state, state.failure?.code],
    ['dreaming', 'ready', 'SYSTEM_REFUSED'],
  );
  freeDisk(world.home.path);
  assert.is((await runSvc(['dream', 'run'], { home: home.path })).code, 0);
  assert.ok(world.read('MEMORY.md').includes(OFTEN_ASKED));
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

when('fails an import, which names what could not be written and can be repeated', async () => {
  const { path: into } = folderAt(smallDisk(4) ?? '');
  const from = tempFolder();
  for (let n = 0; n < 20; n++) from.write(`n${n}.md`, noteText(n));
  const home = tempFolder().path;
  const inMemory = (args: readonly string[], options: object) =>
    runSvc(['memory', ...args, '-w', from.path], { home, ...options });
  const { stdout: text } = await inMemory(['export'], {});
  const file = from.write('notes.jsonl', text);
  fillDisk(into, 16 * 1024);
  const args = ['import', file, '--into', into];
  const run = await inMemory(args, {});
  assert.is(run.code, 1, run.stdout);
  assert.match(run.stderr, /^error: cannot write n\d+\.md: the disk is full\n hint: .*again/mu);
  const piped = await inMemory(['import', '-', '--into', from.at('x')], {
    home: into,
    input: text,
  });
  assert.match(piped.stderr, new RegExp(`^error: ${into}: the disk is full$`, 'mu'));
  freeDisk(into);
  assert.is((await inMemory(args, {})).code, 0);
});

test.run();
