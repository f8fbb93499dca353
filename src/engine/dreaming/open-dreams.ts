import { existsSync } from 'node:fs';
import type { Connection } from '../sqlite/database.js';
import type { DreamWorkspace } from './dream-workspace.js';
import { openDreamDatabase } from './store/dream-database.js';
import { type RecallEntries, recallEntries } from './store/recall-entries.js';
import { type SweepRecords, sweepRecords } from './store/sweep-records.js';

/** What dreaming knows of a workspace, for looking at and deciding by hand. Close it when done. */
export interface OpenDreams {
  readonly database: Connection;
  readonly entries: RecallEntries;
  readonly sweeps: SweepRecords;
  close(): void;
}

/**
 * Opens what is known of a workspace; undefined when nothing is known yet.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE
 */
export function openDreams({ files }: DreamWorkspace): OpenDreams | undefined {
  if (!existsSync(files.database)) return undefined;
  const database = openDreamDatabase(files.database);
  return {
    database,
    entries: recallEntries(database),
    sweeps: sweepRecords(database),
    close: () => database.close(),
  };
}
