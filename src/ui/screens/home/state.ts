import type { Overview } from '../../../engine/overview/index.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListState,
  reduceList,
} from '../../components/list-state.js';
import type { Note } from '../../components/screen.js';
import { type HomeLine, type HomeStart, type HomeTarget, homeLines } from './lines.js';
import { type PaletteEvent, type PaletteState, reducePalette } from './palette.js';

/** The state of the home screen. */
export interface HomeState extends HomeStart {
  /** All lines that can be selected. */
  readonly list: ListState<HomeLine>;
  readonly palette: PaletteState | undefined;
  /** What is being opened. */
  readonly opening: HomeTarget | undefined;
  /** The result of the last screen, or why it could not be opened. */
  readonly note: Note | undefined;
  /** Why the overview is no longer updated. */
  readonly endReason: string | undefined;
  readonly isHelpOpen: boolean;
}

/** Events of the screen. */
export type HomeEvent =
  | { readonly type: 'overview'; readonly overview: Partial<Overview>; readonly nowMs: number }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'list'; readonly event: ListEvent<HomeLine> }
  | { readonly type: 'palette'; readonly palette: PaletteState | undefined }
  | { readonly type: 'palette.changed'; readonly event: PaletteEvent }
  | { readonly type: 'opening'; readonly target: HomeTarget }
  | { readonly type: 'prepared'; readonly note: Note | undefined }
  | { readonly type: 'updates.ended'; readonly why: string }
  | { readonly type: 'updates.restarted' }
  | { readonly type: 'help'; readonly on: boolean };

/** The screen before the overview has been read. */
export function initialHome(start: HomeStart): HomeState {
  return withLines({
    ...start,
    list: EMPTY_LIST,
    palette: undefined,
    opening: undefined,
    note: undefined,
    endReason: undefined,
    isHelpOpen: false,
  });
}

/** The home screen after another one: known facts are kept until they are refreshed. */
export function resumeHome(state: HomeState, note: Note | undefined, nowMs: number): HomeState {
  const closed = {
    palette: undefined,
    opening: undefined,
    endReason: undefined,
    isHelpOpen: false,
  };
  return withLines({ ...state, ...closed, nowMs, note });
}

/** The screen after an event; pure, and the same object if nothing changes. */
export function reduceHome(state: HomeState, event: HomeEvent): HomeState {
  switch (event.type) {
    case 'overview':
      return withLines({
        ...state,
        overview: mergeOverview(state.overview, event.overview),
        nowMs: event.nowMs,
      });
    case 'ticked':
      return withLines({ ...state, nowMs: event.nowMs });
    case 'list': {
      const list = reduceList(state.list, event.event);
      const note = event.event.type === 'sized' ? state.note : undefined;
      return list === state.list && note === state.note ? state : { ...state, list, note };
    }
    case 'palette':
      return { ...state, palette: event.palette, note: undefined };
    case 'palette.changed': {
      if (state.palette === undefined) return state;
      const palette = reducePalette(state.palette, event.event);
      return palette === state.palette ? state : { ...state, palette };
    }
    case 'opening':
      return { ...state, opening: event.target, palette: undefined, note: undefined };
    case 'prepared':
      return { ...state, opening: undefined, note: event.note };
    case 'updates.ended':
      return { ...state, endReason: event.why };
    case 'updates.restarted':
      return { ...state, endReason: undefined };
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
  { agents, ...overview }: Partial<Overview>,
): Partial<Overview> {
  if (agents === undefined) return { ...known, ...overview };
  const kept = agents.map((agent) =>
    agent.status !== undefined || agent.faults.length > 0
      ? agent
      : (known.agents?.find(({ name }) => name === agent.name) ?? agent),
  );
  return { ...known, ...overview, agents: kept };
}
