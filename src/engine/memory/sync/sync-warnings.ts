import { SvcError, type Warning } from '../../errors/index.js';
import { formatCountOf } from '../../support/format.js';
import { realOrGiven } from '../../support/paths.js';
import { shortList } from '../../support/text.js';
import type { EmbeddingSummary } from '../embedding/embed-missing.js';
import { isFaultySkip, skipWords } from '../skip-words.js';
import {
  countNotesOutside,
  displayPath,
  type ExcludeDecision,
  type MemoryFilesOptions,
  scanMemoryFiles,
} from '../sources/index.js';
import type { SkippedFile } from '../types.js';
import type { SyncSummary } from './events.js';

/** Warnings of a sync before a search. The search itself reports failed providers and missing vectors. */
export function syncWarnings(summary: SyncSummary): Warning[] {
  const { skipped, embedding } = summary;
  return [
    ...skipWarnings(skipped),
    ...otherWorkspaceWarning(summary),
    ...(embedding === undefined ? [] : refusedWarning(embedding)),
  ];
}

/** Switching between two projects indexes, and embeds, everything again each time. */
export function otherWorkspaceWarning({ rebuild }: SyncSummary): readonly Warning[] {
  if (rebuild?.otherWorkspace === undefined) return [];
  return [
    {
      code: 'INDEX_OF_OTHER_WORKSPACE',
      message: `the index of this agent had the notes of ${rebuild.otherWorkspace}, and has only those of this workspace now`,
      hint: `if you use both, give one its own index: run "svc config set agents.defaults.memorySearch.store.path '~/.svc/memory/project-{agentId}.sqlite'" there`,
    },
  ];
}

const SKIPS_NAMED = 3;

/** Skipped files, a few of them by name. */
export function skipWarnings(skipped: readonly SkippedFile[]): Warning[] {
  const faults = skipped.filter(isFaultySkip);
  if (faults.length === 0) return [];
  const files = faults.map((skip) => `${skip.path} (${skipWords(skip)})`);
  return [
    {
      code: 'FILES_SKIPPED',
      message: `not indexed: ${shortList(files, SKIPS_NAMED)}`,
      hint: faults.some(({ reason }) => reason !== 'missing')
        ? 'run "svc memory status --verbose" to list them'
        : `correct ${faults.length === 1 ? 'the path' : 'each path'} in the configuration, or remove it`,
    },
  ];
}

/** Links in place of memory, and paths that do not exist; part of every answer, because each misses what they name. */
export function placeWarnings(skipped: readonly SkippedFile[]): Warning[] {
  return skipWarnings(skipped.filter(({ reason }) => reason === 'symlink' || reason === 'missing'));
}

/** Why a memory has no files: patterns exclude them, or they are not where memory is. */
export function emptyMemoryWarning(
  files: MemoryFilesOptions,
  scan = scanMemoryFiles(files),
): Warning | undefined {
  if (scan.files.length > 0) return undefined;
  return excludesEverythingWarning(scan.decisions, files.workspaceDir) ?? outsideWarning(files);
}

/** Names the pattern that excludes most of a memory without files; undefined if none excludes any. */
export function excludesEverythingWarning(
  decisions: readonly ExcludeDecision[],
  workspaceDir: string,
): Warning | undefined {
  const counts = new Map<string, number>();
  for (const decision of decisions) {
    if (!decision.excluded) continue;
    const { pattern, file, line } = decision.rule();
    const where =
      file === undefined
        ? 'memorySearch.exclude'
        : `${displayPath(realOrGiven(workspaceDir), file)}, line ${line}`;
    const rule = `${JSON.stringify(pattern)} in ${where}`;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (most === undefined) return undefined;
  return {
    code: 'EXCLUDES_EVERYTHING',
    message: `nothing is indexed, because every note is excluded: ${most[0]}`,
    hint: 'change the pattern; "svc memory status --why PATH" shows which one excludes a file',
  };
}

/** Warns that a workspace's notes are not where memory is. */
function outsideWarning(files: MemoryFilesOptions): Warning | undefined {
  const count = countNotesOutside(files);
  if (count === 0) return undefined;
  return {
    code: 'NOTES_OUTSIDE_MEMORY',
    message: `${notesOutsideText(count, files.workspaceDir)} and not indexed`,
    hint: 'run "svc config doctor" to index the whole folder, or move notes into memory/',
  };
}

export function notesOutsideText(count: number, workspaceDir: string): string {
  const files = formatCountOf(count, 'Markdown file');
  return `${files} in ${workspaceDir} ${count === 1 ? 'is' : 'are'} outside memory/`;
}

/** The warning for a failed update when an older index can answer; undefined for other errors. */
export function staleWarning(error: unknown): Warning | undefined {
  if (!(error instanceof SvcError)) return undefined;
  switch (error.code) {
    case 'INDEX_LOCKED':
    case 'STORAGE_BUSY':
      return {
        code: 'INDEX_BUSY',
        message: 'another process is updating the index; the latest changes may be missing',
      };
    case 'INDEX_DISK_FULL':
    case 'INDEX_UNWRITABLE':
    case 'STORAGE_FULL':
    // A read-only server, or a role that may only read.
    case 'STORAGE_REFUSED':
      return {
        code: 'INDEX_STALE',
        message: `results may be out of date, because the index cannot be updated: ${error.message}`,
        hint: error.hint,
      };
    default:
      return undefined;
  }
}

/** The index file was unusable and has been recreated. */
export function rebuiltWarning(indexFile: string, why: string): Warning {
  return { code: 'INDEX_REBUILT', message: `the index ${indexFile} was rebuilt: ${why}` };
}

/** This process's own sync takes longer than an answer waits. */
export function updatingWarning(): Warning {
  return {
    code: 'INDEX_BUSY',
    message: 'the index is being updated; the latest changes may be missing',
  };
}

/** Another process embeds, and looks for passages without a vector until there are none. */
export function embeddedElsewhereWarning(): Warning {
  return {
    code: 'EMBEDDINGS_PENDING',
    message:
      'another process is still embedding passages, and will embed those of this run too; until then, only keyword search finds them',
  };
}

/** @throws SvcError INTERRUPTED when the sync was interrupted */
export function stopIfInterrupted(summary: SyncSummary): void {
  if (summary.outcome !== 'stopped') return;
  const documents = summary.added + summary.changed;
  throw new SvcError(
    'INTERRUPTED',
    `interrupted; ${documents === 0 ? 'finished work is' : formatCountOf(documents, 'indexed file')} kept`,
    { hint: 'run the same command again to continue' },
  );
}

/** Warnings about a sync's embedding, besides a failure. */
export function embeddingWarnings({ embedding }: SyncSummary): readonly Warning[] {
  if (embedding === undefined) return [];
  return [...fallbackWarning(embedding), ...refusedWarning(embedding), ...mediaWarning(embedding)];
}

function fallbackWarning({ provider, insteadOf, failure }: EmbeddingSummary): readonly Warning[] {
  if (insteadOf === undefined) return [];
  const { message, hint } = insteadOf.failure;
  return [
    {
      code: 'PROVIDER_FALLBACK',
      message:
        failure === undefined
          ? `${provider} embedded instead: ${message}`
          : `${message}; its fallback ${provider} failed too`,
      hint,
    },
  ];
}

/** Passages that a provider refuses, with its first message. */
function refusedWarning({ provider, refused, refusal }: EmbeddingSummary): readonly Warning[] {
  if (refused === 0) return [];
  const why = refusal === undefined ? '' : `: ${refusal}`;
  return [
    {
      code: 'EMBEDDING_FAILED',
      message: `${provider} refused ${formatCountOf(refused, 'passage')}${why}`,
    },
  ];
}

function mediaWarning({ mediaLeft }: EmbeddingSummary): readonly Warning[] {
  if (mediaLeft === undefined) return [];
  const { files, why, hint } = mediaLeft;
  const message = `${formatCountOf(files, 'media file')} can only be found by name: ${why}`;
  return [{ code: 'MEDIA_UNAVAILABLE', message, hint }];
}
