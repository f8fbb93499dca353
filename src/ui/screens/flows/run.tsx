import { type ReactElement, useSyncExternalStore } from 'react';
import { type Browser, createBrowser } from '../../components/browser.js';
import type { BrowserKeysOptions } from '../../components/browser-keys.js';
import { BrowserStatus, BrowserView, browserFacts } from '../../components/browser-view.js';
import { Header } from '../../components/header.js';
import { useKeyMap } from '../../components/key-map.js';
import type { ListColumn } from '../../components/list.js';
import { Screen } from '../../components/screen.js';
import {
  FLOW_TITLES,
  type ListRow,
  STATUS_COLUMNS,
  statusPaint,
  TASK_TITLES,
} from '../../flows/rows.js';
import type { Style } from '../../style.js';
import { mountAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { type FlowsOnScreen, flowsSource } from './source.js';

/** Options of the screen. */
export interface FlowsScreenOptions extends ScreenStreams {
  readonly flows: FlowsOnScreen;
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** A mounted screen. */
export interface OpenFlowsScreen {
  /** Reads what is shown again. @throws SvcError if the flows cannot be read */
  readonly refresh: () => Promise<void>;
  /** Rejects if the view fails. */
  readonly failed: Promise<never>;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
}

/** Opens a screen with a list of flows or tasks. */
export function openFlowsScreen(options: FlowsScreenOptions): OpenFlowsScreen {
  const { flows, style, stdout, onStop } = options;
  const browser = createBrowser(flowsSource(flows));
  const screen = mountAlternate(
    <FlowsScreen
      browser={browser}
      kind={flows.kind}
      stdout={stdout}
      style={style}
      onStop={onStop}
    />,
    options,
  );
  return { refresh: browser.refresh, failed: screen.failed, close: screen.unmount };
}

/** What the screen shows, and the callbacks for its keys. */
interface FlowsScreenProps {
  readonly browser: Browser<ListRow>;
  readonly kind: FlowsOnScreen['kind'];
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen that follows a list of flows or tasks. */
function FlowsScreen({ browser, kind, stdout, style, onStop }: FlowsScreenProps): ReactElement {
  const state = useSyncExternalStore(browser.subscribe, browser.getSnapshot);
  const size = useTerminalSize(stdout);
  const noun = kind === 'flows' ? 'flow' : 'task';
  const keys: BrowserKeysOptions = {
    onStop,
    noun,
    escapeEnds: true,
    quit: { bar: 'q quit', help: 'quit' },
  };
  useKeyMap(() => browser.keys(keys));
  const { bindings } = browser.keys(keys);
  return (
    <Screen
      size={size}
      style={style}
      header={(columns) => (
        <Header
          title={`svc · ${kind}`}
          facts={browserFacts(state, browser.choices, noun)}
          columns={columns}
        />
      )}
      status={(area) => <BrowserStatus state={state} bindings={bindings} area={area} />}
    >
      {(area) => (
        <BrowserView
          state={state}
          dispatch={browser.dispatch}
          columns={columnsOf(kind, style)}
          bindings={bindings}
          empty={`no ${kind}`}
          area={area}
        />
      )}
    </Screen>
  );
}

/** Order in which columns are dropped without room. */
const GOES: Readonly<Record<FlowsOnScreen['kind'], Readonly<Record<string, number>>>> = {
  flows: { session: 1, tasks: 2, rev: 3, updated: 4 },
  tasks: { flow: 1, tries: 2, runtime: 3, changed: 4 },
};

function columnsOf(kind: FlowsOnScreen['kind'], style: Style): readonly ListColumn<ListRow>[] {
  const titles = kind === 'flows' ? FLOW_TITLES : TASK_TITLES;
  return titles.map((title, at): ListColumn<ListRow> => {
    const goes = GOES[kind][title];
    return {
      title,
      cell: ({ cells }) => cells[at] ?? '',
      ...(at === STATUS_COLUMNS[kind]
        ? { paint: (text, { status }) => statusPaint(status, style)(text) }
        : {}),
      ...(goes === undefined ? {} : { goes }),
    };
  });
}
