import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedWebhooks } from '../../config/index.js';
import { isHandleShortage, SvcError, systemReason } from '../../errors/index.js';
import { columnsOf } from '../../flow-model/fields.js';
import {
  type Connection,
  databaseFault,
  inWriteTransaction,
  openDatabase,
} from '../../sqlite/database.js';
import { type FileFormat, formatVersion, openFormat } from '../../sqlite/format.js';
import { queryRows, queryValue, runSql } from '../../sqlite/query.js';
import { syncFolder } from '../../support/files.js';
import { MS_PER_DAY } from '../../support/time.js';
import { DELIVERY_FIELDS, type Delivery, type DeliveryDetails } from './delivery-record.js';

/** How much is kept. */
export type DeliveryLimits = ResolvedWebhooks['config']['deliveries'];

/** Requests of unknown senders that are kept per route, so that a scan cannot displace real deliveries. */
const MOST_UNVERIFIED = 100;

/** How many deliveries of one kind are kept. */
export function mostKept({ keep }: DeliveryLimits, isVerified: boolean): number {
  return isVerified ? keep : Math.min(keep, MOST_UNVERIFIED);
}

/** The deliveries to list. */
export interface DeliveryFilter {
  readonly route?: string | undefined;
  /** Only those that were rejected or failed. */
  readonly failed?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /** In anything but the body and the headers. */
  readonly text?: string | undefined;
  /** Only those recorded later. */
  readonly afterSeq?: number | undefined;
  readonly limit: number;
}

const STEPS = [
  `CREATE TABLE deliveries (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     at_ms INTEGER NOT NULL,
     route TEXT NOT NULL,
     delivery_id TEXT,
     event TEXT,
     client_ip TEXT,
     request_id TEXT NOT NULL,
     status INTEGER NOT NULL,
     code TEXT,
     reason TEXT,
     ms REAL NOT NULL,
     action TEXT,
     flow_id TEXT,
     replay_of TEXT,
     is_verified INTEGER NOT NULL,
     body_state TEXT NOT NULL,
     body_bytes INTEGER NOT NULL,
     headers TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX deliveries_by_route ON deliveries (route, is_verified);
   CREATE INDEX deliveries_by_time ON deliveries (at_ms);`,
];

const FORMAT: FileFormat = {
  name: 'a record of deliveries',
  steps: STEPS,
  // "svcd".
  applicationId: 0x73766364,
  // What is deleted may be private.
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL', 'secure_delete = ON'],
  refusals: { foreign: 'DELIVERIES_UNUSABLE', newer: 'DELIVERIES_UNUSABLE' },
};

/** Waiting blocks the listener. */
const WRITE_TIMEOUT_MS = 20;
const READ_TIMEOUT_MS = 2000;

/** The record of the deliveries that this host received: `webhook-deliveries.sqlite` in the state folder. */
export function deliveriesFile(stateDir: string): string {
  return join(stateDir, 'webhook-deliveries.sqlite');
}

/** An open record of deliveries. */
export class DeliveryFile {
  private readonly database: Connection;

  private constructor(database: Connection) {
    this.database = database;
  }

  /**
   * Opens the record to write it, private to its owner. It is created if needed.
   *
   * @throws what SQLite or the system throws; SvcError DELIVERIES_UNUSABLE if it is not a record of this version
   */
  static open(file: string): DeliveryFile {
    return new DeliveryFile(openFormat(file, FORMAT, WRITE_TIMEOUT_MS));
  }

  /**
   * Opens an existing record to read it; undefined if there is none yet.
   *
   * @throws SvcError DELIVERIES_UNUSABLE
   */
  static openExisting(file: string): DeliveryFile | undefined {
    if (!existsSync(file)) return undefined;
    return withReadError(file, () => {
      const database = openDatabase(file, { readonly: true, busyTimeoutMs: READ_TIMEOUT_MS });
      try {
        if (formatVersion(database, FORMAT) > 0) return new DeliveryFile(database);
      } catch (error) {
        database.close();
        throw error;
      }
      // Another process is just creating it.
      database.close();
      return undefined;
    });
  }

  /** Adds deliveries and removes what is beyond the limits, in one transaction. */
  add(
    deliveries: readonly Omit<DeliveryDetails, 'seq'>[],
    limits: DeliveryLimits,
    nowMs: number,
  ): void {
    const insert = this.database.prepare(INSERT);
    inWriteTransaction(this.database, () => {
      const kinds = new Map<string, readonly [route: string, isVerified: boolean]>();
      for (const { isVerified, headers, ...delivery } of deliveries) {
        const flag = isVerified ? 1 : 0;
        insert.run({ ...delivery, isVerified: flag, headers: JSON.stringify(headers) });
        kinds.set(`${flag}${delivery.route}`, [delivery.route, isVerified]);
      }
      this.removeBeyondLimits(limits, [...kinds.values()], nowMs);
    });
  }

  /** Removes what is beyond the limits by now. */
  applyLimits(limits: DeliveryLimits, nowMs: number): void {
    inWriteTransaction(this.database, () => {
      const kinds = queryRows<{ readonly route: string; readonly isVerified: number }>(
        this.database,
        'SELECT DISTINCT route, is_verified AS isVerified FROM deliveries',
      );
      const all = kinds.map(({ route, isVerified }) => [route, isVerified === 1] as const);
      this.removeBeyondLimits(limits, all, nowMs);
    });
  }

  /** Forgets all deliveries. */
  clear(): void {
    this.database.exec('DELETE FROM deliveries; VACUUM;');
    this.database.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** The newest first. */
  list(filter: DeliveryFilter): readonly Delivery[] {
    const { sql, values } = conditionsOf(filter);
    const rows = queryRows<DeliveryRow>(
      this.database,
      `SELECT ${COLUMNS} FROM deliveries WHERE ${sql} ORDER BY seq DESC LIMIT ?`,
      ...values,
      filter.limit,
    );
    return rows.map(deliveryOf);
  }

  /** How many there are without the limit. */
  count(filter: DeliveryFilter): number {
    const { sql, values } = conditionsOf(filter);
    return (
      queryValue(this.database, `SELECT count(*) FROM deliveries WHERE ${sql}`, ...values) ?? 0
    );
  }

  /**
   * The delivery with this id, or with a unique prefix of it.
   *
   * @throws SvcError DELIVERY_NOT_FOUND
   */
  find(idOrPrefix: string): DeliveryDetails {
    const prefix = idOrPrefix.toLowerCase();
    const rows =
      prefix.length < MIN_PREFIX
        ? []
        : queryRows<DetailsRow>(
            this.database,
            `SELECT ${COLUMNS}, headers, body FROM deliveries
             WHERE id >= ? AND id < ? ORDER BY id LIMIT 2`,
            prefix,
            `${prefix}~`,
          );
    const [found, second] = rows;
    if (found === undefined) throw deliveryNotFound(idOrPrefix);
    if (second === undefined || found.id === prefix) return detailsOf(found);
    throw new SvcError(
      'DELIVERY_NOT_FOUND',
      `several deliveries have ids that start with ${idOrPrefix}`,
      { hint: 'use a longer prefix; "svc webhook deliveries --json" prints whole ids' },
    );
  }

  /** Differs whenever another connection has committed something in between. Cheap. */
  version(): number {
    return Number(this.database.pragma('data_version', { simple: true }));
  }

  /** What SQLite finds wrong with the file; undefined if nothing is. */
  fault(): string | undefined {
    const found = this.database.pragma('quick_check(1)', { simple: true });
    return found === 'ok' ? undefined : String(found);
  }

  close(): void {
    this.database.close();
  }

  private removeBeyondLimits(
    limits: DeliveryLimits,
    kinds: readonly (readonly [route: string, isVerified: boolean])[],
    nowMs: number,
  ): void {
    for (const [route, isVerified] of kinds) {
      this.keepNewest(route, isVerified, mostKept(limits, isVerified));
    }
    const oldestMs = nowMs - limits.days * MS_PER_DAY;
    runSql(this.database, 'DELETE FROM deliveries WHERE at_ms < ?', oldestMs);
    this.keepSize(limits.maxMegabytes * 1_000_000);
  }

  private keepNewest(route: string, isVerified: boolean, most: number): void {
    runSql(
      this.database,
      `DELETE FROM deliveries WHERE route = @route AND is_verified = @flag AND seq <= (
         SELECT seq FROM deliveries WHERE route = @route AND is_verified = @flag
         ORDER BY seq DESC LIMIT 1 OFFSET @most)`,
      { route, flag: isVerified ? 1 : 0, most },
    );
  }

  /** Removes the oldest until the rest fits. */
  private keepSize(mostBytes: number): void {
    const drop = this.database.prepare(
      `DELETE FROM deliveries WHERE seq IN (
         SELECT seq FROM deliveries ORDER BY seq LIMIT (SELECT count(*) / 10 + 1 FROM deliveries))`,
    );
    while (this.usedBytes() > mostBytes && drop.run().changes > 0);
  }

  private usedBytes(): number {
    const number = (name: string) => Number(this.database.pragma(name, { simple: true }));
    return (number('page_count') - number('freelist_count')) * number('page_size');
  }
}

/** Shorter ones would find another delivery with every typing error. */
const MIN_PREFIX = 4;

/** The error for a delivery that is not in the record. */
export function deliveryNotFound(id: string): SvcError {
  return new SvcError('DELIVERY_NOT_FOUND', `delivery ${id} not found`, {
    hint: 'run "svc webhook deliveries" to list those that are kept',
  });
}

const LISTED = columnsOf(DELIVERY_FIELDS);
const COLUMNS = LISTED.map(([name, column]) => `${column} AS ${name}`).join(', ');
const STORED = [...LISTED.slice(1), ['headers', 'headers'] as const, ['body', 'body'] as const];
const INSERT = `INSERT INTO deliveries (${STORED.map(([, column]) => column).join(', ')})
  VALUES (${STORED.map(([name]) => `@${name}`).join(', ')})`;

/** What a filter text is not looked for in. */
const UNSEARCHED = ['seq', 'at_ms', 'ms', 'is_verified', 'body_state', 'body_bytes'];
const SEARCHED = LISTED.filter(([, column]) => !UNSEARCHED.includes(column))
  .map(([, column]) => `ifnull(${column}, '')`)
  .join(" || ' ' || ");

type DeliveryRow = Omit<Delivery, 'isVerified'> & { readonly isVerified: number };
type DetailsRow = DeliveryRow & { readonly headers: string; readonly body: string };

function deliveryOf({ isVerified, ...row }: DeliveryRow): Delivery {
  return { ...row, isVerified: isVerified === 1 };
}

function detailsOf({ headers, body, ...row }: DetailsRow): DeliveryDetails {
  return { ...deliveryOf(row), headers: JSON.parse(headers), body };
}

function conditionsOf({ route, failed, sinceMs, text, afterSeq }: DeliveryFilter) {
  const all: readonly (readonly [sql: string, value: unknown])[] = [
    ['route = ?', route],
    ['status >= ?', failed === true ? 400 : undefined],
    ['at_ms >= ?', sinceMs],
    ['seq > ?', afterSeq],
    [`instr(lower(${SEARCHED}), ?) > 0`, text?.toLowerCase()],
  ];
  const used = all.filter(([, value]) => value !== undefined);
  return {
    sql: ['TRUE', ...used.map(([sql]) => sql)].join(' AND '),
    values: used.map(([, value]) => value),
  };
}

/** Runs a read, and explains its failure. @throws SvcError DELIVERIES_UNUSABLE */
export function withReadError<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError || isHandleShortage(error)) throw error;
    const isDamaged = databaseFault(error) === 'corrupt';
    throw new SvcError(
      'DELIVERIES_UNUSABLE',
      `${file} ${isDamaged ? 'is damaged' : 'cannot be read'}: ${systemReason(error)}`,
      {
        hint: isDamaged
          ? 'the listener starts a new one with its next delivery'
          : 'check the permissions of the file and its folder',
        cause: error,
      },
    );
  }
}

/** Moves a damaged record aside, in place of an earlier one. @returns its new path */
export function setAsideDeliveries(file: string): string {
  const aside = `${file}.damaged`;
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(`${aside}${suffix}`, { force: true });
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  }
  syncFolder(dirname(file));
  return aside;
}
