import type { SvcRun } from '../../test/support/run-svc.js';
import type { Moment, World } from './world.js';

/** Something that is killed. */
export interface Victim {
  readonly name: string;
  /**
   * Begins it and kills it at a moment that chance takes, within the time that it took so far.
   *
   * @throws Error when what was acknowledged is not there, or what is there is not whole
   */
  killOnce(world: World, round: number): Promise<Killed>;
}

/** What became of it. */
export interface Killed {
  /** Whether it was still at work. */
  readonly wasAtWork: boolean;
  /** What it had said; undefined where there are several runs. */
  readonly run: SvcRun | undefined;
  /** What people had written when it began, where the victim wrote as a person before. */
  readonly writtenBefore?: ReadonlyMap<string, string>;
}

/** A write takes a few milliseconds. */
const AFTER_TOUCH_MS = 12;

/**
 * Takes the moments of kills: half of them anywhere in the time that runs take, half of them right after
 * the first write, where there is most to break.
 */
export class Moments {
  private ms = 500;
  private last: Moment = { afterMs: 0 };
  private readonly touched: RegExp | undefined;

  /** @param touched names of what is written first; undefined where writing takes long anyway */
  constructor(touched?: RegExp) {
    this.touched = touched;
  }

  /** The next one. @param below the folder that is written to */
  next(random: () => number, below: string): Moment {
    const { touched } = this;
    this.last =
      touched === undefined || random() < 0.5
        ? { afterMs: random() * this.ms }
        : { afterMs: random() * AFTER_TOUCH_MS, touched, below };
    return this.last;
  }

  /** Learns how long runs take; gives back whether this one was still at work when it was killed. */
  wasAtWork(run: SvcRun): boolean {
    const wasAtWork = run.signal === 'SIGKILL';
    const { last } = this;
    if ('touched' in last) return wasAtWork;
    if (wasAtWork && last.afterMs > this.ms * 0.8) this.ms *= 1.15;
    if (!wasAtWork) this.ms = Math.max(20, (this.ms + last.afterMs) / 2);
    return wasAtWork;
  }
}

/** Fails with words. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
