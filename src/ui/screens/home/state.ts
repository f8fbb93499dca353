import type { Overview } from '../../../engine/overview/index.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListState,
  reduceList,
} from '../../components/list-state.js';
import type { Note } from '../../components/status-bar.js';
import { type HomeLine, type HomeStart, type HomeTarget, homeLines } from './lines.js';
import { type PaletteEvent, type PaletteState, reducePalette } from './palette.js';

/** The state of the home screen. */
export interface HomeState extends HomeStart {
  /** All lines that can be selected. */
  readonly list: ListState<HomeLine>;
  /** Whether keys are typed into the filter. */
  readonly isFiltering: boolean;
  readonly palette: PaletteState | undefined;
  /** What is being opened. */
  readonly opening: HomeTarget | undefined;
  /** The result of the last screen or key. */
  readonly result: Note | undefined;
  /** Why the overview is no longer updated. */
  readonly ended: string | undefined;
  readonly isHelpOpen: boolean;
}

/** Events of the screen. */
export type HomeEvent =
  | { readonly type: 'news'; readonly news: Partial<Overview>; readonly nowMs: number }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'list'; readonly event: ListEvent<HomeLine> }
  | { readonly type: 'filtering'; readonly on: boolean }
  | { readonly type: 'palette'; readonly palette: PaletteState | undefined }
  | { readonly type: 'palette.changed'; readonly event: PaletteEvent }
  | { readonly type: 'opening'; readonly target: HomeTarget }
  | { readonly type: 'prepared'; readonly result: Note | undefined }
  | { readonly type: 'look.ended'; readonly why: string }
  | { readonly type: 'look.began' }
  | { readonly type: 'help'; readonly on: boolean };

/** The screen before the overview is read. */
export function initialHome(start: HomeStart): HomeState {
  return withLines({
    ...start,
    list: EMPTY_LIST,
    isFiltering: false,
    palette: undefined,
    opening: undefined,
    result: undefined,
    ended: undefined,
    isHelpOpen: false,
  });
}

/** The home screen after another one: known facts are kept until they are refreshed. */
export function resumeHome(state: HomeState, result: Note | undefined, nowMs: number): HomeState {
  const closed = { palette: undefined, opening: undefined, ended: undefined, isHelpOpen: false };
  return withLines({ ...state, ...closed, nowMs, result });
}

/** The screen after an event; pure, and the same object if nothing changes. */
export function reduceHome(state: HomeState, event: HomeEvent): HomeState {
  switch (event.type) {
    case 'news':
      return withLines({
        ...state,
        news: mergeOverview(state.news, event.news),
        nowMs: event.nowMs,
      });
    case 'ticked':
      return withLines({ ...state, nowMs: event.nowMs });
    case 'list': {
      const list = reduceList(state.list, event.event);
      const result = event.event.type === 'sized' ? state.result : undefined;
      return list === state.list && result === state.result ? state : { ...state, list, result };
    }
    case 'filtering':
      return { ...state, isFiltering: event.on, result: undefined };
    case 'palette':
      return { ...state, palette: event.palette, result: undefined };
    case 'palette.changed': {
      if (state.palette === undefined) return state;
      const palette = reducePalette(state.palette, event.event);
      return palette === state.palette ? state : { ...state, palette };
    }
    case 'opening':
      return { ...state, opening: event.target, palette: undefined, result: undefined };
    case 'prepared':
      return { ...state, opening: undefined, result: event.result };
    case 'look.ended':
      return { ...state, ended: event.why };
    case 'look.began':
      return { ...state, ended: undefined };
    case 'help':
      return state.isHelpOpen === event.on ? state : { ...state, isHelpOpen: event.on };
  }
}

function withLines(state: HomeState): HomeState {
  const list = reduceList(state.list, { type: 'replaced', items: homeLines(state) });
  return { ...state, list };
}

/** An agent without new facts keeps the known ones, so that nothing flickers. */
function mergeOverview(
  known: Partial<Overview>,
  { agents, ...news }: Partial<Overview>,
): Partial<Overview> {
  if (agents === undefined) return { ...known, ...news };
  const kept = agents.map((agent) =>
    agent.summary !== undefined || agent.faults.length > 0
      ? agent
      : (known.agents?.find(({ name }) => name === agent.name) ?? agent),
  );
  return { ...known, ...news, agents: kept };
}
