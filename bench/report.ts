import { markdownTable, takenOn, writeSection } from './page-tables.js';
import { cellsOf, formatTable, type Row, TITLES } from './table.js';

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
  const body = rows.map((row) => cellsOf({ ...row, what: row.what.trim() }));
  writeSection(part, `${caption}\n\n${markdownTable([TITLES, ...body])}`);
}
