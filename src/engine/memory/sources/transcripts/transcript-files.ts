import { statSync } from 'node:fs';
import { sep } from 'node:path';
import type { ResolvedMemorySearch } from '../../../config/index.js';
import { realPath, unlessSystemError } from '../../../support/files.js';
import { pushAll } from '../../../support/lists.js';
import type { SkippedFile } from '../../types.js';
import type { SessionArchive } from '../archive/session-archive.js';
import { unlessGone } from '../skips.js';
import { sortedEntries, statFile, type WalkListener } from '../walk.js';
import { compressedTurns } from './read-conversation.js';
import { TRANSCRIPT_READERS } from './readers/index.js';
import {
  type TranscriptFile,
  type TranscriptPlace,
  type TranscriptScan,
  zstdDecompressor,
} from './transcript-reader.js';

export interface TranscriptSources {
  readonly places: readonly TranscriptPlace[];
  /** When a growing transcript is indexed again while it is watched. */
  readonly growth: TranscriptGrowth;
  /** Conversations that svc stores itself; undefined if it searches none of them. */
  readonly archive?: Pick<SessionArchive, 'isBehind' | 'list' | 'update'> | undefined;
}

/** `sync.sessions` (memory search §2.10). */
export type TranscriptGrowth = Pick<
  ResolvedMemorySearch['sync']['sessions'],
  'deltaBytes' | 'deltaMessages' | 'postCompactionForce'
>;

/**
 * Folders of other agents that the configuration names and that do not exist. svc's own appear with an agent's first
 * conversation, and default locations with the program.
 */
export function missingPlaces(places: readonly TranscriptPlace[]): readonly SkippedFile[] {
  const isMissing = (path: string) =>
    unlessSystemError(() => statSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
  return places
    .filter(({ reader, projectFolders }) => reader !== 'svc' && projectFolders === undefined)
    .filter(({ root }) => isMissing(root))
    .map(({ root: path }) => ({
      path,
      reason: 'missing',
      detail: 'configured in sessions.readers',
    }));
}

/**
 * Lists every transcript without reading any, and those that agents still have (`live`). Missing folders contain none.
 */
export function scanTranscripts({
  places,
  archive,
}: Pick<TranscriptSources, 'archive' | 'places'>): TranscriptScan & {
  readonly live: readonly TranscriptFile[];
} {
  const files = new Map<string, TranscriptFile>();
  const skipped = [...missingPlaces(places)];
  for (const place of places) {
    const listener: WalkListener = { onSkip: (skip) => skipped.push(skip) };
    for (const file of transcriptsIn(place, listener)) {
      if (!files.has(file.path)) files.set(file.path, file);
    }
  }
  const live = [...files.values()];
  const archived = archive?.list((path) => files.has(path));
  return {
    files: [...live, ...(archived?.files ?? [])],
    live,
    skipped: [...skipped, ...(archived?.skipped ?? [])],
  };
}

function transcriptsIn(place: TranscriptPlace, listener: WalkListener): Iterable<TranscriptFile> {
  const root = unlessGone(place.root, listener, realPath);
  if (root === undefined) return [];
  const { conversations } = TRANSCRIPT_READERS[place.reader];
  return conversations?.({ ...place, root }, listener) ?? walkPlace(place, root, listener);
}

function* walkPlace(
  place: TranscriptPlace,
  root: string,
  listener: WalkListener,
): Generator<TranscriptFile> {
  const shown = (segments: readonly string[]): string => [place.label, ...segments].join('/');
  const reporting = (segments: readonly string[]): WalkListener => ({
    onSkip: (skip) => listener.onSkip({ ...skip, path: shown(segments) }),
  });
  const pending: (readonly string[])[] = [[]];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const folder = [root, ...dir].join(sep);
    const folders: (readonly string[])[] = [];
    for (const entry of unlessGone(folder, reporting(dir), sortedEntries) ?? []) {
      const segments = [...dir, entry.name];
      if (entry.isDirectory()) {
        if (mayContainTranscript(place, segments, 'folder')) folders.push(segments);
      } else if (entry.isFile() && mayContainTranscript(place, segments, 'file')) {
        const path = folder + sep + entry.name;
        for (const file of statFile(path, 'transcript', undefined, reporting(segments))) {
          yield* readable({ source: 'sessions', path: shown(segments), place, ...file }, listener);
        }
      }
    }
    pushAll(pending, folders.reverse());
  }
}

const COMPRESSED = '.zst';

/** A compressed file is still the conversation that it was before. */
function readable(file: TranscriptFile, { onSkip }: WalkListener): readonly TranscriptFile[] {
  const { absolutePath, place } = file;
  if (!absolutePath.endsWith(COMPRESSED)) return [file];
  const path = file.path.slice(0, -COMPRESSED.length);
  const decompress = zstdDecompressor();
  if (decompress !== undefined) {
    return [{ ...file, path, turns: () => compressedTurns(absolutePath, place, decompress) }];
  }
  onSkip({ path, reason: 'unreadable', detail: 'compressed; Node.js 22.15 or newer can read it' });
  return [];
}

/** Whether a path below a place is a transcript, or a folder that may contain some. */
export function mayContainTranscript(
  { reader, projectFolders }: TranscriptPlace,
  segments: readonly string[],
  kind: 'file' | 'folder',
): boolean {
  const { accepts, mayBeOfProject } = TRANSCRIPT_READERS[reader];
  if (!accepts(segments, kind)) return false;
  return projectFolders === undefined || mayBeOfProject?.(segments, projectFolders) !== false;
}
