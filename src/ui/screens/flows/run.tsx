import type { PauseRecord } from '../../../engine/flow-model/task-record.js';
import { createBrowser } from '../../components/browser.js';
import { BrowserScreen, browserFacts } from '../../components/browser-screen.js';
import type { BrowserAction, BrowserSource } from '../../components/browser-state.js';
import type { ListColumn } from '../../components/list.js';
import type { PaneLine } from '../../components/pane.js';
import { createState } from '../../components/store.js';
import { fitEnd } from '../../fit.js';
import { ID_CHARS, type ListRow, pauseLines, ROW_COLUMNS, statusPaint } from '../../flows/rows.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { mountScreen, type ScreenOptions } from '../../terminal/mount-screen.js';

/** Options of the screen. */
export interface FlowsScreenOptions extends ScreenOptions {
  readonly flows: FlowsSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/**
 * Opens a screen with a list of flows or tasks. `refresh` reads it again, and throws if it cannot be read; `showOutage`
 * shows why, until it can.
 */
export function openFlowsScreen(options: FlowsScreenOptions) {
  const { flows, style, onStop } = options;
  const notices = createState<{ pauses: FlowsList['pauses']; outage: string | undefined }>({
    pauses: [],
    outage: undefined,
  });
  const list: FlowsSource['list'] = async (choice) => {
    const flowsList = await flows.list(choice);
    notices.dispatch({ pauses: flowsList.pauses, outage: undefined });
    return flowsList;
  };
  const browser = createBrowser(browserSource({ ...flows, list }));
  const noun = nounOf(flows.kind);
  const columns = columnsOf(flows.kind, style);
  const screen = mountScreen(
    <BrowserScreen
      browser={browser}
      extraStore={notices}
      title={() => `svc · ${flows.kind}`}
      facts={(state) => browserFacts(state, browser.choices, noun)}
      columns={() => columns}
      empty={() => `no ${flows.kind}`}
      keys={() => ({ onStop, noun })}
      around={({ columns: width }) => {
        const { outage, pauses } = notices.getSnapshot();
        const fault =
          outage === undefined
            ? []
            : [style.warning(fitEnd(`retrying: ${safeLine(outage)}`, width))];
        return { above: [...fault, ...pauseLines(pauses, { style, nowMs: options.now() }, width)] };
      }}
    />,
    options,
  );
  return {
    refresh: browser.refresh,
    showOutage: (why: string): void => notices.dispatch({ outage: why }),
    failed: screen.failed,
    close: screen.unmount,
  };
}

function nounOf(kind: FlowsSource['kind']): string {
  return kind === 'flows' ? 'flow' : 'task';
}

function columnsOf(kind: FlowsSource['kind'], style: Style): readonly ListColumn<ListRow>[] {
  return ROW_COLUMNS[kind].map(({ title, content, dropOrder }, at) => ({
    title,
    cell: ({ cells }) => cells[at] ?? '',
    ...(content === 'status' && { paint: (text, { status }) => statusPaint(status, style)(text) }),
    ...(dropOrder !== undefined && { dropOrder }),
  }));
}

/** Which flows or tasks are listed. */
export type FlowsChoice = 'active' | 'all' | 'failed';

/** The flows or tasks of a choice, newest first. */
interface FlowsList {
  readonly items: readonly ListRow[];
  readonly total: number;
  /** The runtimes whose tasks wait. */
  readonly pauses: readonly PauseRecord[];
}

/** Flows or tasks as the screen reads and changes them, by their full ids. */
export interface FlowsSource {
  readonly kind: 'flows' | 'tasks';
  readonly list: (choice: FlowsChoice) => Promise<FlowsList>;
  /** Only `all` if the flags of the command limit the states. */
  readonly choices: readonly [FlowsChoice, ...FlowsChoice[]];
  readonly details: (id: string) => Promise<readonly PaneLine[]>;
  /** @returns the result in words */
  readonly cancel: (id: string) => Promise<string>;
  /** Only tasks can be retried. @returns the result in words */
  readonly retry: ((id: string) => Promise<string>) | undefined;
  readonly explain: (error: unknown) => string;
}

function browserSource(flows: FlowsSource): BrowserSource<ListRow, FlowsChoice> {
  const { kind, choices, list, explain, retry } = flows;
  const noun = nounOf(kind);
  const name = ({ id }: ListRow): string => `${noun} ${id.slice(0, ID_CHARS)}`;
  const cancel: BrowserAction<ListRow> = {
    key: 'c',
    name: 'cancel',
    description: kind === 'flows' ? 'cancel the flow and its tasks' : 'cancel the task',
    appliesTo: ({ hasEnded }) => !hasEnded,
    question: (row) => `cancel ${name(row)}?`,
    run: ({ id }) => flows.cancel(id),
  };
  return {
    choices,
    list,
    details: ({ id }) => flows.details(id),
    actions: [
      cancel,
      ...(retry === undefined
        ? []
        : [
            {
              key: 'r',
              name: 'retry',
              description: 'queue the task again, with all of its attempts',
              appliesTo: ({ hasEnded, status }: ListRow) => hasEnded && status !== 'succeeded',
              question: (row: ListRow) => `retry ${name(row)}?`,
              run: ({ id }: ListRow) => retry(id),
            },
          ]),
    ],
    explain,
  };
}
