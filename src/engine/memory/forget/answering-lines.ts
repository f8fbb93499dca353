import { splitBlocks } from '../chunking/index.js';
import { highlightMatcher, type QueryReading, type SearchResult } from '../search/index.js';
import { joinedLines, type TextLines } from '../sources/index.js';
import type { LineRange } from '../types.js';

/**
 * The lines of a result that a query means: of the list items and paragraphs in its passage those with the
 * most query words. The whole passage when none matches, or when it is not a note.
 *
 * @param lines of its document: a snippet leaves out lines
 */
export function answeringLines(
  result: SearchResult,
  lines: TextLines,
  reading: QueryReading,
): readonly LineRange[] {
  const { startLine, endLine } = result;
  if (result.kind !== 'markdown' || result.highlights.length === 0) return [{ startLine, endLine }];
  const matcher = highlightMatcher(result, reading);
  const found = splitBlocks(lines)
    .filter(({ kind, start, end }) => kind !== 'heading' && start < endLine && end >= startLine)
    .map(({ start, end }) => {
      const range = { startLine: Math.max(startLine, start + 1), endLine: Math.min(endLine, end) };
      const { hits } = matcher(joinedLines(lines, range.startLine - 1, range.endLine));
      return { range, words: new Set(hits.map(({ term }) => term)).size };
    });
  const most = Math.max(0, ...found.map(({ words }) => words));
  if (most === 0) return [{ startLine, endLine }];
  return found.filter(({ words }) => words === most).map(({ range }) => range);
}
