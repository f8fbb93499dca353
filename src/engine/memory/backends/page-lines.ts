import { SvcError } from '../../errors/index.js';
import { pageOfLine } from '../../support/document-format.js';
import type { PageRange } from '../search/index.js';
import { lineAt, type TextLines } from '../sources/index.js';
import type { LineRange } from '../types.js';

/**
 * The lines of the pages of a PDF.
 *
 * @throws SvcError RANGE_INVALID
 */
export function pageLines(
  lines: TextLines,
  path: string,
  pages: PageRange | undefined,
): LineRange | undefined {
  if (pages === undefined) return undefined;
  let startLine: number | undefined;
  let endLine = lines.count;
  for (let at = 0; at < lines.count; at++) {
    const page = pageOfLine(lineAt(lines, at));
    if (page === pages.firstPage) startLine ??= at + 1;
    if (page === pages.lastPage + 1) endLine = at;
  }
  if (startLine === undefined || endLine < startLine) {
    throw new SvcError('RANGE_INVALID', `${path} has no page ${pages.firstPage}`, {
      hint: `read it from its start: svc memory get ${path}`,
    });
  }
  return { startLine, endLine };
}
