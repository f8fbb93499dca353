import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamHome, ONCE_ASKED } from '../../support/dreams.js';
import { jsonOf } from '../../support/json.js';
import { runSvc } from '../../support/run-svc.js';
import { folderOf, tempFolder } from '../../support/temp-folder.js';

const test = suite('dreams of a workspace that was moved');

const svc = (home: string, ...args: string[]) => runSvc(args, { home });

const { home: HOME } = dreamHome();
const PRISTINE = tempFolder().at('home');
const SWEEP = await sweepOnce();
cpSync(HOME.path, PRISTINE, { recursive: true });

/** Promotes one claim, and decides by hand on the other. @returns the sweep's id */
async function sweepOnce(): Promise<string> {
  const { path } = HOME;
  HOME.write('workspace/MEMORY.md', '# Memory\n\n- Somebody wrote this.\n');
  const [swept] = jsonOf.dreamRun(await svc(path, 'dream', 'run', '--json')).sweeps;
  assert.ok(swept !== undefined && 'sweep' in swept);
  const { claims } = jsonOf.dreamSignals(await svc(path, 'dream', 'signals', '--json'));
  const key = claims.find(({ text }) => text === ONCE_ASKED)?.key ?? '';
  const rejected = await svc(path, 'dream', 'reject', key);
  assert.is(rejected.code, 0, rejected.stderr);
  return swept.sweep.id;
}

/** A home after such a sweep, always at the same path: its dreams know where they belong. */
function sweptHome(): string {
  rmSync(HOME.path, { recursive: true, force: true });
  cpSync(PRISTINE, HOME.path, { recursive: true });
  return HOME.path;
}

/** The sweep is known, can be shown and undone, and the decision is in effect. */
async function remembers(home: string): Promise<void> {
  const list = jsonOf.dreamList(await svc(home, 'dream', 'list', '--json'));
  assert.ok(list.sweeps.some(({ id }) => id === SWEEP));
  const explained = await svc(home, 'dream', 'explain', 'owns the billing', '--json');
  assert.is(jsonOf.dreamExplain(explained).fate, 'rejected');
  const shown = jsonOf.dreamShow(await svc(home, 'dream', 'show', SWEEP, '--json'));
  assert.ok(shown.backupFile?.startsWith(join(home, 'dreaming/backups')), String(shown.backupFile));
  const undone = jsonOf.dreamUndo(await svc(home, 'dream', 'undo', SWEEP, '--json'));
  assert.is(undone.undone, 1);
  const names = readdirSync(join(home, 'dreaming')).filter((name) => name.endsWith('.sqlite'));
  assert.is(names.length, 1);
}

test('a moved home keeps its past sweeps, undo and decisions', async () => {
  const path = sweptHome();
  const moved = tempFolder().at('home');
  renameSync(path, moved);
  await remembers(moved);
});

test('a named pipe in place of the file that tells whose dreams they are is not waited for', async () => {
  const path = sweptHome();
  const dreaming = join(path, 'dreaming');
  const [origin = ''] = readdirSync(dreaming).filter((name) => name.endsWith('.origin.json'));
  rmSync(join(dreaming, origin));
  execFileSync('mkfifo', [join(dreaming, origin)]);
  await remembers(path);
});

test('a home that was last used before svc kept whose dreams they are remembers them after a move', async () => {
  const path = sweptHome();
  for (const name of readdirSync(join(path, 'dreaming'))) {
    if (name.endsWith('.origin.json')) rmSync(join(path, 'dreaming', name));
  }
  const moved = tempFolder().at('home');
  renameSync(path, moved);
  await remembers(moved);
});

test('a renamed workspace keeps its dreams, also if it is searched before they are looked at', async () => {
  const path = sweptHome();
  await useNotes(path);
  assert.is((await svc(path, 'memory', 'search', 'billing')).code, 0);
  await remembers(path);
});

test('a workspace that is renamed right after its first sweep keeps it', async () => {
  const { home } = dreamHome();
  const { path } = home;
  assert.is((await svc(path, 'dream', 'run')).code, 0);
  await useNotes(path);
  assert.is(jsonOf.dreamList(await svc(path, 'dream', 'list', '--json')).sweeps.length, 1);
});

test('what was added to notes can be undone after a move, also if nothing was recalled', async () => {
  const home = folderOf({ 'workspace/memory/a.md': '# A\n' });
  const { path } = home;
  for (const text of ['The ferry leaves at nine.', 'The last one leaves at six.']) {
    assert.is((await svc(path, 'memory', 'add', text)).code, 0);
  }
  await useNotes(path);
  const undone = await svc(path, 'memory', 'undo', '--last', '2');
  assert.is(undone.code, 0, undone.stderr);
});

/** Renames the workspace. */
async function useNotes(path: string): Promise<void> {
  renameSync(join(path, 'workspace'), join(path, 'notes'));
  const set = await svc(path, 'config', 'set', 'agents.defaults.workspace', join(path, 'notes'));
  assert.is(set.code, 0, set.stderr);
}

test('agents that share a workspace find the same dreams, whichever asks first', async () => {
  const path = sweptHome();
  const list = '[{"id":"main"},{"id":"other"}]';
  assert.is(
    (await svc(path, 'config', 'set', 'agents.defaults.workspace', join(path, 'workspace'))).code,
    0,
  );
  assert.is((await svc(path, 'config', 'set', 'agents.list', list)).code, 0);
  assert.is((await svc(path, 'dream', 'status')).code, 0);
  await useNotes(path);
  const asked = await svc(path, 'dream', 'list', '--agent', 'other', '--json');
  assert.ok(
    jsonOf.dreamList(asked).sweeps.some(({ id }) => id === SWEEP),
    asked.stderr,
  );
  await remembers(path);
});

test('an agent gets nothing of other notes, nor of a folder that is still there', async () => {
  const path = sweptHome();
  const others = tempFolder();
  const use = async (folder: string): Promise<number> => {
    mkdirSync(folder, { recursive: true });
    const set = await svc(path, 'config', 'set', 'agents.defaults.workspace', folder);
    assert.is(set.code, 0, set.stderr);
    return jsonOf.dreamList(await svc(path, 'dream', 'list', '--json')).sweeps.length;
  };
  assert.is(await use(others.at('one')), 0);
  renameSync(join(path, 'workspace'), others.at('gone'));
  rmSync(others.at('gone'), { recursive: true });
  assert.is(await use(others.at(basename(path))), 0);
});

test.run();
