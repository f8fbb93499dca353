import type { IndexState, Staleness } from '../memory/backends/memory-backend.js';
import type { AgentLook, OverallFault } from './overall-status.js';

/** One agent's memory in so few words that it fits a line; times in milliseconds since the epoch. */
export interface AgentGlance {
  /** Absolute path of its workspace. */
  readonly workspaceDir: string;
  /** Who answers: the builtin engine, or the external one. */
  readonly backend: string;
  /** `outdated`: the next sync builds it anew. */
  readonly index: 'missing' | 'outdated' | 'ready' | 'unusable';
  readonly documents: number;
  readonly chunks: number;
  readonly syncedMs: number | null;
  /** Files that the index does not mirror yet; null where that cannot be told. */
  readonly stale: number | null;
  /** Some of them. */
  readonly staleExamples: readonly string[];
  /** Whether a process keeps the index fresh. */
  readonly watched: boolean;
  /** Who embeds; null where memory is searched by words alone. */
  readonly provider: string | null;
  readonly model: string | null;
  /** How many passages have a vector, and how many could. */
  readonly vectors: { readonly done: number; readonly all: number };
}

/** What is known of an agent so far. */
export interface AgentNews {
  readonly name: string;
  /** Undefined until it was looked at, and where it could not be told. */
  readonly glance: AgentGlance | undefined;
  readonly faults: readonly OverallFault[];
}

/** Puts what was found out about an agent into a line. */
export function agentNews(name: string, { agent, faults }: AgentLook): AgentNews {
  if (agent === undefined) return { name, glance: undefined, faults };
  const { status, embedding } = agent;
  const { index } = status;
  const statistics = index.state === 'ready' ? index.statistics : undefined;
  const glance: AgentGlance = {
    workspaceDir: status.workspaceDir,
    backend: status.backend,
    index: indexWord(index),
    documents: statistics?.documents ?? 0,
    chunks: statistics?.chunks ?? 0,
    syncedMs: statistics?.syncedMs ?? null,
    stale: staleFiles(status.staleness),
    staleExamples: status.staleness?.examples ?? [],
    watched: status.watcher !== undefined,
    provider: embedding.primary?.provider ?? null,
    model: embedding.primary?.model ?? null,
    vectors: { done: embedding.coverage.done, all: embedding.coverage.all },
  };
  return { name, glance, faults };
}

function indexWord(index: IndexState): AgentGlance['index'] {
  if (index.state !== 'ready') return index.state;
  return index.rebuildBecause === undefined ? 'ready' : 'outdated';
}

function staleFiles(staleness: Staleness | undefined): number | null {
  return staleness === undefined ? null : staleness.added + staleness.changed + staleness.removed;
}
