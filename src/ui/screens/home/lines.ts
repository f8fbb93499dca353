import type { StatusOutput } from '../../../engine/memory/index.js';
import type {
  AgentOverview,
  BackgroundFinding,
  DreamsSummary,
  FlowsSummary,
  ListenerSummary,
  Overview,
  StorageSummary,
} from '../../../engine/overview/index.js';
import {
  formatCount,
  formatCountOf,
  formatRelativeTime,
  formatTimeUntil,
} from '../../../engine/support/format.js';
import type { ListItem } from '../../components/list-state.js';
import { freshnessWords } from '../../memory/status-overview.js';
import { changedFiles, lastSyncWords, modelWords } from '../../memory/words.js';
import { safeLine } from '../../safe-text.js';
import type { Mark } from '../../style.js';

/** What Enter or a key opens. */
export type HomeTarget =
  | { readonly kind: 'candidates' | 'diagnosis' | 'index' | 'search'; readonly agent: string }
  | { readonly kind: 'doctor' | 'flows' | 'listener' | 'set-up' | 'tasks' }
  /** A command of svc, with its arguments. */
  | { readonly kind: 'command'; readonly argv: readonly string[] };

/** What is known before the first frame. */
export interface HomeStart {
  readonly nowMs: number;
  readonly overview: Partial<Overview>;
  /** Lines that are kept free for what takes longer, so that nothing moves later. */
  readonly reserved: { readonly dreams: number; readonly storage: boolean };
}

/** One line of the home screen. */
export interface HomeLine extends ListItem {
  /** `waiting` if it is off or has nothing to do, `note` if its state is not known. */
  readonly mark: Mark;
  readonly title: string;
  /** Most important first; without room, the last ones are dropped. */
  readonly parts: readonly string[];
  /** Only of agents. */
  readonly cells?: AgentCells;
  readonly target: HomeTarget;
  /** What Enter does. */
  readonly opens: string;
  /** Groups are separated if there is room. */
  readonly group: 'agents' | 'faults' | 'work';
}

/** Columns of an agent's line. */
export interface AgentCells {
  readonly index: string;
  readonly files: string;
  readonly chunks: string;
  readonly indexed: string;
  /** The provider and its model, or what is wrong. */
  readonly search: string;
}

/** All lines of the home screen that can be selected. */
export function homeLines({ overview, nowMs, reserved }: HomeStart): readonly HomeLine[] {
  const { agents, dreams, storage } = overview;
  const lines = [
    ...setUpLine(overview),
    ...(agents?.map((agent) => agentLine(agent, isUnused(overview), nowMs)) ?? [
      AGENTS_PLACEHOLDER,
    ]),
    ...(storage === undefined && reserved.storage ? [STORAGE_PLACEHOLDER] : []),
    ...workLines(overview, nowMs),
    ...(dreams === undefined
      ? dreamsPlaceholders(reserved.dreams)
      : dreams.length > MOST_DREAMS
        ? [allDreamsLine(dreams, nowMs)]
        : dreamsLines(dreams, nowMs)),
    faultsLine(overview),
  ];
  return lines.map((line) => ({ ...line, text: [line.title, ...line.parts].join(' ') }));
}

type PlainLine = Omit<HomeLine, 'text'>;

/** The lines of the shared store, the listener, flows and tasks. */
export function workLines(
  { config, flows, listener, storage }: Partial<Overview>,
  nowMs: number,
): readonly PlainLine[] {
  // The configuration names the store of flows.
  const unread = config?.state === 'faulty' ? UNKNOWN : CHECKING;
  return [
    ...(storage ? [storageLine(storage)] : []),
    listenerLine(listener, nowMs),
    countLine('flows', flows, unread),
    countLine('tasks', flows, unread),
  ];
}

/** More workspaces share one line. */
const MOST_DREAMS = 3;

const CHECKING = ['checking …'];
const UNKNOWN = ['unknown'];

/** Lines that are not known yet have placeholders, so that nothing moves later. */
const AGENTS_PLACEHOLDER: PlainLine = {
  id: 'agents',
  mark: 'note',
  title: 'agents',
  parts: CHECKING,
  target: { kind: 'doctor' },
  opens: 'doctor',
  group: 'agents',
};
const STORAGE_PLACEHOLDER: PlainLine = {
  ...AGENTS_PLACEHOLDER,
  id: 'storage',
  title: 'storage',
  group: 'work',
};

function dreamsPlaceholders(workspaces: number): readonly PlainLine[] {
  const lines = workspaces > MOST_DREAMS ? 1 : Math.max(1, workspaces);
  return Array.from({ length: lines }, (_, at) => ({
    ...STORAGE_PLACEHOLDER,
    id: `dreams ${at}`,
    title: 'dreams',
  }));
}

function setUpLine(overview: Partial<Overview>): readonly PlainLine[] {
  if (!isUnused(overview)) return [];
  return [
    {
      id: 'set-up',
      mark: 'note',
      title: 'set up',
      parts: ['nothing is set up yet', 'svc config init'],
      target: { kind: 'set-up' },
      opens: 'set svc up',
      group: 'agents',
    },
  ];
}

function agentLine(
  { name, status, faults }: AgentOverview,
  hasNothing: boolean,
  nowMs: number,
): PlainLine {
  const line = {
    id: `agent ${name}`,
    title: safeLine(name),
    target: { kind: 'search', agent: name },
    opens: 'search',
    group: 'agents',
  } as const;
  if (hasNothing) {
    return { ...line, mark: 'waiting', parts: [], cells: { ...NO_CELLS, index: 'no notes yet' } };
  }
  const [fault] = faults;
  if (status === undefined && fault === undefined) {
    return { ...line, mark: 'note', parts: [], cells: { ...NO_CELLS, index: 'checking …' } };
  }
  const message = fault === undefined ? [] : [safeLine(fault.message)];
  if (status === undefined) {
    const cells = { ...NO_CELLS, index: 'fault', search: message.join('') };
    return { ...line, mark: 'fault', parts: message, cells };
  }
  const { index, staleness, backend } = status;
  const search = [
    ...message,
    providerWords(status),
    ...(backend === 'builtin' ? [] : [safeLine(backend)]),
  ];
  const cells: AgentCells = {
    ...NO_CELLS,
    ...(index.state === 'ready' && {
      files: formatCount(index.statistics.documents),
      chunks: formatCount(index.statistics.chunks),
      indexed: status.watcher === null ? lastSyncWords(status, nowMs) : 'watched',
    }),
    index: freshnessWords(status),
    search: search.join(' · '),
  };
  const isFresh =
    index.state === 'ready' &&
    index.rebuildBecause === undefined &&
    staleness !== undefined &&
    changedFiles(staleness) === 0;
  const mark = fault !== undefined ? 'fault' : isFresh ? 'ok' : 'warning';
  return { ...line, mark, parts: [cells.index, ...search], cells };
}

const NO_CELLS: AgentCells = { index: '', files: '', chunks: '', indexed: '', search: '' };

function providerWords({ provider, model, vectorStore }: StatusOutput): string {
  if (provider === null) return 'keyword only';
  const name = safeLine(provider);
  const { embedded, pending, refused } = vectorStore;
  const missing = pending + refused;
  if (missing > 0) {
    const percent = Math.floor((embedded / (embedded + missing)) * 100);
    return embedded === 0 ? `${name}, no vectors` : `${name} ${percent} %`;
  }
  return model === null ? name : `${name} · ${safeLine(modelWords(model))}`;
}

function storageLine({ server, version, fault }: StorageSummary): PlainLine {
  const where = server === undefined ? [] : [safeLine(server)];
  return {
    id: 'storage',
    mark: fault === undefined ? 'ok' : 'fault',
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

function listenerLine(listener: ListenerSummary | undefined, nowMs: number): PlainLine {
  const line = {
    id: 'listener',
    title: 'listener',
    target: { kind: 'listener' },
    opens: 'routes',
    group: 'work',
  } as const;
  if (listener === undefined) return { ...line, mark: 'note', parts: CHECKING };
  const { process, fault, routes, requests, rejected, last } = listener;
  if (fault !== undefined) return { ...line, mark: 'fault', parts: [safeLine(fault.message)] };
  const requestParts = [
    ...(requests === 0 ? [] : [formatCountOf(requests, 'request')]),
    ...(rejected === 0 ? [] : [`${formatCount(rejected)} rejected`]),
    ...(last === null ? [] : [`last ${formatRelativeTime(last.atMs, nowMs)}`]),
  ];
  const routeParts = routes === 0 ? [] : [formatCountOf(routes, 'route')];
  if (process === undefined) {
    const mark = routes === 0 ? 'waiting' : 'warning';
    return { ...line, mark, parts: ['not running', ...routeParts, ...requestParts] };
  }
  const { url, services, failures } = process;
  const failureParts = failures.map(({ name, failure }) =>
    safeLine(`${name}: ${failure?.message ?? ''}`),
  );
  const where = url === null ? 'running' : safeLine(url.replace(/^http:\/\//u, ''));
  const parts = [
    ...failureParts,
    where,
    ...requestParts,
    ...routeParts,
    formatCountOf(services, 'service'),
  ];
  return { ...line, mark: failures.length === 0 ? 'ok' : 'fault', parts };
}

function countLine(
  kind: 'flows' | 'tasks',
  summary: FlowsSummary | undefined,
  unread: readonly string[],
): PlainLine {
  const line = { id: kind, title: kind, target: { kind }, opens: kind, group: 'work' } as const;
  if (summary === undefined) return { ...line, mark: 'note', parts: unread };
  if (summary.fault !== undefined) {
    return { ...line, mark: 'fault', parts: [safeLine(summary.fault.message)] };
  }
  const counts: Readonly<Record<string, number>> = summary[kind];
  if (kind === 'tasks' && summary.paused.length > 0) {
    const paused = `${summary.paused.map(({ runtime }) => runtime).join(', ')} paused`;
    return { ...line, mark: 'warning', parts: [paused, ...countWords(counts)] };
  }
  if (kind === 'tasks' && summary.unclaimed.length > 0) {
    const runtimes = summary.unclaimed.map(({ runtime }) => runtime).join(' or ');
    const parts = [`no worker takes ${runtimes} tasks`, ...countWords(counts)];
    return { ...line, mark: 'warning', parts };
  }
  const { running = 0, queued = 0, blocked = 0 } = counts;
  if (Object.keys(counts).length === 0) return { ...line, mark: 'waiting', parts: ['none'] };
  const failed = kind === 'flows' ? summary.failedNotifications : 0;
  const undelivered = failed === 0 ? [] : [`${formatCountOf(failed, 'notification')} failed`];
  const mark = blocked + failed > 0 ? 'warning' : running + queued > 0 ? 'running' : 'ok';
  return { ...line, mark, parts: [...undelivered, ...countWords(counts)] };
}

/** A line for each workspace. */
export function dreamsLines(dreams: readonly DreamsSummary[], nowMs: number): readonly PlainLine[] {
  return dreams.map((one, at) => dreamsLine(one, at, dreams.length > 1, nowMs));
}

/** All workspaces in one line, which opens the one that needs attention first. */
function allDreamsLine(dreams: readonly DreamsSummary[], nowMs: number): PlainLine {
  const lines = dreamsLines(dreams, nowMs);
  const firstWith = (mark: Mark): number => lines.findIndex((line) => line.mark === mark);
  const soonest = dreams.reduce(
    (first, { nextMs = Number.POSITIVE_INFINITY }, at) =>
      nextMs < (dreams[first]?.nextMs ?? Number.POSITIVE_INFINITY) ? at : first,
    0,
  );
  const first = [firstWith('fault'), firstWith('warning'), soonest].find((at) => at !== -1) ?? 0;
  const line = lines[first];
  const on = dreams.filter(({ enabled }) => enabled).length;
  const workspaces = `${formatCount(on)} of ${formatCountOf(dreams.length, 'workspace')}`;
  if (line === undefined) throw new TypeError('no workspaces');
  return { ...line, parts: on === 0 ? ['off'] : [workspaces, ...line.parts] };
}

function dreamsLine(
  { agents, enabled, nextMs, last, isFull, fault }: DreamsSummary,
  at: number,
  isOneOfMany: boolean,
  nowMs: number,
): PlainLine {
  const [agent = ''] = agents;
  const line = {
    id: `dreams ${at}`,
    title: 'dreams',
    target: { kind: 'candidates', agent },
    opens: 'candidates',
    group: 'work',
  } as const;
  const whose = isOneOfMany ? [safeLine(agents.join(', '))] : [];
  const next =
    nextMs === undefined ? 'no sweep scheduled' : `next sweep ${formatTimeUntil(nextMs, nowMs)}`;
  const swept =
    last === undefined
      ? []
      : [`last ${formatRelativeTime(last.startedMs, nowMs)}`, sweepResult(last)];
  if (fault !== undefined)
    return { ...line, mark: 'fault', parts: [...whose, safeLine(fault.message)] };
  if (!enabled) return { ...line, mark: 'waiting', parts: [...whose, 'off', ...swept] };
  const full = isFull ? ['MEMORY.md is full'] : [];
  const mark = isFull || last?.failed === true ? 'warning' : 'ok';
  return { ...line, mark, parts: [...whose, ...full, next, ...swept] };
}

function sweepResult({ failed, undone, written }: NonNullable<DreamsSummary['last']>): string {
  if (failed) return 'failed';
  return undone ? 'undone' : `${formatCount(written)} written`;
}

function faultsLine(overview: Partial<Overview>): PlainLine {
  const line = {
    id: 'faults',
    title: 'faults',
    target: { kind: 'doctor' },
    opens: 'doctor',
    group: 'faults',
  } as const;
  const all = problems(overview);
  const [first] = all;
  if (first === undefined) {
    return overview.findings === undefined
      ? { ...line, mark: 'note', parts: CHECKING }
      : { ...line, mark: 'ok', parts: ['none'] };
  }
  const faults = all.filter(({ severity }) => severity === 'fault').length;
  const warnings = all.length - faults;
  const counts = [
    ...(faults === 0 ? [] : [formatCountOf(faults, 'fault')]),
    ...(warnings === 0 ? [] : [formatCountOf(warnings, 'warning')]),
  ];
  const mark = faults > 0 ? 'fault' : 'warning';
  return { ...line, mark, parts: [counts.join(' · '), safeLine(first.message)] };
}

/** States of flows and tasks to count, in this order. */
const COUNTED = ['running', 'queued', 'waiting', 'blocked', 'failed', 'timed_out', 'lost'] as const;

/** Counts by state: `3 running`, `12 failed`, `210 in all`. */
function countWords(counts: Readonly<Record<string, number>>): readonly string[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const byState = COUNTED.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${state.replace('_', ' ')}`];
  });
  return [...byState, `${formatCount(all)} in all`];
}

/** Whether nothing is set up and there is nothing to search. */
function isUnused({ config }: Partial<Overview>): boolean {
  return config?.state === 'none' && !config.hasNotes;
}

/** All known problems, faults first. */
export function problems(overview: Partial<Overview>): readonly BackgroundFinding[] {
  const { config, agents = [], listener, storage, flows, dreams = [], findings = [] } = overview;
  const all: readonly BackgroundFinding[] = [
    ...[
      ...(config?.state === 'faulty' ? [config.fault] : []),
      // Before anything is set up, missing folders are not a problem.
      ...(isUnused(overview) ? [] : agents.flatMap(({ faults }) => faults)),
    ].map(({ about, message, hint }) => ({
      severity: 'fault' as const,
      message: `${about}: ${message}`,
      hint,
    })),
    ...(listener?.process?.failures ?? []).map(({ name, failure }) => ({
      severity: 'fault' as const,
      message: `service ${name}: ${failure?.message ?? ''}`,
      hint: failure?.hint ?? undefined,
    })),
    ...[storage, listener, flows, ...dreams].flatMap((work) =>
      work?.fault === undefined ? [] : [{ severity: 'fault' as const, ...work.fault }],
    ),
    // The doctor reports an unreadable configuration too.
    ...(config?.state === 'faulty' ? [] : findings),
  ];
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ severity }: BackgroundFinding): number {
  return severity === 'fault' ? 0 : 1;
}
