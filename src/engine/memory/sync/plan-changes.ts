import type { StoredDocument } from '../index/memory-index.js';
import type { DocumentKey, FileFingerprint, SourceFile } from '../types.js';
import { isRacy } from './tree-snapshot.js';

/** What has to be done to make an index mirror the files. */
export interface SyncPlan {
  /** Files to read, because they are new or their fingerprint changed. */
  readonly read: readonly PlannedRead[];
  /** Documents whose file is gone. */
  readonly remove: readonly StoredDocument[];
  readonly unchanged: number;
}

/** A file to read, with what the index holds of it so far. */
export interface PlannedRead {
  readonly file: SourceFile;
  readonly stored: StoredDocument | undefined;
}

/** Compares what the disk holds with what the index holds; pure. */
export function planChanges(
  files: readonly SourceFile[],
  stored: readonly StoredDocument[],
): SyncPlan {
  const left = new Map(stored.map((document) => [keyOf(document), document]));
  const read: PlannedRead[] = [];
  let unchanged = 0;
  for (const file of files) {
    const key = keyOf(file);
    const document = left.get(key);
    left.delete(key);
    if (document !== undefined && isFresh(document, file)) unchanged += 1;
    else read.push({ file, stored: document });
  }
  return { read, remove: [...left.values()], unchanged };
}

/** True when there is nothing to do. */
export function isUpToDate(plan: SyncPlan): boolean {
  return plan.read.length === 0 && plan.remove.length === 0;
}

function isFresh(document: StoredDocument, file: FileFingerprint): boolean {
  const { fingerprint, indexedMs } = document;
  return (
    fingerprint.size === file.size &&
    fingerprint.mtimeMs === file.mtimeMs &&
    fingerprint.ctimeMs === file.ctimeMs &&
    !isRacy(file.mtimeMs, indexedMs)
  );
}

/** A document's key as one string. */
function keyOf(key: DocumentKey): string {
  return `${key.source}:${key.path}`;
}
