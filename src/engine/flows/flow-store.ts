import type { Actor, NewHistoryEntry } from '../flow-model/history-record.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import { backoffMs, type ClockJump } from '../support/time.js';
import type { FlowPolicy } from './flow-policy.js';
import type { Tables } from './store/tables.js';

/**
 * Where flows are kept. Several processes, and with some stores several hosts, share one; each change is a
 * transaction that sees what all others have committed.
 */
export interface FlowStore {
  readonly policy: FlowPolicy;
  /**
   * The time of the store in milliseconds since the epoch; a change has its exact one. After the machine slept, it can
   * be behind until the next change or {@link version}.
   */
  now(): number;
  /**
   * Runs a change in a transaction, together with others. Resolves once it is on disk. If it rejects, nothing was
   * done, unless the error says that the change may have been kept.
   *
   * @param change awaits nothing but the tables, and can run twice: it must read before it writes
   */
  write<T>(change: (tx: FlowTx) => Promise<T>, scope?: ChangeScope): Promise<T>;
  /** Reads what is committed. */
  read<T>(query: (tables: Tables) => Promise<T>): Promise<T>;
  /** Differs whenever any process has committed something in between. Cheap. */
  version(): Promise<string>;
  /** Waits until the store learns of work that another process committed, and not long in any case. Never rejects. */
  waitForWork(signal: AbortSignal, mostMs?: number): Promise<void>;
  /** Waits for the changes in progress, and closes the store. */
  close(): Promise<void>;
}

/**
 * What a change can touch, which decides the changes that can share its transaction: one flow with its tasks and
 * notifications (default), tasks that are claimed, or anything.
 */
export type ChangeScope = 'anything' | 'claims' | 'flow';

/** Something that a change has written. */
export type FlowsChange =
  | { readonly type: 'flow' | 'notification' | 'pause' }
  | { readonly type: 'task'; readonly task: TaskRecord };

/** How often those who wait ask a store whether anything was committed, which costs next to nothing. */
export const POLL_MS = 200;

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 10_000;

/** How long to wait after so many failures of the store in a row. */
export function storeBackoffMs(failures: number): number {
  return backoffMs(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
}

/** What a change reads and writes: one transaction at one moment. */
export interface FlowTx extends Tables {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The last jump of the clock that this process noticed; it does not shorten leases. */
  readonly jump: ClockJump | undefined;
  readonly policy: FlowPolicy;
  /** Who makes the change. */
  readonly actor: Actor;
  /** What the change has written so far, in order. */
  readonly changes: FlowsChange[];
  /** Its entries for the history, which are stored at the end of the transaction. */
  readonly newEntries: NewHistoryEntry[];
}

/** Part of a list, newest first. */
export interface Page<T> {
  readonly entries: readonly T[];
  /** How many there are without the limit. */
  readonly total: number;
}
