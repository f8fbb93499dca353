import type { StorageOriginsOutput } from '../../engine/storage/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable, type TableColumn } from '../table.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'agent' },
  { title: 'origin' },
  { title: 'documents', align: 'right' },
  { title: 'chunks', align: 'right' },
  { title: 'last change' },
];

type OriginRow = StorageOriginsOutput['origins'][number];

/** Which hosts index into shared memories; shared by two commands. */
export function originsTable(origins: readonly OriginRow[], style: Style): string {
  const rows = origins.map(({ agent, origin, documents, chunks, seenSecondsAgo }) => [
    safeLine(agent),
    safeLine(origin),
    formatCount(documents),
    formatCount(chunks),
    formatRelativeTime(-seenSecondsAgo * 1000, 0),
  ]);
  return renderTable(COLUMNS, rows, style);
}

/** Text of `svc storage origins`. */
export function renderOrigins(
  { origins, forgotten }: StorageOriginsOutput,
  { style }: { readonly style: Style },
): string {
  const gone = forgotten.map(
    ({ agent, origin, documents }) =>
      `removed ${formatCountOf(documents, 'document')} of ${safeLine(origin)} from ${safeLine(agent)}\n`,
  );
  const left =
    origins.length === 0
      ? 'no host has indexed anything into a shared memory\n'
      : originsTable(origins, style);
  return gone.length === 0 ? left : `${gone.join('')}\n${left}`;
}
