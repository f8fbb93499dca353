import { existsSync } from 'node:fs';
import { EXTRACTION_VERSION } from '../../support/document-format.js';
import { readPart, unlessSystemError } from '../../support/files.js';
import {
  currentIdentity,
  type IndexIdentity,
  type IndexSettings,
  identityDifferences,
  type MemoryIndex,
  newerIndex,
  type OpenedIndex,
  type StoredDocument,
  type TreeSnapshot,
} from '../index/index.js';
import {
  TRANSCRIPT_READERS,
  type TranscriptFile,
  type TranscriptGrowth,
} from '../sources/index.js';
import {
  documentKeyText,
  type FileFingerprint,
  isSameFingerprint,
  READ_AGAIN_MS,
  READ_IN_PART_MS,
  type SourceFile,
} from '../types.js';
import type { Rebuild, SyncRequest } from './events.js';

/** What it takes to make an index mirror the files. */
export interface SyncPlan {
  /** New files, and those whose fingerprint changed. */
  readonly read: readonly PlannedRead[];
  /** Documents whose file is gone. */
  readonly remove: readonly StoredDocument[];
  readonly unchanged: number;
}

/** A file to read, with what the index has of it. */
export interface PlannedRead {
  readonly file: SourceFile;
  readonly stored: StoredDocument | undefined;
}

/** Compares files on disk with the index. Pure. */
export function planChanges(
  files: readonly SourceFile[],
  stored: readonly StoredDocument[],
): SyncPlan {
  const remaining = new Map(stored.map((document) => [documentKeyText(document), document]));
  const read: PlannedRead[] = [];
  let unchanged = 0;
  for (const file of files) {
    const key = documentKeyText(file);
    const document = remaining.get(key);
    remaining.delete(key);
    if (document !== undefined && isFresh(document, file)) unchanged += 1;
    else read.push({ file, stored: document });
  }
  return { read, remove: [...remaining.values()], unchanged };
}

const MEGABYTE = 1024 * 1024;
/** A process that starts, loads a library and ends. */
const EXTRACTION_WORK = 2 * MEGABYTE;
/** Media are only hashed. */
const MEDIA_SPEED = 16;
/** About the bytes of a message in a database, with the output of tools. */
const PART_BYTES = 1024;

/** About how long a file takes to index, in bytes of a note that take as long. For progress only. */
export function workOf(file: SourceFile): number {
  if (file.kind === 'extracted') return file.size + EXTRACTION_WORK;
  if (file.kind === 'media') return Math.round(file.size / MEDIA_SPEED);
  return countsParts(file) ? file.size * PART_BYTES : file.size;
}

/** Whether the size of a conversation is not in bytes. */
export function countsParts(file: SourceFile): boolean {
  return isTranscript(file) && TRANSCRIPT_READERS[file.place.reader].conversations !== undefined;
}

export function isUpToDate(plan: SyncPlan): boolean {
  return plan.read.length === 0 && plan.remove.length === 0;
}

/** Marks the hash of a document whose text was extracted. */
export function extractionMark(): string {
  return `.x${EXTRACTION_VERSION}`;
}

function isCurrentExtraction(hash: string): boolean {
  return hash.split('.').includes(`x${EXTRACTION_VERSION}`);
}

function isFresh(document: StoredDocument, file: SourceFile): boolean {
  const { fingerprint, indexedMs } = document;
  return (
    document.kind === file.kind &&
    (file.kind !== 'extracted' || isCurrentExtraction(document.hash)) &&
    isSameFingerprint(fingerprint, file) &&
    !isRacy(file, indexedMs)
  );
}

/**
 * What a sync would do now. Cheap when the scan matches that of the last sync: a file that was unreadable then is not
 * reported again while it is unchanged.
 */
export async function pendingChanges(
  index: MemoryIndex,
  files: readonly SourceFile[],
  scannedMs: number,
): Promise<SyncPlan> {
  const tree = snapshotOf(files, scannedMs);
  if (tree !== undefined && (await index.hasTree(tree))) {
    return { read: [], remove: [], unchanged: files.length };
  }
  return planChanges(files, await index.documents());
}

/**
 * Whether a sync would find nothing to do. Other files than at the last sync are left to the next one, which reads the
 * documents under its lock in any case: from a server far away, that takes long.
 */
export async function mirrors(
  index: MemoryIndex,
  files: readonly SourceFile[],
  scannedMs: number,
): Promise<boolean> {
  const tree = snapshotOf(files, scannedMs);
  if (tree !== undefined) return index.hasTree(tree);
  return isUpToDate(planChanges(files, await index.documents()));
}

/** More than the timestamp resolution of file systems with fractional seconds. */
const FINE_STEP_MS = 20;
/** The resolution of other file systems: one second, on FAT two. */
const COARSE_STEP_MS = 2000;

/**
 * Two writes within the timestamp resolution leave the same fingerprint, so a file modified just before it was read may
 * have changed unnoticed; git calls this "racily clean". A time in the future was either set, and the next write
 * changes it, or the clock of the file system is ahead: then that of the inode is in the future, too.
 *
 * @param observedMs when the file was read, or its time was
 */
export function isRacy(
  { mtimeMs, ctimeMs }: Pick<FileFingerprint, 'ctimeMs' | 'mtimeMs'>,
  observedMs: number,
): boolean {
  const step = mtimeMs % 1000 === 0 ? COARSE_STEP_MS : FINE_STEP_MS;
  const earliestMs = observedMs - step;
  return mtimeMs >= earliestMs && (mtimeMs <= observedMs + step || ctimeMs >= earliestMs);
}

/** How long until a file that was just written is no longer racy; 0 if that is not soon. */
export function racyForMs(mtimeMs: number, nowMs: number): number {
  const waitMs = Math.floor(mtimeMs + FINE_STEP_MS - nowMs) + 1;
  return waitMs <= 2 * FINE_STEP_MS && mtimeMs % 1000 !== 0 ? Math.max(0, waitMs) : 0;
}

/** @returns undefined when a file is so recent that its next change could go unnoticed */
export function snapshotOf(
  files: readonly SourceFile[],
  scannedMs: number,
): TreeSnapshot | undefined {
  const numbers = new Float64Array(files.length * 3);
  let at = 0;
  for (const { size, mtimeMs, ctimeMs } of files) {
    if (isRacy({ mtimeMs, ctimeMs }, scannedMs)) return undefined;
    numbers[at] = size;
    numbers[at + 1] = mtimeMs;
    numbers[at + 2] = ctimeMs;
    at += 3;
  }
  return { paths: files.map(pathWithKind).join('//'), fingerprints: Buffer.from(numbers.buffer) };
}

/** The path of a file and how it is read, which settings and a newer version can change. */
function pathWithKind({ path, kind }: SourceFile): string {
  if (kind === 'markdown') return path;
  return kind === 'extracted' ? `${kind}${EXTRACTION_VERSION}:${path}` : `${kind}:${path}`;
}

export function isSameTree(a: TreeSnapshot, b: TreeSnapshot): boolean {
  return a.fingerprints.equals(b.fingerprints) && a.paths === b.paths;
}

/** The build of an index that cannot be opened. @throws SvcError INDEX_NEWER unless forced */
export function rebuildOf(
  opened: Exclude<OpenedIndex, { state: 'ready' }>,
  { force = false }: Pick<SyncRequest, 'force'>,
): Rebuild {
  switch (opened.state) {
    case 'missing':
      return { reason: 'first', detail: 'there is no index yet' };
    case 'unusable':
      return { reason: 'damaged', detail: opened.why };
    case 'newer':
      if (!force) throw newerIndex(opened.why);
      return FORCED;
  }
}

const FORCED: Rebuild = { reason: 'forced', detail: '--force' };

/** Why an index must be rebuilt instead of updated, if so. */
export function rebuildNeeded(
  identity: IndexIdentity,
  settings: IndexSettings,
  { force = false, damage }: Pick<SyncRequest, 'damage' | 'force'> = {},
): Rebuild | undefined {
  // A shared index that only others have written.
  if (identity.schemaVersion === 0) {
    return { reason: 'first', detail: 'this host has indexed nothing yet' };
  }
  if (damage !== undefined) return { reason: 'damaged', detail: damage };
  if (force) return FORCED;
  const differences = identityDifferences(identity, currentIdentity(settings));
  if (differences.length === 0) return undefined;
  const { workspace } = identity;
  const isOther = workspace !== '' && workspace !== settings.workspace && existsSync(workspace);
  return {
    reason: 'settings',
    detail: differences.join(', '),
    ...(isOther ? { otherWorkspace: workspace } : {}),
  };
}

/** What agents write into a transcript when they compact its context. */
const COMPACTION_MARKS = ['"type":"compaction"', '"type":"compacted"', '"compact_boundary"'].map(
  (mark) => Buffer.from(mark),
);
const NEWLINE = 10;
/** At most this much of the growth is inspected; that many bytes are worth indexing anyway. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Drops transcripts from a plan that have not grown enough (`sync.sessions`, memory search §2.10). New and
 * rewritten ones stay.
 */
export function withoutSmallGrowth(plan: SyncPlan, growth: TranscriptGrowth): SyncPlan {
  const read = plan.read.filter((planned) => isDue(planned, growth));
  const deferred = plan.read.length - read.length;
  return deferred === 0 ? plan : { ...plan, read, unchanged: plan.unchanged + deferred };
}

export function isTranscript(file: SourceFile): file is TranscriptFile {
  return file.kind === 'transcript' && 'place' in file;
}

function isDue({ file, stored }: PlannedRead, growth: TranscriptGrowth): boolean {
  if (!isTranscript(file) || stored === undefined) return true;
  const { size, ctimeMs } = stored.fingerprint;
  const added = file.size - size;
  // Truncated, or the forget list has changed since.
  if (added <= 0 || ctimeMs === READ_AGAIN_MS) return true;
  if (added >= Math.min(growth.deltaBytes, MOST_BYTES) || growth.deltaMessages === 0) return true;
  const { deltaMessages, postCompactionForce } = growth;
  // The size of a conversation in a database is the number of its parts, not a position in the database's file.
  if (file.turns !== undefined) return added >= deltaMessages;
  // An interrupted run has read only a part.
  if (ctimeMs === READ_IN_PART_MS) return true;
  const bytes = unlessSystemError(() => readPart(file.absolutePath, size, added));
  // Indexing it will report the reason.
  if (bytes === undefined) return true;
  if (linesIn(bytes) >= deltaMessages) return true;
  return postCompactionForce && COMPACTION_MARKS.some((mark) => bytes.includes(mark));
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
