import { faultFields } from '../../errors/index.js';
import { openFlowsToServe, opensSameFlows, type ScheduleOutcome } from '../../flows/index.js';
import type { Schedule, ScheduleRunner } from '../../schedules/index.js';
import { zonedMinute } from '../../support/format.js';
import { iso } from '../../support/time.js';
import {
  failureReporter,
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

export function hasSchedules({ loaded }: ServeSetup): boolean {
  return Object.keys(loaded.resolved.schedules).length > 0;
}

/** The service that creates flows when schedules are due. */
export function scheduleDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  if (!hasSchedules(setup)) return [];
  return [{ name: 'schedules', start: (host) => start(setup, host) }];
}

async function start(setup: ServeSetup, host: ServiceHost): Promise<Service> {
  const { configuredSchedules, invalidSchedule, scheduleRunner } = await import(
    '../../schedules/index.js'
  );
  const { resolved } = setup.loaded;
  const schedules = configuredSchedules(resolved);
  const flows = await openFlowsToServe(setup.context, resolved);
  const report = failureReporter(host, 'schedule');
  const reportFailure = (
    { id }: Schedule,
    failure: ServiceFailure | undefined,
    fields: object = {},
  ): void => {
    const added = report(id, failure);
    if (added !== undefined) {
      host.log.error({ schedule: id, hint: added.hint, ...fields }, added.message);
    }
  };
  const runner = scheduleRunner(schedules, {
    flows,
    onOutcome: (schedule, outcome) => {
      const isInvalid = outcome.type === 'invalid';
      const failure = isInvalid ? invalidSchedule(schedule.id, outcome.error) : undefined;
      reportFailure(schedule, failure && serviceFailure(failure));
      logRun(schedule, outcome, host);
      showNextRun(runner, host, outcome.type === 'ran' ? `${schedule.id} ran, ` : '');
    },
    onFault: (schedule, error) => {
      const failure = serviceFailure(error);
      const message = `schedule ${schedule.id} could not run, trying again: ${failure.message}`;
      reportFailure(schedule, { ...failure, message }, faultFields(error));
    },
  });
  showNextRun(runner, host, '');
  runner.start();
  return {
    reload: async (next) =>
      hasSameConfig(setup, next, ['schedules']) && opensSameFlows(resolved, next.loaded.resolved),
    drain: () => runner.close(),
    stop: async () => {
      await runner.close();
      await flows.close();
    },
  };
}

function logRun({ id }: Schedule, outcome: ScheduleOutcome, { log }: ServiceHost): void {
  if (outcome.type === 'waits' || outcome.type === 'invalid') return;
  const { flow, scheduledMs } = outcome;
  const scheduledAt = iso(scheduledMs);
  const fields = {
    event: `schedule.${outcome.type}`,
    schedule: id,
    flow: flow.flowId,
    scheduledAt,
  };
  if (outcome.type === 'skipped') {
    log.info(fields, `schedule ${id} skipped a run: its last flow has not ended`);
  } else {
    log.info({ ...fields, lateMs: outcome.nowMs - scheduledMs }, `schedule ${id} created a flow`);
  }
}

function showNextRun(runner: ScheduleRunner, host: ServiceHost, prefix: string): void {
  const next = runner.next();
  const words =
    next === undefined
      ? 'nothing is due'
      : `next ${next.schedule.id} ${zonedMinute(next.atMs, next.schedule.timezone)}`;
  host.setLastEvent(`${prefix}${words}`);
}
