import type { OverviewNews } from '../../../engine/overview/index.js';

/** The screen behind a line. */
export type HomeTarget =
  | { readonly kind: 'diagnosis' | 'index' | 'search'; readonly agent: string }
  | { readonly kind: 'candidates'; readonly agent: string }
  | { readonly kind: 'doctor' | 'flows' | 'listener' | 'set-up' | 'tasks' };

/** The result of the last screen or key. */
export interface HomeTold {
  readonly text: string;
  readonly isFault: boolean;
}

/** The state of the home screen. */
export interface HomeState {
  /** What is known so far. */
  readonly news: Partial<OverviewNews>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Key of the line that keys act on; undefined means the first. */
  readonly chosen: string | undefined;
  /** The screen that is being opened. */
  readonly opening: HomeTarget | undefined;
  readonly told: HomeTold | undefined;
  /** Why the overview is no longer updated. */
  readonly ended: string | undefined;
  readonly help: boolean;
}

/** Events of the screen. */
export type HomeEvent =
  | { readonly type: 'news'; readonly news: Partial<OverviewNews>; readonly nowMs: number }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'chosen'; readonly key: string | undefined }
  | { readonly type: 'opening'; readonly target: HomeTarget }
  | { readonly type: 'told'; readonly told: HomeTold | undefined }
  | { readonly type: 'look.ended'; readonly why: string }
  | { readonly type: 'look.began' }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before anything is known. */
export function startHome(nowMs: number): HomeState {
  return {
    news: {},
    nowMs,
    chosen: undefined,
    opening: undefined,
    told: undefined,
    ended: undefined,
    help: false,
  };
}

/** The home screen after another one: known facts are kept until they are refreshed. */
export function homeAgain(state: HomeState, told: HomeTold | undefined, nowMs: number): HomeState {
  return { ...state, nowMs, told, opening: undefined, ended: undefined, help: false };
}

/** The screen after an event; pure. */
export function reduceHome(state: HomeState, event: HomeEvent): HomeState {
  switch (event.type) {
    case 'news':
      return { ...state, news: merged(state.news, event.news), nowMs: event.nowMs };
    case 'ticked':
      return { ...state, nowMs: event.nowMs };
    case 'chosen':
      return { ...state, chosen: event.key, told: undefined };
    case 'opening':
      return { ...state, opening: event.target, told: undefined };
    case 'told':
      return { ...state, opening: undefined, told: event.told };
    case 'look.ended':
      return { ...state, ended: event.why };
    case 'look.began':
      return { ...state, ended: undefined };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
}

/** An agent without new facts keeps the known ones, so that nothing flickers. */
function merged(
  known: Partial<OverviewNews>,
  { agents, ...news }: Partial<OverviewNews>,
): Partial<OverviewNews> {
  if (agents === undefined) return { ...known, ...news };
  const kept = agents.map((agent) =>
    agent.glance !== undefined || agent.faults.length > 0
      ? agent
      : (known.agents?.find(({ name }) => name === agent.name) ?? agent),
  );
  return { ...known, ...news, agents: kept };
}
