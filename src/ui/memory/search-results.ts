import type { LinkMap } from '../../engine/memory/inspect/link-map.js';
import type { SearchResponse, SearchResult } from '../../engine/memory/search/index.js';
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatModel,
} from '../../engine/support/format.js';
import { wrapBehind, wrapSpans } from '../fit.js';
import { markSnippet, paintMarks } from '../marked-text.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { headingTrail, lineAnchor, shownDocument } from './words.js';

/** How search results are shown. */
export interface SearchResultsOptions extends Pick<View, 'columns' | 'hintFor' | 'style'> {
  /** Three lines a result instead of whole passages; needs `columns`. */
  readonly compact?: boolean;
  /** Flags that restrict the results. */
  readonly filters?: readonly string[];
  /** Shows the notes that results are linked with. */
  readonly related?: LinkMap | undefined;
  /** Where a result's file is, for terminals that show links. */
  readonly href?: ((result: SearchResult) => string | undefined) | undefined;
}

/** Indents text so that the scores stand out as a column. */
const INDENT = '      ';

/** The output of `svc memory search`: best result first, separated by blank lines. */
export function renderSearchResults(
  response: SearchResponse,
  options: SearchResultsOptions,
): string {
  const date = dateLine(response, options);
  if (response.results.length === 0) return `${date}${noMatches(response, options)}`;
  const results = response.results.map((result) => renderResult(result, options));
  const cost = rerankLine(response, options);
  return `${correctionLine(response, options)}${date}${[...results, ...(cost === undefined ? [] : [cost])].join('\n')}`;
}

/** How a date in the query was understood. */
function dateLine({ dates }: SearchResponse, { style }: SearchResultsOptions): string {
  if (dates === null) return '';
  const { from, to, passages } = dates;
  const days = from === to ? from : `${from} to ${to}`;
  return `${style.dim(passages === 0 ? `no notes dated ${days}` : `dated ${days}`)}\n\n`;
}

/** With explanations: how much was reranked, and what it cost. */
function rerankLine(
  { rerank, results }: SearchResponse,
  { style }: SearchResultsOptions,
): string | undefined {
  if (rerank === undefined || results[0]?.explanation === undefined) return undefined;
  const { provider, model, passages, cached, tokens, searchUnits, ms } = rerank;
  const name = formatModel(provider, model);
  const facts = [
    `reranked ${formatCountOf(passages, 'passage')} with ${safeLine(name)} in ${formatDuration(ms)}`,
    ...(cached === 0 ? [] : [`${formatCount(cached)} from the cache`]),
    ...(tokens === undefined ? [] : [formatCountOf(tokens, 'token')]),
    ...(searchUnits === undefined ? [] : [formatCountOf(searchUnits, 'search unit')]),
  ];
  return `${style.dim(facts.join(', '))}\n`;
}

/** Which words were searched instead of the typed ones. */
function correctionLine(response: SearchResponse, { style }: SearchResultsOptions): string {
  const note = correctionNote(response);
  if (note === undefined) return '';
  return `${style.dim(safeLine(`${note}; --exact searches as typed`))}\n\n`;
}

/** More words than that say nothing new on one line. */
const MAX_WORDS_SHOWN = 5;

/** Which words of the query were replaced, on one line; undefined if none was. */
export function correctionNote({
  corrections,
}: Pick<SearchResponse, 'corrections'>): string | undefined {
  if (corrections.length === 0) return undefined;
  const quoted = (words: readonly string[]): string => {
    const more = words.length > MAX_WORDS_SHOWN ? ' and more' : '';
    return `${words
      .slice(0, MAX_WORDS_SHOWN)
      .map((word) => `"${word}"`)
      .join(', ')}${more}`;
  };
  const instead = quoted(corrections.flatMap((correction) => correction.instead));
  const words = quoted(corrections.map(({ word }) => word));
  return `showing results for ${instead} (no match for ${words})`;
}

function noMatches(
  { belowMinScore, warnings }: SearchResponse,
  { hintFor, filters = [] }: SearchResultsOptions,
): string {
  if (warnings.some(({ code }) => code === 'INDEX_EMPTY')) return 'No matches.\n';
  const without = filters.length === 0 ? '' : `without ${filters.join(', ')}, or `;
  const help =
    belowMinScore > 0
      ? `${formatCountOf(belowMinScore, 'passage')} scored too low. Try a lower --min-score.`
      : `Try ${without}fewer or different words. ${hintFor('"svc memory status --why PATH" shows why a file is not indexed')}.`;
  return `No matches.\n${help}\n`;
}

function renderResult(result: SearchResult, options: SearchResultsOptions): string {
  const { style } = options;
  // Images have no lines.
  const { mimeType } = result;
  const where = mimeType === undefined ? lineAnchor(result) : `  ${safeLine(mimeType)}`;
  const header = `${style.accent(shownDocument(result))}${style.dim(where)}`;
  const lines = [
    `${style.bold(result.score.toFixed(2))}  ${hyperlink(header, options.href?.(result))}`,
  ];
  if (result.headingPath.length > 0) {
    lines.push(`${INDENT}${style.dim(headingTrail(result.headingPath))}`);
  }
  lines.push(...explanationLines(result, options));
  const others = moreLikeThis(result);
  const more = [
    ...(others === '' ? [] : [`${INDENT}${style.dim(`and ${others}`)}`]),
    ...relatedLines(result, options),
  ];
  if (options.compact === true) {
    return `${[...lines, ...bestLine(result, options), ...more].join('\n')}\n`;
  }
  lines.push(...snippetLines(result, options).map((line) => (line === '' ? '' : INDENT + line)));
  if (more.length > 0) lines.push('', ...more);
  if (result.citation !== undefined) {
    lines.push('', `${INDENT}${style.dim(`Source: ${safeLine(result.citation)}`)}`);
  }
  return `${lines.join('\n')}\n`;
}

const RELATIONS = {
  both: 'linked both ways',
  links: 'links to',
  linked_from: 'linked from',
} as const;

function relatedLines(
  { path, origin }: SearchResult,
  { style, related }: SearchResultsOptions,
): readonly string[] {
  if (related === undefined || origin !== undefined) return [];
  return related
    .neighbours(path)
    .map((note) => `${INDENT}${style.dim(`${RELATIONS[note.relation]}: ${safeLine(note.path)}`)}`);
}

/** `5 more like this`, for the passages that say the same; empty if there are none. */
export function moreLikeThis({ similarCount = 0 }: SearchResult): string {
  return similarCount === 0 ? '' : `${formatCount(similarCount)} more like this`;
}

function explanationLines(
  result: SearchResult,
  { style, columns }: SearchResultsOptions,
): readonly string[] {
  const words = explanationWords(result);
  if (words === undefined) return [];
  return wrapBehind(INDENT, words, columns, style.dim);
}

/** How many lines of front matter a snippet begins with. */
function frontMatterLines({ snippet, snippetLine }: SearchResult): number {
  const [first, ...others] = snippet.split('\n');
  if (snippetLine !== 1 || first !== '---') return 0;
  return others.findIndex((line) => line === '---' || line === '...') + 2;
}

/**
 * The line of a passage that matches best, as much of it as fits around the first match. Without one, the first that is
 * neither front matter nor a heading, because headings are shown above.
 */
function bestLine(result: SearchResult, options: SearchResultsOptions): readonly string[] {
  const lines = markSnippet(result.snippet, result.highlights);
  const withText = lines.slice(frontMatterLines(result)).filter(({ text }) => text.trim() !== '');
  const best =
    lines[result.bestLine ?? -1] ??
    withText.find(({ text }) => !text.startsWith('#')) ??
    withText[0] ??
    lines[0];
  if (best === undefined) return [];
  const room = (options.columns ?? 80) - INDENT.length - 2;
  const spans = wrapSpans(best.text, room);
  const first = best.marks[0]?.start ?? 0;
  const span = spans.find(({ end }) => end > first) ?? { start: 0, end: best.text.length };
  const before = span.start > 0 ? '…' : '';
  const after = span.end < best.text.length ? '…' : '';
  return [`${INDENT}${before}${paintMarks(best, span, options.style.match).trim()}${after}`];
}

function snippetLines(result: SearchResult, options: SearchResultsOptions): readonly string[] {
  return markSnippet(result.snippet, result.highlights).flatMap((line) => {
    const whole = [{ start: 0, end: line.text.length }];
    const spans =
      options.columns === undefined ? whole : wrapSpans(line.text, options.columns - INDENT.length);
    return spans.map((span) => paintMarks(line, span, options.style.match).trimEnd());
  });
}

/** A text as a link (OSC 8); terminals without links show only the text. The address must be percent-encoded. */
function hyperlink(text: string, href: string | undefined): string {
  return href === undefined ? text : `\u001B]8;;${href}\u001B\\${text}\u001B]8;;\u001B\\`;
}

/**
 * How a score was calculated, on one line: `keyword 0.88 (weight 0.3), vector 0.94 (weight 0.7) · similarity 0.61 ·
 * decay 0.50 (30 days) · 2nd before diversity, overlap 0.40`; undefined without an explanation.
 */
export function explanationWords(result: SearchResult): string | undefined {
  const { explanation } = result;
  if (explanation === undefined) return undefined;
  const { similarity, decay, diversity, placeBeforeRerank } = explanation;
  const parts = [
    sidesWords(result),
    similarity === null ? '' : `similarity ${similarity.toFixed(2)}`,
    decay === null ? '' : `decay ${decay.factor.toFixed(2)} (${daysWords(decay.ageDays)})`,
    result.rerankScore === undefined || placeBeforeRerank === undefined
      ? ''
      : `reranked ${result.rerankScore.toFixed(2)}, ${ordinal(placeBeforeRerank)} before`,
    diversity === null
      ? ''
      : `${ordinal(diversity.placeBefore)} before diversity, overlap ${diversity.overlap.toFixed(2)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function sidesWords({ textScore, vectorScore, explanation }: SearchResult): string {
  const words = textScore === undefined ? undefined : `keyword ${textScore.toFixed(2)}`;
  const vector = vectorScore === undefined ? undefined : `vector ${vectorScore.toFixed(2)}`;
  if (words === undefined || explanation === undefined) return vector ?? '';
  if (vector !== undefined) {
    const { textShare, vectorShare } = explanation;
    return `${words} (weight ${formatWeight(textShare)}), ${vector} (weight ${formatWeight(vectorShare)})`;
  }
  return explanation.vectorShare > 0 ? `${words} only, no vector yet` : words;
}

function formatWeight(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function daysWords(days: number): string {
  const rounded = days < 10 ? Math.round(days * 10) / 10 : Math.round(days);
  return `${rounded} ${rounded === 1 ? 'day' : 'days'}`;
}

function ordinal(place: number): string {
  const tens = place % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${suffix}`;
}
