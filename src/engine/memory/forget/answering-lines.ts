import { splitBlocks } from '../chunking/blocks.js';
import type { SearchResult } from '../search/types.js';
import { foldWord } from '../search/words.js';
import { textLines } from '../sources/text-lines.js';
import type { LineRange } from '../types.js';

/**
 * The lines of a result that are meant by the words it was found with: of the list items and paragraphs in
 * its snippet those that hold most of the words. All of the passage where no word of it was found, and of
 * what is no note.
 */
export function answeringLines(result: SearchResult): readonly LineRange[] {
  const { startLine, endLine, snippet, snippetLine, highlights, kind } = result;
  if (kind !== 'markdown' || highlights.length === 0) return [{ startLine, endLine }];
  const lines = textLines(snippet);
  const held = splitBlocks(lines)
    .filter((block) => block.kind !== 'heading')
    .map((block) => {
      const from = lines.starts[block.start] ?? 0;
      const to = lines.ends[block.end - 1] ?? 0;
      const inside = highlights.filter(({ start, end }) => start >= from && end <= to);
      const words = new Set(inside.map(({ start, end }) => foldWord(snippet.slice(start, end))));
      return { block, words: words.size };
    });
  const most = Math.max(0, ...held.map(({ words }) => words));
  if (most === 0) return [{ startLine, endLine }];
  return held
    .filter(({ words }) => words === most)
    .map(({ block }) => ({
      startLine: snippetLine + block.start,
      endLine: Math.min(endLine, snippetLine + block.end - 1),
    }));
}
