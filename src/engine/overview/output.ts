import { statusOutput } from '../memory/output.js';
import type { OverallStatusOutput } from './output-schemas.js';
import type { OverallStatus } from './overall-status.js';
import type { ServedService } from './serving.js';

/** `svc status --json`. */
export function overallStatusOutput(overall: OverallStatus): OverallStatusOutput {
  const { serving, agents, nextRuns, faults } = overall;
  return {
    serving:
      serving === undefined
        ? null
        : {
            pid: serving.pid,
            since: iso(serving.startedMs),
            services: serving.services.map(serviceOutput),
          },
    agents: agents.map(({ memory, status, embedding }) =>
      statusOutput(memory, status, embedding, undefined),
    ),
    nextRuns: nextRuns.map(({ what, atMs }) => ({ what, at: iso(atMs) })),
    faults,
  };
}

function serviceOutput({ name, state, sinceMs, event, restarts, failure }: ServedService) {
  return { name, state, since: iso(sinceMs), event, restarts, failure };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
