import type { RecentChanges } from '../../engine/memory/inspect/index.js';
import { formatBytes, formatCount, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable } from '../table.js';

/** The files that changed last, as a table. */
export function renderRecent(
  { documents, more }: RecentChanges,
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (documents.length === 0) return 'no changes\n';
  const rows = documents.map(({ path, modifiedMs, size }) => {
    return [formatRelativeTime(modifiedMs, nowMs), formatBytes(size), safeLine(path)];
  });
  const columns = [
    { title: 'changed' },
    { title: 'size', align: 'right' },
    { title: 'file' },
  ] as const;
  const rest = more === 0 ? '' : `${style.dim(`and ${formatCount(more)} more; see --limit`)}\n`;
  return `${renderTable(columns, rows, style)}${rest}`;
}
