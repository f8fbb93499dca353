import type { Overview } from '../../../engine/overview/index.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListState,
  reduceList,
} from '../../components/list-state.js';
import type { Note } from '../../components/screen.js';
import { type HomeLine, type HomeStart, type HomeTarget, homeLines } from './lines.js';
import { changeCommands, type PaletteCommand, type PaletteState } from './palette.js';

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

/** The screen before the overview has been read. */
export function initialHome(start: HomeStart): HomeState {
  return withLines({ ...start, ...CLOSED, list: EMPTY_LIST, note: undefined });
}

const CLOSED = {
  palette: undefined,
  opening: undefined,
  endReason: undefined,
  isHelpOpen: false,
};

/** The home screen after another one: known facts are kept until they are refreshed. */
export function resumeHome(state: HomeState, note: Note | undefined, nowMs: number): HomeState {
  return withLines({ ...state, ...CLOSED, nowMs, note });
}

/** The screen with what is known now; without news, only relative times change. */
export function updateHome(state: HomeState, news: Partial<Overview>, nowMs: number): HomeState {
  return withLines({ ...state, overview: mergeOverview(state.overview, news), nowMs });
}

/** What an event of the list changes. Only its size keeps the note. */
export function changeLines(
  { list, note }: HomeState,
  event: ListEvent<HomeLine>,
): Partial<HomeState> {
  return { list: reduceList(list, event), note: event.type === 'sized' ? note : undefined };
}

/** What an event of the list of commands changes. */
export function changePalette(
  { palette }: HomeState,
  event: ListEvent<PaletteCommand>,
): Partial<HomeState> {
  return { palette: palette && changeCommands(palette, event) };
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
