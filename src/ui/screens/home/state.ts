import type { OverviewNews } from '../../../engine/overview/overview-news.js';

/** A screen that a line of home leads to. */
export type HomeTarget =
  | { readonly kind: 'diagnosis' | 'index' | 'search'; readonly agent: string }
  | { readonly kind: 'candidates'; readonly agent: string }
  | { readonly kind: 'doctor' | 'flows' | 'listener' | 'set-up' | 'tasks' };

/** What came of the last screen or key. */
export interface HomeTold {
  readonly text: string;
  readonly isFault: boolean;
}

/** The whole home screen. */
export interface HomeState {
  /** As far as it is known. */
  readonly news: Partial<OverviewNews>;
  /** The present, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Key of the line that keys act on; undefined means the first. */
  readonly chosen: string | undefined;
  /** What is being opened. */
  readonly opening: HomeTarget | undefined;
  readonly told: HomeTold | undefined;
  /** Why nobody looks any more. */
  readonly ended: string | undefined;
  readonly help: boolean;
}

/** What moves the screen on. */
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

/** Home again after another screen: what was known stays until it is looked at anew. */
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

/** An agent that is only named by the news keeps what is known of it, so that nothing flickers. */
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
