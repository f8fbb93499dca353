import type { AgentOverview, BackgroundFinding } from '../../../engine/overview/index.js';
import { formatRelativeTime } from '../../../engine/support/format.js';
import { wrapBehind, wrapSafe } from '../../fit.js';
import { changedFiles, modelWords } from '../../memory/words.js';
import { shownPath } from '../../safe-text.js';
import type { View } from '../../style.js';
import { type HomeLine, problems } from './lines.js';
import type { HomeState } from './state.js';

/** What drawing home depends on. */
export type HomeView = Pick<View, 'hintFor' | 'homeDir' | 'style'>;

/** Details of a line, wrapped. */
export function detailLines(
  state: HomeState,
  line: HomeLine,
  view: HomeView,
  columns: number,
): readonly string[] {
  const details = detailsOf(state, line, view.homeDir);
  return details.flatMap((detail) => wrapDetail(detail, view, columns));
}

interface Detail {
  readonly text: string;
  readonly kind: 'fault' | 'hint' | 'plain';
}

function detailsOf(state: HomeState, line: HomeLine, homeDir: string): readonly Detail[] {
  const { overview, nowMs } = state;
  switch (line.target.kind) {
    case 'set-up':
      return SET_UP_DETAILS;
    case 'doctor':
      return problems(overview).flatMap(findingDetails);
    case 'search': {
      const { agent: name } = line.target;
      const agent = overview.agents?.find((one) => one.name === name);
      return agent === undefined ? [] : agentDetails(agent, homeDir);
    }
    case 'listener': {
      const { process, fault, routes = 0, last = null } = overview.listener ?? {};
      if (fault !== undefined) return findingDetails({ severity: 'fault', ...fault });
      if (process === undefined && routes > 0) {
        return [{ text: '"svc serve" serves the routes', kind: 'hint' }];
      }
      if (last === null) return [];
      const what = last.code ?? last.action ?? '';
      const ago = formatRelativeTime(last.atMs, nowMs);
      return [{ text: `last response ${ago}: ${last.status} ${what}`, kind: 'plain' }];
    }
    case 'candidates': {
      const { agent } = line.target;
      if (line.mark === 'waiting') return [{ text: DREAMS_OFF, kind: 'hint' }];
      const isFull = overview.dreams?.find(({ agents }) => agents[0] === agent)?.isFull;
      return isFull === true ? [{ text: MEMORY_FULL, kind: 'hint' }] : [];
    }
    default:
      return [];
  }
}

const DREAMS_OFF = '"svc dream enable" lets "svc serve" consolidate memory on a schedule';
const MEMORY_FULL =
  'nothing is promoted: move your own lines to notes in memory/, or raise phases.deep.maxMemoryChars';

/** The first steps after installing svc. */
const SET_UP_DETAILS: readonly Detail[] = [
  { text: 'svc gives agents a searchable memory: folders of Markdown notes.', kind: 'plain' },
  {
    text: 'press Enter to set it up (svc config init): folder, provider, key, first index',
    kind: 'hint',
  },
  { text: 'or search any folder now: svc memory search -w ./notes', kind: 'hint' },
];

function agentDetails({ status, faults }: AgentOverview, homeDir: string): readonly Detail[] {
  const faultDetails = faults.flatMap(({ message, hint }) =>
    findingDetails({ severity: 'fault', message, hint }),
  );
  if (status === undefined) return faultDetails;
  const { workspaceDir, model, staleness } = status;
  const folder = shownPath(workspaceDir, homeDir);
  const examples = staleness?.examples ?? [];
  const more = staleness && changedFiles(staleness) > examples.length ? ', …' : '';
  return [
    { text: model === null ? folder : `${folder} · ${modelWords(model)}`, kind: 'plain' },
    ...(examples.length === 0
      ? []
      : [{ text: `stale: ${examples.join(', ')}${more}`, kind: 'plain' as const }]),
    ...faultDetails,
  ];
}

function findingDetails({ message, hint }: BackgroundFinding): readonly Detail[] {
  const line: Detail = { text: message, kind: 'fault' };
  return hint === undefined ? [line] : [line, { text: hint, kind: 'hint' }];
}

function wrapDetail(
  { text, kind }: Detail,
  { style, hintFor }: HomeView,
  columns: number,
): readonly string[] {
  if (kind === 'hint') return wrapBehind('→ ', hintFor(text), columns);
  return wrapSafe(text, columns).map(kind === 'plain' ? style.dim : style.plain);
}
