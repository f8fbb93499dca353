import type { BackendStatus, Staleness } from '../../engine/memory/backends/memory-backend.js';
import type { DocumentKey, LineRange, SkippedFile } from '../../engine/memory/index.js';
import { skipWords } from '../../engine/memory/skip-words.js';
import type { RebuildReason, SyncEvent, SyncSummary } from '../../engine/memory/sync/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';

const REBUILD_WORDS: Readonly<Record<RebuildReason, string>> = {
  damaged: 'the existing index is unusable',
  first: 'no index yet',
  forced: 'requested with --force',
  settings: 'the settings changed',
};

/** Reasons that need no detail. */
const SELF_EXPLANATORY: ReadonlySet<RebuildReason> = new Set(['first', 'forced']);

/** Why an index is rebuilt: `requested with --force`, `the settings changed: tokenizer`. */
export function rebuildWords(rebuild: NonNullable<SyncSummary['rebuild']>): string {
  const words = REBUILD_WORDS[rebuild.reason];
  return SELF_EXPLANATORY.has(rebuild.reason) || rebuild.detail === ''
    ? words
    : `${words}: ${safeLine(rebuild.detail)}`;
}

/** How many files differ from the index. */
export function changedFiles({ added, changed, removed }: Staleness): number {
  return added + changed + removed;
}

/** When an index was last brought up to date. */
export function lastSyncWords({ index }: Pick<BackendStatus, 'index'>, nowMs: number): string {
  if (index.state === 'unusable' || index.state === 'newer') return 'unknown';
  const last = index.state === 'ready' ? index.statistics.lastSync : null;
  return last === null ? 'never' : formatRelativeTime(Date.parse(last), nowMs);
}

/** The process that a sync waits for. `vectors`: it embeds; otherwise it writes the index. */
export interface WaitedFor {
  readonly pid: number | undefined;
  readonly part: 'vectors' | undefined;
}

export type Archived = Omit<Extract<SyncEvent, { readonly type: 'archive.updated' }>, 'type'>;

/** What a sync waits for: `waiting for another process to finish writing this index (pid 4711)`. */
export function waitingWords({ pid, part }: WaitedFor): string {
  const who = pid === undefined ? '' : ` (pid ${pid})`;
  const work = part === 'vectors' ? 'embedding the passages of' : 'writing';
  return `waiting for another process to finish ${work} this index${who}`;
}

/** How many of the files that are gone were removed from the index. */
export interface Removed {
  readonly done: number;
  readonly planned: number;
}

/** `archiving conversations: 1,300 · 43 %` */
export function archiveWords({ conversations, fraction }: Archived): string {
  return `archiving conversations: ${formatCount(conversations)} · ${Math.floor(fraction * 100)} %`;
}

/** `removed 2,000 of 20,000 files` */
export function removedWords({ done, planned }: Removed): string {
  return `removed ${formatCount(done)} of ${formatCountOf(planned, 'file')}`;
}

/** Skipped files on one line: the first few with the reason, then how many more. */
export function skippedNames(skipped: readonly SkippedFile[], mostNamed: number): string {
  const names = skipped
    .slice(0, mostNamed)
    .map((skip) => safeLine(`${skip.path} (${skipWords(skip)})`));
  const rest = skipped.length - names.length;
  if (rest > 0) names.push(`${formatCount(rest)} more`);
  return names.join(' · ');
}

/** The path of a result, after the name of the host if another one has the file. */
export function shownDocument({ origin, path }: Pick<DocumentKey, 'origin' | 'path'>): string {
  return safeLine(origin === undefined ? path : `${origin}:${path}`);
}

/** A range as an anchor: `#L5` or `#L3-L5`. */
export function lineAnchor({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `#L${startLine}` : `#L${startLine}-L${endLine}`;
}

/** The heading path of a passage on one line, outermost first. */
export function headingTrail(headingPath: readonly string[]): string {
  return headingPath.map(safeLine).join(' › ');
}

/** The model name; for an `hf:` or http reference, its last part. */
export function modelWords(model: string | null): string {
  if (model === null) return '–';
  return /^(?:hf:|https?:)/u.test(model) ? model.slice(model.lastIndexOf('/') + 1) : model;
}
