import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/index.js';
import { type ForgetPlaces, readForgotten } from '../../memory/forgotten/index.js';
import type { SharedPlace } from '../../memory/home/index.js';
import type { SkippedFile } from '../../memory/index.js';
import {
  type ExcludeSettings,
  joinedLines,
  readDocument,
  resolveWorkspace,
  scanMemoryFiles,
  type TranscriptPlace,
} from '../../memory/sources/index.js';
import type { ServerContext } from '../../postgres/index.js';
import type { DreamWorkspace } from '../dream-workspace.js';
import type { MemoryChanger } from '../promotion/change-memory.js';
import {
  type ClaimPlace,
  dailyNoteDay,
  isShortTermPath,
  type RecallEntry,
} from '../scoring/recall-entry.js';
import {
  Conversations,
  type DayRange,
  type Message,
  noteText,
  type SourceText,
} from './conversations.js';

/** A daily note. */
export interface DailyNote {
  readonly path: string;
  /** `YYYY-MM-DD`, from its name. */
  readonly day: string;
  readonly text: string;
}

/** What the agents of a workspace add to its notes: their conversations, and what they forget or exclude. */
export interface AgentSources {
  readonly transcripts: readonly TranscriptPlace[];
  readonly forget: readonly ForgetPlaces[];
  /** What the memories of these agents leave out. */
  readonly exclude: ExcludeSettings;
  /** Where their memories are shared with other hosts, if they are. */
  readonly shared?: SharedMemories | undefined;
}

/** Memories on a server, and how to connect to it. */
export interface SharedMemories {
  readonly places: readonly SharedPlace[];
  readonly context: ServerContext;
}

/** What a sweep reads. */
export interface DreamSources {
  /** Notes from these days, inclusive, newest first; `isWanted` is called in that order. */
  dailyNotes(from: string, to: string, isWanted?: (path: string) => boolean): Iterable<DailyNote>;
  /** The latest messages from these days. @throws the signal's reason */
  messages(days: DayRange, signal: AbortSignal): Promise<readonly Message[]>;
  /** The current text of a document; undefined if it is missing or unreadable. */
  read(place: ClaimPlace): SourceText | undefined;
  /** Files that could not be read so far. */
  readonly skipped: readonly SkippedFile[];
}

const MOST_NOTE_BYTES = 1024 * 1024;

/**
 * The notes of a workspace and its agents' conversations, without forgotten text.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, FORGET_LIST_INVALID
 */
export async function openSources({
  workspace,
  agentSources: { transcripts, forget, exclude },
}: {
  readonly workspace: Pick<DreamWorkspace, 'dir'>;
  readonly agentSources: AgentSources;
}): Promise<DreamSources> {
  const dir = resolveWorkspace(workspace.dir);
  const forgotten = await readForgotten(...forget);
  /** By path, since each phase looks again. */
  const skipped = new Map<string, SkippedFile>();
  const onSkip = (skip: SkippedFile): void => void skipped.set(skip.path, skip);
  const conversations = new Conversations({ places: transcripts, forgotten, onSkip });
  const textOf = (path: string, absolutePath: string): string | undefined => {
    const outcome = readDocument(absolutePath, path);
    if (!outcome.ok) {
      // The note of an older claim may have been moved or deleted since.
      if (outcome.skip.reason !== 'vanished') onSkip(outcome.skip);
      return undefined;
    }
    const { hash, lines: all } = outcome.document;
    const { lines } = forgotten.cover(all, hash);
    return joinedLines(lines, 0, lines.count);
  };
  return {
    get skipped() {
      return [...skipped.values()];
    },
    messages: (days, signal) => conversations.messages(days, signal),
    read: ({ source, ...place }) => {
      if (source === 'sessions') return conversations.read(place);
      const text = textOf(place.path, join(dir, place.path));
      return text === undefined ? undefined : noteText(text);
    },
    *dailyNotes(from, to, isWanted = () => true) {
      const scan = scanMemoryFiles({ workspaceDir: dir, layout: 'agent', extraPaths: [], exclude });
      for (const skip of scan.skipped) onSkip(skip);
      const notes = scan.files
        .filter(({ path, source }) => isShortTermPath(source, path))
        .map((file) => ({ ...file, day: dailyNoteDay(file.path) ?? '' }))
        .filter(({ day }) => day >= from && day <= to)
        .sort((a, b) => (a.day < b.day ? 1 : -1))
        .filter(({ path }) => isWanted(path));
      for (const { path, day, size, absolutePath } of notes) {
        if (size > MOST_NOTE_BYTES) {
          onSkip({ path, reason: 'too_large', detail: 'over 1 MB' });
          continue;
        }
        const text = textOf(path, absolutePath);
        if (text !== undefined) yield { path, day, text };
      }
    },
  };
}

/** The effective `plugins.entries.memory-core.config.dreaming`. */
export type DreamSettings =
  ResolvedConfig['plugins']['entries']['memory-core']['config']['dreaming'];

/** What the phases of a sweep share. */
export interface PhaseContext extends Omit<MemoryChanger, 'backupDir' | 'dryRun'> {
  readonly sources: DreamSources;
  readonly phases: DreamSettings['phases'];
  /** The sweep's day, and the day of any moment. */
  readonly day: string;
  readonly dayOf: (ms: number) => string;
  /** Start of the day's first sweep; claims promoted since then still count as open. */
  readonly dayStartMs: number;
  readonly signal: AbortSignal;
}

/** Counts that a phase selected a claim; a second sweep on the same day does not count again. */
export function countHit(
  { entries, nowMs, day, dayOf }: PhaseContext,
  entry: RecallEntry,
  phase: 'light' | 'rem',
): void {
  const [hits, last] = [`${phase}Hits`, `${phase}LastMs`] as const;
  const lastMs = entry[last];
  if (lastMs !== null && dayOf(lastMs) === day) return;
  entries.put({ ...entry, [hits]: entry[hits] + 1, [last]: nowMs });
}
