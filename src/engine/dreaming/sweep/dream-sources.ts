import { join } from 'node:path';
import { scanMemoryFiles } from '../../memory/sources/memory-files.js';
import { readDocument } from '../../memory/sources/read-document.js';
import { joinedLines } from '../../memory/sources/text-lines.js';
import type { SkippedFile } from '../../memory/types.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';
import { isShortTermPath } from '../scoring/short-term-path.js';

/** A daily note. */
export interface DailyNote {
  readonly path: string;
  /** `YYYY-MM-DD`, from its name. */
  readonly day: string;
  readonly text: string;
}

/** Where a sweep reads. */
export interface DreamSources {
  /** Notes of these days, both included, the newest first. */
  dailyNotes(from: string, to: string): Iterable<DailyNote>;
  /** The present text of a document; undefined when it is gone or cannot be read. */
  read(place: Pick<ClaimPlace, 'path' | 'source'>): string | undefined;
  /** Files that could not be read so far. */
  readonly skipped: readonly SkippedFile[];
}

/** Larger notes are no notes. */
const MOST_NOTE_BYTES = 1024 * 1024;
const DAY = /(\d{4}-\d{2}-\d{2})\.md$/u;

/** The notes of a workspace. */
export function workspaceSources(dir: string): DreamSources {
  const skipped: SkippedFile[] = [];
  const textOf = (path: string, absolutePath: string): string | undefined => {
    const outcome = readDocument(absolutePath, path);
    if (outcome.ok) return joinedLines(outcome.document.lines, 0, outcome.document.lines.count);
    skipped.push(outcome.skip);
    return undefined;
  };
  return {
    skipped,
    read: ({ path, source }) => (source === 'memory' ? textOf(path, join(dir, path)) : undefined),
    *dailyNotes(from, to) {
      const scan = scanMemoryFiles({ workspaceDir: dir, layout: 'agent', extraPaths: [] });
      skipped.push(...scan.skipped);
      const notes = scan.files
        .filter(({ path, source }) => isShortTermPath(source, path))
        .map((file) => ({ ...file, day: DAY.exec(file.path)?.[1] ?? '' }))
        .filter(({ day }) => day >= from && day <= to)
        .sort((a, b) => (a.day < b.day ? 1 : -1));
      for (const { path, day, size, absolutePath } of notes) {
        if (size > MOST_NOTE_BYTES) {
          skipped.push({ path, reason: 'too_large', detail: 'over 1 MB' });
          continue;
        }
        const text = textOf(path, absolutePath);
        if (text !== undefined) yield { path, day, text };
      }
    },
  };
}
