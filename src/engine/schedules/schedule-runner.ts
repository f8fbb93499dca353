import type { Flows, ScheduleOutcome } from '../flows/index.js';
import { nextRun, type Schedule } from './configured-schedules.js';

/** What a runner needs, and what it reports. */
export interface ScheduleRunnerOptions {
  readonly flows: Pick<Flows, 'now' | 'schedules' | 'version'>;
  /** Called when the store has answered, also if nothing was due. */
  readonly onOutcome: (schedule: Schedule, outcome: ScheduleOutcome) => void;
  /** Called when the store failed; the run is tried again. */
  readonly onFault: (schedule: Schedule, error: unknown) => void;
}

/** How often due times are checked at least: a long timer stops while the machine sleeps. */
const LONGEST_REST_MS = 20_000;
/** After the store failed: until a run has worked, the process counts as not ready. */
const RETRY_REST_MS = 2000;
/** After a run, or when the clock of the store is behind the timer. */
const SHORTEST_REST_MS = 50;

export type ScheduleRunner = ReturnType<typeof scheduleRunner>;

/**
 * Creates flows when schedules are due, until closed. What was due while the machine slept or no process ran
 * leads to one flow, as soon as possible.
 */
export function scheduleRunner(
  all: readonly Schedule[],
  { flows, onOutcome, onFault }: ScheduleRunnerOptions,
) {
  const schedules = all.filter(({ enabled }) => enabled);
  /** Those that are turned off, until the store has recorded it. */
  const toTurnOff = new Set(all.filter(({ enabled }) => !enabled));
  /** Until when each was handled, as this process knows: others can only have handled more. */
  const handled = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  let isClosed = false;
  let hasFailed = false;
  /** Spares a transaction when nothing is due anyway. */
  const canBeDue = ({ id, nextDue }: Schedule): boolean => {
    const handledMs = handled.get(id);
    const nowMs = flows.now();
    if (handledMs === undefined || handledMs > nowMs) return true;
    const [dueMs = Number.POSITIVE_INFINITY] = nextDue(handledMs, 1);
    return dueMs <= nowMs;
  };
  const remember = ({ id }: Schedule, outcome: ScheduleOutcome): void => {
    if (outcome.type === 'invalid') handled.delete(id);
    else handled.set(id, outcome.type === 'waits' ? outcome.handledUntil : outcome.scheduledMs);
  };
  const turnOff = async (): Promise<void> => {
    for (const schedule of toTurnOff) {
      await flows.schedules.turnOff(schedule.id);
      toTurnOff.delete(schedule);
    }
  };
  const runDue = async (): Promise<void> => {
    // Corrects the time of the store after the machine slept. If this fails, so does what is due, and reports why.
    await flows.version().catch(() => undefined);
    hasFailed = false;
    await turnOff().catch(() => {
      // Whatever keeps this from being stored is reported by the services that store flows.
      hasFailed = true;
    });
    for (const schedule of schedules) {
      if (isClosed) return;
      if (!canBeDue(schedule)) continue;
      try {
        const outcome = await flows.schedules.runDue(schedule);
        remember(schedule, outcome);
        onOutcome(schedule, outcome);
      } catch (error) {
        hasFailed = true;
        onFault(schedule, error);
      }
    }
  };
  /** Runs what is due now; calls never overlap. Never rejects. */
  const check = (): Promise<void> => {
    checking = checking.then(runDue);
    return checking;
  };
  /** The schedule that is due next, and when, in milliseconds since the epoch; undefined if none is. */
  const next = (): { readonly schedule: Schedule; readonly atMs: number } | undefined => {
    const nowMs = flows.now();
    return schedules
      .flatMap((schedule) => {
        const atMs = nextRun(schedule, handled.get(schedule.id), nowMs);
        return atMs === undefined ? [] : { schedule, atMs };
      })
      .sort((a, b) => a.atMs - b.atMs)[0];
  };
  /** Runs what is due now, and later whatever becomes due. */
  const start = (): void => {
    void check().then(() => {
      if (isClosed) return;
      const untilDueMs = (next()?.atMs ?? Number.POSITIVE_INFINITY) - flows.now();
      const longestMs = hasFailed ? RETRY_REST_MS : LONGEST_REST_MS;
      const restMs = Math.max(SHORTEST_REST_MS, Math.min(longestMs, untilDueMs));
      timer = setTimeout(start, restMs);
    });
  };
  /** Starts no other run, and waits for the one in progress. */
  const close = async (): Promise<void> => {
    isClosed = true;
    clearTimeout(timer);
    await checking;
  };
  return { start, check, next, close };
}
