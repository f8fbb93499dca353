import type { StatusOutput } from '../../../src/engine/memory/index.js';
import type { AgentOverview } from '../../../src/engine/overview/agents-reader.js';
import type { Overview } from '../../../src/engine/overview/follow-overview.js';

/** The present in these tests. */
export const NOW = 1_795_000_000_000;

/** An index with two years of notes. */
export const INDEXED: Extract<StatusOutput['index'], { readonly state: 'ready' }> = {
  state: 'ready',
  statistics: {
    documents: 1283,
    chunks: 13_115,
    bySource: [],
    media: { images: 0, audio: 0 },
    bytes: 90_000_000,
    lastSync: new Date(NOW - 120_000).toISOString(),
  },
};

/** A vector for each of its chunks. */
export const EMBEDDED: StatusOutput['vectorStore'] = {
  state: 'whole',
  dimensions: 1536,
  embedded: 13_115,
  pending: 0,
  refused: 0,
  cached: 0,
  ofFallback: 0,
  differences: [],
  batchJobs: [],
};

/** An agent without problems by default. */
export function anAgent(name: string, status: Partial<StatusOutput> = {}): AgentOverview {
  return {
    name,
    faults: [],
    status: {
      agent: name,
      backend: 'builtin',
      configuredBackend: 'builtin',
      workspaceDir: `/home/ada/${name}`,
      indexFile: `/home/ada/.svc/memory/${name}.sqlite`,
      shared: null,
      index: INDEXED,
      staleness: { added: 0, changed: 0, removed: 0, examples: [] },
      sources: ['memory'],
      extraPaths: [],
      excluded: 0,
      frontMatter: [],
      tokenizer: 'unicode61',
      mode: 'hybrid',
      provider: 'openai',
      model: 'text-embedding-3-small',
      fallback: null,
      vectorStore: EMBEDDED,
      media: null,
      citations: 'auto',
      skipped: [],
      watcher: null,
      ext: null,
      faults: [],
      ...status,
    },
  };
}

/** Everything at work, with one fault. */
export function busyOverview(): Overview {
  return {
    config: { state: 'read', file: '/home/ada/.svc/svc.json' },
    agents: [
      anAgent('main'),
      anAgent('work', {
        staleness: { added: 2, changed: 10, removed: 0, examples: ['memory/a.md'] },
        provider: null,
        model: null,
      }),
    ],
    storage: null,
    listener: {
      process: {
        url: 'http://127.0.0.1:8787',
        services: 5,
        failures: [],
      },
      fault: undefined,
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
      unclaimed: [],
      failedNotifications: 0,
      fault: undefined,
    },
    dreams: [
      {
        agents: ['main', 'work'],
        enabled: true,
        nextMs: NOW + 5 * 3_600_000,
        last: { startedMs: NOW - 19 * 3_600_000, failed: false, written: 3, undone: false },
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
    agents: [{ name: 'main', status: undefined, faults: [missing] }],
    storage: null,
    listener: {
      process: undefined,
      fault: undefined,
      routes: 0,
      requests: 0,
      rejected: 0,
      last: null,
    },
    activity: null,
    log: [],
    queries: [],
    flows: {
      flows: {},
      tasks: {},
      paused: [],
      unclaimed: [],
      failedNotifications: 0,
      fault: undefined,
    },
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
