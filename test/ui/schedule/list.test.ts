import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScheduleListOutput } from '../../../src/engine/schedules/index.js';
import { renderSchedules } from '../../../src/ui/schedule/list.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

const NOW = 1_795_000_000_000;

type ListedSchedule = ScheduleListOutput['schedules'][number];

function aSchedule(id: string): ListedSchedule {
  return {
    id,
    state: 'waiting',
    cron: '0 9 * * *',
    timezone: 'Europe/Berlin',
    nextRunAt: new Date(NOW + 3_600_000 * 5).toISOString(),
    lastRunAt: new Date(NOW - 86_400_000).toISOString(),
    lastFlow: { flowId: '0f3c9a7e-1111', status: 'succeeded' },
  };
}

test('a list that is too wide drops the last flow, then the last run, and never wraps', () => {
  const titles = (columns: number) => {
    const view = { ...PIPED_VIEW, nowMs: NOW, columns };
    const lines = renderSchedules([aSchedule('digest'), aSchedule('nightly')], view).split('\n');
    for (const line of lines) assert.ok(line.length <= columns, line);
    return lines[0]?.split(/ {2,}/u);
  };
  assert.equal(titles(100), ['schedule', 'state', 'last run', 'last flow', 'next run']);
  assert.equal(titles(60), ['schedule', 'state', 'last run', 'next run']);
  assert.equal(titles(48), ['schedule', 'state', 'next run']);
});

test.run();
