import type { Connection } from '../../../sqlite/database.js';
import type { SkippedFile } from '../../types.js';
import type { SyncMark, TreeSnapshot } from '../documents.js';

type SkipRow = Pick<SkippedFile, 'path' | 'reason'> & { readonly detail: string | null };

export function readSyncMark(database: Connection): SyncMark {
  return {
    syncedMs: readSyncedMs(database),
    tree: database.prepare<[], TreeSnapshot>('SELECT paths, fingerprints FROM tree').get(),
    skipped: database
      .prepare<[], SkipRow>('SELECT path, reason, detail FROM skipped ORDER BY rowid')
      .all()
      .map(({ detail, ...skip }) => (detail === null ? skip : { ...skip, detail })),
  };
}

/** Writes the sync mark. Transactions are the caller's. */
export function writeSyncMark(database: Connection, { syncedMs, tree, skipped }: SyncMark): void {
  writeMeta(database, 'synced_ms', String(syncedMs ?? ''));
  database.exec('DELETE FROM tree; DELETE FROM skipped');
  const insert = database.prepare('INSERT INTO skipped VALUES (?, ?, ?)');
  for (const { path, reason, detail } of skipped) insert.run(path, reason, detail ?? null);
  if (tree === undefined) return;
  database.prepare('INSERT INTO tree VALUES (?, ?)').run(tree.paths, tree.fingerprints);
}

export function readSyncedMs(database: Connection): number | undefined {
  const written = readMeta(database, 'synced_ms') ?? '';
  return written === '' ? undefined : Number(written);
}

export function readMeta(database: Connection, key: string): string | undefined {
  return database
    .prepare<[string], string>('SELECT value FROM meta WHERE key = ?')
    .pluck()
    .get(key);
}

export function writeMeta(database: Connection, key: string, value: string): void {
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
}

/** Records whether there are media, so that most searches need not check. */
export function noteMedia(database: Connection): void {
  const any = database.prepare("SELECT 1 FROM documents WHERE kind = 'media' LIMIT 1").get();
  writeMeta(database, 'media', any === undefined ? '0' : '1');
}

export function holdsMedia(database: Connection): boolean {
  return readMeta(database, 'media') === '1';
}

/** Records the languages that files are written in, so that most searches need not load any. */
export function noteLanguages(database: Connection): void {
  const codes = database
    .prepare<[], string>('SELECT DISTINCT language FROM documents WHERE language IS NOT NULL')
    .pluck()
    .all();
  writeMeta(database, 'languages', codes.sort().join(' '));
}

/** The codes of these languages. */
export function notedLanguages(database: Connection): readonly string[] {
  return (readMeta(database, 'languages') ?? '').split(' ').filter((code) => code !== '');
}
