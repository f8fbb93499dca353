import { linkSync, readFileSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setConfigValue, unsetConfigValue } from '../../../src/engine/config/authoring.js';
import { inspectConfig, loadConfig } from '../../../src/engine/config/index.js';
import { recordTrust, reviewFile } from '../../../src/engine/config/trust/config-trust.js';
import { failureOf } from '../../support/failure.js';
import { inWorld, type World } from './support.js';

const test = suite('where agents keep their index');
const { signal } = new AbortController();

function configure(world: World, a: unknown, b: unknown, defaults = {}): void {
  const list = [
    { id: 'a', ...(a === undefined ? {} : { memorySearch: { store: { path: a } } }) },
    { id: 'b', ...(b === undefined ? {} : { memorySearch: { store: { path: b } } }) },
  ];
  world.write('home/.svc/svc.json', JSON.stringify({ agents: { defaults, list } }));
}

const refused = async (world: World): Promise<boolean> => {
  const error = await failureOf(() => loadConfig(world.context));
  assert.is(error.code, 'CONFIG_INVALID');
  assert.match(error.message, 'agents a and b share the index');
  const { faults } = await inspectConfig(world.context);
  assert.equal(
    faults.map(({ code }) => code),
    ['store-shared'],
  );
  return true;
};

test('two agents with one index are refused, however the path is written', () =>
  inWorld(async (world) => {
    configure(world, 'one.sqlite', './x/../one.sqlite');
    assert.ok(await refused(world));
    configure(world, 'one.sqlite', '~/.svc/one.sqlite');
    assert.ok(await refused(world));
    // That of b without a path of its own.
    configure(world, '~/.svc/memory/b.sqlite', undefined);
    assert.ok(await refused(world));
    configure(world, undefined, undefined, { memorySearch: { store: { path: 'one.sqlite' } } });
    assert.ok(await refused(world));
  }));

test('an agent whose memory search is off has no index', () =>
  inWorld(async (world) => {
    const list = [{ id: 'a', memorySearch: { enabled: false } }, { id: 'b' }];
    const defaults = { memorySearch: { store: { path: 'one.sqlite' } } };
    world.write('home/.svc/svc.json', JSON.stringify({ agents: { defaults, list } }));
    await loadConfig(world.context);
  }));

test('links are followed', () =>
  inWorld(async (world) => {
    configure(world, 'one.sqlite', 'link/one.sqlite');
    await loadConfig(world.context);
    symlinkSync(world.at('home/.svc'), world.at('home/.svc/link'));
    assert.ok(await refused(world));
    const file = world.write('home/.svc/first.sqlite', '');
    linkSync(file, world.at('home/.svc/second.sqlite'));
    configure(world, 'first.sqlite', 'second.sqlite');
    assert.ok(await refused(world));
  }));

test('paths with {agentId}, and two agents on one workspace, are fine', () =>
  inWorld(async (world) => {
    configure(world, undefined, undefined, {
      workspace: 'notes',
      memorySearch: { store: { path: 'idx/{agentId}.sqlite' } },
    });
    await loadConfig(world.context);
    assert.equal((await inspectConfig(world.context)).faults, []);
  }));

test('a folder where an index should be is refused, for one agent too', () =>
  inWorld(async (world) => {
    world.write('home/.svc/notes/a.md', 'alpha');
    const agents = { defaults: { memorySearch: { store: { path: 'notes' } } } };
    world.write('home/.svc/svc.json', JSON.stringify({ agents }));
    const error = await failureOf(() => loadConfig(world.context));
    assert.is(error.code, 'CONFIG_INVALID');
    assert.match(error.message, 'the index of agent main must be a file, but');
    const { faults } = await inspectConfig(world.context);
    assert.equal(
      faults.map(({ code, path }) => [code, path]),
      [['store-folder', 'agents.defaults.memorySearch.store.path']],
    );
  }));

test('such a place is not set: the file stays as it was, and a fault in it is reported until it is removed', () =>
  inWorld(async (world) => {
    world.write('home/.svc/notes/a.md', 'alpha');
    const file = world.write('home/.svc/svc.json', '{"agents":{"list":[{"id":"a"},{"id":"b"}]}}');
    const set = (path: string, value: string) =>
      setConfigValue(world.context, { path, value }, { signal });
    const path = 'agents.defaults.memorySearch.store.path';
    const before = readFileSync(file, 'utf8');
    const folder = await failureOf(() => set(path, 'notes'));
    assert.match(folder.message, 'the index of agent a must be a file, but');
    assert.match(folder.hint ?? '', 'nothing was written; expected the path of a writable file');
    const shared = await failureOf(() => set(path, 'one.sqlite'));
    assert.match(shared.message, 'agents a and b share the index');
    assert.is(readFileSync(file, 'utf8'), before);
    await set(path, '{agentId}.sqlite');

    configure(world, 'notes', undefined);
    const earlier = await set('memory.citations', 'on');
    assert.match(earlier.warnings[0]?.message ?? '', 'still invalid: ');
    const { warnings } = await unsetConfigValue(
      world.context,
      { path: 'agents.list[0].memorySearch.store.path' },
      { signal },
    );
    assert.equal(warnings, []);
  }));

test('such a place is not set in a trusted file either, although the value is new to it', () =>
  inWorld(async (world) => {
    world.write('project/notes/a.md', 'alpha');
    world.write(
      'project/svc.json',
      '{"agents":{"defaults":{"memorySearch":{"provider":"openai"}}}}',
    );
    recordTrust(world.context, reviewFile(world.context, {}));
    const edit = { path: 'agents.defaults.memorySearch.store.path', value: 'notes' };
    const { message } = await failureOf(() => setConfigValue(world.context, edit, { signal }));
    assert.match(message, 'the index of agent main must be a file, but');
  }));

test.run();
