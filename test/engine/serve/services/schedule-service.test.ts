import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { openFlows } from '../../../../src/engine/flows/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { configuredSchedules } from '../../../../src/engine/schedules/index.js';
import type { ServeSetup } from '../../../../src/engine/serve/service.js';
import { scheduleDefinitions } from '../../../../src/engine/serve/services/schedule-service.js';
import { contextOf } from '../../../support/context.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { testLog } from '../../../support/services.js';
import { folderOf } from '../../../support/temp-folder.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('schedules under svc serve');

const HOUR = 3_600_000;
const HOURLY = { cron: '0 * * * *', sessionKey: 's', set: { goal: 'at {/scheduledAt}' } };

async function setupOf(schedules: object, clock = { now: Date.now }) {
  const home = folderOf({ 'svc.json': JSON.stringify({ schedules }) });
  const context = contextOf(home.path, { clock });
  return { context, loaded: await loadConfig(context, {}), mask: createSecretMask() };
}

/** Lets the schedules wait since some hours ago. */
async function waitedSince({ context, loaded }: ServeSetup, hours: number): Promise<void> {
  const clock = { now: () => Date.now() - hours * HOUR };
  const flows = await openFlows({ ...context, clock }, loaded.resolved);
  for (const one of configuredSchedules(loaded.resolved)) await flows.schedules.runDue(one);
  await flows.close();
}

async function started(setup: ServeSetup) {
  const said: string[] = [];
  const [definition] = scheduleDefinitions(setup);
  assert.ok(definition !== undefined);
  const { logger, lines } = testLog();
  const service = await definition.start({
    log: logger,
    setLastEvent: (event) => said.push(event),
    setProblem: (failure) => failure !== undefined && said.push(`trouble: ${failure.message}`),
    signal: new AbortController().signal,
    fail: (error) => said.push(`failed: ${String(error)}`),
  });
  return { service, said, lines };
}

test('runs missed during downtime are made up once, and the next run is reported', async () => {
  const hourly = { ...HOURLY, timezone: 'Asia/Tokyo' };
  const setup = await setupOf({ hourly, off: { ...HOURLY, enabled: false } });
  await waitedSince(setup, 30);
  const { service, said } = await started(setup);
  const told = /^hourly ran, next hourly \w{3} [\d-]{10} \d\d:00 GMT\+9$/u;
  await waitFor('the run', () => said.some((event) => told.test(event)));
  await service.drain();
  await service.stop();
  const flows = await openFlows(setup.context, setup.loaded.resolved);
  assert.is((await flows.operator.listFlows({ limit: 9 })).total, 1);
  const records = await flows.schedules.records();
  assert.equal(
    records.map(({ scheduleId, rhythm }) => [scheduleId, rhythm === '']),
    [
      ['hourly', false],
      ['off', true],
    ],
  );
  await flows.close();
});

test('a schedule that becomes due while the service runs creates a flow', async () => {
  let nowMs = Date.parse('2026-03-02T11:59:59.800Z');
  const setup = await setupOf(
    { hourly: { ...HOURLY, timezone: 'UTC' }, later: { ...HOURLY, cron: '30 * * * *' } },
    { now: () => nowMs },
  );
  const { service, said } = await started(setup);
  // Said at the start, and after the first check of each schedule.
  const next = 'next hourly Mon 2026-03-02 12:00 UTC';
  await waitFor('the first checks', () => said.length === 3);
  assert.equal(said, [next, next, next]);
  nowMs += 1000;
  await waitFor('the run', () => said.some((event) => event.startsWith('hourly ran')));
  await service.stop();
});

test('a skipped run is logged, and one that makes no valid flow is reported', async () => {
  let nowMs = Date.now();
  const busy = { ...HOURLY, overlap: 'skip' };
  const stateJson = JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`);
  const bad = { ...HOURLY, set: { goal: 'Tidy up', stateJson } };
  const setup = await setupOf({ busy, bad }, { now: () => nowMs });
  await waitedSince(setup, 3);
  const trouble =
    'trouble: schedule bad makes no valid flow: stateJson or waitJson is nested too deeply';
  for (const logged of ['schedule busy created a flow', 'schedule busy skipped a run']) {
    const { service, said, lines } = await started(setup);
    await waitFor('the runs', () => said.includes(trouble) && lines.join('').includes(logged));
    await service.stop();
    nowMs += HOUR;
  }
});

test('with several failing schedules, one is named, and the number of others', async () => {
  const setup = await setupOf({ a: HOURLY, b: HOURLY });
  await waitedSince(setup, 3);
  const database = rawDatabase(join(setup.context.state.stateDir, 'flows.sqlite'));
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON flows BEGIN SELECT RAISE(ABORT, 'not now'); END",
  );
  database.close();
  const { service, said } = await started(setup);
  const both = /^trouble: schedule a could not run.* \(and 1 more schedule\)$/u;
  await waitFor('both failures', () => said.some((event) => both.test(event)));
  await service.stop();
});

test('changed schedules restart the service, other changes do not', async () => {
  const setup = await setupOf({ hourly: HOURLY });
  const { service } = await started(setup);
  assert.is(await service.reload(setup), true);
  const changed = await setupOf({ hourly: { ...HOURLY, cron: '5 * * * *' } });
  assert.is(await service.reload(changed), false);
  await service.stop();
  assert.equal(scheduleDefinitions(await setupOf({})), []);
});

test.run();
