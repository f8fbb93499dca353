import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { DreamTarget } from '../../../src/engine/dreaming/dream-targets.js';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { withCurrentDreams, withNextSweep } from '../../../src/engine/dreaming/with-dreams.js';
import { withProcessLock } from '../../../src/engine/sqlite/process-lock.js';
import { dreamHome, NOTES_ONLY } from '../../support/dreams.js';

const test = suite('reading what is recorded');

test('waits for no sweep, and includes new searches after it', async () => {
  const { home } = dreamHome();
  const target: DreamTarget = {
    workspace: dreamWorkspace(home.at('workspace'), { stateDir: home.path }),
    agents: [],
    agentSources: NOTES_ONLY,
    settings: resolveConfig({}).plugins.entries['memory-core'].config.dreaming,
    timeZone: 'UTC',
  };
  const { signal } = new AbortController();
  const nowMs = Date.now();
  const found = async () => [
    await withCurrentDreams(target, signal, ({ entries }) => entries.since(0).length),
    await withNextSweep(target, { nowMs, signal }, ({ entries }) => entries.since(0).length),
  ];
  await withProcessLock(target.workspace.files.lock, { signal }, async () => {
    assert.equal(await found(), [0, 0]);
    assert.not.ok(existsSync(target.workspace.files.database));
  });
  assert.equal(await found(), [2, 2]);
});

test.run();
