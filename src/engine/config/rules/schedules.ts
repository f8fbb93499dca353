import { actionFields, actionTemplate, flowTaskFields } from '../../flow-model/action-template.js';
import { cronEverFires, parseCron } from '../../support/cron.js';
import { suggestName } from '../../support/text.js';
import { type ConfigPath, DREAMING_PATH, formatPath } from '../config-path.js';
import type { ScheduleInput } from '../schema/index.js';
import { fieldFaults } from './action-templates.js';
import { fault, type Rule, type RuleFinding } from './rule.js';

/** What the fields of a flow can refer to, with typical values. */
const SAMPLE = {
  schedule: 'nightly',
  scheduledAt: '2026-03-02T03:00:00.000Z',
  ranAt: '2026-03-02T03:00:00.012Z',
};

/** Schedules must fire, have an owner, and make a valid flow. */
export const schedulesWork: Rule = function* ({ schedules = {}, plugins }) {
  const routes = Object.keys(plugins?.entries?.webhooks?.config?.routes ?? {});
  for (const [id, schedule] of Object.entries(schedules)) {
    const path: ConfigPath = ['schedules', id];
    const { cron, set = {}, task } = schedule;
    yield* cronFaults(cron, [...path, 'cron']);
    yield* ownerFaults(schedule, routes, path);
    const flow = { owner: 'create_flow', known: actionFields('create_flow'), sample: SAMPLE };
    const run = { owner: 'task', known: flowTaskFields(), sample: SAMPLE };
    const faults = [
      ...fieldFaults(flow, set, [...path, 'set']),
      ...(task === undefined ? [] : fieldFaults(run, task, [...path, 'task'])),
    ];
    yield* faults;
    if (faults.length > 0) continue;
    // Fields that are valid on their own may not fit together.
    const made = actionTemplate({ action: 'create_flow', set, task })(SAMPLE);
    if (made.type !== 'invalid') continue;
    yield fault('schedule-invalid', path, {
      message: `the schedule makes no valid flow: ${made.error}`,
    });
  }
};

function* ownerFaults(
  { route, sessionKey }: ScheduleInput,
  routes: readonly string[],
  path: ConfigPath,
): Iterable<RuleFinding> {
  if (route === undefined && sessionKey === undefined) {
    yield fault('missing-key', path, {
      message: `"sessionKey" is missing in ${formatPath(path)}`,
      expected: 'the session that owns the flows, or route to use the one of a webhook route',
    });
  } else if (route !== undefined && sessionKey !== undefined) {
    yield fault('schedule-invalid', [...path, 'sessionKey'], {
      related: [[...path, 'route']],
      message: 'the schedule has both sessionKey and route',
      expected: 'only one of them',
    });
  } else if (route !== undefined && !routes.includes(route)) {
    yield fault('schedule-invalid', [...path, 'route'], {
      message: `there is no webhook route ${JSON.stringify(route)}`,
      expected: routes.length === 0 ? undefined : `one of ${routes.join(', ')}`,
      suggestion: suggestName(route, routes),
    });
  }
}

/** The schedule must be valid and fire at some time (spec/memory-search §2.13). */
export const scheduleFires: Rule = function* (input) {
  const frequency = input.plugins?.entries?.['memory-core']?.config?.dreaming?.frequency;
  if (frequency !== undefined) yield* cronFaults(frequency, [...DREAMING_PATH, 'frequency']);
};

/** A schedule must be valid and fire at some time. */
function* cronFaults(frequency: string, path: ConfigPath): Iterable<RuleFinding> {
  const result = parseCron(frequency);
  if (result.ok && cronEverFires(result.fields)) return;
  yield fault('cron-never-fires', path, {
    message: result.ok
      ? `the schedule ${JSON.stringify(frequency)} never fires: none of its months has such a day`
      : `the schedule ${JSON.stringify(frequency)} is invalid: ${result.reason}`,
    expected: 'minute, hour, day of month, month and day of week, like "0 3 * * *"',
  });
}
