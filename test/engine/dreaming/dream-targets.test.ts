import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamTargets } from '../../../src/engine/dreaming/dream-targets.js';
import { contextOf } from '../../support/context.js';
import { tempFolder } from '../../support/temp-folder.js';
import { loadedOf } from '../../support/webhooks.js';

const test = suite('workspaces of sweeps');

test('one agent of a shared workspace is a part of the same target as the others', () => {
  const home = tempFolder();
  const workspace = home.at('shared');
  const agents = [
    { id: 'a', workspace },
    { id: 'b', workspace, memorySearch: { exclude: ['memory/private.md'] } },
    { id: 'c', workspace: home.at('other') },
  ];
  const loaded = loadedOf({ agents: { list: agents } });
  const context = contextOf(home.path);
  const [shared, other] = dreamTargets(loaded, context);
  assert.equal(shared?.agents, ['a', 'b']);
  assert.equal(shared?.agentSources.exclude.patterns, ['memory/private.md']);
  assert.equal(dreamTargets(loaded, context, 'a'), [shared]);
  assert.equal(dreamTargets(loaded, context, 'c'), [other]);
  assert.throws(() => dreamTargets(loaded, context, 'd'), /unknown agent/u);
});

test.run();
