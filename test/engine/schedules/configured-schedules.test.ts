import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { configuredSchedule } from '../../../src/engine/schedules/index.js';

const test = suite('the schedules of a configuration');

const nightly = { cron: '0 0 * * *', sessionKey: 's', set: { goal: 'tick' } };

test('one that is not configured is unknown, whatever its name', () => {
  const config = resolveConfig({ schedules: { nightly } });
  assert.is(configuredSchedule('nightly', config).cron, '0 0 * * *');
  for (const id of ['weekly', 'constructor', 'toString', '__proto__']) {
    assert.throws(
      () => configuredSchedule(id, config),
      (error: unknown) => error instanceof SvcError && error.code === 'SCHEDULE_UNKNOWN',
    );
  }
});

test('the error of an unknown one names those that are configured', () => {
  const hintWith = (schedules: Record<string, typeof nightly>): string | undefined => {
    try {
      configuredSchedule('weekly', resolveConfig({ schedules }));
    } catch (error) {
      return error instanceof SvcError ? error.hint : undefined;
    }
    return undefined;
  };
  assert.is(hintWith({ nightly, hourly: nightly }), 'the schedules are: nightly, hourly');
  assert.is(hintWith({}), 'add one to "schedules" in svc.json');
});

test.run();
