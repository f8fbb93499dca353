import { statusOutput } from '../memory/output.js';
import type { OtherWork } from './other-work.js';
import type { OverallStatusOutput } from './output-schemas.js';
import type { OverallStatus } from './overall-status.js';
import type { ServedService } from './serving.js';

/** `svc status --json`. */
export function overallStatusOutput(overall: OverallStatus): OverallStatusOutput {
  const { serving, agents, work, nextRuns, faults } = overall;
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
    ...workOutput(work),
    nextRuns: nextRuns.map(({ what, atMs }) => ({ what, at: iso(atMs) })),
    faults,
  };
}

function workOutput({ listener, flows, dreams }: OtherWork) {
  const { process, routes, requests, rejected, last } = listener;
  return {
    listener: {
      url: process?.url ?? null,
      routes,
      requests,
      rejected,
      lastRequestAt: last === null ? null : iso(last.atMs),
    },
    flows: countsOutput(flows.flows),
    tasks: countsOutput(flows.tasks),
    dreams: dreams.map(({ agents, enabled, nextMs, last: sweep }) => ({
      agents,
      enabled,
      nextRunAt: nextMs === undefined ? null : iso(nextMs),
      lastSweepAt: sweep === undefined ? null : iso(sweep.startedMs),
      written: sweep?.written ?? null,
    })),
  };
}

function countsOutput(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([status, count]) => ({ status, count }));
}

function serviceOutput({ name, state, sinceMs, event, restarts, failure }: ServedService) {
  return { name, state, since: iso(sinceMs), event, restarts, failure };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
