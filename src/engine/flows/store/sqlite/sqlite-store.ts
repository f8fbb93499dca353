import { close, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { SYSTEM } from '../../../flow-model/history-record.js';
import type { Connection } from '../../../sqlite/database.js';
import { sleepAtMost } from '../../../support/async.js';
import type { Clock } from '../../../support/context.js';
import { type ClockJump, jumpDetector } from '../../../support/time.js';
import type { FlowPolicy } from '../../flow-policy.js';
import { type FlowStore, type FlowTx, POLL_MS } from '../../flow-store.js';
import { GroupCommit } from './group-commit.js';
import { asFlowsError, asSyncError, fileIsGone, openFlowsDatabase } from './open-database.js';
import { appendHistory, sqliteSql, sqliteTables } from './sqlite-sql.js';

/**
 * Flows in a file of this machine. The changes of a transaction run one after the other, whatever their scope.
 *
 * @param file absolute path; created if needed
 * @param steadyMs a clock that never jumps
 * @throws SvcError as `openFlowsDatabase` does
 */
export function openSqliteFlowStore(
  file: string,
  policy: FlowPolicy,
  clock: Clock,
  steadyMs?: () => number,
): FlowStore {
  const database = openFlowsDatabase(file);
  const dataVersion = database.prepare('PRAGMA data_version').pluck();
  const log = logSync(database);
  const sql = sqliteSql(database);
  const tables = sqliteTables(sql);
  const now = () => clock.now();
  const nextJump = jumpDetector(now, steadyMs);
  let jump: ClockJump | undefined;
  let committed = 0;
  let closing: Promise<void> | undefined;
  const commits = new GroupCommit<FlowTx>({
    database,
    newTransaction: () => {
      jump = nextJump() ?? jump;
      return {
        ...tables,
        policy,
        nowMs: now(),
        jump,
        actor: SYSTEM,
        changes: [],
        newEntries: [],
      };
    },
    sync: async () => {
      await log.sync().catch((error: unknown) => {
        throw asSyncError(error, file);
      });
    },
    onCommitted: ({ changes }) => {
      // A transaction without a change has committed nothing.
      if (changes.length > 0) committed += 1;
    },
  });
  return {
    policy,
    now,
    write: (change) =>
      commits.run(async (tx) => {
        const answer = await change(tx);
        await appendHistory(sql, tx.newEntries.splice(0));
        return answer;
      }),
    // On the connection of the changes: a query never starts within a transaction, nor one within a query.
    read: async (query) => {
      await commits.betweenTransactions();
      try {
        return await query(tables);
      } catch (error) {
        throw asFlowsError(error, file);
      }
    },
    version: async () => `${String(dataVersion.get())}.${committed}`,
    waitForWork: async (signal, mostMs = POLL_MS) => {
      await sleepAtMost(Math.min(POLL_MS, mostMs), signal);
    },
    close: () => {
      closing ??= commits.waitUntilIdle().then(async () => {
        await log.close();
        database.close();
      });
      return closing;
    },
  };
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
  const { ino } = statSync(database.name);
  let descriptor: number | undefined;
  // What is written to a deleted file is lost with this process.
  const requireFile = (): void => {
    const now = statSync(database.name, { throwIfNoEntry: false });
    if (now?.ino !== ino) throw fileIsGone(database.name);
  };
  return {
    /** Resolves when everything that was committed before the call is on disk. */
    sync: async (): Promise<void> => {
      requireFile();
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
