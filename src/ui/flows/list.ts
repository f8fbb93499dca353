import type {
  FlowEntry,
  FlowFinding,
  Page,
  TaskFinding,
  TaskRecord,
} from '../../engine/flows/index.js';
import { formatCount, formatCountOf, formatDuration } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { fitLastColumn, renderTable, type TableColumn } from '../table.js';
import {
  FLOW_TITLES,
  flowRow,
  ID_CHARS,
  type ListRow,
  STATUS_COLUMNS,
  statusPaint,
  TASK_TITLES,
  taskRow,
} from './rows.js';

/** How a list is drawn. */
export type ListOptions = Pick<View, 'columns' | 'nowMs' | 'style'>;

/** Flows as a table, newest first. */
export function renderFlowList(page: Page<FlowEntry>, options: ListOptions): string {
  if (page.total === 0) return 'no flows\n';
  const rows = page.entries.map((entry) => flowRow(entry, options.nowMs));
  return table(FLOW_TITLES, rows, STATUS_COLUMNS.flows, options) + rest(page, 'flow', options);
}

/** Tasks as a table, newest first. */
export function renderTaskList(page: Page<TaskRecord>, options: ListOptions): string {
  if (page.total === 0) return 'no tasks\n';
  const rows = page.entries.map((task) => taskRow(task, options.nowMs));
  return table(TASK_TITLES, rows, STATUS_COLUMNS.tasks, options) + rest(page, 'task', options);
}

function rest(page: Page<unknown>, noun: string, { style }: ListOptions): string {
  const { length } = page.entries;
  if (length === page.total) return '';
  const text = `${formatCount(length)} of ${formatCountOf(page.total, noun)}; use --limit to show more`;
  return `${style.dim(text)}\n`;
}

/** Columns of the last cell that even the narrowest terminal shows. */
const LEAST_LAST = 10;

function table(
  titles: readonly string[],
  rows: readonly ListRow[],
  statusColumn: number,
  { style, columns }: ListOptions,
): string {
  const heads = titles.map((title): TableColumn => {
    return title === 'rev' || title === 'tries' ? { title, align: 'right' } : { title };
  });
  const fit = (text: string, room: number): string => fitEnd(text, Math.max(LEAST_LAST, room));
  const texts = rows.map(({ cells }) => cells);
  const shown = fitLastColumn(heads, texts, columns, fit).map((cells, row) => {
    const paint = statusPaint(rows[row]?.status ?? 'queued', style);
    return cells.map((cell, at) => (at === statusColumn ? paint(cell) : cell));
  });
  return renderTable(heads, shown, style);
}

/** The findings of an audit, errors first. */
export function renderFindings(
  findings: readonly (FlowFinding | TaskFinding)[],
  { style }: ListOptions,
): string {
  if (findings.length === 0) return `${style.ok('nothing is stuck, lost or inconsistent')}\n`;
  const rows = findings.map((finding) => [
    finding.severity === 'error' ? style.fault('error') : style.warning('warn'),
    finding.code,
    (finding.kind === 'flow' ? finding.flow.flowId : finding.task.taskId).slice(0, ID_CHARS),
    formatDuration(finding.ageMs),
    safeLine(finding.detail),
  ]);
  const columns = ['severity', 'code', findings[0]?.kind ?? 'id', 'for', 'problem'];
  return renderTable(
    columns.map((title) => ({ title })),
    rows,
    style,
  );
}
