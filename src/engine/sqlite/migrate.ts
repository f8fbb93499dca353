import type { Connection } from './database.js';

/** How a database comes to the version that this program knows. */
export interface Migration {
  /** The statements from each version to the next; the version is how many of them were done. */
  readonly steps: readonly string[];
  /** Throws where the file is not for this program. Called once nobody else can change it any more. */
  readonly check: (version: number) => void;
  /** Marks the file as ours in SQLite's header. */
  readonly applicationId?: number | undefined;
}

/**
 * Brings a database to the version that this program knows; nothing is written where it is at it. All
 * steps are one transaction: a crash leaves the old version or the new one.
 */
export function migrate(database: Connection, { steps, check, applicationId }: Migration): void {
  if (versionOf(database) === steps.length) return;
  const apply = database.transaction(() => {
    // Asked again inside: another process may have been first.
    const version = versionOf(database);
    check(version);
    for (const step of steps.slice(version)) database.exec(step);
    if (applicationId !== undefined) database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${steps.length}`);
  });
  apply.immediate();
}

/** How many steps a database has gone through; 0 for a new one. */
export function versionOf(database: Connection): number {
  return Number(database.pragma('user_version', { simple: true }));
}
