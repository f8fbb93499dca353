import type { AdapterId } from '../../config/index.js';
import type { ErrorCode, SourceLocation, WarningCode } from '../../errors/index.js';

/** What is looked at on the way from a question to its vector, in the order in which it is shown. */
export const CHECKS = [
  'selected',
  'key',
  'endpoint',
  'embed',
  'batch',
  'fallback',
  'vectors',
] as const;

/** The name of a check; the last four are of the external search program. */
export type CheckName =
  | (typeof CHECKS)[number]
  | 'collections'
  | 'program'
  | 'question'
  | 'release';

/** `off`: not used, or not tried; nothing is wrong with it. */
export type CheckState = 'failed' | 'off' | 'ok' | 'warning';

/** What a check found. Texts are for people and hold no secret. */
export interface CheckOutcome {
  readonly state: CheckState;
  /** What was looked at: a provider, where a key is, an address, a model. */
  readonly text: string;
  /** More about it. */
  readonly note?: string;
  /** What went wrong, for programs. */
  readonly code?: ErrorCode | WarningCode;
  /** The same for people. */
  readonly cause?: string;
  /** What to do about it. */
  readonly mend?: string;
  /** Where the setting behind it is written. */
  readonly location?: SourceLocation;
  readonly latencyMs?: number;
  /** Length of the vectors. */
  readonly dimensions?: number;
  /** Passages of the index with a vector that counts now, of all. */
  readonly passages?: { readonly done: number; readonly all: number };
}

/** What the checks come to. */
export interface Diagnosis {
  /** `named`: one provider alone was looked at, whatever is configured. `ext`: the external search program. */
  readonly scope: 'ext' | 'named' | 'path';
  /** False when questions cannot be embedded although a provider is chosen. */
  readonly ok: boolean;
  /** Who would embed a question now; null when nobody can, or nobody is chosen. */
  readonly usable: 'fallback' | 'primary' | null;
  /** Who is chosen; null where memory is searched by words alone. The program's name for `ext`. */
  readonly provider: string | null;
  readonly adapter: AdapterId | null;
  /** Those that were made, in the order in which they are shown. */
  readonly checks: readonly (CheckOutcome & { readonly check: CheckName })[];
}

/** What a diagnosis tells while it runs; the screen and the plain lines read the same events. */
export type DiagnosisEvent =
  | { readonly type: 'check.started'; readonly check: CheckName }
  | {
      readonly type: 'check.finished';
      readonly check: CheckName;
      readonly outcome: CheckOutcome;
    }
  | { readonly type: 'diagnosis.finished'; readonly diagnosis: Diagnosis };
