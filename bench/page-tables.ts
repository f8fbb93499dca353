import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page with the results. */
const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** A Markdown table: the first row is the header, and all columns but the first are right-aligned. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  return [head, rule, ...body].map(line).join('\n');
}

/** The same for a terminal. */
export function plainTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  const pad = (cell: string, at: number): string =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map((cells) => cells.map(pad).join('   ').trimEnd()).join('\n');
}

/** Puts text between the two markers of that name. @throws if the page has no such markers */
export function writeSection(name: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for ${name}`);
  const parts = [page.slice(0, from + begin.length), '\n\n', text, '\n\n', page.slice(to)];
  writeFileSync(PAGE, parts.join(''));
}

/** Describes the machine and the conditions of a section. */
export function takenOn(): string {
  return `Node.js ${process.version}, ${process.platform} ${process.arch}`;
}
