import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { resolveConfig } from '../../../src/engine/config/index.js';

const test = suite('rules for schedules');

const ROUTES = { ci: { sessionKey: 'agent:main:ci', secret: 'x'.repeat(24) } };
const plugins = { entries: { webhooks: { config: { routes: ROUTES } } } };
const NIGHTLY = { cron: '0 3 * * *', sessionKey: 's', set: { goal: 'Check {/scheduledAt}' } };

/** What is reported about a schedule, as `code path: message`; paths are relative to it. */
function reports(schedule: object): string {
  const text = JSON.stringify({ plugins, schedules: { nightly: { ...NIGHTLY, ...schedule } } });
  const { faults, warnings } = checkConfigText('/svc.json', text);
  return [...faults, ...warnings]
    .map(
      ({ code, path, message }) => `${code} ${path.replace('schedules.nightly', '')}: ${message}`,
    )
    .join('\n');
}

test('a schedule must have an owner, which can be that of a route', () => {
  assert.is(reports({}), '');
  assert.is(reports({ sessionKey: undefined, route: 'ci' }), '');
  assert.match(reports({ sessionKey: undefined }), /^missing-key : "sessionKey" is missing/u);
  assert.match(reports({ route: 'ci' }), /^schedule-invalid .sessionKey: .* both/u);
  assert.match(
    reports({ sessionKey: undefined, route: 'cii' }),
    /^schedule-invalid .route: there is no webhook route "cii"/u,
  );
});

test('its cron expression and its time zone must be valid', () => {
  assert.match(reports({ cron: '0 3 30 2 *' }), /^cron-never-fires .cron: .*never fires/u);
  assert.match(reports({ cron: '99 * * * *' }), /^cron-never-fires .cron: .*minute must be/u);
  assert.match(reports({ cron: 'daily' }), /^cron-never-fires .cron: .*five fields/u);
  assert.match(reports({ timezone: 'Europe/Atlantis' }), /^invalid-value .timezone: /u);
});

test('its flow and its task must be valid with the values that it fills in', () => {
  assert.match(reports({ set: {} }), /^mapping-invalid : create_flow needs the field "goal"/u);
  assert.match(reports({ set: { goal: '{/when}' } }), /^mapping-invalid .set.goal: .* at \/when/u);
  assert.match(reports({ set: { goal: 'x', stauts: 'queued' } }), /no field "stauts"/u);
  assert.match(
    reports({ set: { goal: 'x', status: '{/schedule}' } }),
    /^invalid-value .set.status: status must be one of: .*queued.* \(got "\{\/schedule\}"\)/u,
  );
  const task = { runtime: 'subagent', task: 'Read {/schedule}' };
  assert.is(reports({ task }), '');
  assert.match(reports({ task: { ...task, runtime: '{/schedule}' } }), /cannot come from a JSON/u);
  assert.match(
    reports({ task: { ...task, runtime: 'cli' } }),
    /^invalid-value .task.runtime: runtime must be one of: subagent, acp \(got "cli"\)/u,
  );
  assert.match(reports({ task: { task: 'x' } }), /task needs the field "runtime"/u);
  assert.match(
    reports({ task: { ...task, progressSummary: 'x' } }),
    /^schedule-invalid : the schedule makes no valid flow: progressSummary: /u,
  );
  assert.match(reports({ action: 'cancel_flow' }), /^invalid-value .action: /u);
});

test('a schedule of a route has its session and its controller', () => {
  const { schedules } = resolveConfig({
    agents: { defaults: { userTimezone: 'Europe/Paris' } },
    plugins,
    schedules: {
      a: { cron: '0 3 * * *', route: 'ci' },
      b: { cron: '0 3 * * *', sessionKey: 's', timezone: 'UTC', overlap: 'skip' },
    },
  });
  const { a, b } = schedules;
  assert.equal([a?.sessionKey, a?.controllerId], ['agent:main:ci', 'webhooks/ci']);
  assert.equal([a?.timezone, a?.overlap, a?.enabled], ['Europe/Paris', 'allow', true]);
  assert.equal([b?.sessionKey, b?.controllerId, b?.timezone], ['s', 'schedules/b', 'UTC']);
});

test.run();
