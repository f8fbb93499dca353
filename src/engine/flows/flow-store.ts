import type { Clock } from '../context.js';
import { type Connection, databaseFault } from '../sqlite/database.js';
import type { FlowPolicy } from './policy.js';
import { type AuditRows, auditRows } from './store/audit-rows.js';
import { asFlowsError, asSyncError } from './store/flows-error.js';
import { GroupCommit } from './store/group-commit.js';
import { type LogSync, logSync } from './store/log-sync.js';
import { openFlowsDatabase } from './store/open-database.js';
import { type FlowsChange, openTables, type Tables, type Work } from './work.js';

/**
 * The database of flows while it is open. Several processes may have it open; each change is a
 * transaction that sees what all others have committed.
 */
export class FlowStore {
  readonly tables: Tables;
  readonly policy: FlowPolicy;
  private readonly file: string;
  private readonly database: Connection;
  private readonly log: LogSync;
  private readonly commits: GroupCommit<Work>;
  private readonly listeners = new Set<(change: FlowsChange) => void>();
  private readonly dataVersion;
  private committed = 0;
  private closing: Promise<void> | undefined;

  /**
   * @param file absolute path; made where there is none
   * @throws SvcError as `openFlowsDatabase` does
   */
  constructor(file: string, policy: FlowPolicy, clock: Clock) {
    this.file = file;
    this.policy = policy;
    this.database = openFlowsDatabase(file);
    this.dataVersion = this.database.prepare('PRAGMA data_version').pluck();
    this.log = logSync(this.database);
    const tables = openTables(this.database);
    this.tables = tables;
    this.commits = new GroupCommit<Work>({
      database: this.database,
      newWork: () => ({ ...tables, policy, nowMs: clock.now(), changes: [] }),
      sync: async () => {
        await this.log.sync().catch((error: unknown) => {
          throw asSyncError(error, file);
        });
      },
      onCommitted: (work) => this.tell(work),
      isBusy,
      asError: (error) => asFlowsError(error, file),
    });
  }

  /**
   * Runs a change in a transaction. Resolves once it is on disk. Rejected, nothing was done as a rule;
   * when only the sync of the log failed, the change is committed and may be kept (see GroupCommit).
   */
  write<T>(change: (work: Work) => T): Promise<T> {
    return this.commits.run(change);
  }

  /** Looks at what is committed. @throws SvcError */
  read<T>(look: (tables: Tables) => T): T {
    try {
      return look(this.tables);
    } catch (error) {
      throw asFlowsError(error, this.file);
    }
  }

  /** The queries that look for what is wrong. */
  auditRows(): AuditRows {
    return auditRows(this.database);
  }

  /** Tells each change of this process once it is on disk. @returns what ends it */
  subscribe(listener: (change: FlowsChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Differs from the last time when any process has committed something since. Costs no reading. */
  version(): string {
    return `${String(this.dataVersion.get())}.${this.committed}`;
  }

  /** Waits for the changes under way, and closes the file. Once is enough. */
  close(): Promise<void> {
    this.closing ??= this.commits.drained().then(async () => {
      await this.log.close();
      this.database.close();
    });
    return this.closing;
  }

  private tell(work: Work): void {
    // A look that found nothing has committed nothing.
    if (work.changes.length > 0) this.committed += 1;
    for (const change of work.changes) {
      for (const listener of this.listeners) listener(change);
    }
  }
}

function isBusy(error: unknown): boolean {
  return databaseFault(error) === 'busy';
}
