import { isStorageFailure, type SvcError } from '../engine/errors/index.js';
import { ACTIVE_FLOW_STATUSES } from '../engine/flow-model/flow-record.js';
import {
  ACTIVE_TASK_STATUSES,
  FAILED_TASK_STATUSES,
  type PauseRecord,
  taskOutput,
} from '../engine/flow-model/task-record.js';
import {
  type FlowFilter,
  type Flows,
  flowEntryOutput,
  type TaskFilter,
} from '../engine/flows/index.js';
import { anySignal } from '../engine/support/async.js';
import type { PaneLine } from '../ui/components/pane.js';
import { flowPaneLines, taskPaneLines } from '../ui/flows/details.js';
import {
  cancelledFlowWords,
  cancelledTaskWords,
  flowRow,
  type ListRow,
  taskRow,
  watchLine,
} from '../ui/flows/rows.js';
import type { FlowsChoice, FlowsSource } from '../ui/screens/flows/run.js';
import type { Style } from '../ui/style.js';
import type { CommandContext } from './command-context.js';
import { print, printJson, stdoutLost } from './print.js';
import { failureWords } from './report-error.js';
import { screenOptions } from './terminal.js';

/** A list that is followed, and what its screen can do with an entry. */
interface FollowedList extends Pick<FlowsSource, 'cancel' | 'choices' | 'kind' | 'retry'> {
  readonly details: (id: string, style: Style) => Promise<readonly PaneLine[]>;
  /** The runtimes whose tasks wait; none for flows. */
  readonly paused: () => Promise<readonly PauseRecord[]>;
  /** Reads it, newest first. */
  readonly read: (choice: FlowsChoice) => Promise<{
    /** Each with its `--json` form. */
    readonly entries: readonly { readonly row: ListRow; readonly json: object }[];
    readonly total: number;
  }>;
}

/** What the command line asks to follow. */
export type Followed =
  | { readonly kind: 'flows'; readonly filter: FlowFilter }
  | { readonly kind: 'tasks'; readonly filter: TaskFilter };

type FollowedFlows = Pick<Flows, 'now' | 'operator' | 'waitForWork' | 'tasks' | 'version'>;

function followedList(
  { kind, filter }: Followed,
  { now, operator, tasks }: FollowedFlows,
): FollowedList {
  const choices = filter.statuses === undefined ? CHOICES : (['all'] as const);
  if (kind === 'flows') {
    return {
      kind,
      choices,
      read: async (choice) => {
        const statuses = choice === 'all' ? filter.statuses : FLOW_CHOICES[choice];
        const { entries, total } = await operator.listFlows({ ...filter, statuses });
        const nowMs = now();
        const rows = entries.map((entry) => {
          return { row: flowRow(entry, nowMs), json: flowEntryOutput(entry) };
        });
        return { entries: rows, total };
      },
      details: async (id, style) => flowPaneLines(await operator.showFlow(id), style, now()),
      paused: async () => [],
      cancel: async (id) => cancelledFlowWords(await operator.cancelFlow(id)),
      retry: undefined,
    };
  }
  return {
    kind,
    choices,
    read: async (choice) => {
      const statuses = choice === 'all' ? filter.statuses : TASK_CHOICES[choice];
      const { entries, total } = await operator.listTasks({ ...filter, statuses });
      const nowMs = now();
      const rows = entries.map((task) => ({ row: taskRow(task, nowMs), json: taskOutput(task) }));
      return { entries: rows, total };
    },
    details: async (id, style) => taskPaneLines(await operator.showTask(id), style, now()),
    paused: tasks.paused,
    cancel: async (id) => cancelledTaskWords(await tasks.cancel(id)),
    retry: async (id) => `task ${(await tasks.retry(id)).taskId} is queued`,
  };
}

const CHOICES = ['all', 'active', 'failed'] as const;
const FLOW_CHOICES = { active: ACTIVE_FLOW_STATUSES, failed: ['failed', 'lost'] } as const;
const TASK_CHOICES = { active: ACTIVE_TASK_STATUSES, failed: FAILED_TASK_STATUSES };

/** Relative times such as "3 min ago" need a redraw. */
const REDRAW_POLLS = 5;

type End = 'interrupted' | 'left';

/** Shows a list and its changes until the user quits, as a screen, lines or JSON lines. */
export function watchFlows(
  followed: Followed,
  flows: FollowedFlows,
  command: CommandContext,
  onOutage?: (error: SvcError) => void,
): Promise<End> {
  const list = followedList(followed, flows);
  const show = command.terminal.screen && !command.json ? onScreen : asLines;
  return show(list, flows, command, onOutage);
}

async function onScreen(
  list: FollowedList,
  flows: FollowedFlows,
  command: CommandContext,
): Promise<End> {
  const { openFlowsScreen } = await import('../ui/screens/flows/run.js');
  const { mask } = command;
  const options = screenOptions(command.terminal);
  const stopping = new AbortController();
  let end: End = 'interrupted';
  const screen = openFlowsScreen({
    ...options,
    now: flows.now,
    flows: {
      ...list,
      list: async (choice) => {
        const { entries, total } = mask.data(await list.read(choice));
        const pauses = mask.data(await list.paused());
        return { items: entries.map(({ row }) => row), total, pauses };
      },
      details: async (id) => {
        const lines = await list.details(id, options.style);
        // Functions are not data, so only the texts are masked.
        return lines.map((line) => ({ ...line, text: mask.text(line.text) }));
      },
      explain: (error) => failureWords(error, mask),
    },
    onStop: (key) => {
      if (key === 'q') end = 'left';
      stopping.abort();
    },
  });
  const signal = anySignal([command.signal, stopping.signal]);
  const onOutage = ({ message }: SvcError): void => screen.showOutage(mask.text(message));
  const onChange = screen.refresh;
  const following = follow(flows, { onChange, mostPolls: REDRAW_POLLS, signal, onOutage });
  try {
    await Promise.race([following, screen.failed]);
  } finally {
    stopping.abort();
    await screen.close();
  }
  return end;
}

/** One line for each flow or task, and again whenever it changes. */
async function asLines(
  list: FollowedList,
  flows: FollowedFlows,
  command: CommandContext,
  onOutage: ((error: SvcError) => void) | undefined,
): Promise<End> {
  const { json, mask, view, context } = command;
  const printed = new Set<string>();
  const printNew = async (): Promise<void> => {
    const { entries } = await list.read(list.choices[0]);
    const news = entries.filter(({ row }) => !printed.has(row.version));
    printed.clear();
    for (const { row } of entries) printed.add(row.version);
    for (const { row, json: document } of news.toReversed()) {
      if (json) printJson(`${JSON.stringify(mask.data(document))}\n`);
      else print(`${mask.text(watchLine(list.kind, row, context.clock.now(), view.style))}\n`);
    }
  };
  // Stop when the reader of the pipe is gone.
  const signal = anySignal([command.signal, stdoutLost]);
  const mostPolls = Number.POSITIVE_INFINITY;
  await follow(flows, { onChange: printNew, mostPolls, signal, onOutage });
  return stdoutLost.aborted ? 'left' : 'interrupted';
}

interface FollowOptions {
  /** Called immediately, after every commit, and after `mostPolls` checks without one. */
  readonly onChange: () => Promise<void>;
  readonly mostPolls: number;
  readonly signal: AbortSignal;
  readonly onOutage: ((error: SvcError) => void) | undefined;
}

/** Polls for commits until the signal. */
async function follow(
  flows: FollowedFlows,
  { onChange, mostPolls, signal, onOutage }: FollowOptions,
): Promise<void> {
  let shownVersion = '';
  for (let polls = 0; !signal.aborted; polls++) {
    try {
      const version = await flows.version();
      if (version !== shownVersion || polls >= mostPolls) {
        await onChange();
        shownVersion = version;
        polls = 0;
      }
    } catch (error) {
      // What is shown stays while a shared server restarts.
      if (!isStorageFailure(error) || shownVersion === '') throw error;
      onOutage?.(error);
    }
    await flows.waitForWork(signal);
  }
}
