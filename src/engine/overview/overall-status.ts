import { credentialView } from '../embeddings/describe-provider.js';
import { SvcError } from '../errors/index.js';
import { pauseOutput } from '../flow-model/task-record.js';
import { unclaimedProblem } from '../flows/index.js';
import {
  type RegisteredCapture,
  type RegisteredHook,
  type RegisteredServer,
  registeredCaptures,
  registeredHooks,
  registeredServers,
} from '../integrate/index.js';
import type { BackendStatus } from '../memory/backends/memory-backend.js';
import { type EmbeddingStatus, embeddingStatus } from '../memory/embedding-status.js';
import { type OpenedMemory, statusOutput } from '../memory/index.js';
import type { ServeState } from '../serve/index.js';
import { runningServeState } from '../serve/instance-lock.js';
import { iso } from '../support/time.js';
import { diskSpace, spaceProblem, writtenDisks } from './disk-space.js';
import type { OverallStatusOutput } from './output-schemas.js';
import { type OtherWork, type OverviewSource, otherWork } from './work.js';

/** An agent whose state is known. */
interface AgentWithStatus {
  readonly memory: OpenedMemory;
  readonly status: BackendStatus;
  readonly embedding: EmbeddingStatus;
}

/** A problem of an agent or service. */
export type OverallFault = OverallStatusOutput['faults'][number];

/** The state of everything. */
export interface OverallStatus {
  /** Undefined when no `svc serve` runs, or its state is unknown, which is a fault of `work.listener`. */
  readonly serving: ServeState | undefined;
  /** Those whose state is known; the others have a fault. */
  readonly agents: readonly AgentWithStatus[];
  readonly work: OtherWork;
  /** Active memory hooks that coding agents run in this folder. */
  readonly hooks: readonly RegisteredHook[];
  /** Capture hooks that coding agents run in this folder, with their last capture. */
  readonly captures: readonly RegisteredCapture[];
  /** Soonest first. */
  readonly nextRuns: ReturnType<typeof nextRuns>;
  readonly faults: readonly OverallFault[];
}

/** Reads the state of everything; calls no provider and changes nothing. @throws SvcError CONFIG_* */
export async function overallStatus(
  memories: readonly OpenedMemory[],
  source: OverviewSource,
): Promise<OverallStatus> {
  const agents: AgentWithStatus[] = [];
  const faults: OverallFault[] = [];
  for (const memory of memories) {
    const reading = await readAgent(memory);
    if (reading.agent !== undefined) agents.push(reading.agent);
    faults.push(...reading.faults);
  }
  const { clock, state } = source.context;
  const serving = runningServeState(state.stateDir);
  const work = await otherWork(source, serving);
  const integrateContext = { ...source.context, platform: process.platform };
  return {
    serving,
    agents,
    work,
    hooks: await registeredHooks(integrateContext),
    captures: await registeredCaptures(integrateContext),
    nextRuns: nextRuns(serving),
    faults: [
      ...faults,
      ...(await diskFaults(memories, source)),
      ...serviceFaults(serving),
      ...workFaults(work),
      ...unclaimedFaults(work, clock.now()),
      ...serverFaults(await registeredServers(integrateContext)),
    ],
  };
}

/** Reads the state of one agent, if it can be known; calls no provider and changes nothing. */
export async function readAgent(memory: OpenedMemory) {
  try {
    const status = await memory.backend.status();
    const agent = { memory, status, embedding: embeddingStatus(memory, status) };
    return { agent, faults: faultsOf(agent) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { agent: undefined, faults: [overallFault(agentTitle(memory), error)] };
  }
}

/** The problem that an error reports. */
export function overallFault(about: string, { code, message, hint }: SvcError): OverallFault {
  return { about, code, message, hint };
}

function agentTitle({ name }: OpenedMemory): string {
  return `agent ${name}`;
}

function faultsOf({ memory, status }: AgentWithStatus): readonly OverallFault[] {
  const about = agentTitle(memory);
  const choice = memory.providers?.primary.choice;
  const why = status.ext?.why ?? [];
  const faults = [...status.faults, why].flat().map((fault) => ({ about, ...fault }));
  // With the external program, providers are only a fallback.
  if (choice === undefined || status.ext !== undefined) return faults;
  const { state, set, source, hint } = credentialView(
    choice,
    memory.agent.memorySearch,
    memory.world,
  );
  if (state !== 'missing' && set !== false) return faults;
  const cause = source === null ? 'no key' : `${source} is not set`;
  const message = `embedding provider ${choice.provider}: ${cause}`;
  return [...faults, { about, code: 'PROVIDER_AUTH', message, hint: hint ?? undefined }];
}

function serviceFaults(serving: ServeState | undefined): readonly OverallFault[] {
  return (serving?.services ?? []).flatMap(({ name, failure }) => {
    if (failure === null) return [];
    const { code, message, hint } = failure;
    return [{ about: `service ${name}`, code, message, hint: hint ?? undefined }];
  });
}

/** Why the shared store cannot be used, or the state of something is unknown. */
function workFaults({ storage, listener, flows, dreams }: OtherWork): readonly OverallFault[] {
  const faults = [
    { about: 'storage', fault: storage?.fault },
    { about: 'listener', fault: listener.fault },
    { about: 'flows', fault: flows.fault },
    ...dreams.map(({ agents, fault }) => ({ about: `dreams of ${agents.join(', ')}`, fault })),
  ];
  return faults.flatMap(({ about, fault }) => (fault === undefined ? [] : [{ about, ...fault }]));
}

function unclaimedFaults({ flows }: OtherWork, nowMs: number): readonly OverallFault[] {
  return flows.unclaimed.map((tasks) => {
    return { about: 'tasks', code: null, ...unclaimedProblem(tasks, nowMs) };
  });
}

/** Disks without room for what svc writes. */
async function diskFaults(
  memories: readonly OpenedMemory[],
  { context }: OverviewSource,
): Promise<readonly OverallFault[]> {
  const agents = memories.map(({ agent }) => agent);
  const faults: OverallFault[] = [];
  for (const folder of writtenDisks(context.state, agents)) {
    const space = await diskSpace(folder).catch(() => undefined);
    const problem = space && spaceProblem(folder, space);
    if (problem?.severity !== 'fault') continue;
    const { message, hint } = problem;
    faults.push({ about: 'disk', code: null, message, hint });
  }
  return faults;
}

/** Servers that coding agents cannot start. */
function serverFaults(servers: readonly RegisteredServer[]): readonly OverallFault[] {
  return servers.flatMap(({ title, moved }) => {
    if (moved === undefined) return [];
    const message = `it cannot start the server ${moved.name}: ${moved.missing} does not exist`;
    return [{ about: title, code: null, message, hint: moved.hint }];
  });
}

/** Services that will be restarted. */
function nextRuns(serving: ServeState | undefined) {
  return (serving?.services ?? [])
    .flatMap(({ name, retryAt }) =>
      retryAt === null ? [] : [{ what: `service ${name} restarts`, atMs: Date.parse(retryAt) }],
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** `svc status --json`. */
export function overallStatusOutput(overall: OverallStatus): OverallStatusOutput {
  const { serving, agents, work, hooks, captures, nextRuns, faults } = overall;
  return {
    serving:
      serving === undefined
        ? null
        : {
            pid: serving.pid,
            since: iso(serving.startedMs),
            configFile: serving.configFile,
            services: serving.services.map(({ eventAt: _, retryAt: __, ...service }) => service),
          },
    agents: agents.map(({ memory, status, embedding }) => statusOutput(memory, status, embedding)),
    ...workOutput(work),
    hooks: hooks.map(({ agent, file, effect }) => ({ agent, file, ...effect })),
    captures: captures.map(({ agent, file, moved, last }) => ({
      agent,
      file,
      lastAt: last === undefined ? null : iso(last.atMs),
      error:
        moved === undefined
          ? (last?.error ?? null)
          : `it cannot start: ${moved.missing} does not exist`,
    })),
    nextRuns: nextRuns.map(({ what, atMs }) => ({ what, at: iso(atMs) })),
    faults,
  };
}

function workOutput({ storage, listener, flows, dreams }: OtherWork) {
  const { process, routes, requests, rejected, last } = listener;
  return {
    storage:
      storage === null
        ? null
        : { server: storage.server ?? null, version: storage.version ?? null },
    listener: {
      url: process?.url ?? null,
      routes,
      requests,
      rejected,
      lastRequestAt: last === null ? null : iso(last.atMs),
    },
    flows: countsOutput(flows.flows),
    tasks: countsOutput(flows.tasks),
    pausedTasks: flows.paused.map(pauseOutput),
    failedNotifications: flows.failedNotifications,
    dreams: dreams.map(({ agents, enabled, nextMs, last: sweep, isFull }) => ({
      agents,
      enabled,
      nextRunAt: nextMs === undefined ? null : iso(nextMs),
      lastSweepAt: sweep === undefined ? null : iso(sweep.startedMs),
      written: sweep?.written ?? null,
      memoryFull: isFull,
    })),
  };
}

function countsOutput(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([status, count]) => ({ status, count }));
}
