import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { dreamTargets } from '../../../../src/engine/dreaming/index.js';
import { DreamSchedule } from '../../../../src/engine/dreaming/schedule/dream-schedule.js';
import { contextOf } from '../../../support/context.js';
import { dreamHome, OFTEN_ASKED } from '../../../support/dreams.js';
import { startServing } from '../../../support/services.js';
import { recordsOf, serverHome, whenLogged, writeConfig } from '../../../support/serving.js';

const test = suite('scheduled sweeps under svc serve');

const DAY_MS = 86_400_000;

/** The log of a sweep that was missed while nothing ran. */
async function sweptLog(dreaming: object) {
  const { home } = dreamHome(serverHome());
  home.write('workspace/MEMORY.md', '# Memory\n');
  const plugins = { entries: { 'memory-core': { config: { dreaming } } } };
  writeConfig(home, { plugins });
  const context = contextOf(home.path);
  const yesterday = contextOf(home.path, { clock: { now: () => Date.now() - DAY_MS } });
  const schedule = new DreamSchedule(dreamTargets(await loadConfig(context), context), {
    clock: yesterday.clock,
    openNarrator: async () => undefined,
    onSwept: () => undefined,
    onFault: () => undefined,
  });
  await schedule.check();
  const { serve, ended } = startServing(context, ['memory', 'health', 'refresh']);
  await whenLogged(home, 'sweep done');
  serve.stop('quit');
  await ended;
  return recordsOf(home);
}

test('with verboseLogging each decision is logged, without the text of the claim', async () => {
  const isDecision = ({ message }: { readonly message: string }) =>
    message === 'decided on a claim';
  const quiet = await sweptLog({ enabled: true });
  assert.is(quiet.filter(isDecision).length, 0);
  const records = await sweptLog({ enabled: true, verboseLogging: true });
  const [decision] = records.filter(isDecision);
  assert.is(decision?.fields?.['decision'], 'promote');
  assert.not.match(JSON.stringify(records), OFTEN_ASKED);
});

test.run();
