import { isDeepStrictEqual } from 'node:util';
import { type DreamTarget, dreamTargets } from '../../dreaming/dream-targets.js';
import type { DreamSchedule } from '../../dreaming/schedule/dream-schedule.js';
import type { SweepSummary } from '../../dreaming/sweep/sweep-events.js';
import { faultFields } from '../fault-fields.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { serviceFailure } from '../service-failure.js';
import { agreeIn } from './agree-in.js';

/** Consolidation on its schedule, where it is switched on. */
export function dreamDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  const { dreaming } = setup.loaded.resolved.plugins.entries['memory-core'].config;
  if (!dreaming.enabled) return [];
  return [{ name: 'dreaming', switch: 'dreaming', start: (host) => keepSchedule(setup, host) }];
}

async function keepSchedule(setup: ServeSetup, host: ServiceHost): Promise<Service> {
  const { DreamSchedule } = await import('../../dreaming/schedule/dream-schedule.js');
  const targets = dreamTargets(setup.loaded, setup.context);
  const schedule = new DreamSchedule(targets, {
    clock: setup.context.clock,
    openNarrator: async (signal) => {
      const { openNarrator } = await import('../../dreaming/model/open-narrator.js');
      const { narrator, warnings } = await openNarrator(setup.loaded, setup.context, signal);
      for (const { message, hint } of warnings) host.log.warn({ mend: hint }, message);
      return narrator;
    },
    onSwept: (target, summary) => {
      host.trouble(undefined);
      host.log.info({ event: 'dreaming.swept', ...sweepFields(target, summary) }, 'sweep done');
      tellNext(schedule, host, `${countPromoted(summary)} promoted, `);
    },
    onFault: (_, error) => {
      host.log.error({ event: 'dreaming.failed', ...faultFields(error) }, 'sweep failed');
      host.trouble(serviceFailure(error));
    },
  });
  schedule.start();
  tellNext(schedule, host, '');
  return {
    ready: Promise.resolve(),
    reload: async (next) => isSame(setup, targets, next),
    drain: () => schedule.close({ hurry: false }),
    stop: () => schedule.close({ hurry: true }),
  };
}

/** The workspaces with their settings, and everything that the model is opened with. */
function isSame(setup: ServeSetup, targets: readonly DreamTarget[], next: ServeSetup): boolean {
  const { 'memory-core': now } = setup.loaded.resolved.plugins.entries;
  const { 'memory-core': then } = next.loaded.resolved.plugins.entries;
  return (
    isDeepStrictEqual(targets, dreamTargets(next.loaded, next.context)) &&
    isDeepStrictEqual(now, then) &&
    agreeIn(setup, next, ['models', 'secrets'])
  );
}

function tellNext(schedule: DreamSchedule, host: ServiceHost, before: string): void {
  const nextMs = schedule.nextMs();
  host.tell(
    `${before}next sweep ${nextMs === undefined ? 'never' : `${new Date(nextMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`}`,
  );
}

function sweepFields({ workspace }: DreamTarget, { sweep, skipped }: SweepSummary) {
  return {
    sweep: sweep.id,
    workspace: workspace.dir,
    phases: sweep.phases,
    skipped: skipped.length,
  };
}

function countPromoted({ decisions }: SweepSummary): number {
  return decisions.filter(({ decision }) => decision === 'promote' || decision === 'renew').length;
}
