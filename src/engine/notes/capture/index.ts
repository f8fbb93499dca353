import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { SESSION_READERS, type SessionReaderId } from '../../config/index.js';
import type { WriteRecord } from '../../dreaming/store/write-records.js';
import { SvcError, systemReason, type Warning } from '../../errors/index.js';
import type { OpenedMemory, SkippedFile } from '../../memory/index.js';
import { formatCitation } from '../../memory/search/index.js';
import { type NumberedTurn, TRANSCRIPT_READERS } from '../../memory/sources/index.js';
import {
  beginningOf,
  transcriptLines,
} from '../../memory/sources/transcripts/read-conversation.js';
import { crypto } from '../../support/crypto.js';
import { READ_NO_LINK, realPath } from '../../support/files.js';
import { isForgotten, writeEntry } from '../add-note.js';
import {
  changeableNote,
  changeNotes,
  type NoteChanger,
  type NoteOptions,
} from '../change-notes.js';
import { findEntryLine, type NoteEntry, noteEntry } from '../note-entry.js';
import type { MemoryCaptureOutput } from '../output-schemas.js';
import { decisionsIn, findDecisions } from './decisions.js';

export interface CaptureRequest {
  /** Absolute path of the transcript. */
  readonly file: string;
  /** Undefined tries all. */
  readonly reader: SessionReaderId | undefined;
  /** Names the conversation, or finds it in a database; by default the name of the file. */
  readonly session: string | undefined;
  /** Write nothing, and show what the whole conversation has. */
  readonly dryRun: boolean;
}

export type Capture = Omit<MemoryCaptureOutput, 'agent' | 'workspace'>;

/**
 * Adds what was decided in a conversation to today's note. Running it again for the same conversation adds only what is
 * new. Secrets are masked, and a sentence with one is left out. With `memory.captureModel`, a chat model finds the
 * decisions.
 *
 * @throws SvcError CAPTURE_UNREADABLE; as addNote
 */
export async function captureConversation(
  memory: Pick<OpenedMemory, 'agent' | 'agentId' | 'backend' | 'sources' | 'world'>,
  request: CaptureRequest,
  options: NoteOptions & { readonly signal: AbortSignal },
): Promise<{ readonly capture: Capture; readonly warnings: readonly Warning[] }> {
  const session = request.session ?? basename(request.file);
  const { reader: requestedReader } = request;
  if (
    request.session === undefined &&
    requestedReader !== undefined &&
    keepsDatabase(requestedReader)
  ) {
    throw unreadable(request.file, 'it has many conversations', 'name one with --session');
  }
  if (request.dryRun) {
    const { reader, turns } = readConversation(request);
    const { texts, warnings } = await findDecisions(memory, turns, options.signal);
    const decisions = texts.map((text) => {
      return { text, outcome: 'found', citation: null } as const;
    });
    return { capture: { reader, session, turns: turns.length, decisions }, warnings };
  }
  const forgetting = await memory.backend.forgetting();
  const conversation = readConversation(request);
  const captured = await changeNotes(memory, options, (changer) =>
    capturedLineCount(changer, conversation),
  );
  const turns = turnsAfter(conversation, captured);
  // Outside the lock, since a model takes long.
  const { texts, warnings } = await findDecisions(memory, turns, options.signal);
  // Something may have been forgotten meanwhile.
  const forgotten = await forgetting.forgotten();
  const capture = await changeNotes(memory, options, (changer): Capture => {
    // Meanwhile, the conversation may have gone on, been captured by another process, or been replaced.
    const current = readConversation(request);
    const currentCaptured = capturedLineCount(changer, current);
    const currentTurns = turnsAfter(current, currentCaptured);
    const hasOnlyGrown = currentCaptured === captured && current.keys[0] === conversation.keys[0];
    const currentTexts = hasOnlyGrown
      ? [...texts, ...decisionsIn(currentTurns.slice(turns.length))]
      : decisionsIn(currentTurns);
    const earlier = currentTexts.length === 0 ? [] : changer.writes.list();
    const decisions = currentTexts.map((text) => {
      const entry = noteEntry(text, []);
      if (entry === undefined || isForgotten(entry, forgotten)) {
        return { text, outcome: 'forgotten', citation: null } as const;
      }
      const place = { heading: HEADING, origin: 'capture' } as const;
      const { outcome, citation } =
        capturedBefore(changer.dir, earlier, entry, lastSaidMs(text, currentTurns)) ??
        writeEntry(changer, entry, place);
      return { text, outcome, citation };
    });
    // After the notes: if this is killed before, equal lines are found when it runs again. Without a single turn, another
    // reader may find some.
    if (current.turns.length > 0) {
      changer.captures.put(current.keys[0], current.lines, changer.nowMs);
    }
    return { reader: current.reader, session, turns: currentTurns.length, decisions };
  });
  return { capture, warnings };
}

const HEADING = 'Decided with agents';

/** When a sentence was last said; undefined if a model worded it, or the conversation has no times. */
function lastSaidMs(sentence: string, turns: readonly NumberedTurn[]): number | undefined {
  const at = turns.findLast(({ text }) => text.includes(sentence))?.at;
  return at === undefined ? undefined : Date.parse(at);
}

/**
 * Where an earlier capture added the same: a fork repeats the conversation that it continues, perhaps days later. What
 * was said after that was decided again.
 */
function capturedBefore(
  dir: string,
  earlier: readonly WriteRecord[],
  entry: NoteEntry,
  saidMs: number | undefined,
) {
  for (const { origin, atMs, path, inserted } of earlier) {
    if (origin !== 'capture' || (saidMs !== undefined && saidMs > atMs)) continue;
    if (findEntryLine(inserted, entry) === undefined) continue;
    const startLine = findEntryLine(changeableNote(dir, path)?.text ?? '', entry);
    if (startLine === undefined) continue;
    const citation = formatCitation({ path, startLine, endLine: startLine + entry.length - 1 });
    return { outcome: 'known', citation } as const;
  }
  return undefined;
}

/** Whether an agent keeps its conversations in a database. */
function keepsDatabase(reader: SessionReaderId): boolean {
  return TRANSCRIPT_READERS[reader].conversations !== undefined;
}

interface Conversation {
  readonly reader: SessionReaderId;
  /** Under which its position is stored; others are those of earlier versions. */
  readonly keys: readonly [string, ...string[]];
  readonly turns: readonly NumberedTurn[];
  readonly lines: number;
}

/** How many lines of a conversation were captured before. */
function capturedLineCount({ captures }: NoteChanger, { keys, lines }: Conversation): number {
  const captured = keys.map((key) => captures.linesOf(key)).find((count) => count > 0) ?? 0;
  // One that is shorter now was rewritten.
  return captured > lines ? 0 : captured;
}

function turnsAfter({ turns }: Conversation, after: number): readonly NumberedTurn[] {
  return turns.filter(({ line }) => line > after);
}

function readConversation(request: CaptureRequest): Conversation {
  const { file, reader, session } = request;
  if (reader !== undefined && session !== undefined && keepsDatabase(reader)) {
    return readStored(reader, file, session);
  }
  const readers = reader === undefined ? SESSION_READERS : [reader];
  return readers
    .map((id) => readWith(id, request))
    .reduce((best, one) => (one.turns.length > best.turns.length ? one : best));
}

/** A conversation in a database. Those of sub-agents, which hooks name as well, have no turns of a person. */
function readStored(reader: SessionReaderId, file: string, session: string): Conversation {
  if (!existsSync(file)) throw unreadable(file, 'it does not exist');
  const place = { reader, root: file, label: '', projectFolders: undefined };
  const onSkip = ({ reason, detail }: SkippedFile): never => {
    throw unreadable(file, detail ?? reason);
  };
  const { conversations } = TRANSCRIPT_READERS[reader];
  const found = [...(conversations?.(place, { onSkip }) ?? [])];
  const stored = found.find(({ path }) => path === `/${session}`);
  const turns = [...(stored?.turns?.() ?? [])];
  // An id in a database is unique.
  return { reader, keys: [`${reader}:${session}`], turns, lines: turns.at(-1)?.line ?? 0 };
}

/**
 * Files of several conversations can have the same name, and one file those of several in turn: the first line, with
 * its time and id, tells them apart. However the capture was started, the key is the same.
 */
function keysOf(
  { file, reader, session }: CaptureRequest,
  firstLine: string,
): Conversation['keys'] {
  const name = `${realPath(file)}\n${firstLine}`;
  const key = `file:${crypto().hash('sha256', name)}`;
  // Hooks of earlier versions stored their position under the session. File names did not identify a conversation.
  return reader === undefined || session === undefined ? [key] : [key, `${reader}:${session}`];
}

function readWith(reader: SessionReaderId, request: CaptureRequest): Conversation {
  const { file } = request;
  const place = { reader, root: file, label: '', projectFolders: undefined };
  let descriptor: number | undefined;
  try {
    // A person or an agent named it: a link is followed.
    descriptor = openSync(realPath(file), READ_NO_LINK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unreadable(file, 'it is not a regular file');
    let [lines, filledLines, brokenLines] = [0, 0, 0];
    let firstLine = '';
    const turns: NumberedTurn[] = [];
    const all = transcriptLines(descriptor, beginningOf(place), stats.size, place);
    for (const { line, turn, next } of all) {
      const isBroken = next.reading.brokenLines > brokenLines;
      // Still being written. A whole record can lack its line break, if the agent writes that before the next one.
      if (isBroken && !line.isEnded && line.number > 1) break;
      lines = line.number;
      ({ brokenLines } = next.reading);
      if (line.number === 1) firstLine = line.text ?? '';
      if (line.text?.trim() !== '') filledLines += 1;
      if (turn !== undefined) turns.push(turn);
    }
    if (filledLines > 0 && brokenLines === filledLines) {
      throw unreadable(file, 'it is not a transcript (no line is a JSON object)');
    }
    return { reader, keys: keysOf(request, firstLine), turns, lines };
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw unreadable(file, systemReason(cause), USUAL_HINT, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const USUAL_HINT = 'pass the file of a conversation, such as ~/.claude/projects/NAME/SESSION.jsonl';

function unreadable(file: string, why: string, hint = USUAL_HINT, cause?: unknown): SvcError {
  return new SvcError('CAPTURE_UNREADABLE', `cannot read ${file}: ${why}`, { hint, cause });
}
