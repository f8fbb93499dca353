import { lstatSync } from 'node:fs';
import type { BackendStatus } from '../../memory/backends/memory-backend.js';
import { integrityComplaints } from '../../memory/index/check-integrity.js';
import { type IndexHeader, indexHeader } from '../../memory/index/index-header.js';
import type { OpenedMemory } from '../../memory/open-memory.js';
import type { DoctorCheck } from '../check.js';
import type { Finding, FindingPlace } from '../finding.js';
import { indexMend } from '../mends/sync-index.js';
import type { ConfiguredWorld } from '../world.js';

/** Larger indexes are not read whole: it would take seconds. */
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

/** One memory and what its index is like. */
interface Subject {
  readonly world: ConfiguredWorld;
  readonly memory: OpenedMemory;
  readonly status: BackendStatus;
  readonly agentId: string;
  readonly place: FindingPlace;
}

/** Whether each agent's index is there, whole, of this version and up to date. */
export const index: DoctorCheck = {
  name: 'index',
  needs: 'configuration',
  run: async (world) => {
    const memories = await world.memories();
    const looks = await Promise.all(memories.map((memory) => lookAt(world, memory)));
    const off = world.agents.filter((agent) => !agent.memorySearch.enabled);
    const findings = [
      ...sharedIndexes(world),
      ...looks.flatMap((look) => look.findings),
      ...off.map((agent) => switchedOff(agent.id)),
    ];
    return {
      summary: looks.map((look) => look.summary).join(', '),
      findings,
      off: memories.length === 0,
    };
  },
};

async function lookAt(
  world: ConfiguredWorld,
  memory: OpenedMemory,
): Promise<{ readonly summary: string; readonly findings: readonly Finding[] }> {
  const status = await memory.backend.status();
  const agentId = memory.agent.id;
  const place = world.placeOfAgent(agentId, ['memorySearch', 'store', 'path']) ?? {
    file: status.indexFile,
  };
  const subject: Subject = { world, memory, status, agentId, place };
  const findings = indexFindings(subject);
  const { index } = status;
  const count = index.state === 'ready' ? filesOf(index.statistics.documents) : index.state;
  return { summary: `${memory.name}: ${count}`, findings };
}

function indexFindings(subject: Subject): readonly Finding[] {
  const { index } = subject.status;
  switch (index.state) {
    case 'missing':
      // Beside an external program it is made when it is needed.
      return subject.memory.ext === undefined ? [missing(subject)] : [];
    case 'unusable':
      return [unusable(subject, index.why)];
    case 'ready':
      if (index.rebuildBecause !== undefined) return [outdated(subject, index.rebuildBecause)];
      return [...damage(subject), ...(subject.memory.ext === undefined ? stale(subject) : [])];
  }
}

function missing({ world, agentId, status, place }: Subject): Finding {
  // Where the workspace cannot be read there is nothing to index, and that is told elsewhere.
  const mend =
    status.staleness === undefined
      ? {}
      : {
          mend: indexMend(world, {
            title: `index the memory of agent ${agentId}`,
            safe: true,
            agentId,
            indexFile: status.indexFile,
            now: 'is not there',
            force: false,
          }),
        };
  return {
    code: 'index-missing',
    severity: status.staleness === undefined ? 'note' : 'warning',
    message: `agent ${agentId} has no index yet`,
    cause: 'the first search makes it, and takes longer for that',
    place,
    hint: `svc memory index --agent ${agentId}`,
    ...mend,
  };
}

function unusable(subject: Subject, why: string): Finding {
  const { world, agentId, status, place } = subject;
  const { indexFile } = status;
  const shared = { place, message: `the index of agent ${agentId} cannot be used`, cause: why };
  if (lstatSync(indexFile, { throwIfNoEntry: false })?.isFile() !== true) {
    const hint = 'move it away, or name another place in memorySearch.store.path';
    return { code: 'index-no-file', severity: 'fault', ...shared, hint };
  }
  const { code, safe, hint } = UNUSABLE[indexHeader(indexFile)];
  return {
    code,
    severity: 'fault',
    ...shared,
    hint,
    mend: indexMend(world, {
      title: `build the index of agent ${agentId} anew`,
      safe,
      agentId,
      indexFile,
      now: why,
      force: false,
    }),
  };
}

const UNUSABLE: Readonly<
  Record<IndexHeader, { readonly code: string; readonly safe: boolean; readonly hint: string }>
> = {
  current: {
    code: 'index-damaged',
    safe: true,
    hint: 'the next sync builds it anew: svc memory index',
  },
  foreign: {
    code: 'index-foreign',
    safe: true,
    hint: 'the next sync sets the file aside, with ".replaced" at its end, and builds an index',
  },
  newer: {
    code: 'index-newer',
    safe: false,
    hint: 'use the newer svc, or let this one build the index anew: svc memory index',
  },
  older: {
    code: 'index-older',
    safe: true,
    hint: 'the next sync builds it anew: svc memory index',
  },
};

function outdated({ world, agentId, status, place }: Subject, why: string): Finding {
  return {
    code: 'index-outdated',
    severity: 'warning',
    message: `the index of agent ${agentId} was built otherwise than configured`,
    cause: why,
    place,
    hint: 'the next sync builds it anew: svc memory index',
    mend: indexMend(world, {
      title: `build the index of agent ${agentId} anew`,
      safe: true,
      agentId,
      indexFile: status.indexFile,
      now: why,
      force: false,
    }),
  };
}

function damage({ world, agentId, status, place }: Subject): readonly Finding[] {
  const { indexFile, index } = status;
  if (index.state !== 'ready') return [];
  if (index.statistics.bytes > MOST_CHECKED_BYTES) {
    const message = `the index of agent ${agentId} is too large to be checked whole`;
    return [{ code: 'index-unchecked', severity: 'note', message, place }];
  }
  const [first] = integrityComplaints(indexFile);
  if (first === undefined) return [];
  return [
    {
      code: 'index-damaged',
      severity: 'fault',
      message: `the index of agent ${agentId} is damaged`,
      cause: first,
      place,
      hint: `svc memory index --force --agent ${agentId}`,
      mend: indexMend(world, {
        title: `build the index of agent ${agentId} anew`,
        safe: true,
        agentId,
        indexFile,
        now: 'is damaged',
        force: true,
      }),
    },
  ];
}

function stale({ world, memory, agentId, status, place }: Subject): readonly Finding[] {
  const { staleness } = status;
  const changes =
    staleness === undefined ? 0 : staleness.added + staleness.changed + staleness.removed;
  if (changes === 0) return [];
  const bySearch = memory.agent.memorySearch.sync.onSearch;
  return [
    {
      code: 'index-stale',
      severity: bySearch ? 'note' : 'warning',
      message: `${changes} changed files are not in the index of agent ${agentId} yet`,
      cause: bySearch
        ? 'the next search takes them in'
        : 'sync.onSearch is off: searches do not take them in',
      place,
      hint: `svc memory index --agent ${agentId}`,
      ...(bySearch
        ? {}
        : {
            mend: indexMend(world, {
              title: `bring the index of agent ${agentId} up to date`,
              safe: true,
              agentId,
              indexFile: status.indexFile,
              now: `misses ${changes} changed files`,
              force: false,
            }),
          }),
    },
  ];
}

/** Two agents that write one index take turns at throwing each other's passages out. */
function sharedIndexes({ agents, placeOfAgent }: ConfiguredWorld): readonly Finding[] {
  const owners = new Map<string, string>();
  return agents.flatMap((agent): readonly Finding[] => {
    const { path } = agent.memorySearch.store;
    const owner = owners.get(path);
    owners.set(path, owner ?? agent.id);
    if (owner === undefined) return [];
    const place = placeOfAgent(agent.id, ['memorySearch', 'store', 'path']);
    return [
      {
        code: 'index-shared',
        severity: 'fault',
        message: `agents ${owner} and ${agent.id} share the index ${path}`,
        cause: 'each sync of one throws out what the other indexed',
        ...(place === undefined ? {} : { place }),
        hint: 'put {agentId} into memorySearch.store.path',
      },
    ];
  });
}

function switchedOff(agentId: string): Finding {
  const message = `memory search is switched off for agent ${agentId}`;
  return { code: 'memory-disabled', severity: 'note', message };
}

function filesOf(count: number): string {
  return `${count} file${count === 1 ? '' : 's'}`;
}
