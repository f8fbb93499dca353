import { join } from 'node:path';
import type { ForgetPlaces } from '../../memory/forget/forget-list.js';
import { readForgotten } from '../../memory/forget/forget-list.js';
import type { Forgotten } from '../../memory/forget/forgotten.js';
import { scanMemoryFiles } from '../../memory/sources/memory-files.js';
import { readDocument } from '../../memory/sources/read-document.js';
import { joinedLines } from '../../memory/sources/text-lines.js';
import type { TranscriptPlace } from '../../memory/sources/transcripts/transcript-files.js';
import type { SkippedFile } from '../../memory/types.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';
import { isShortTermPath } from '../scoring/short-term-path.js';
import { Conversations, type Message } from './conversations.js';
import { noteText, type SourceText } from './source-text.js';

/** A daily note. */
export interface DailyNote {
  readonly path: string;
  /** `YYYY-MM-DD`, from its name. */
  readonly day: string;
  readonly text: string;
}

/** What the agents of a workspace remember besides its notes, and what they were made to forget. */
export interface DreamReach {
  readonly transcripts: readonly TranscriptPlace[];
  readonly forget: readonly ForgetPlaces[];
}

/** Where a sweep reads. */
export interface DreamSources {
  /** Notes of these days, both included, the newest first; `isWanted` is asked in this order. */
  dailyNotes(from: string, to: string, isWanted?: (path: string) => boolean): Iterable<DailyNote>;
  /** What was said last on these days, both included. */
  messages(from: string, to: string, dayOf: (ms: number) => string): Iterable<Message>;
  /** What a document says now; undefined when it is gone or cannot be read. */
  read(place: ClaimPlace): SourceText | undefined;
  /** Files that could not be read so far. */
  readonly skipped: readonly SkippedFile[];
}

/** Larger notes are no notes. */
const MOST_NOTE_BYTES = 1024 * 1024;
const DAY = /(\d{4}-\d{2}-\d{2})\.md$/u;

/**
 * The notes of a workspace and the conversations of its agents, without what was forgotten.
 *
 * @param dir the workspace's real path
 * @throws SvcError FORGET_LIST_INVALID
 */
export async function openSources(
  dir: string,
  { transcripts, forget }: DreamReach,
): Promise<DreamSources> {
  const forgotten = await Promise.all(forget.map(readForgotten));
  const skipped: SkippedFile[] = [];
  const onSkip = (skip: SkippedFile): void => {
    skipped.push(skip);
  };
  const conversations = new Conversations({ places: transcripts, forgotten, onSkip });
  const textOf = (path: string, absolutePath: string): string | undefined => {
    const outcome = readDocument(absolutePath, path);
    if (outcome.ok) return uncovered(outcome.document, forgotten);
    onSkip(outcome.skip);
    return undefined;
  };
  return {
    skipped,
    messages: (from, to, dayOf) => conversations.messages(from, to, dayOf),
    read: ({ source, ...place }) => {
      if (source === 'sessions') return conversations.read(place);
      const text = textOf(place.path, join(dir, place.path));
      return text === undefined ? undefined : noteText(text);
    },
    *dailyNotes(from, to, isWanted = () => true) {
      const scan = scanMemoryFiles({ workspaceDir: dir, layout: 'agent', extraPaths: [] });
      skipped.push(...scan.skipped);
      const notes = scan.files
        .filter(({ path, source }) => isShortTermPath(source, path))
        .map((file) => ({ ...file, day: DAY.exec(file.path)?.[1] ?? '' }))
        .filter(({ day }) => day >= from && day <= to)
        .sort((a, b) => (a.day < b.day ? 1 : -1))
        .filter(({ path }) => isWanted(path));
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

type ReadDocument = Extract<ReturnType<typeof readDocument>, { readonly ok: true }>['document'];

function uncovered(document: ReadDocument, forgotten: readonly Forgotten[]): string {
  const lines = forgotten.reduce(
    (left, one) => one.cover(left, document.hash).lines,
    document.lines,
  );
  return joinedLines(lines, 0, lines.count);
}
