import type { FlowRecord } from '../../engine/flow-model/flow-record.js';
import type { TaskRecord } from '../../engine/flow-model/task-record.js';
import type {
  ChangeOutcome,
  FlowEntry,
  FlowListOutput,
  Page,
  TaskListOutput,
} from '../../engine/flows/index.js';
import { formatCountOf, formatDuration } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { limitNote, renderTable, right } from '../table.js';
import {
  firstLine,
  flowRow,
  ID_CHARS,
  type ListRow,
  ROW_COLUMNS,
  statusPaint,
  taskRow,
} from './rows.js';

/** Flows as a table, newest first. */
export function renderFlowList(page: Page<FlowEntry>, options: View): string {
  const rows = page.entries.map((entry) => flowRow(entry, options.nowMs));
  return renderList('flow', rows, page.total, options);
}

/** Tasks as a table, newest first. */
export function renderTaskList(page: Page<TaskRecord>, options: View): string {
  const rows = page.entries.map((task) => taskRow(task, options.nowMs));
  return renderList('task', rows, page.total, options);
}

function renderList(
  noun: 'flow' | 'task',
  rows: readonly ListRow[],
  total: number,
  { style, columns }: View,
): string {
  if (total === 0) return `no ${noun}s\n`;
  const rowColumns = ROW_COLUMNS[`${noun}s`];
  const titles = rowColumns.map(({ title, content, dropOrder }) => ({
    ...(content === 'number' ? right(title) : { title }),
    ...(dropOrder !== undefined && { dropOrder }),
  }));
  const cells = rows.map((row) =>
    row.cells.map((cell, at) => {
      return rowColumns[at]?.content === 'status' ? statusPaint(row.status, style)(cell) : cell;
    }),
  );
  return (
    renderTable(titles, cells, { style, columns }) +
    limitNote({ listed: rows.length, total, noun }, style)
  );
}

/** The findings of an audit, errors first. */
export function renderFindings(
  findings: NonNullable<(FlowListOutput | TaskListOutput)['findings']>,
  { style }: View,
): string {
  if (findings.length === 0) return `${style.ok('nothing is stuck, lost or inconsistent')}\n`;
  const rows = findings.map((finding) => [
    finding.severity === 'error' ? style.fault('error') : style.warning('warn'),
    finding.code,
    ('flowId' in finding ? finding.flowId : finding.taskId).slice(0, ID_CHARS),
    formatDuration(finding.ageMs),
    safeLine(finding.detail),
  ]);
  const noun = findings.some((finding) => 'flowId' in finding) ? 'flow' : 'task';
  const titles = ['severity', 'code', noun, 'for', 'problem'];
  return renderTable(titles, rows, { style });
}

/** How a command that changes several records speaks of them. */
export interface BulkWords<R> {
  readonly noun: 'flow' | 'task';
  /** `Cancel`, before a count and a question mark. */
  readonly question: string;
  /** `cancelled`, before a count. */
  readonly pastTense: string;
  readonly describe: (record: R) => Pick<FlowRecord | TaskRecord, 'status'> & {
    readonly id: string;
    readonly title: string;
  };
}

export const FLOW_WORDS: Pick<BulkWords<FlowRecord>, 'describe' | 'noun'> = {
  noun: 'flow',
  describe: ({ flowId, status, goal }) => ({ id: flowId, status, title: goal }),
};

export const TASK_WORDS: Pick<BulkWords<TaskRecord>, 'describe' | 'noun'> = {
  noun: 'task',
  describe: ({ taskId, status, label, task }) => ({ id: taskId, status, title: label ?? task }),
};

/** What a command did to all records that match. */
interface BulkChange<R> {
  readonly changed: readonly ChangeOutcome<R>[];
  /** How many there are, including those beyond the limit. */
  readonly total: number;
  readonly state: 'declined' | 'done' | 'dry run';
  readonly words: BulkWords<R>;
}

/** Each record with its status or why it was not changed, and the counts. */
export function renderBulkChange<R>(
  { changed, total, state, words }: BulkChange<R>,
  { style, columns }: View,
): string {
  if (total === 0) return `no ${words.noun}s match\n`;
  const titles = [words.noun, 'status', 'what'];
  const rows = changed.map(({ record, error }) => {
    const { id, status, title } = words.describe(record);
    const what =
      error === undefined ? firstLine(title) : `not ${words.pastTense}: ${error.message}`;
    return [id.slice(0, ID_CHARS), statusPaint(status, style)(status), safeLine(what)];
  });
  const failed = changed.filter(({ error }) => error !== undefined).length;
  const done = formatCountOf(changed.length - failed, words.noun);
  const counts = {
    declined: 'nothing was changed',
    'dry run': `${done} would be ${words.pastTense}`,
    done: `${words.pastTense} ${done}${failed === 0 ? '' : `, ${failed} failed`}`,
  }[state];
  const rest = total - changed.length;
  const more =
    rest === 0 ? '' : `; ${formatCountOf(rest, 'more match', 'more match')}, run it again`;
  return `${renderTable(titles, rows, { style, columns })}${counts}${more}\n`;
}
