import type { OverviewNews, QuietFinding } from '../../../engine/overview/overview-news.js';
import { formatCount, formatCountOf } from '../../format.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long until something is done: `in 5 h`; `now` when its time has come. */
export function inTime(ms: number): string {
  if (ms <= 0) return 'now';
  if (ms < HOUR_MS) return `in ${Math.ceil(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `in ${Math.round(ms / HOUR_MS)} h`;
  return `in ${formatCountOf(Math.round(ms / DAY_MS), 'day')}`;
}

/** States of flows and tasks that are worth a word, in this order; what ended well is none. */
const TOLD_STATES = [
  ['running', 'running'],
  ['queued', 'queued'],
  ['waiting', 'waiting'],
  ['blocked', 'blocked'],
  ['failed', 'failed'],
  ['timed_out', 'timed out'],
  ['lost', 'lost'],
] as const;

/** How many are in which state, and how many there are: `3 running`, `12 failed`, `210 in all`. */
export function countWords(counts: Readonly<Record<string, number>>): readonly string[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const told = TOLD_STATES.flatMap(([state, word]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${word}`];
  });
  return [...told, `${formatCount(all)} in all`];
}

/** Whether nobody has set anything up, and there is nothing to search. */
export function isNew({ config }: Partial<OverviewNews>): boolean {
  return config?.state === 'none' && !config.hasNotes;
}

/** Everything that is known to be wrong, faults first. */
export function wrongs(news: Partial<OverviewNews>): readonly QuietFinding[] {
  const { config, agents = [], listener, flows, dreams = [], findings = [] } = news;
  const all: readonly QuietFinding[] = [
    ...(config?.state === 'faulty' ? [{ severity: 'fault' as const, ...config.fault }] : []),
    // Before anything is set up it is no fault that nothing is there.
    ...(isNew(news)
      ? []
      : agents.flatMap(({ faults }) =>
          faults.map(({ about, message, hint }) => ({
            severity: 'fault' as const,
            message: `${about}: ${message}`,
            hint,
          })),
        )),
    ...(listener?.process?.failures ?? []).map(({ name, failure }) => ({
      severity: 'fault' as const,
      message: `service ${name}: ${failure?.message ?? ''}`,
      hint: failure?.mend ?? undefined,
    })),
    ...[flows?.fault, ...dreams.map(({ fault }) => fault)].flatMap((message) =>
      message === undefined ? [] : [{ severity: 'fault' as const, message }],
    ),
    // A configuration that cannot be read is found by the doctor too.
    ...(config?.state === 'faulty' ? [] : findings),
  ];
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ severity }: QuietFinding): number {
  return severity === 'fault' ? 0 : 1;
}
