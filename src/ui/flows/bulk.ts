import type { Changed, FlowRecord, TaskRecord } from '../../engine/flows/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import { fitLastColumn, renderTable } from '../table.js';
import type { ListOptions } from './list.js';
import { ID_CHARS, statusPaint } from './rows.js';

/** How a command that changes several records speaks of them. */
export interface BulkWords<R> {
  readonly noun: 'flow' | 'task';
  /** `Cancel`, before a count and a question mark. */
  readonly question: string;
  /** `cancelled`, before a count. */
  readonly done: string;
  readonly of: (record: R) => Pick<FlowRecord | TaskRecord, 'status'> & {
    readonly id: string;
    readonly title: string;
  };
}

/** The words for flows. */
export const FLOW_WORDS: Pick<BulkWords<FlowRecord>, 'noun' | 'of'> = {
  noun: 'flow',
  of: ({ flowId, status, goal }) => ({ id: flowId, status, title: goal }),
};

/** The words for tasks. */
export const TASK_WORDS: Pick<BulkWords<TaskRecord>, 'noun' | 'of'> = {
  noun: 'task',
  of: ({ taskId, status, label, task }) => ({ id: taskId, status, title: label ?? task }),
};

interface ShownChanges<R> {
  readonly changed: readonly Changed<R>[];
  /** How many there are, including those beyond the limit. */
  readonly total: number;
  readonly state: 'declined' | 'done' | 'dry run';
  readonly words: BulkWords<R>;
}

/** Each record with what became of it, and the counts. */
export function renderChanged<R>(
  { changed, total, state, words }: ShownChanges<R>,
  { style, columns }: ListOptions,
): string {
  if (total === 0) return `no ${words.noun}s match\n`;
  const titles = [words.noun, 'status', 'what'];
  const rows = changed.map(({ record, error }) => {
    const { id, status, title } = words.of(record);
    const what = error === undefined ? title : `not ${words.done}: ${error.message}`;
    return [id.slice(0, ID_CHARS), statusPaint(status, style)(status), safeLine(what)];
  });
  const failed = changed.filter(({ error }) => error !== undefined).length;
  const done = formatCountOf(changed.length - failed, words.noun);
  const counts = {
    declined: 'nothing was changed',
    'dry run': `${done} would be ${words.done}`,
    done: `${words.done} ${done}${failed === 0 ? '' : `, ${failed} failed`}`,
  }[state];
  const rest = total - changed.length;
  const more =
    rest === 0 ? '' : `; ${formatCountOf(rest, 'more match', 'more match')}, run it again`;
  return `${renderTable(titles, fitLastColumn(titles, rows, columns), style)}${counts}${more}\n`;
}
