import { close, fdatasync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SYSTEM } from '../../../flow-model/history-record.js';
import { type Connection, databaseFault } from '../../../sqlite/database.js';
import type { Clock } from '../../../support/context.js';
import { type ClockJump, jumpDetector } from '../../../support/time.js';
import {
  ChangeListeners,
  type FlowPolicy,
  type FlowStore,
  type FlowsChange,
  type Work,
} from '../../flow-store.js';
import type { StoreSql } from '../store-sql.js';
import type { Tables } from '../tables.js';
import { GroupCommit } from './group-commit.js';
import { asFlowsError, asSyncError, openFlowsDatabase } from './open-database.js';
import { appendHistory, sqliteSql, sqliteTables } from './sqlite-sql.js';

/** Flows in a file of this machine. The changes of a transaction run one after the other, whatever their scope. */
export class SqliteFlowStore implements FlowStore {
  readonly policy: FlowPolicy;
  private readonly clock: Clock;
  private readonly tables: Tables;
  private readonly file: string;
  private readonly database: Connection;
  private readonly log: ReturnType<typeof logSync>;
  private readonly commits: GroupCommit<Work>;
  private readonly listeners = new ChangeListeners();
  private readonly dataVersion;
  private readonly sql: StoreSql;
  private committed = 0;
  private closing: Promise<void> | undefined;

  /**
   * @param file absolute path; created if needed
   * @param steadyMs a clock that never jumps
   * @throws SvcError as `openFlowsDatabase` does
   */
  constructor(file: string, policy: FlowPolicy, clock: Clock, steadyMs?: () => number) {
    this.file = file;
    this.policy = policy;
    this.clock = clock;
    this.database = openFlowsDatabase(file);
    this.dataVersion = this.database.prepare('PRAGMA data_version').pluck();
    this.log = logSync(this.database);
    this.sql = sqliteSql(this.database);
    const tables = sqliteTables(this.sql);
    const nextJump = jumpDetector(() => clock.now(), steadyMs);
    let jump: ClockJump | undefined;
    this.tables = tables;
    this.commits = new GroupCommit<Work>({
      database: this.database,
      newWork: () => {
        jump = nextJump() ?? jump;
        return {
          ...tables,
          policy,
          nowMs: clock.now(),
          jump,
          actor: SYSTEM,
          changes: [],
          notes: [],
        };
      },
      sync: async () => {
        await this.log.sync().catch((error: unknown) => {
          throw asSyncError(error, file);
        });
      },
      onCommitted: ({ changes }) => {
        // A transaction without a change has committed nothing.
        if (changes.length > 0) this.committed += 1;
        this.listeners.tell(changes);
      },
      isBusy: (error) => databaseFault(error) === 'busy',
      asError: (error) => asFlowsError(error, file),
    });
  }

  now(): number {
    return this.clock.now();
  }

  write<T>(change: (work: Work) => Promise<T>): Promise<T> {
    return this.commits.run(async (work) => {
      const answer = await change(work);
      await appendHistory(this.sql, work.notes.splice(0));
      return answer;
    });
  }

  /** On the connection of the changes: a query never starts within a transaction, nor one within a query. */
  async read<T>(query: (tables: Tables) => Promise<T>): Promise<T> {
    await this.commits.betweenTransactions();
    try {
      return await query(this.tables);
    } catch (error) {
      throw asFlowsError(error, this.file);
    }
  }

  subscribe(listener: (change: FlowsChange) => void): () => void {
    return this.listeners.subscribe(listener);
  }

  async version(): Promise<string> {
    return `${String(this.dataVersion.get())}.${this.committed}`;
  }

  async rest(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  close(): Promise<void> {
    this.closing ??= this.commits.drained().then(async () => {
      await this.log.close();
      this.database.close();
    });
    return this.closing;
  }
}

const syncData = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Waits for the disk off the event loop, which SQLite itself would block: with `synchronous = NORMAL` a
 * commit writes the write-ahead log without a sync, and its checksums make it all or nothing
 * (https://sqlite.org/wal.html). SQLite syncs the log before it moves anything from there. No locks are
 * held on the log, which closing a file would drop.
 *
 * @param database in WAL mode, written to at least once since it was opened
 */
function logSync(database: Connection) {
  let descriptor: number | undefined;
  return {
    /** Resolves when everything that was committed before the call is on disk. */
    sync: async (): Promise<void> => {
      // Windows syncs only what is open for writing.
      descriptor ??= openSync(`${database.name}-wal`, 'r+');
      await syncData(descriptor);
    },
    close: async (): Promise<void> => {
      if (descriptor !== undefined) await closeFile(descriptor);
      descriptor = undefined;
    },
  };
}
