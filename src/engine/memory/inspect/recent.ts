import type { ResolvedAgent } from '../../config/index.js';
import { dayFormatter } from '../../support/day.js';
import { iso } from '../../support/time.js';
import { parseFilters } from '../search/filters.js';
import { extSourceWarnings, sourceWarnings } from '../search/index.js';
import { type MemorySources, searchedSources } from '../sources/index.js';
import type { WorkOptions } from '../sync/index.js';
import type { DocumentKey, DocumentKind, Source } from '../types.js';
import type { RecentOutput } from './output-schemas.js';

/** An indexed document. */
export interface ListedDocument extends DocumentKey {
  readonly kind: DocumentKind;
  readonly size: number;
  readonly modifiedMs: number;
}

interface ListedMemory {
  readonly agent: ResolvedAgent;
  readonly sources: MemorySources;
  /** Undefined with the built-in engine. */
  readonly ext:
    | { readonly settings: { readonly sessions: { readonly enabled: boolean } } }
    | undefined;
  readonly backend: {
    list(work: WorkOptions): Promise<readonly ListedDocument[]>;
  };
}

/** Which changes are asked for. */
export interface RecentRequest {
  /** A date, a period or a duration, as in filters of searches. */
  readonly since?: string | undefined;
  readonly sources?: readonly Source[] | undefined;
  readonly limit: number;
}

/** The indexed files of this host, the newest first. @throws SvcError USAGE for a date that cannot be understood */
export async function recentChanges(
  { agent, backend, ext, sources: { memory } }: ListedMemory,
  { since, sources, limit }: RecentRequest,
  work: WorkOptions & { readonly nowMs: number },
): Promise<Omit<RecentOutput, 'agent'>> {
  const timeZone = agent.userTimezone;
  const { output } = await parseFilters({ since }, { nowMs: work.nowMs, timeZone });
  const warnings =
    ext === undefined
      ? sourceWarnings({ sources }, searchedSources(agent, memory.layout))
      : extSourceWarnings({ sources }, ext.settings.sessions);
  for (const warning of warnings) work.onWarning?.(warning);
  const dayOf = dayFormatter(timeZone);
  const first = output.from ?? '';
  const found = (await backend.list(work))
    .filter((one) => sources === undefined || sources.includes(one.source))
    .filter((one) => dayOf(one.modifiedMs) >= first)
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  const documents = found.slice(0, limit).map(({ path, source, kind, modifiedMs, size }) => {
    return { path, source, kind, modified: iso(modifiedMs), bytes: size };
  });
  return { documents, more: found.length - documents.length };
}
