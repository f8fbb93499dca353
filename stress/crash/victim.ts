import type { SvcRun } from '../../test/support/run-svc.js';
import type { Moment, World } from './world.js';

/** A run of the program to kill. */
export interface Victim {
  readonly name: string;
  /**
   * Starts it and kills it at a random moment.
   *
   * @throws Error if acknowledged data is missing or incomplete
   */
  killOnce(world: World, round: number): Promise<Killed>;
}

/** The result of a kill. */
export interface Killed {
  /** Whether it was still running. */
  readonly wasAtWork: boolean;
  /** Its output; undefined for several runs. */
  readonly run: SvcRun | undefined;
  /** What people had written when it started, if the victim itself wrote notes before. */
  readonly writtenBefore?: ReadonlyMap<string, string>;
}

/** A write takes a few milliseconds. */
const AFTER_TOUCH_MS = 12;

/**
 * Chooses the moments of kills: half of them at any time during a run, half of them right after the first
 * write, where most can go wrong.
 */
export class Moments {
  private ms = 500;
  private last: Moment = { afterMs: 0 };
  private readonly touched: RegExp | undefined;

  /** @param touched names of files written first; undefined if writing takes long anyway */
  constructor(touched?: RegExp) {
    this.touched = touched;
  }

  /** @param below the folder that is written to */
  next(random: () => number, below: string): Moment {
    const { touched } = this;
    this.last =
      touched === undefined || random() < 0.5
        ? { afterMs: random() * this.ms }
        : { afterMs: random() * AFTER_TOUCH_MS, touched, below };
    return this.last;
  }

  /** Learns how long runs take. @returns whether this one was killed while running */
  wasAtWork(run: SvcRun): boolean {
    const wasAtWork = run.signal === 'SIGKILL';
    const { last } = this;
    if ('touched' in last) return wasAtWork;
    if (wasAtWork && last.afterMs > this.ms * 0.8) this.ms *= 1.15;
    if (!wasAtWork) this.ms = Math.max(20, (this.ms + last.afterMs) / 2);
    return wasAtWork;
  }
}

/** Asserts with a message. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
