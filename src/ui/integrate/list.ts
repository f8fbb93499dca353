import type { ListedAgent } from '../../engine/integrate/list.js';
import { fitMiddle } from '../fit.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';
import { fitLastColumn, renderTable } from '../table.js';

/** How the list is drawn. */
export interface ListOptions {
  readonly style: Style;
  readonly homeDir: string;
  /** Width of the terminal; undefined cuts nothing. */
  readonly columns: number | undefined;
}

/** The agents as a table, then what is wrong with their files. */
export function renderAgents(
  agents: readonly ListedAgent[],
  { style, homeDir, columns }: ListOptions,
): string {
  const rows = agents.map((agent) => [
    agent.id,
    agent.isDetected ? 'yes' : 'no',
    serverWords(agent),
    hookWords(agent),
    shownPath(agent.file, homeDir),
  ]);
  const titles = ['agent', 'detected', 'registered', 'active memory', 'file'];
  const heads = titles.map((title) => ({ title }));
  const table = renderTable(heads, fitLastColumn(heads, rows, columns, fitMiddle), style);
  const faults = agents.flatMap(({ id, fault }) =>
    fault === undefined ? [] : [`${id}: ${safeLine(fault.message)}`],
  );
  return faults.length === 0 ? table : `${table}\n${faults.join('\n')}\n`;
}

function serverWords({ servers, fault }: ListedAgent): string {
  if (fault !== undefined) return 'unknown';
  if (servers.length === 0) return 'no';
  const names = servers.map(safeLine).join(', ');
  return names === 'svc' ? 'yes' : `yes (${names})`;
}

function hookWords({ hookFile, hasHook, fault }: ListedAgent): string {
  if (hookFile === undefined) return '–';
  if (fault !== undefined) return 'unknown';
  return hasHook ? 'yes' : 'no';
}
