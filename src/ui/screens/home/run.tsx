import { Text } from 'ink';
import { type ReactElement, useEffect } from 'react';
import type { Overview } from '../../../engine/overview/index.js';
import { deferred } from '../../../engine/support/async.js';
import { type ListEvent, listView } from '../../components/list-state.js';
import { Rows, useStyle } from '../../components/rows.js';
import { type Note, Screen } from '../../components/screen.js';
import { createState, type StateStore, useStore } from '../../components/store.js';
import { FilterInput } from '../../components/text-input.js';
import { fitMiddle } from '../../fit.js';
import { shownPath } from '../../safe-text.js';
import type { Style, View } from '../../style.js';
import { useMouse } from '../../terminal/input.js';
import { type RunScreenOptions, runScreen } from '../../terminal/mount-screen.js';
import type { Area } from '../../terminal/size.js';
import { homePageRows, homeRows } from './frame.js';
import { enterPalette, type HomeHandlers, homeKeys } from './keys.js';
import type { HomeLine, HomeStart, HomeTarget } from './lines.js';
import { openPalette, type PaletteCommand, PaletteStatus, PaletteView } from './palette.js';
import {
  changeLines,
  changePalette,
  type HomeState,
  initialHome,
  resumeHome,
  updateHome,
} from './state.js';

/** Keeps the overview up to date while the home screen is shown. */
export interface HomeFollower {
  readonly refresh: () => void;
  readonly close: () => Promise<void>;
}

/** Starts following the overview. @param onEnd called with the reason if it ends on its own */
export type FollowHome = (
  onOverview: (overview: Partial<Overview>) => void,
  onEnd: (why: string) => void,
) => HomeFollower;

/** Shows a screen that is ready; resolves with its result when it is closed. */
export type PreparedScreen = () => Promise<Note | undefined>;

/** Options of the home screen. */
export interface HomeScreenOptions extends Pick<View, 'hintFor' | 'homeDir'>, RunScreenOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly follow: FollowHome;
  /** What is known before the first frame. */
  readonly known: Omit<HomeStart, 'nowMs'>;
  readonly commands: () => readonly PaletteCommand[];
  /** Loads what a screen needs while the home screen is still shown, or returns why there is nothing to show. */
  readonly prepare: (target: HomeTarget, signal: AbortSignal) => Promise<PreparedScreen | Note>;
  readonly explain: (error: unknown) => string;
  /** The state before another screen was opened, and the result of that screen. */
  readonly previous: { readonly state: HomeState; readonly result: Note | undefined } | undefined;
}

/** How the home screen ended. */
export type HomeEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly open: PreparedScreen; readonly state: HomeState };

/** Relative times such as "3 min ago" need a redraw. */
const TICK_MS = 1000;
/** Changes within this time are drawn together. */
const PACE_MS = 50;

/**
 * Shows the home screen until the user quits or opens another screen. The terminal is restored and following has
 * stopped when it resolves.
 */
export async function runHomeScreen(options: HomeScreenOptions): Promise<HomeEnd> {
  const { hintFor, homeDir, now, previous, known } = options;
  const initial =
    previous === undefined
      ? initialHome({ ...known, nowMs: now() })
      : resumeHome(previous.state, previous.result, now());
  const store = createState(initial, { everyMs: PACE_MS });
  const update = (overview: Partial<Overview>): void =>
    store.dispatch(updateHome(store.getSnapshot(), overview, now()));
  const closing = new AbortController();
  const { promise: ended, resolve: finish } = deferred<HomeEnd>();
  const leave = (): void => {
    // Before the terminal is restored: a screen that becomes ready meanwhile would stay open.
    closing.abort();
    finish({ type: 'left' });
  };
  let follower: HomeFollower | undefined;
  const begin = (): void => {
    follower = options.follow(update, (endReason) => store.dispatch({ endReason }));
  };
  const refresh = (): void => {
    if (store.getSnapshot().endReason === undefined) {
      follower?.refresh();
      return;
    }
    void follower?.close();
    store.dispatch({ endReason: undefined });
    begin();
  };
  const open = (target: HomeTarget): void => {
    if (store.getSnapshot().opening !== undefined) return;
    store.dispatch({ opening: target, palette: undefined, note: undefined });
    options.prepare(target, closing.signal).then(
      (opened) => {
        if (typeof opened !== 'function') store.dispatch({ opening: undefined, note: opened });
        else finish({ type: 'open', open: opened, state: store.getSnapshot() });
      },
      (error: unknown) => {
        if (closing.signal.aborted) return;
        const note = { text: options.explain(error), isFault: true };
        store.dispatch({ opening: undefined, note });
      },
    );
  };
  const ticks = setInterval(() => update({}), TICK_MS);
  try {
    return await runScreen(
      <HomeScreen
        store={store}
        hintFor={hintFor}
        homeDir={homeDir}
        handlers={{
          dispatch: store.dispatch,
          onOpen: open,
          onPalette: (agent) =>
            store.dispatch({ palette: openPalette(options.commands(), agent), note: undefined }),
          onRefresh: refresh,
          onLeave: leave,
        }}
      />,
      options,
      { begin, ended, leave },
    );
  } finally {
    closing.abort();
    clearInterval(ticks);
    await follower?.close();
  }
}

/** What home shows, and what its keys and the mouse call. */
interface HomeScreenProps extends Pick<View, 'hintFor' | 'homeDir'> {
  readonly store: StateStore<HomeState>;
  readonly handlers: HomeHandlers;
}

/** The home screen: a pure view of the store. */
export function HomeScreen({ store, hintFor, homeDir, handlers }: HomeScreenProps): ReactElement {
  const state = useStore(store);
  const style = useStyle();
  const { palette, endReason } = state;
  const note =
    endReason === undefined
      ? state.note
      : { text: `no longer updated: ${endReason}; press r to retry`, isFault: true };
  return (
    <Screen
      title="svc"
      facts={(columns) => headFacts(state, homeDir, columns)}
      keys={() => homeKeys(store.getSnapshot(), handlers)}
      isHelpOpen={state.isHelpOpen}
      note={note}
      input={(area) => homeInput(state, style, area)}
    >
      {(area) => {
        if (palette !== undefined) {
          return (
            <PaletteView
              palette={palette}
              dispatch={(event) => store.dispatch(changePalette(store.getSnapshot(), event))}
              onEnter={() => enterPalette(palette, handlers)}
              area={area}
            />
          );
        }
        return (
          <HomeBody
            store={store}
            state={state}
            handlers={handlers}
            hintFor={hintFor}
            homeDir={homeDir}
            area={area}
          />
        );
      }}
    </Screen>
  );
}

interface HomeBodyProps extends HomeScreenProps {
  readonly state: HomeState;
  readonly area: Area;
}

/** The lines of the overview; a click on the selected one opens its screen. */
function HomeBody({ store, state, handlers, hintFor, homeDir, area }: HomeBodyProps): ReactElement {
  const style = useStyle();
  const changeList = (event: ListEvent<HomeLine>): void =>
    store.dispatch(changeLines(store.getSnapshot(), event));
  const rows = homePageRows(state, area);
  useEffect(() => changeList({ type: 'sized', rows }));
  const drawn = homeRows(state, { style, hintFor, homeDir }, area);
  useMouse(area, ({ action, row }) => {
    if (action !== 'click') {
      changeList({ type: 'moved', to: action === 'wheelUp' ? 'up' : 'down' });
      return;
    }
    // Several clicks can arrive before the next frame.
    const { selected, matching } = listView(store.getSnapshot().list);
    const line = matching.find(({ id }) => id === drawn[row]?.lineId);
    if (line === undefined) return;
    if (line === selected) handlers.onOpen(line.target);
    else changeList({ type: 'selected', id: line.id });
  });
  return <Rows lines={drawn.map(({ text }) => text)} />;
}

/** What is typed into the palette or the filter, or that a screen is being opened. */
function homeInput(
  { palette, list, opening }: HomeState,
  style: Style,
  area: Area,
): ReactElement | undefined {
  if (palette !== undefined) return <PaletteStatus palette={palette} area={area} />;
  if (list.isFiltering) return <FilterInput list={list} area={area} />;
  if (opening === undefined) return undefined;
  return <Text wrap="truncate">{style.dim('opening …   q quit')}</Text>;
}

/** The filter, and where the configuration is. */
function headFacts(
  { overview, list }: HomeState,
  homeDir: string,
  columns: number,
): readonly string[] {
  const filter = list.filter.text.trim();
  return [
    configFact(overview, homeDir, Math.max(0, columns - 8)),
    ...(filter === '' ? [] : [`"${filter}"`]),
  ];
}

function configFact({ config }: Partial<Overview>, homeDir: string, columns: number): string {
  if (config?.state === 'read') return fitMiddle(shownPath(config.file, homeDir), columns);
  return config?.state === 'none' ? 'no svc.json' : '';
}
