import { sep } from 'node:path';
import type { ChunkingOptions } from '../../chunking/chunk-markdown.js';
import { chunkMarkdown } from '../../chunking/chunk-markdown.js';
import type { Forgotten } from '../../forget/forgotten.js';
import { type CitationMode, formatCitation } from '../../search/citation.js';
import { createPathFilter } from '../../search/path-glob.js';
import { parseQuery } from '../../search/query.js';
import { highlightsOf } from '../../search/snippet.js';
import { createTermMatcher } from '../../search/term-matcher.js';
import type { SearchRequest, SearchResult } from '../../search/types.js';
import { DREAM_REPORTS, linesWithoutOwnWriting } from '../../sources/own-writing.js';
import { displayPath } from '../../sources/paths.js';
import { readDocument } from '../../sources/read-document.js';
import { lineAt } from '../../sources/text-lines.js';
import type { Collection } from './collections.js';
import { findFile } from './find-file.js';
import { findLines } from './find-lines.js';
import type { ToolHit } from './tool/read-answer.js';

/** What places hits in the files they come from. */
export interface PlaceOptions {
  readonly collections: readonly Collection[];
  /** Absolute path, links resolved. */
  readonly workspaceDir: string;
  readonly citations: CitationMode;
  readonly chunking: ChunkingOptions;
  readonly forgotten: Forgotten;
  readonly maxResults: number;
  /** Most characters of one snippet, and of all together. */
  readonly maxSnippetChars: number;
  readonly maxInjectedChars: number;
}

/** Results with what became of the hits that are none. */
export interface PlacedHits {
  readonly results: readonly SearchResult[];
  readonly belowMinScore: number;
  /** Hits whose file has changed or gone since it was indexed. */
  readonly outdated: number;
}

/** Less than this of a snippet says nothing. */
const SHORTEST_SNIPPET = 40;

/**
 * Finds the real file and lines of each hit, as they are now. What is forgotten, or is svc's own writing,
 * is no result.
 */
export function placeHits(
  hits: readonly ToolHit[],
  request: SearchRequest,
  options: PlaceOptions,
): PlacedHits {
  const takesPath =
    request.pathGlob === undefined ? () => true : createPathFilter(request.pathGlob);
  const { terms, required } = parseQuery(request.query, 'unicode61');
  const matcher = createTermMatcher([...terms, ...required], 'unicode61');
  const results: SearchResult[] = [];
  let [outdated, belowMinScore, characters] = [0, 0, 0];
  for (const hit of hits) {
    if (results.length >= options.maxResults) break;
    const placed = place(hit, options);
    if (placed === undefined) outdated += 1;
    if (placed === undefined || placed === 'hidden' || !takesPath(placed.path)) continue;
    if (results.some((other) => overlaps(other, placed))) continue;
    if (hit.score < (request.minScore ?? 0)) {
      belowMinScore += 1;
      continue;
    }
    const left = options.maxInjectedChars - characters;
    if (left < Math.min(SHORTEST_SNIPPET, placed.snippet.length)) break;
    const snippet = cut(placed.snippet, Math.min(left, options.maxSnippetChars));
    characters += snippet.length;
    results.push({ ...placed, snippet, highlights: highlightsOf(snippet, matcher) });
  }
  return { results, belowMinScore, outdated };
}

type Placed = Omit<SearchResult, 'highlights'>;

/** @returns undefined when its file has nothing of it any more */
function place(hit: ToolHit, options: PlaceOptions): 'hidden' | Placed | undefined {
  const collection = options.collections.find(({ name }) => name === hit.collection);
  if (collection === undefined) return undefined;
  const file = findFile(collection.root, hit.path, (path) => hasContent(path, hit.contentHash));
  if (file === undefined) return undefined;
  if (file.startsWith([options.workspaceDir, ...DREAM_REPORTS.split('/'), ''].join(sep))) {
    return 'hidden';
  }
  const path = shownPath(file, collection, options.workspaceDir);
  const read = readDocument(file, path);
  if (!read.ok) return undefined;
  const { lines: covered } = options.forgotten.cover(read.document.lines, read.document.hash);
  const lines = linesWithoutOwnWriting(covered);
  const texts = Array.from({ length: lines.count }, (_, at) => lineAt(lines, at));
  const range = findLines(texts, hit.lines, hit.line);
  if (range === undefined) return lines === read.document.lines ? undefined : 'hidden';
  const { source } = collection;
  const chunk = chunkMarkdown(lines, options.chunking).find(
    ({ startLine, endLine }) => startLine <= range.startLine && range.startLine <= endLine,
  );
  return {
    path,
    ...range,
    source,
    kind: source === 'sessions' ? 'transcript' : 'markdown',
    score: hit.score,
    snippet: texts.slice(range.startLine - 1, range.endLine).join('\n'),
    snippetLine: range.startLine,
    headingPath: chunk?.headingPath ?? [],
    ...(options.citations === 'off' ? {} : { citation: formatCitation(path, range) }),
  };
}

function hasContent(file: string, contentHash: string | undefined): boolean {
  if (contentHash === undefined) return true;
  const read = readDocument(file, file);
  return read.ok && read.document.hash.startsWith(contentHash);
}

/** As the builtin engine names it; an exported conversation by its collection. */
function shownPath(file: string, { name, root, source }: Collection, workspaceDir: string): string {
  return source === 'sessions'
    ? `qmd/${name}/${displayPath(root, file)}`
    : displayPath(workspaceDir, file);
}

function overlaps(a: SearchResult, b: Placed): boolean {
  return a.path === b.path && a.startLine <= b.endLine && b.startLine <= a.endLine;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\uD800-\uDBFF]$/u.test(text.slice(0, most - 1));
  return `${text.slice(0, isHalf ? most - 2 : most - 1)}…`;
}
