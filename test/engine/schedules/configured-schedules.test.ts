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

test.run();
