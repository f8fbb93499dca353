import { dayFormatter, isoDay } from '../../support/day.js';
import { realOrGiven } from '../../support/paths.js';
import { iso } from '../../support/time.js';
import { estimateTokens } from '../chunking/tokens.js';
import { lookUpIndexed, notIndexed, ownTarget, refuseOther } from '../get/index.js';
import { isLeftOut, type MemoryIndex, type StoredDocument } from '../index/index.js';
import type { IndexKeeper, IndexKeeperOptions } from '../keeper/index-keeper.js';
import { noteDay } from '../search/filters.js';
import type { WorkOptions } from '../sync/index.js';
import { type LineRange, overlaps } from '../types.js';
import { createLinkMap, type LinkMap } from './link-map.js';
import type { InspectOutput, LinksOutput } from './output-schemas.js';

/** The links of one file. */
export interface DocumentLinks extends Omit<LinksOutput, 'agent'> {
  readonly path: string;
}

/** What the index has of a file. */
export type InspectedDocument = NonNullable<InspectOutput['document']>;

/** Shows what the index has of a memory. */
export type Inspection = ReturnType<typeof createInspection>;

/** Shows what an index has; brings it up to date first, as a search does. */
export function createInspection(
  { target }: Pick<IndexKeeperOptions, 'target'>,
  keeper: IndexKeeper,
  timeZone: string | undefined,
) {
  const workspaceDir = realOrGiven(target.sources.memory.workspaceDir);
  const { others } = target.home;
  /** @throws SvcError DOCUMENT_ELSEWHERE */
  const lookUp = async (index: MemoryIndex, named: string) => {
    const found = await lookUpIndexed(index, workspaceDir, named);
    if (found === undefined && others !== undefined) await refuseOther(others, named);
    return found;
  };
  return {
    links: (work: WorkOptions = {}) => keeper.answer(work, linkMapOf),
    /** The links of one note. @throws SvcError DOCUMENT_NOT_INDEXED */
    linksOf: (text: string, work: WorkOptions = {}) =>
      keeper.answer(work, async (index) => {
        const own = ownTarget(text, others);
        const found = await lookUp(index, own);
        if (found === undefined) throw notIndexed(await index.documents(), own);
        const { path } = found.document;
        return { path, ...linksOf(await linkMapOf(index), path) };
      }),
    /** What is stored of a file, or of the lines of a citation; undefined if it is not in the index. */
    document: (text: string, work: WorkOptions = {}) =>
      keeper.answer(work, async (index) => {
        const found = await lookUp(index, ownTarget(text, others));
        return found === undefined || isLeftOut(found.document)
          ? undefined
          : inspect(index, found.document, found.range, timeZone);
      }),
  };
}

async function inspect(
  index: MemoryIndex,
  document: StoredDocument,
  range: LineRange | undefined,
  timeZone: string | undefined,
): Promise<InspectedDocument | undefined> {
  const content = await index.content(document);
  // Another process may have removed it in between.
  if (content === undefined) return undefined;
  const { source, path, kind, mimeType, fingerprint, indexedMs } = document;
  const { facts, chunks } = content;
  const dayOfMoment = dayFormatter(timeZone);
  const day = noteDay({ path, facts, modifiedMs: fingerprint.mtimeMs }, dayOfMoment);
  const shownChunks =
    range === undefined ? chunks : chunks.filter((chunk) => overlaps(chunk, range));
  return {
    path,
    source,
    kind,
    ...(mimeType === undefined ? {} : { mimeType }),
    bytes: fingerprint.size,
    modified: iso(fingerprint.mtimeMs),
    indexed: iso(indexedMs),
    date: kind === 'transcript' ? null : { day: isoDay(day.day), from: day.from },
    tags: facts?.tags ?? [],
    properties: facts?.properties ?? {},
    fault: facts?.fault ?? null,
    chunkCount: chunks.length,
    chunks: shownChunks.map(({ lineNumbers: _, ...chunk }) => {
      return { ...chunk, tokens: Math.ceil(estimateTokens(chunk.text)) };
    }),
    ...linksOf(await linkMapOf(index), path),
  };
}

async function linkMapOf(index: MemoryIndex): Promise<LinkMap> {
  return createLinkMap(await index.documents(), await index.links());
}

function linksOf(map: LinkMap, path: string) {
  const links = map.out(path);
  return {
    out: links.filter(({ to }) => to !== null),
    back: map.back(path),
    broken: links.filter(({ to }) => to === null),
  };
}
