import { markdownTable, takenOn, writeSection } from './page-tables.js';
import { formatTable, type Row } from './table.js';

/**
 * Prints the results of one part of the benchmark; with `--write` it also replaces that part's section in
 * docs/performance.md.
 *
 * @param what what was measured, in a few words
 */
export function report(part: string, what: string, rows: readonly Row[]): void {
  const caption = `${what}. ${takenOn()}.`;
  console.log(`${caption}\n${formatTable(rows)}`);
  if (!process.argv.includes('--write')) return;
  const head = ['what', 'median', 'baseline', 'ratio', 'target'];
  const body = rows.map((row) => [row.what.trim(), row.value, row.baseline, row.ratio, row.target]);
  writeSection(part, `${caption}\n\n${markdownTable([head, ...body])}`);
}
