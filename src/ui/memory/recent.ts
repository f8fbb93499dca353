import type { RecentChanges } from '../../engine/memory/inspect/index.js';
import type { LoggedSearch } from '../../engine/memory/lookups/search-log.js';
import { formatBytes, formatCount, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable } from '../table.js';
import { lineAnchor, shownDocument } from './words.js';

/** The files that changed last, as a table. */
export function renderRecent(
  { documents, more }: RecentChanges,
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (documents.length === 0) return 'no changes\n';
  const rows = documents.map(({ path, modifiedMs, size }) => {
    return [formatRelativeTime(modifiedMs, nowMs), formatBytes(size), safeLine(path)];
  });
  const columns = ['changed', { title: 'size', align: 'right' }, 'file'] as const;
  const rest = more === 0 ? '' : `${style.dim(`and ${formatCount(more)} more; see --limit`)}\n`;
  return `${renderTable(columns, rows, style)}${rest}`;
}

/** Logged searches with their hits; ✓ marks those that were opened. */
export function renderSearchLog(
  searches: readonly LoggedSearch[],
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (searches.length === 0) return 'no searches\n';
  return searches.map((search) => renderSearch(search, style, nowMs)).join('\n');
}

function renderSearch({ atMs, query, hits, opened }: LoggedSearch, style: Style, nowMs: number) {
  const isOpened = (path: string): boolean => opened.some((one) => one.path === path);
  const lines = hits.map((hit) => {
    const mark = isOpened(hit.path) ? '✓' : ' ';
    return `  ${mark} ${hit.score.toFixed(3)}  ${shownDocument(hit)}${lineAnchor(hit)}\n`;
  });
  const when = style.dim(formatRelativeTime(atMs, nowMs));
  const nothing = lines.length === 0 ? `    ${style.dim('no results')}\n` : '';
  return `${style.bold(safeLine(query))}  ${when}\n${lines.join('')}${nothing}`;
}
