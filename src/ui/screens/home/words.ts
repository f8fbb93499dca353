import type { OverviewNews, QuietFinding } from '../../../engine/overview/index.js';
import { formatCount } from '../../../engine/support/format.js';

/** States of flows and tasks to count, in this order. */
const TOLD_STATES = [
  ['running', 'running'],
  ['queued', 'queued'],
  ['waiting', 'waiting'],
  ['blocked', 'blocked'],
  ['failed', 'failed'],
  ['timed_out', 'timed out'],
  ['lost', 'lost'],
] as const;

/** Counts by state: `3 running`, `12 failed`, `210 in all`. */
export function countWords(counts: Readonly<Record<string, number>>): readonly string[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const told = TOLD_STATES.flatMap(([state, word]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${word}`];
  });
  return [...told, `${formatCount(all)} in all`];
}

/** Whether nothing is set up and there is nothing to search. */
export function isNew({ config }: Partial<OverviewNews>): boolean {
  return config?.state === 'none' && !config.hasNotes;
}

/** All known problems, faults first. */
export function wrongs(news: Partial<OverviewNews>): readonly QuietFinding[] {
  const { config, agents = [], listener, storage, flows, dreams = [], findings = [] } = news;
  const all: readonly QuietFinding[] = [
    ...(config?.state === 'faulty' ? [{ severity: 'fault' as const, ...config.fault }] : []),
    // Before anything is set up, missing folders are not a problem.
    ...(isNew(news)
      ? []
      : agents.flatMap(({ faults }) =>
          faults.map(({ about, message, hint }) => ({
            severity: 'fault' as const,
            message: `${about}: ${message}`,
            hint,
          })),
        )),
    ...(storage?.fault === undefined ? [] : [{ severity: 'fault' as const, ...storage.fault }]),
    ...(listener?.process?.failures ?? []).map(({ name, failure }) => ({
      severity: 'fault' as const,
      message: `service ${name}: ${failure?.message ?? ''}`,
      hint: failure?.hint ?? undefined,
    })),
    ...[flows?.fault, ...dreams.map(({ fault }) => fault)].flatMap((message) =>
      message === undefined ? [] : [{ severity: 'fault' as const, message }],
    ),
    // The doctor reports an unreadable configuration too.
    ...(config?.state === 'faulty' ? [] : findings),
  ];
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ severity }: QuietFinding): number {
  return severity === 'fault' ? 0 : 1;
}
