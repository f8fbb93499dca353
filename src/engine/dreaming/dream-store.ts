import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { MemoryStore } from '../memory/forget/index.js';
import type { Forgotten } from '../memory/forgotten/index.js';
import { lineEndAfter } from '../memory-files/insertion.js';
import { inWriteTransaction } from '../sqlite/database.js';
import { runSql } from '../sqlite/query.js';
import { NEVER } from '../support/async.js';
import { dayFormatter } from '../support/day.js';
import { PRIVATE_MODE } from '../support/files.js';
import { replaceFile } from '../support/replace-file.js';
import type { DreamWorkspace } from './dream-workspace.js';
import type { MemoryOperation } from './promotion/memory-file.js';
import { ingestRecalls } from './recall-log/ingest-recalls.js';
import { withLockedDreams } from './store/dream-database.js';
import type { SweepRecords } from './store/sweep-records.js';

/** Removes forgotten text from what dreaming has recorded about a workspace. */
export function dreamStore(workspace: DreamWorkspace, timeZone: string | undefined): MemoryStore {
  const { files } = workspace;
  return {
    follow: async (forgotten, { signal = NEVER } = {}) => {
      const store = 'recall log';
      if (!existsSync(files.database) && !existsSync(files.recallLog)) {
        return { store, changed: 0, clean: true };
      }
      return withLockedDreams(workspace, { signal }, async (dreams) => {
        const { database, entries, sweeps, writes } = dreams;
        const dayOf = dayFormatter(timeZone);
        // Move everything into the database first: single lines cannot be removed from the log.
        await ingestRecalls({ ...dreams, workspace, logs: [], dayOf, rotates: false });
        let changed = 0;
        inWriteTransaction(database, () => {
          for (const { key, text } of entries.since(0)) {
            if (!forgotten.isInRecord(text)) continue;
            entries.remove(key);
            changed += 1;
          }
          changed += forgetOperations(sweeps, forgotten);
          for (const { id, inserted } of writes.list()) {
            if (!forgotten.isInRecord(inserted)) continue;
            writes.remove(id);
            changed += 1;
          }
          runSql(database, 'DELETE FROM backfills WHERE key NOT IN (SELECT key FROM entries)');
        });
        for (const log of [files.recallLog, files.rotatedLog]) rmSync(log, { force: true });
        changed += forgetBackups(files.backupDir, forgotten);
        database.exec('VACUUM');
        const [ended] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
        return { store, changed, clean: ended?.busy === 0 };
      });
    },
  };
}

/** Undoing a sweep must not bring forgotten text back. */
function forgetOperations(sweeps: SweepRecords, forgotten: Forgotten): number {
  let changed = 0;
  for (const sweep of sweeps.list()) {
    const operations = sweep.operations.flatMap((operation) => leftOf(operation, forgotten));
    if (isDeepStrictEqual(operations, sweep.operations)) continue;
    sweeps.put({ ...sweep, operations });
    changed += 1;
  }
  return changed;
}

/** An operation without forgotten text, or none. The text above a retired entry only shows where it was. */
function leftOf(operation: MemoryOperation, forgotten: Forgotten): readonly MemoryOperation[] {
  const isForgotten = (text: string): boolean => forgotten.isInRecord(text);
  if (operation.kind === 'retire') {
    const { before, above } = operation;
    if (isForgotten(before)) return [];
    if (!isForgotten(above)) return [operation];
    const left = forgotten.removeFrom(above);
    // If nothing is left, undo must not find a place, and appends the entry.
    const isLeft = left !== '' && !isForgotten(left);
    return [{ ...operation, above: isLeft ? left + lineEndAfter(left, '\n') : before }];
  }
  const isGone =
    operation.kind === 'replace'
      ? isForgotten(operation.before) || isForgotten(operation.after)
      : isForgotten(operation.inserted);
  return isGone ? [] : [operation];
}

/** Rewrites the copies of `MEMORY.md` made before sweeps. */
function forgetBackups(dir: string, forgotten: Forgotten): number {
  if (!existsSync(dir)) return 0;
  let changed = 0;
  for (const name of readdirSync(dir)) {
    const file = join(dir, name);
    const text = readFileSync(file, 'utf8');
    const left = forgotten.removeFrom(text);
    if (left === text) continue;
    replaceFile(file, left, PRIVATE_MODE);
    changed += 1;
  }
  return changed;
}
