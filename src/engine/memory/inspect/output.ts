import type { AgentMemory } from '../types.js';
import type { DocumentLinks, InspectedDocument } from './inspect-document.js';
import type { ResolvedLink } from './link-map.js';
import type { InspectOutput, LinksOutput, RecentOutput, WhyOutput } from './output-schemas.js';
import type { RecentChanges } from './recent.js';

/** @param links of one file, or the broken ones of all */
export function linksOutput(
  { agentId }: AgentMemory,
  links: DocumentLinks | readonly ResolvedLink[],
): LinksOutput {
  const shown =
    'path' in links
      ? { path: links.path, ...linkLists(links) }
      : { path: null, ...linkLists({ out: [], back: [], broken: links }) };
  return { agent: agentId, ...shown };
}

function linkLists({ out, back, broken }: Pick<DocumentLinks, 'back' | 'broken' | 'out'>) {
  return { out: out.map(linkOutput), back: back.map(linkOutput), broken: broken.map(linkOutput) };
}

function linkOutput({ to, ...link }: ResolvedLink) {
  return { ...link, to: to ?? null };
}

export function recentOutput(
  { agentId }: AgentMemory,
  { documents, more }: RecentChanges,
): RecentOutput {
  const shown = documents.map(({ path, source, kind, modifiedMs, size }) => {
    return { path, source, kind, modified: new Date(modifiedMs).toISOString(), bytes: size };
  });
  return { agent: agentId, documents: shown, more };
}

export function inspectOutput(
  { agentId }: AgentMemory,
  document: InspectedDocument | undefined,
  why: WhyOutput | undefined,
): InspectOutput {
  return {
    agent: agentId,
    document: document === undefined ? null : documentOutput(document),
    why: why ?? null,
  };
}

function documentOutput(document: InspectedDocument): NonNullable<InspectOutput['document']> {
  const { path, source, kind, mimeType, fingerprint, indexedMs, date, facts } = document;
  return {
    ...{ path, source, kind },
    ...(mimeType === undefined ? {} : { mimeType }),
    bytes: fingerprint.size,
    modified: new Date(fingerprint.mtimeMs).toISOString(),
    indexed: new Date(indexedMs).toISOString(),
    date: date ?? null,
    tags: facts?.tags ?? [],
    properties: facts?.properties ?? {},
    fault: facts?.fault ?? null,
    chunkCount: document.chunkCount,
    chunks: document.chunks.map(({ lineNumbers: _, ...chunk }) => chunk),
    ...linkLists(document.links),
  };
}
