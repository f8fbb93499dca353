import { linkSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspectConfig, loadConfig } from '../../../src/engine/config/index.js';
import { failureOf } from '../../support/failure.js';
import { inWorld, type World } from './support.js';

const test = suite('where agents keep their index');

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

test.run();
