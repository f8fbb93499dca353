import { existsSync, readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluatePreview, isWorse } from '../../src/cli/dream/evaluate-preview.js';
import { resolveConfig } from '../../src/engine/config/index.js';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { type DreamTarget, runSweep, type SweepPreview } from '../../src/engine/dreaming/index.js';
import { resolveStatePaths } from '../../src/engine/support/context.js';
import { dreamHome, NOTES_ONLY, OFTEN_ASKED } from '../support/dreams.js';

const test = suite('searches with what a dry run would change');

const { dreaming: settings } = resolveConfig({}).plugins.entries['memory-core'].config;
const signal = new AbortController().signal;
const clock = { now: Date.now };

async function dryRun() {
  const world = dreamHome();
  const state = resolveStatePaths({ SVC_HOME: world.home.path }, world.home.path);
  const workspace = dreamWorkspace(world.home.at('workspace'), state);
  const target: DreamTarget = {
    workspace,
    agents: [],
    agentSources: NOTES_ONLY,
    settings,
    timeZone: undefined,
  };
  const { preview } = await runSweep({ ...target, clock, signal, trigger: 'manual', dryRun: true });
  if (preview === undefined) throw new Error('a dry run without a preview');
  const context = { env: {}, cwd: world.home.path, homeDir: world.home.path, state, clock };
  const evaluate = (changed: SweepPreview, timeLimitMs?: number) =>
    evaluatePreview(target, changed, { context, signal, timeLimitMs });
  return { ...world, preview, evaluate };
}

test('a promotion is planned with its text, and recalled claims are searched with and without it', async () => {
  const { home, preview, evaluate, note } = await dryRun();
  assert.equal(
    preview.files.map(({ path }) => path),
    ['MEMORY.md'],
  );
  assert.match(preview.files[0]?.text ?? '', OFTEN_ASKED);
  const before = readdirSync(home.path);
  assert.equal(await evaluate(preview), {
    questions: 2,
    before: { mrr: 1, hit5: 1 },
    after: { mrr: 1, hit5: 1 },
  });
  // Neither the workspace nor the state changes.
  assert.equal(readdirSync(home.path), before);
  assert.equal(readdirSync(home.at('workspace')), ['memory']);
  const emptied = [{ path: note, text: '# Nothing\n' }];
  const worse = await evaluate({ ...preview, files: emptied });
  assert.equal(worse?.after, { mrr: 0, hit5: 0 });
  assert.ok(worse !== undefined && isWorse(worse));
});

test('nothing is compared without changes or recalls, or after the time limit', async () => {
  const { preview, evaluate } = await dryRun();
  assert.is(await evaluate({ ...preview, files: [] }), undefined);
  assert.is(await evaluate({ ...preview, recalled: [] }), undefined);
  const cut = await evaluate(preview, 0);
  assert.equal(cut, { questions: 2, before: null, after: null });
  assert.not(cut !== undefined && isWorse(cut));
});

test('the temporary copy is removed, even that of a killed dry run', async () => {
  const { home, preview, evaluate } = await dryRun();
  for (const timeLimitMs of [undefined, 0]) {
    home.write('dreaming/preview/notes/MEMORY.md', 'what was forgotten since\n');
    await evaluate(preview, timeLimitMs);
    assert.not(existsSync(home.at('dreaming/preview')));
  }
});

test.run();
