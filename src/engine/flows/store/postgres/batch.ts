import DataLoader from 'dataloader';
import type { Sql } from '../../../postgres/index.js';

/** Claims that find tasks check for expired leases no more often than this. */
const CHECK_EXPIRED_EVERY_MS = 100;

/**
 * Changes that share a transaction. Each waits for its own answers, and what several ask in the same tick becomes one
 * statement: a round trip takes longer than most of the work.
 */
export class Batch {
  /** Whether what is found stays locked until the end of the transaction. */
  readonly locks: boolean;
  /** The tasks that were given to a worker in this transaction, which does not skip its own locks. */
  readonly claimedSeqs = new Set<number>();
  private readonly sql: Sql;
  private hasCheckedExpired = false;
  private readonly expiryCheck: { lastMs: number };
  private readonly loaders = new Map<unknown, unknown>();
  private readonly turns = new Map<string, Promise<void>>();

  /** @param expiryCheck when the process last checked for expired leases */
  constructor(sql: Sql, locks: boolean, expiryCheck = { lastMs: 0 }) {
    this.sql = sql;
    this.locks = locks;
    this.expiryCheck = expiryCheck;
  }

  /** Whether to check for expired leases now: once in a batch, and not with each of many claims in a row. */
  shouldCheckExpired(nowMs: number): boolean {
    const isRecent =
      nowMs - this.expiryCheck.lastMs < CHECK_EXPIRED_EVERY_MS && this.claimedSeqs.size > 0;
    if (this.hasCheckedExpired || isRecent) return false;
    this.hasCheckedExpired = true;
    this.expiryCheck.lastMs = nowMs;
    return true;
  }

  /**
   * Loads what belongs to one key, together with all other keys of this tick.
   *
   * @param loaderKey the same for all keys that one statement can load
   * @param loadAll loads several keys with one statement, in the order of the keys
   */
  load<K, V>(
    loaderKey: unknown,
    loadAll: (keys: readonly K[]) => Promise<readonly V[]>,
    key: K,
  ): Promise<V> {
    const existing = this.loaders.get(loaderKey) as DataLoader<K, V> | undefined;
    const loader = existing ?? new DataLoader<K, V>(loadAll, { cache: false });
    if (existing === undefined) this.loaders.set(loaderKey, loader);
    return loader.load(key);
  }

  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.sql.query<Row>(text, values.map(withoutNul));
  }

  /** @returns how many rows it changed */
  run(text: string, values: readonly unknown[] = []): Promise<number> {
    return this.sql.run(text, values.map(withoutNul));
  }

  /** Waits for the changes that took the same turn before, and lets later ones wait until this one ends. */
  async takeTurn(name: string, ended: Promise<void>): Promise<void> {
    const before = this.turns.get(name);
    this.turns.set(name, ended);
    await before;
  }
}

/**
 * One change of a batch, or the query of a read. Two changes of the same flow must not see each other's partial writes:
 * one that finds a flow which another change of the batch has found waits until that change ends.
 */
export class Turn {
  readonly batch: Batch;
  readonly ended: Promise<void>;
  /** Lets others continue. */
  end: () => void = () => undefined;
  private readonly taken = new Set<string>();

  constructor(batch: Batch) {
    this.batch = batch;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async take(kind: 'answer' | 'flow' | 'notification' | 'queue', id: string): Promise<void> {
    const name = `${kind} ${id}`;
    if (!this.batch.locks || this.taken.has(name)) return;
    this.taken.add(name);
    await this.batch.takeTurn(name, this.ended);
  }
}

/** PostgreSQL's text cannot contain NUL. */
function withoutNul(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return Array.isArray(value) ? value.map(withoutNul) : value;
}
