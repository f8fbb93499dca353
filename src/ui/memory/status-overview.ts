import type { BackendStatus } from '../../engine/memory/backends/memory-backend.js';
import { formatBytes, formatCount, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable, right } from '../table.js';
import type { AgentStatusView } from './status.js';
import { providerWords } from './status-facts.js';
import { changedFiles, lastSyncWords } from './words.js';

const COLUMNS = [
  'agent',
  right('files'),
  { ...right('chunks'), dropOrder: 2 },
  { ...right('size'), dropOrder: 1 },
  'freshness',
  'last sync',
  'provider',
];

/** A table with one line per agent, followed by problems. */
export function renderStatusOverview(agents: readonly AgentStatusView[], options: View): string {
  const { style, columns } = options;
  const rows = agents.map(({ agentId, status, embedding }) => [
    style.bold(safeLine(agentId)),
    ...indexCells(status, options.nowMs),
    status.ext === undefined ? providerWords(embedding) : 'external program',
  ]);
  const faults = agents.flatMap(({ agentId, status }) =>
    status.faults.map((fault) => {
      const hint = fault.hint === undefined ? '' : `\n  → ${safeLine(fault.hint)}`;
      return `${style.fault(`${safeLine(agentId)}: ${safeLine(fault.message)}`)}${hint}\n`;
    }),
  );
  const table = renderTable(COLUMNS, rows, { style, columns });
  return faults.length === 0 ? table : `${table}\n${faults.join('')}`;
}

/** Files, chunks, size, freshness, last sync. */
function indexCells(status: BackendStatus, nowMs: number): readonly string[] {
  const { index, ext } = status;
  if (ext?.updated !== undefined && ext.updated !== null) {
    const { files, stale, at } = ext.updated;
    const fresh = stale ? 'stale' : 'up to date';
    return [formatCount(files), '–', '–', fresh, formatRelativeTime(Date.parse(at), nowMs)];
  }
  const fresh = freshnessWords(status);
  const synced = lastSyncWords(status, nowMs);
  if (index.state !== 'ready') {
    const count = index.state === 'missing' ? '0' : '–';
    return [count, count, '–', fresh, synced];
  }
  const { documents, chunks, bytes } = index.statistics;
  return [formatCount(documents), formatCount(chunks), formatBytes(bytes), fresh, synced];
}

/** Whether an index is up to date, or what is wrong with it. */
export function freshnessWords({
  index,
  staleness,
  shared,
}: Pick<BackendStatus, 'index' | 'staleness'> & {
  readonly shared?: object | null | undefined;
}): string {
  if (index.state === 'missing') return 'no index yet';
  // The next sync rebuilds a file that cannot be used, such as one of an older svc, but not a server.
  if (index.state === 'unusable') return shared ? 'unusable' : 'needs rebuild';
  if (index.state === 'newer') return 'needs newer svc';
  if (index.rebuildBecause !== undefined) return 'needs rebuild';
  if (staleness === undefined) return 'cannot be read';
  const changes = changedFiles(staleness);
  return changes === 0 ? 'up to date' : `${formatCount(changes)} stale`;
}
