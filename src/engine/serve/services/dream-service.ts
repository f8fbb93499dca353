import { isDeepStrictEqual } from 'node:util';
import { type DreamTarget, dreamTargets } from '../../dreaming/dream-targets.js';
import type { DreamSchedule, SweepSummary } from '../../dreaming/index.js';
import { faultFields, messageOf } from '../../errors/index.js';
import { zonedMinute } from '../../support/format.js';
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

/** Scheduled dreaming, if enabled. */
export function dreamDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  const { dreaming } = setup.loaded.resolved.plugins.entries['memory-core'].config;
  if (!dreaming.enabled) return [];
  return [{ name: 'dreaming', start: (host) => keepSchedule(setup, host) }];
}

async function keepSchedule(setup: ServeSetup, host: ServiceHost): Promise<Service> {
  const { DreamSchedule } = await import('../../dreaming/schedule/dream-schedule.js');
  const { verboseLogging } = setup.loaded.resolved.plugins.entries['memory-core'].config.dreaming;
  const targets = dreamTargets(setup.loaded, setup.context);
  let lastSweep = '';
  let shown: string | undefined;
  const reportFailure = failureReporter(host, 'workspace');
  const schedule = new DreamSchedule(targets, {
    clock: setup.context.clock,
    openNarrator: async (signal) => {
      const { openNarrator } = await import('../../dreaming/narrator.js');
      const { narrator, warnings } = await openNarrator(setup.loaded, setup.context, signal);
      for (const { message, hint } of warnings) host.log.warn({ hint }, message);
      return narrator;
    },
    onSwept: (target, summary) => {
      const { sweep, skipped } = summary;
      if (verboseLogging)
        for (const claimDecision of summary.decisions) logDecision(host, sweep.id, claimDecision);
      const fields = {
        event: 'dreaming.swept',
        sweep: sweep.id,
        workspace: target.workspace.dir,
        phases: sweep.phases,
        skipped: skipped.length,
      };
      const failure = phaseFailure(summary);
      reportFailure(target.workspace.dir, failure);
      if (failure === undefined) host.log.info(fields, 'sweep done');
      else host.log.error({ ...fields, hint: failure.hint }, failure.message);
      lastSweep = `${countPromoted(summary)} promoted, `;
    },
    onChecked: () => showNextSweep(),
    onIdle: (target) => reportFailure(target.workspace.dir, undefined),
    onFault: (target, error, isRetried) => {
      const added = reportFailure(target.workspace.dir, serviceFailure(error));
      // One that is tried again fails in the same way until the server is back or the disk has space.
      if (isRetried && added === undefined) return;
      const message = `sweep failed${isRetried ? ', trying again' : ''}: ${messageOf(error)}`;
      host.log.error({ event: 'dreaming.failed', ...faultFields(error) }, message);
    },
  });
  const showNextSweep = (): void => {
    const event = `${lastSweep}${nextSweepWords(schedule)}`;
    if (event !== shown) host.setLastEvent(event);
    shown = event;
  };
  schedule.start();
  showNextSweep();
  return {
    reload: async (next) => hasSameDreaming(setup, targets, next),
    drain: () => schedule.close({ hurry: false }),
    stop: () => schedule.close({ hurry: true }),
  };
}

/** Compares the workspaces with their settings, and everything that the model is opened with. */
function hasSameDreaming(
  setup: ServeSetup,
  targets: readonly DreamTarget[],
  next: ServeSetup,
): boolean {
  const { 'memory-core': before } = setup.loaded.resolved.plugins.entries;
  const { 'memory-core': after } = next.loaded.resolved.plugins.entries;
  return (
    isDeepStrictEqual(targets, dreamTargets(next.loaded, next.context)) &&
    isDeepStrictEqual(before, after) &&
    hasSameConfig(setup, next, ['models', 'secrets'])
  );
}

function nextSweepWords(schedule: DreamSchedule): string {
  const next = schedule.next();
  return `next sweep ${next === undefined ? 'never' : zonedMinute(next.atMs, next.timeZone)}`;
}

/** The statement itself is not logged: it is private. */
function logDecision(
  { log }: ServiceHost,
  sweep: string,
  claimDecision: SweepSummary['decisions'][number],
): void {
  const { decision, entry, score } = claimDecision;
  const { path, startLine: line } = entry;
  const why = claimDecision.decision === 'skip' ? claimDecision.why : undefined;
  const fields = {
    event: 'dreaming.decided',
    sweep,
    claim: entry.key,
    path,
    line,
    score,
    decision,
  };
  log.info({ ...fields, why }, 'decided on a claim');
}

/** The first phase that failed; the others ran anyway. */
function phaseFailure({ sweep }: SweepSummary): ServiceFailure | undefined {
  for (const [name, phase] of Object.entries(sweep.phases)) {
    if (phase.state !== 'failed') continue;
    const message = `the ${name} phase of a sweep failed: ${phase.error}`;
    return { code: phase.code ?? null, message, hint: phase.hint ?? null };
  }
  return undefined;
}

function countPromoted({ decisions }: SweepSummary): number {
  return decisions.filter(({ decision }) => decision === 'promote' || decision === 'renew').length;
}
