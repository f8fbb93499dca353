import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { claimKeyOf } from '../../../src/engine/dreaming/claims/claim-words.js';
import type { DreamTarget } from '../../../src/engine/dreaming/dream-targets.js';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { editMemory, type MemoryEdit } from '../../../src/engine/dreaming/promotion/memory-file.js';
import { withCurrentDreams, withNextSweep } from '../../../src/engine/dreaming/with-dreams.js';
import { withProcessLock } from '../../../src/engine/sqlite/process-lock.js';
import { dreamHome, NOTES_ONLY } from '../../support/dreams.js';
import type { TempFolder } from '../../support/temp-folder.js';

const test = suite('reading what is recorded');

function targetIn(home: TempFolder): DreamTarget {
  return {
    workspace: dreamWorkspace(home.at('workspace'), { stateDir: home.path }),
    agents: [],
    agentSources: NOTES_ONLY,
    settings: resolveConfig({}).plugins.entries['memory-core'].config.dreaming,
    timeZone: 'UTC',
  };
}

test('waits for no sweep, and includes new searches after it', async () => {
  const { home } = dreamHome();
  const target = targetIn(home);
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

test('other work goes on, and an interruption is noticed, while entries of MEMORY.md are compared with notes', async () => {
  const { home } = dreamHome();
  const count = 300;
  const edits = Array.from({ length: count }, (_, at): MemoryEdit => {
    const text = `Room ${at} has ${at} lamps.`;
    const place = { path: 'memory/2026-11-19.md', lines: { startLine: 1, endLine: 1 } };
    const entry = { key: claimKeyOf(text), sweepId: '20261119T030000', ...place, score: 1 };
    return { kind: 'add', entry: { ...entry, recalls: 3 }, text };
  });
  home.write('workspace/MEMORY.md', editMemory('', edits, '2026-11-19').text);
  let turns = 0;
  const stop = new AbortController();
  const turn = (): void => {
    turns += 1;
    if (turns === count / 2) stop.abort(new Error('Ctrl-C'));
    else setImmediate(turn);
  };
  setImmediate(turn);
  const moment = { nowMs: Date.now(), signal: stop.signal };
  const reading = withNextSweep(targetIn(home), moment, () => 'read');
  assert.is(await reading.catch(({ message }: Error) => message), 'Ctrl-C');
});

test.run();
