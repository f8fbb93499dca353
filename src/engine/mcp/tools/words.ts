import type { GetAnswer, SearchAnswer } from './schemas.js';

/** An answer of `memory_search` to be read: passages with their places, then what to take them with. */
export function searchText({ results, mode, warnings }: SearchAnswer, query: string): string {
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const head = `${count} for ${JSON.stringify(query)} (${mode})`;
  const passages = results.map(({ path, startLine, endLine, score, headingPath, snippet }, at) => {
    const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
    const headings = headingPath.length === 0 ? '' : `\n${headingPath.join(' > ')}`;
    return `${at + 1}. ${path}, ${lines}, score ${score.toFixed(2)}${headings}\n${snippet}`;
  });
  return [head, ...passages, ...warningTexts(warnings)].join('\n\n');
}

/** An answer of `memory_get` to be read: the lines, and where to go on. */
export function getText(answer: GetAnswer): string {
  const { text, citation, from, lines, totalLines, nextFrom, warnings } = answer;
  const source = citation === undefined ? [] : [`Source: ${citation}`];
  const rest =
    nextFrom === undefined
      ? []
      : [`[lines ${from}-${from + lines - 1} of ${totalLines}; go on with from: ${nextFrom}]`];
  return [text, ...rest, ...source, ...warningTexts(warnings)].join('\n\n');
}

function warningTexts(warnings: SearchAnswer['warnings']): readonly string[] {
  return warnings.map(({ message, hint }) => {
    return `warning: ${message}${hint === undefined ? '' : `\nmend: ${hint}`}`;
  });
}
