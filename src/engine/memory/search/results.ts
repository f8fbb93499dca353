import { letOthersRun } from '../../support/async.js';
import { type DayRange, daysOverlap } from '../../support/day.js';
import { documentFormatOf, pageOfLine } from '../../support/document-format.js';
import { daysOfHeadings } from '../index/index.js';
import { formatCitation, formatPages, type PageRange } from './citation.js';
import type { Findings } from './combine-scores.js';
import type { FusedChunk } from './fuse.js';
import { linesInSections, type Passage, type PassageLine, passagesOf } from './passages.js';
import { answerOf, collapse, type RepeatGroup, statementOf, withOrigins } from './repeats.js';
import { snippetBudget, snippetOf } from './snippet.js';
import type { ScoreExplanation, SearchOptions, SearchRequest, SearchResult } from './types.js';
import { wordsOf } from './words.js';

interface ResultOptions
  extends Pick<
    SearchOptions,
    | 'citations'
    | 'halfLifeDays'
    | 'maxResults'
    | 'minScore'
    | 'mmrLambda'
    | 'nowMs'
    | 'snippetChars'
  > {
  /** Those that the query asks about. */
  readonly days: DayRange | undefined;
}

/** Results that are made without a pause: a few milliseconds. */
const WITHOUT_PAUSE = 10;

/** Pool for diversification, as a multiple of the requested results. */
const DIVERSITY_POOL = 3;

/** A passage with its best chunk, whose score it has. */
interface ScoredPassage {
  readonly passage: Passage;
  readonly chunk: FusedChunk;
  readonly diversity: ScoreExplanation['diversity'];
}

/**
 * The best passages as results, and the number below the minimum score.
 *
 * @param signal aborts between parts of the work
 */
export async function resultsOf(
  findings: Findings,
  request: SearchRequest,
  options: ResultOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly results: SearchResult[]; readonly belowMinScore: number }> {
  const maxResults = request.maxResults ?? options.maxResults;
  const minScore = request.minScore ?? options.minScore;
  // Before decay: age changes the order, but never leaves a question without its only answer.
  const isGood = ({ relevance }: FusedChunk): boolean => round(relevance) >= minScore;
  await letOthersRun(signal);
  const [good, poor] = split(scoredPassages(findings, isGood), ({ chunk }) => isGood(chunk));
  const { mmrLambda } = options;
  await letOthersRun(signal);
  const groups =
    request.keepRepeats === true
      ? good.map((item) => ({ item, similar: [] }))
      : withOrigins(
          collapse(good, mmrLambda === undefined ? statementOf : answerOf),
          findings.lineWeights,
          findings.promoted,
        );
  const isCurrent = ({ item }: RepeatGroup<ScoredPassage>): boolean =>
    request.currentLast === true && isOfCurrentConversation(item.chunk, options);
  const [current, others] = split(groups, isCurrent);
  const bestOf = (some: readonly RepeatGroup<ScoredPassage>[], count: number) =>
    mmrLambda === undefined ? some.slice(0, count) : diversified(some, mmrLambda, count);
  const first = bestOf(others, maxResults);
  const best = [...first, ...bestOf(current, maxResults - first.length)];
  const results: SearchResult[] = [];
  for (const [position, group] of best.entries()) {
    if (position % WITHOUT_PAUSE === 0) await letOthersRun(signal);
    results.push(resultOf(group, position, findings, { ...options, explain: request.explain }));
  }
  return { results, belowMinScore: Math.min(poor.length, maxResults - best.length) };
}

/** An agent writes to a transcript with each message and each call of a tool. */
const CURRENT_MS = 120_000;

function isOfCurrentConversation(
  { ranked: { chunk } }: FusedChunk,
  { nowMs }: Pick<SearchOptions, 'nowMs'>,
): boolean {
  return chunk.source === 'sessions' && nowMs - chunk.modifiedMs < CURRENT_MS;
}

/** All passages, those that are good enough first; any chunk can join a passage. */
function scoredPassages(
  { fused }: Findings,
  isGood: (chunk: FusedChunk) => boolean,
): readonly ScoredPassage[] {
  const byId = new Map(fused.map((chunk) => [chunk.ranked.chunk.chunkId, chunk]));
  const ranked = split(fused, isGood)
    .flat()
    .map((chunk) => chunk.ranked);
  return passagesOf(ranked, ranked.length).flatMap((passage): ScoredPassage[] => {
    const chunk = byId.get(passage.chunkId);
    return chunk === undefined ? [] : [{ passage, chunk, diversity: null }];
  });
}

function split<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function diversified(
  groups: readonly RepeatGroup<ScoredPassage>[],
  lambda: number,
  maxResults: number,
): readonly RepeatGroup<ScoredPassage>[] {
  const items = groups.slice(0, maxResults * DIVERSITY_POOL).map((group, place) => ({
    ...group,
    place,
    score: group.item.chunk.score,
    text: group.item.passage.lines.map((line) => line.text).join('\n'),
  }));
  return diversify(items, lambda, maxResults).map(({ item: { item, similar, place }, overlap }) => {
    const diversity = { placeBefore: place + 1, overlap: round(overlap) };
    return { item: { ...item, diversity }, similar };
  });
}

function resultOf(
  { item: { passage, chunk, diversity }, similar }: RepeatGroup<ScoredPassage>,
  position: number,
  findings: Findings,
  options: Pick<SearchRequest, 'explain'> & ResultOptions,
): SearchResult {
  const budget = snippetBudget(position, options.snippetChars);
  const { path, source, startLine, endLine } = passage;
  const { days } = options;
  // By the headings only: a day in the name of the file says as much of each line.
  const isOfDays = (line: PassageLine): boolean => {
    const ofLine = days && daysOfHeadings(source, line);
    return days !== undefined && ofLine !== undefined && daysOverlap(ofLine, days);
  };
  const snippet = snippetOf(linesInSections(passage), { ...findings, isOfDays }, budget);
  const { textScore, vectorScore, ranked } = chunk;
  const { kind, mimeType } = ranked.chunk;
  return {
    path,
    ...originOf(passage),
    startLine,
    endLine,
    score: round(chunk.score),
    snippet: snippet.text,
    snippetLine: snippet.line,
    source,
    headingPath: snippet.headingPath,
    ...(findings.mode === 'vector' ? {} : { textScore: round(textScore) }),
    ...(vectorScore === undefined ? {} : { vectorScore: round(vectorScore) }),
    ...(chunk.reranked === undefined ? {} : { rerankScore: round(chunk.reranked.score) }),
    ...citationOf(passage, options),
    ...(similar.length === 0
      ? {}
      : { similarCount: similar.length, similar: similarPassages(similar, options) }),
    ...(options.explain === true
      ? { explanation: explanationOf(chunk, diversity, findings, options) }
      : {}),
    kind,
    ...(mimeType === undefined ? {} : { mimeType }),
    highlights: snippet.highlights,
    bestLine: snippet.bestLine,
  };
}

function originOf({ origin }: Passage): Pick<SearchResult, 'origin'> {
  return origin === undefined ? {} : { origin };
}

function citationOf(passage: Passage, { citations }: ResultOptions) {
  if (citations === 'off') return {};
  const pages = pagesOf(passage);
  const citation = pages === undefined ? formatCitation(passage) : formatPages(passage, pages);
  return { citation };
}

const PAGE_HEADING = /^Page (\d{1,6})$/u;

/** The pages of a passage of a PDF. */
function pagesOf({ path, lines, headingPath }: Passage): PageRange | undefined {
  if (documentFormatOf(path) !== 'pdf') return undefined;
  const started = lines.flatMap(({ text }, at) => {
    const page = pageOfLine(text);
    return page === undefined ? [] : [{ page, at }];
  });
  const [first] = started;
  const last = started.at(-1);
  if (first !== undefined && last !== undefined) {
    // Lines above the first page number are of the page before.
    const firstPage = first.at === 0 ? first.page : Math.max(1, first.page - 1);
    return { firstPage, lastPage: last.page };
  }
  const page = Number(PAGE_HEADING.exec(headingPath[0] ?? '')?.[1]);
  return page >= 1 ? { firstPage: page, lastPage: page } : undefined;
}

/** Most passages in a result's `similar`; their number is complete. */
const MOST_LISTED = 10;

function similarPassages(
  similar: readonly ScoredPassage[],
  options: ResultOptions,
): NonNullable<SearchResult['similar']> {
  return similar.slice(0, MOST_LISTED).map(({ passage }) => {
    const { path, startLine, endLine } = passage;
    return { path, ...originOf(passage), startLine, endLine, ...citationOf(passage, options) };
  });
}

function explanationOf(
  { ranked, decay, ageDays, reranked }: FusedChunk,
  diversity: ScoreExplanation['diversity'],
  { shares, similarities }: Findings,
  { halfLifeDays }: ResultOptions,
): ScoreExplanation {
  const similarity = similarities.get(ranked.chunk.chunkId);
  return {
    textShare: round(shares.text),
    vectorShare: round(shares.vector),
    similarity: similarity === undefined ? null : round(similarity),
    decay:
      halfLifeDays === undefined || ageDays === undefined
        ? null
        : { factor: round(decay), ageDays: Math.round(ageDays * 10) / 10 },
    ...(reranked === undefined ? {} : { placeBeforeRerank: reranked.placeBefore }),
    diversity,
  };
}

/** Four digits: the rest is noise, and equal results should look equal. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): repeatedly takes the item with the best
 * λ·relevance − (1 − λ)·overlap with those taken before. Relevance is the score scaled to 0..1; overlap is
 * the Jaccard index of the words. λ = 1 keeps the order.
 *
 * @param items best first; the first of equals is taken
 * @returns each with its largest overlap with an item above it, 0 to 1
 */
export function diversify<Item extends { readonly score: number; readonly text: string }>(
  items: readonly Item[],
  lambda: number,
  count: number,
) {
  const scores = items.map((item) => item.score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const remaining = items.map((item) => ({
    item,
    relevance: high === low ? 1 : (item.score - low) / (high - low),
    words: new Set(wordsOf(item.text).map((word) => word.stem)),
    overlap: 0,
  }));
  const chosen: { readonly item: Item; readonly overlap: number }[] = [];
  while (chosen.length < count && remaining.length > 0) {
    const values = remaining.map(
      ({ relevance, overlap }) => lambda * relevance - (1 - lambda) * overlap,
    );
    const [next] = remaining.splice(values.indexOf(Math.max(...values)), 1);
    if (next === undefined) break;
    chosen.push({ item: next.item, overlap: next.overlap });
    for (const other of remaining)
      other.overlap = Math.max(other.overlap, jaccard(next.words, other.words));
  }
  return chosen;
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
