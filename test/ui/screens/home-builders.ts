import type { AgentOverview, AgentSummary } from '../../../src/engine/overview/agents-reader.js';
import type { Overview } from '../../../src/engine/overview/follow-overview.js';

/** The present in these tests. */
export const NOW = 1_795_000_000_000;

/** An agent without problems by default. */
export function anAgent(name: string, summary: Partial<AgentSummary> = {}): AgentOverview {
  return {
    name,
    faults: [],
    summary: {
      workspaceDir: `/home/ada/${name}`,
      backend: 'builtin',
      index: 'ready',
      documents: 1283,
      chunks: 13_115,
      lastSync: new Date(NOW - 120_000).toISOString(),
      stale: 0,
      staleExamples: [],
      watched: false,
      provider: 'openai',
      model: 'text-embedding-3-small',
      vectors: { done: 13_115, all: 13_115 },
      ...summary,
    },
  };
}

/** Everything at work, with one fault. */
export function busyOverview(): Overview {
  return {
    config: { state: 'read', file: '/home/ada/.svc/svc.json' },
    agents: [
      anAgent('main'),
      anAgent('work', { stale: 12, staleExamples: ['memory/a.md'], provider: null, model: null }),
    ],
    storage: null,
    listener: {
      process: {
        pid: 4711,
        startedMs: NOW - 3_600_000,
        url: 'http://127.0.0.1:8787',
        services: 5,
        failures: [],
      },
      routes: 2,
      requests: 1204,
      rejected: 3,
      last: { atMs: NOW - 20_000, status: 200, code: null, action: 'create_flow' },
    },
    activity: null,
    log: [],
    queries: [],
    flows: {
      flows: { running: 3, waiting: 1, succeeded: 206 },
      tasks: { queued: 2, running: 1 },
      paused: [],
      failedNotifications: 0,
      fault: undefined,
    },
    dreams: [
      {
        agents: ['main', 'work'],
        enabled: true,
        nextMs: NOW + 5 * 3_600_000,
        last: { startedMs: NOW - 19 * 3_600_000, failed: false, written: 3 },
        isFull: false,
        fault: undefined,
      },
    ],
    findings: [
      {
        severity: 'warning',
        message: '/home/ada/.svc is readable by other users',
        hint: 'chmod 700',
      },
      { severity: 'fault', message: 'a secret can be read by everyone', hint: 'chmod 600 it' },
    ],
  };
}

/** Just installed: nothing is configured, nothing is there. */
export function emptyOverview(): Overview {
  const missing = { about: 'agent main', code: 'INDEX_STALE', message: 'there is no workspace' };
  return {
    config: { state: 'none', hasNotes: false },
    agents: [{ name: 'main', summary: undefined, faults: [missing] }],
    storage: null,
    listener: { process: undefined, routes: 0, requests: 0, rejected: 0, last: null },
    activity: null,
    log: [],
    queries: [],
    flows: { flows: {}, tasks: {}, paused: [], failedNotifications: 0, fault: undefined },
    dreams: [
      {
        agents: ['main'],
        enabled: false,
        nextMs: undefined,
        last: undefined,
        isFull: false,
        fault: undefined,
      },
    ],
    findings: [],
  };
}
