import type { CheckReport } from './finding.js';
import type { ConfiguredWorld, DoctorWorld } from './world.js';

interface CheckName {
  /** One small word, which people see and scripts match on. */
  readonly name: string;
}

/**
 * One thing that the doctor looks at. A check changes nothing, reads what it needs by itself, and
 * stops on the signal of its world. Those that need the configuration are left out while it has
 * faults.
 *
 * A check may throw: an SvcError becomes a finding.
 */
export type DoctorCheck = CheckName &
  (
    | {
        readonly needs: 'configuration';
        readonly run: (world: ConfiguredWorld) => Promise<CheckReport>;
      }
    | { readonly needs: 'nothing'; readonly run: (world: DoctorWorld) => Promise<CheckReport> }
  );

/** How a check came out: the worst of its findings, notes left out. */
export type CheckState = 'fault' | 'off' | 'ok' | 'warning';

/** A check that was made. */
export interface CheckResult extends Omit<CheckReport, 'off'> {
  readonly check: string;
  readonly state: CheckState;
}

/** All checks that were made. */
export interface DoctorReport {
  /** False while faults remain. */
  readonly ok: boolean;
  /** How many checks are well, how many findings of each kind there are. */
  readonly counts: { readonly ok: number; readonly warnings: number; readonly faults: number };
  /** In the order of the registry. */
  readonly checks: readonly CheckResult[];
}

/** What the doctor tells while it looks; the screen and the lines read the same events. */
export type DoctorEvent =
  | { readonly type: 'check.started'; readonly check: string }
  | { readonly type: 'check.finished'; readonly result: CheckResult };
