import { credentialView } from '../embeddings/credential-view.js';
import { SvcError } from '../errors/index.js';
import type { BackendStatus } from '../memory/backends/memory-backend.js';
import { type EmbeddingStatus, embeddingStatus } from '../memory/embedding/embedding-status.js';
import type { OpenedMemory } from '../memory/open-memory.js';
import { type OtherWork, type OverviewPlace, otherWork } from './other-work.js';
import { readServing, type Serving } from './serving.js';

/** One agent's memory as it is. */
export interface AgentOverview {
  readonly memory: OpenedMemory;
  readonly status: BackendStatus;
  readonly embedding: EmbeddingStatus;
}

/** What a look at one agent gave. */
export interface AgentLook {
  /** Undefined when its state cannot be told. */
  readonly agent: AgentOverview | undefined;
  readonly faults: readonly OverallFault[];
}

/** Something that is wrong, and with whom. */
export interface OverallFault {
  /** `agent main`, `service health`. */
  readonly about: string;
  /** Of the registries of errors and warnings, or the system's; null for anything else. */
  readonly code: string | null;
  readonly message: string;
  readonly hint?: string;
}

/** Something that will be done by itself. */
export interface NextRun {
  readonly what: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Everything there is, and whether it is well. */
export interface OverallStatus {
  /** Undefined when no `svc serve` runs. */
  readonly serving: Serving | undefined;
  /** Those whose state can be told; of the others there is a fault. */
  readonly agents: readonly AgentOverview[];
  readonly work: OtherWork;
  /** Soonest first. */
  readonly nextRuns: readonly NextRun[];
  readonly faults: readonly OverallFault[];
}

/** Looks at everything there is; asks no provider and changes nothing. @throws SvcError CONFIG_* */
export async function overallStatus(
  memories: readonly OpenedMemory[],
  place: OverviewPlace,
): Promise<OverallStatus> {
  const agents: AgentOverview[] = [];
  const faults: OverallFault[] = [];
  for (const memory of memories) {
    const look = await lookAtAgent(memory);
    if (look.agent !== undefined) agents.push(look.agent);
    faults.push(...look.faults);
  }
  const serving = readServing(place.context.state.stateDir);
  const work = await otherWork(place, serving);
  return {
    serving,
    agents,
    work,
    nextRuns: nextRuns(serving),
    faults: [...faults, ...serviceFaults(serving), ...workFaults(work)],
  };
}

/** Looks at one agent's files, index and settings; asks no provider and changes nothing. */
export async function lookAtAgent(memory: OpenedMemory): Promise<AgentLook> {
  try {
    const status = await memory.backend.status();
    const agent = { memory, status, embedding: embeddingStatus(memory, status) };
    return { agent, faults: faultsOf(agent) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { agent: undefined, faults: [overallFault(nameOf(memory), error)] };
  }
}

/** A failure as one of the faults of everything. */
export function overallFault(about: string, { code, message, hint }: SvcError): OverallFault {
  return { about, code, message, ...withHint(hint) };
}

function nameOf({ name }: OpenedMemory): string {
  return `agent ${name}`;
}

function faultsOf({ memory, status }: AgentOverview): readonly OverallFault[] {
  const about = nameOf(memory);
  const choice = memory.providers?.primary.choice;
  const why = status.ext?.why;
  const faults = [...status.faults, ...(why === undefined ? [] : [why])].map((fault) => ({
    about,
    ...fault,
  }));
  // Below the external program providers are only a net.
  if (choice === undefined || status.ext !== undefined) return faults;
  const { state, set, source, mend } = credentialView(
    choice,
    memory.agent.memorySearch,
    memory.world,
  );
  if (state !== 'missing' && set !== false) return faults;
  const cause = source === null ? 'there is no key' : `${source} is not set`;
  const message = `embedding provider ${choice.provider}: ${cause}`;
  return [...faults, { about, code: 'PROVIDER_AUTH', message, ...withHint(mend ?? undefined) }];
}

function serviceFaults(serving: Serving | undefined): readonly OverallFault[] {
  return (serving?.services ?? []).flatMap(({ name, failure }) => {
    if (failure === null) return [];
    const { code, message, mend } = failure;
    return [{ about: `service ${name}`, code, message, ...withHint(mend ?? undefined) }];
  });
}

/** What cannot be told of flows and dreams. */
function workFaults({ flows, dreams }: OtherWork): readonly OverallFault[] {
  const faultOf = (about: string, message: string | undefined): readonly OverallFault[] =>
    message === undefined ? [] : [{ about, code: null, message }];
  return [
    ...faultOf('flows', flows.fault),
    ...dreams.flatMap(({ agents, fault }) => faultOf(`dreams of ${agents.join(', ')}`, fault)),
  ];
}

/** What is retried; schedules join with the services that keep them. */
function nextRuns(serving: Serving | undefined): readonly NextRun[] {
  return (serving?.services ?? [])
    .flatMap(({ name, retryMs }) =>
      retryMs === null ? [] : [{ what: `service ${name} is started again`, atMs: retryMs }],
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}

function withHint(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}
