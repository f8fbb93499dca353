import type { FlowHistory, HistoryEntry } from '../../engine/flows/index.js';
import type { PaneLine } from '../components/pane.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { fitLastColumn, renderTable, type TableColumn } from '../table.js';
import type { ListOptions } from './list.js';
import { ID_CHARS } from './rows.js';

/** What happened to a flow and its tasks, oldest first. */
export function renderHistory(
  { flow, entries, startsAt, gapAfter }: FlowHistory,
  options: ListOptions,
): string {
  const { style } = options;
  const notes = [
    ...(entries[0]?.actorKind === 'unknown' ? [startText(startsAt)] : []),
    ...(gapAfter === undefined
      ? []
      : [`only the first ${gapAfter} and the newest changes are kept; others may be missing`]),
  ].map((text) => `${style.dim(text)}\n`);
  const list = entries.length === 0 ? 'no changes\n' : renderChanges(entries, options);
  return `${style.bold(`flow ${flow.flowId}`)}\n${notes.join('')}${list}`;
}

function startText(startsAt: number | undefined): string {
  const when = startsAt === undefined ? 'with the next change' : `at ${second(startsAt)}`;
  return `history starts ${when}; of earlier changes, only some are known`;
}

/** The newest changes, for the end of other output. */
export function renderLastChanges(
  entries: readonly HistoryEntry[],
  flowId: string,
  options: ListOptions,
): string {
  if (entries.length === 0) return '';
  const last = entries.slice(-MOST_LAST);
  const more = `"svc flow history ${flowId.slice(0, ID_CHARS)}" shows all ${entries.length} changes`;
  const rest = last.length < entries.length ? `${options.style.dim(more)}\n` : '';
  return `\n${renderChanges(last, options)}${rest}`;
}

const MOST_LAST = 5;

/** All changes, newest first, for a pane. */
export function historyLines(entries: readonly HistoryEntry[], style: Style): readonly PaneLine[] {
  if (entries.length === 0) return [];
  const lines = entries.toReversed().map((entry): PaneLine => {
    const task = entry.taskId === null ? [] : [`task ${entry.taskId.slice(0, ID_CHARS)}`];
    const what = [changeText(entry), ...(entry.note === null ? [] : [entry.note])].join(': ');
    return { text: [second(entry.at), actorText(entry), ...task, what].join('  ') };
  });
  return [{ text: '' }, { text: 'changes, newest first', paint: style.bold }, ...lines];
}

function renderChanges(entries: readonly HistoryEntry[], { style, columns }: ListOptions): string {
  const rows = entries.map((entry) => [
    second(entry.at),
    actorText(entry),
    entry.taskId?.slice(0, ID_CHARS) ?? '',
    entry.revision === null ? '' : String(entry.revision),
    [changeText(entry), ...(entry.note === null ? [] : [safeLine(entry.note)])].join(': '),
  ]);
  return renderTable(TITLES, fitLastColumn(TITLES, rows, columns), style);
}

const TITLES: readonly TableColumn[] = [
  { title: 'when' },
  { title: 'by' },
  { title: 'task' },
  { title: 'rev', align: 'right' },
  { title: 'change' },
];

/** Who made a change, in words that are safe to show. */
function actorText({ actorKind, actorName }: HistoryEntry): string {
  return actorName === null ? actorKind : `${actorKind} ${safeLine(actorName)}`;
}

/** What a change did, without its note. */
function changeText({ event, fromStatus, toStatus }: HistoryEntry): string {
  if (event.startsWith('notification.')) return event.replace('.', ' ');
  const what = event.slice(event.indexOf('.') + 1).replaceAll('_', ' ');
  if (toStatus === null) return what;
  const isNamed = what === 'created' || what === 'progress' || what === 'cancel requested';
  const move = fromStatus === null ? toStatus : `${fromStatus} → ${toStatus}`;
  return isNamed ? `${what}, ${move}` : move;
}

/** A time to the second. */
function second(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}
