import type {
  AgentGlance,
  AgentNews,
  DreamsGlance,
  FlowsGlance,
  ListenerGlance,
  OverviewNews,
  StorageGlance,
} from '../../../engine/overview/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../../engine/support/format.js';
import { safeLine } from '../../safe-text.js';
import type { HomeState, HomeTarget } from './state.js';
import { countWords, inTime, isNew, wrongs } from './words.js';

/** The state of a line; shown by a sign, a colour and words. */
export type HomeMark = 'busy' | 'fault' | 'off' | 'unknown' | 'warning' | 'well';

/** One line of the home screen. */
export interface HomeLine {
  /** Stays the same when the line changes. */
  readonly key: string;
  readonly mark: HomeMark;
  readonly title: string;
  /** Most important first; without room, the last ones are dropped. */
  readonly parts: readonly string[];
  readonly target: HomeTarget;
  /** What Enter does. */
  readonly opens: string;
  /** Groups are separated if there is room. */
  readonly group: 'agents' | 'care' | 'work';
}

/** All lines of the home screen. */
export function homeLines({ news, nowMs }: HomeState): readonly HomeLine[] {
  const { agents } = news;
  return [
    ...setUpLine(news),
    ...(agents?.map((agent) => agentLine(agent, isNew(news), nowMs)) ?? [AGENTS_TO_COME]),
    ...workLines(news, nowMs),
    faultsLine(news),
  ];
}

/** The lines of the shared store, the listener, flows, tasks and dreams. */
export function workLines(
  news: Partial<Pick<OverviewNews, 'dreams' | 'flows' | 'listener' | 'storage'>>,
  nowMs: number,
): readonly HomeLine[] {
  const { dreams, flows, listener, storage } = news;
  return [
    ...(storage ? [storageLine(storage)] : []),
    listenerLine(listener, nowMs),
    countLine('flows', flows),
    countLine('tasks', flows),
    ...(dreams?.map((one, at) => dreamsLine(one, at, dreams.length > 1, nowMs)) ?? [
      DREAMS_TO_COME,
    ]),
  ];
}

const LOOKING = ['checking …'];

/** Placeholders for lines that are not known yet, so that nothing moves later. */
const AGENTS_TO_COME: HomeLine = {
  key: 'agents',
  mark: 'unknown',
  title: 'agents',
  parts: LOOKING,
  target: { kind: 'doctor' },
  opens: 'doctor',
  group: 'agents',
};
const DREAMS_TO_COME: HomeLine = {
  ...AGENTS_TO_COME,
  key: 'dreams',
  title: 'dreams',
  group: 'work',
};

function setUpLine(news: Partial<OverviewNews>): readonly HomeLine[] {
  if (!isNew(news)) return [];
  return [
    {
      key: 'set-up',
      mark: 'unknown',
      title: 'set up',
      parts: ['nothing is set up yet', 'svc config init'],
      target: { kind: 'set-up' },
      opens: 'set svc up',
      group: 'agents',
    },
  ];
}

function agentLine({ name, glance, faults }: AgentNews, isFresh: boolean, nowMs: number): HomeLine {
  const line = {
    key: `agent ${name}`,
    title: safeLine(name),
    target: { kind: 'search', agent: name },
    opens: 'search',
    group: 'agents',
  } as const;
  if (isFresh) return { ...line, mark: 'off', parts: ['no notes yet'] };
  const [fault] = faults;
  const wrong = fault === undefined ? [] : [safeLine(fault.message)];
  if (glance === undefined) {
    return fault === undefined
      ? { ...line, mark: 'unknown', parts: LOOKING }
      : { ...line, mark: 'fault', parts: wrong };
  }
  const hasIndex = glance.index === 'ready' || glance.index === 'outdated';
  const figures = [
    ...(hasIndex ? [formatCountOf(glance.chunks, 'chunk')] : []),
    providerWords(glance),
    ...(glance.backend === 'builtin' ? [] : [safeLine(glance.backend)]),
    ...(hasIndex ? [formatCountOf(glance.documents, 'file')] : []),
  ];
  const fresh = freshWords(glance, nowMs);
  const isWell = glance.index === 'ready' && glance.stale === 0;
  const mark = fault !== undefined ? 'fault' : isWell ? 'well' : 'warning';
  return { ...line, mark, parts: [...wrong, fresh, ...figures] };
}

function freshWords({ index, stale, syncedMs, watched }: AgentGlance, nowMs: number): string {
  switch (index) {
    case 'missing':
      return 'no index yet';
    case 'unusable':
      return 'index unusable';
    case 'outdated':
      return 'needs rebuild';
    case 'ready': {
      const synced = syncedMs === null ? 'never synced' : formatRelativeTime(syncedMs, nowMs);
      if (stale === null) return `cannot be read · ${synced}`;
      const state = stale === 0 ? 'up to date' : `${formatCount(stale)} stale`;
      return `${state} · ${watched ? 'watched' : synced}`;
    }
  }
}

function providerWords({ provider, vectors: { done, all } }: AgentGlance): string {
  if (provider === null) return 'keyword only';
  const name = safeLine(provider);
  if (all === 0 || done >= all) return name;
  return done === 0 ? `${name}, no vectors` : `${name} ${Math.floor((done / all) * 100)} %`;
}

function storageLine({ server, version, fault }: StorageGlance): HomeLine {
  const where = server === undefined ? [] : [safeLine(server)];
  return {
    key: 'storage',
    mark: fault === undefined ? 'well' : 'fault',
    title: 'storage',
    parts:
      fault === undefined
        ? [...where, `PostgreSQL ${safeLine(version ?? '')}`]
        : [safeLine(fault.message), ...where],
    target: { kind: 'doctor' },
    opens: 'doctor',
    group: 'work',
  };
}

function listenerLine(listener: ListenerGlance | undefined, nowMs: number): HomeLine {
  const line = {
    key: 'listener',
    title: 'listener',
    target: { kind: 'listener' },
    opens: 'routes',
    group: 'work',
  } as const;
  if (listener === undefined) return { ...line, mark: 'unknown', parts: LOOKING };
  const { process, routes, requests, rejected, last } = listener;
  const asked = [
    ...(requests === 0 ? [] : [formatCountOf(requests, 'request')]),
    ...(rejected === 0 ? [] : [`${formatCount(rejected)} rejected`]),
    ...(last === null ? [] : [`last ${formatRelativeTime(last.atMs, nowMs)}`]),
  ];
  const switchedOn = routes === 0 ? [] : [formatCountOf(routes, 'route')];
  if (process === undefined) {
    const mark = routes === 0 ? 'off' : 'warning';
    return { ...line, mark, parts: ['not running', ...switchedOn, ...asked] };
  }
  const { url, services, failures } = process;
  const troubles = failures.map(({ name, failure }) =>
    safeLine(`${name}: ${failure?.message ?? ''}`),
  );
  const where = url === undefined ? 'running' : safeLine(url.replace(/^http:\/\//u, ''));
  const parts = [...troubles, where, ...asked, ...switchedOn, formatCountOf(services, 'service')];
  return { ...line, mark: failures.length === 0 ? 'well' : 'fault', parts };
}

function countLine(kind: 'flows' | 'tasks', glance: FlowsGlance | undefined): HomeLine {
  const line = { key: kind, title: kind, target: { kind }, opens: kind, group: 'work' } as const;
  if (glance === undefined) return { ...line, mark: 'unknown', parts: LOOKING };
  if (glance.fault !== undefined) {
    return { ...line, mark: 'fault', parts: [safeLine(glance.fault)] };
  }
  const counts = glance[kind];
  if (kind === 'tasks' && glance.paused.length > 0) {
    const paused = `${glance.paused.map(({ runtime }) => runtime).join(', ')} paused`;
    return { ...line, mark: 'warning', parts: [paused, ...countWords(counts)] };
  }
  const { running = 0, queued = 0, blocked = 0 } = { blocked: 0, ...counts };
  if (Object.keys(counts).length === 0) return { ...line, mark: 'off', parts: ['none'] };
  const failed = kind === 'flows' ? glance.failedNotifications : 0;
  const undelivered = failed === 0 ? [] : [`${formatCountOf(failed, 'notification')} failed`];
  const mark = blocked + failed > 0 ? 'warning' : running + queued > 0 ? 'busy' : 'well';
  return { ...line, mark, parts: [...undelivered, ...countWords(counts)] };
}

function dreamsLine(
  { agents, enabled, nextMs, last, isFull, fault }: DreamsGlance,
  at: number,
  isOneOfMany: boolean,
  nowMs: number,
): HomeLine {
  const [agent = ''] = agents;
  const line = {
    key: `dreams ${at}`,
    title: 'dreams',
    target: { kind: 'candidates', agent },
    opens: 'candidates',
    group: 'work',
  } as const;
  const whose = isOneOfMany ? [safeLine(agents.join(', '))] : [];
  const next = nextMs === undefined ? 'no sweep scheduled' : `next sweep ${inTime(nextMs - nowMs)}`;
  const ago = last === undefined ? '' : formatRelativeTime(last.startedMs, nowMs);
  const swept =
    last === undefined
      ? []
      : [`last ${ago}`, last.failed ? 'failed' : `${formatCount(last.written)} written`];
  if (fault !== undefined) return { ...line, mark: 'fault', parts: [...whose, safeLine(fault)] };
  if (!enabled) return { ...line, mark: 'off', parts: [...whose, 'off', ...swept] };
  const full = isFull ? ['MEMORY.md is full'] : [];
  const mark = isFull || last?.failed === true ? 'warning' : 'well';
  return { ...line, mark, parts: [...whose, ...full, next, ...swept] };
}

function faultsLine(news: Partial<OverviewNews>): HomeLine {
  const line = {
    key: 'faults',
    title: 'faults',
    target: { kind: 'doctor' },
    opens: 'doctor',
    group: 'care',
  } as const;
  const wrong = wrongs(news);
  const [first] = wrong;
  if (first === undefined) {
    return news.findings === undefined
      ? { ...line, mark: 'unknown', parts: LOOKING }
      : { ...line, mark: 'well', parts: ['none'] };
  }
  const faults = wrong.filter(({ severity }) => severity === 'fault').length;
  const warnings = wrong.length - faults;
  const counts = [
    ...(faults === 0 ? [] : [formatCountOf(faults, 'fault')]),
    ...(warnings === 0 ? [] : [formatCountOf(warnings, 'warning')]),
  ];
  const mark = faults > 0 ? 'fault' : 'warning';
  return { ...line, mark, parts: [counts.join(' · '), safeLine(first.message)] };
}
