import type { DiffLine } from '../text-diff.js';

/** A `fault` keeps something from working; a `warning` may; a `note` is worth knowing. */
export type FindingSeverity = 'fault' | 'note' | 'warning';

/** Where something is written, or which file it is about; line and column are 1-based. */
export interface FindingPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Lines around a place, with secrets masked. */
export interface Excerpt {
  /** Number of the first of the lines. */
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** The place among them, in the masked text. */
  readonly line: number;
  readonly column: number;
}

/** A way to put something right that a person can look at before it is done. */
export interface Mend {
  /** An imperative sentence without a full stop. */
  readonly title: string;
  /** What it changes; holds no secret. */
  readonly diff: readonly DiffLine[];
  /** Whether it may be done unasked: nothing that somebody wrote or paid for is lost by it. */
  readonly safe: boolean;
  /** What else has to be looked at again afterwards: everything, or this check alone. */
  readonly changes: 'configuration' | 'state';
  /** Does it, if things are still as they were shown. @throws SvcError when it cannot be done */
  readonly apply: (signal: AbortSignal) => Promise<void>;
}

/** One thing that a check found. Texts are for people and hold no secret. */
export interface Finding {
  /** For programs, like `unknown-key`; never renamed. */
  readonly code: string;
  readonly severity: FindingSeverity;
  /** What is so, as one clause. */
  readonly message: string;
  /** Why it is so, or why it matters. */
  readonly cause?: string;
  readonly place?: FindingPlace;
  readonly excerpt?: Excerpt;
  /** What to type or do about it. */
  readonly hint?: string;
  readonly mend?: Mend;
}

/** What a check has to say. */
export interface CheckReport {
  /** What was looked at, in a few words; what is well about it when nothing was found. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** True where there was nothing to look at. */
  readonly off?: boolean;
}
