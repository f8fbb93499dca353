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
  killOnce(world: World, round: number): Promise<KillResult>;
}

/** The result of a kill. */
export interface KillResult {
  /** Whether it was still running. */
  readonly wasAtWork: boolean;
  /** Hashes of what people had written when it started, if the victim itself wrote notes before. */
  readonly hashesBefore?: ReadonlyMap<string, string>;
}

/**
 * Chooses the moments of kills: half of them at any time during a run, half of them right after the first
 * write, where most can go wrong.
 */
export class Moments {
  private readonly sinceStart = new Span(500, 20);
  /** A write takes a few milliseconds. */
  private readonly sinceWrite = new Span(12, 1);
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
        ? { afterMs: random() * this.sinceStart.ms }
        : { afterMs: random() * this.sinceWrite.ms, touched, below };
    return this.last;
  }

  /** Learns how long runs take. @returns whether this one was killed while running */
  wasAtWork(run: SvcRun): boolean {
    const wasAtWork = run.signal === 'SIGKILL';
    const { last } = this;
    const span = 'touched' in last ? this.sinceWrite : this.sinceStart;
    span.learn(last.afterMs, wasAtWork);
    return wasAtWork;
  }
}

/** The time in which a run can be killed, from what happened at earlier kills. */
class Span {
  ms: number;
  private readonly shortest: number;

  constructor(ms: number, shortest: number) {
    this.ms = ms;
    this.shortest = shortest;
  }

  learn(afterMs: number, wasInTime: boolean): void {
    if (!wasInTime) this.ms = Math.max(this.shortest, (this.ms + afterMs) / 2);
    else if (afterMs > this.ms * 0.8) this.ms *= 1.15;
  }
}

/** Asserts with a message. */
export function must(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(expectation);
}
