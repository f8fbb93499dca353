import type { SearchResponse, SearchResult } from '../../engine/memory/search/types.js';
import { formatCountOf } from '../format.js';
import { markSnippet, paintMarks } from '../marked-text.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { LIGHT_MEASURE, wrapSpans } from '../wrap.js';
import { explanationWords } from './explanation.js';
import { headingTrail, lineAnchor } from './location.js';

/** How search results are shown. */
export interface SearchResultsOptions {
  readonly style: Style;
  /** Width to wrap snippets to; undefined (a pipe) leaves every line whole. */
  readonly columns: number | undefined;
  /** Puts `Source: path#L3-L5` under every result that carries a citation. */
  readonly citations: boolean;
}

/** Under the score, so that the scores stand out as a column of their own. */
const INDENT = '      ';

/** The answer of `svc memory search` for people: best result first, a blank line between two. */
export function renderSearchResults(
  response: SearchResponse,
  options: SearchResultsOptions,
): string {
  if (response.results.length === 0) return noMatches(response);
  return response.results.map((result) => renderResult(result, options)).join('\n');
}

function noMatches({ belowMinScore }: SearchResponse): string {
  const help =
    belowMinScore > 0
      ? `${formatCountOf(belowMinScore, 'passage')} scored too low; try a lower --min-score.`
      : 'Try fewer or other words; svc memory status shows what is indexed.';
  return `No matches.\n${help}\n`;
}

function renderResult(result: SearchResult, options: SearchResultsOptions): string {
  const { style } = options;
  // A picture has no lines to point at.
  const { mimeType } = result;
  const where = mimeType === undefined ? lineAnchor(result) : `  ${safeLine(mimeType)}`;
  const place = `${style.cyan(safeLine(result.path))}${style.dim(where)}`;
  const lines = [`${style.bold(result.score.toFixed(2))}  ${place}`];
  if (result.headingPath.length > 0) {
    lines.push(`${INDENT}${style.dim(headingTrail(result.headingPath))}`);
  }
  lines.push(...explanationLines(result, options));
  lines.push(...snippetLines(result, options).map((line) => (line === '' ? '' : INDENT + line)));
  if (options.citations && result.citation !== undefined) {
    lines.push('', `${INDENT}${style.dim(`Source: ${safeLine(result.citation)}`)}`);
  }
  return `${lines.join('\n')}\n`;
}

function explanationLines(
  result: SearchResult,
  { style, columns }: SearchResultsOptions,
): readonly string[] {
  const words = explanationWords(result);
  if (words === undefined) return [];
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - INDENT.length;
  return wrapSpans(words, room, LIGHT_MEASURE).map(
    ({ start, end }) => `${INDENT}${style.dim(words.slice(start, end))}`,
  );
}

function snippetLines(result: SearchResult, options: SearchResultsOptions): readonly string[] {
  const paint = (text: string): string => options.style.bold(options.style.underline(text));
  return markSnippet(result.snippet, result.highlights).flatMap((line) => {
    const whole = [{ start: 0, end: line.text.length }];
    const spans =
      options.columns === undefined
        ? whole
        : wrapSpans(line.text, options.columns - INDENT.length, LIGHT_MEASURE);
    return spans.map((span) => paintMarks(line, span, paint).trimEnd());
  });
}
