import type { PauseRecord } from '../../../engine/flows/index.js';
import type { BrowserAction, BrowserSource } from '../../components/browser-state.js';
import type { PaneLine } from '../../components/pane.js';
import { ID_CHARS, type ListRow } from '../../flows/rows.js';

/** What of flows or tasks is listed. */
export type FlowsChoice = 'active' | 'all' | 'failed';

/** The flows or tasks of a choice, newest first. */
export interface FlowsList {
  readonly items: readonly ListRow[];
  readonly total: number;
  /** The runtimes whose tasks wait. */
  readonly pauses: readonly PauseRecord[];
}

/** What the screen shows of flows or tasks, and does with one; ids are whole. */
export interface FlowsOnScreen {
  readonly kind: 'flows' | 'tasks';
  readonly list: (choice: FlowsChoice) => Promise<FlowsList>;
  /** All, if the command has limited the states. */
  readonly choices: readonly [FlowsChoice, ...FlowsChoice[]];
  readonly details: (id: string) => Promise<readonly PaneLine[]>;
  /** @returns the result in words */
  readonly cancel: (id: string) => Promise<string>;
  /** Only tasks can be retried. @returns the result in words */
  readonly retry: ((id: string) => Promise<string>) | undefined;
  /** The message for an error. */
  readonly explain: (error: unknown) => string;
}

/** Flows or tasks as the browser reads them. */
export function flowsSource(flows: FlowsOnScreen): BrowserSource<ListRow, FlowsChoice> {
  const { kind, choices, list, explain, retry } = flows;
  const noun = kind === 'flows' ? 'flow' : 'task';
  const name = ({ id }: ListRow): string => `${noun} ${id.slice(0, ID_CHARS)}`;
  const cancel: BrowserAction<ListRow> = {
    key: 'c',
    name: 'cancel',
    does: kind === 'flows' ? 'cancel the flow and its tasks' : 'cancel the task',
    applies: ({ hasEnded }) => !hasEnded,
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
              does: 'queue the task again, with all of its attempts',
              applies: ({ hasEnded, status }: ListRow) => hasEnded && status !== 'succeeded',
              question: (row: ListRow) => `retry ${name(row)}?`,
              run: ({ id }: ListRow) => retry(id),
            },
          ]),
    ],
    explain,
  };
}
