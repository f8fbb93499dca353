import { join } from 'node:path';
import type { Warning } from '../../../errors/index.js';
import { isInside, realOrGiven } from '../../../support/paths.js';
import { withEllipsis } from '../../../support/text.js';
import { sectionsOf } from '../../chunking/chunk-document.js';
import { type ForgetPlaces, type Forgotten, readForgotten } from '../../forgotten/index.js';
import {
  bestLineOf,
  type CitationMode,
  createTermMatcher,
  extSourceWarnings,
  formatCitation,
  highlightsOf,
  parseQuery,
  type SearchMode,
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
} from '../../search/index.js';
import { createPathFilter } from '../../search/path-glob.js';
import {
  DREAM_REPORTS,
  displayPath,
  type ExcludeSettings,
  Exclusions,
  lineAt,
  linesWithoutOwnWriting,
  type MemorySources,
  readDocument,
} from '../../sources/index.js';
import { overlaps } from '../../types.js';
import type { Collection } from './collections.js';
import { hasWords, modeFor } from './ext-asker.js';
import type { ExtSettings } from './ext-settings.js';
import { findFile, findLines } from './find-file.js';
import type { ExtMode } from './tool/ask-program.js';
import type { ToolHit } from './tool/read-answer.js';

export interface LocateOptions {
  readonly collections: readonly Collection[];
  /** Absolute path with links resolved. */
  readonly workspaceDir: string;
  /** What the memory leaves out. */
  readonly exclude?: ExcludeSettings | undefined;
  readonly citations: CitationMode;
  readonly forgotten: Forgotten;
  readonly maxResults: number;
  /** Character limits of one snippet, and of all together. */
  readonly maxSnippetChars: number;
  readonly maxInjectedChars: number;
}

/** A shorter piece of a snippet is useless. */
const SHORTEST_SNIPPET = 40;

/** Finds the current file and lines of each hit. Forgotten text and svc's own writing are dropped. */
export function locateHits(
  hits: readonly ToolHit[],
  request: SearchRequest,
  options: LocateOptions,
) {
  const matchesPath =
    request.pathGlob === undefined ? () => true : createPathFilter(request.pathGlob);
  const { terms, required } = parseQuery(request.query, 'unicode61');
  const matcher = createTermMatcher([...terms, ...required], 'unicode61');
  const exclusions = new Exclusions(options.workspaceDir, options.exclude);
  const results: SearchResult[] = [];
  let [belowMinScore, characters] = [0, 0];
  for (const hit of hits) {
    if (results.length >= options.maxResults) break;
    const located = locate(hit, options, exclusions);
    if (located === undefined || !matchesPath(located.path)) continue;
    if (results.some((other) => other.path === located.path && overlaps(other, located))) continue;
    if (hit.score < (request.minScore ?? 0)) {
      belowMinScore += 1;
      continue;
    }
    const remaining = options.maxInjectedChars - characters;
    if (remaining < Math.min(SHORTEST_SNIPPET, located.snippet.length)) break;
    const snippet = withEllipsis(located.snippet, Math.min(remaining, options.maxSnippetChars));
    characters += snippet.length;
    const { headingPaths, ...result } = located;
    const lines = snippet.split('\n');
    const bestLine = bestLineOf(
      lines.map((text) => ({
        text,
        weight: new Set(matcher(text).hits.map(({ term }) => term)).size,
      })),
    );
    results.push({
      ...result,
      snippet,
      headingPath: headingPaths[bestLine ?? 0] ?? [],
      highlights: highlightsOf(snippet, matcher),
      bestLine,
    });
  }
  return { results, belowMinScore };
}

interface LocatedHit extends Omit<SearchResult, 'bestLine' | 'headingPath' | 'highlights'> {
  /** The headings above each of its lines. */
  readonly headingPaths: readonly (readonly string[])[];
}

/** @returns undefined when its file no longer contains the text, or the text is not memory */
function locate(
  hit: ToolHit,
  options: LocateOptions,
  exclusions: Exclusions,
): LocatedHit | undefined {
  const collection = options.collections.find(({ name }) => name === hit.collection);
  if (collection === undefined) return undefined;
  const file = findFile(collection.root, hit.path, (path) => hasContent(path, hit.contentHash));
  if (file === undefined) return undefined;
  if (isInside(file, join(options.workspaceDir, DREAM_REPORTS))) return undefined;
  const { source } = collection;
  if (source === 'memory' && exclusions.excludes(collection.root, file, false)) return undefined;
  const path = shownPath(file, collection, options.workspaceDir);
  const read = readDocument(file, path);
  if (!read.ok) return undefined;
  const { lines: covered } = options.forgotten.cover(read.document.lines, read.document.hash);
  const lines = linesWithoutOwnWriting(covered);
  const texts = Array.from({ length: lines.count }, (_, at) => lineAt(lines, at));
  const range = findLines(texts, hit.lines, hit.line);
  if (range === undefined) return undefined;
  return {
    path,
    ...range,
    source,
    kind: source === 'sessions' ? 'transcript' : 'markdown',
    score: hit.score,
    snippet: texts.slice(range.startLine - 1, range.endLine).join('\n'),
    snippetLine: range.startLine,
    headingPaths: sectionsOf(path, lines)
      .slice(range.startLine - 1, range.endLine)
      .map(({ headingPath }) => headingPath),
    ...(options.citations === 'off' ? {} : { citation: formatCitation({ path, ...range }) }),
  };
}

function hasContent(file: string, contentHash: string | undefined): boolean {
  if (contentHash === undefined) return true;
  const read = readDocument(file, file);
  return read.ok && read.document.hash.startsWith(contentHash);
}

/** The path that the built-in engine would show; an exported conversation by its collection. */
function shownPath(file: string, { name, root, source }: Collection, workspaceDir: string): string {
  return source === 'sessions'
    ? `qmd/${name}/${displayPath(root, file)}`
    : displayPath(workspaceDir, file);
}

interface AnswerOptions extends Pick<LocateOptions, 'citations'> {
  readonly settings: ExtSettings;
  readonly sources: MemorySources;
  readonly forget: ForgetPlaces;
}

const MODES: Readonly<Record<ExtMode, SearchMode>> = {
  search: 'lexical',
  vsearch: 'vector',
  query: 'hybrid',
};

/**
 * Turns the program's hits into an answer: located, within limits, without forgotten text.
 *
 * @throws SvcError FORGET_LIST_INVALID
 */
export async function responseOf(
  request: SearchRequest,
  hits: readonly ToolHit[],
  { settings, sources, citations, forget }: AnswerOptions,
): Promise<Omit<SearchResponse, 'searchMs'>> {
  const { results, belowMinScore } = locateHits(hits, request, {
    ...settings.limits,
    maxResults: request.maxResults ?? settings.limits.maxResults,
    collections: settings.collections(),
    workspaceDir: realOrGiven(settings.workspaceDir),
    exclude: sources.memory.exclude,
    citations,
    forgotten: await readForgotten(forget),
  });
  return {
    query: request.query,
    backend: 'ext',
    mode: MODES[modeFor(request, settings)],
    provider: null,
    model: null,
    dates: null,
    corrections: [],
    results,
    matches: hits.length,
    belowMinScore,
    warnings: requestWarnings(request, settings),
  };
}

/** Parts of the query that the program was not asked about. */
function requestWarnings(
  request: SearchRequest,
  { sessions }: Pick<ExtSettings, 'sessions'>,
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (!hasWords(request)) {
    warnings.push({ code: 'QUERY_EMPTY', message: 'the query contains nothing to search for' });
  }
  if (request.exact === true) {
    warnings.push({
      code: 'EXACT_IGNORED',
      message: 'the external search program decides how words match, so exact search has no effect',
      hint: 'to search with the built-in engine, set memory.backend to "builtin"',
    });
  }
  return [...warnings, ...extSourceWarnings(request, sessions)];
}
