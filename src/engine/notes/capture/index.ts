import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import type { SessionReaderId } from '../../config/index.js';
import { messageOf, SvcError, type Warning } from '../../errors/index.js';
import type { OpenedMemory, SkippedFile } from '../../memory/index.js';
import { TRANSCRIPT_READERS, type Turn } from '../../memory/sources/index.js';
import { jsonlLines } from '../../memory/sources/transcripts/jsonl-lines.js';
import { initialState, readTurn } from '../../memory/sources/transcripts/turn-reader.js';
import { READ_NO_LINK } from '../../support/files.js';
import { isForgotten, writeEntry } from '../add-note.js';
import { changingNotes, type NoteChanger, type NoteOptions } from '../change-notes.js';
import { noteEntry } from '../note-entry.js';
import type { MemoryCaptureOutput } from '../output-schemas.js';
import { decisionsBy, decisionsIn } from './decisions.js';

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
  memory: Pick<OpenedMemory, 'agent' | 'agentId' | 'backend' | 'world'>,
  request: CaptureRequest,
  options: NoteOptions & { readonly signal: AbortSignal },
): Promise<{ readonly capture: Capture; readonly warnings: readonly Warning[] }> {
  const session = request.session ?? basename(request.file);
  const { reader: asked } = request;
  if (request.session === undefined && asked !== undefined && isStore(asked)) {
    throw unreadable(request.file, 'it has many conversations', 'name one with --session');
  }
  if (request.dryRun) {
    const { reader, turns } = readConversation(request, 0);
    const { texts, warning } = await decisionsBy(memory, turns, options.signal);
    const decisions = texts.map((text) => {
      return { text, outcome: 'found', citation: null } as const;
    });
    const capture = { reader, session, turns: turns.length, decisions };
    return { capture, warnings: warning === undefined ? [] : [warning] };
  }
  const forgetting = await memory.backend.forgetting();
  const forgotten = await forgetting.forgotten();
  const key = `${request.reader ?? 'any'}:${session}`;
  const capturedLines = ({ captures }: NoteChanger): number => captures.linesOf(key);
  // A model takes long: no other process waits for it.
  const after = await changingNotes(memory, options, capturedLines);
  const early = readConversation(request, after).turns;
  const { texts: found, warning } = await decisionsBy(memory, early, options.signal);
  const capture = await changingNotes(memory, options, (changer): Capture => {
    const from = capturedLines(changer);
    const { reader, turns, lines } = readConversation(request, from);
    // Meanwhile, the conversation may have gone on, or been captured by another process.
    const texts =
      from === after ? [...found, ...decisionsIn(turns.slice(early.length))] : decisionsIn(turns);
    const decisions = texts.map((text) => {
      const entry = noteEntry(text, []);
      if (entry === undefined || isForgotten(entry, forgotten)) {
        return { text, outcome: 'forgotten', citation: null } as const;
      }
      const place = { heading: HEADING, origin: 'capture' } as const;
      const { outcome, citation } = writeEntry(changer, entry, place);
      return { text, outcome, citation };
    });
    // After the notes: if this is killed before, equal lines are found when it runs again.
    changer.captures.put(key, lines, changer.nowMs);
    return { reader, session, turns: turns.length, decisions };
  });
  return { capture, warnings: warning === undefined ? [] : [warning] };
}

const HEADING = 'Decided with agents';

/** Whether an agent has its conversations in a database. */
function isStore(reader: SessionReaderId): boolean {
  return TRANSCRIPT_READERS[reader].conversations !== undefined;
}

interface Conversation {
  readonly reader: SessionReaderId;
  /** After the lines that were captured before. */
  readonly turns: readonly Turn[];
  readonly lines: number;
}

function readConversation(
  { file, reader, session }: Pick<CaptureRequest, 'file' | 'reader' | 'session'>,
  after: number,
): Conversation {
  if (reader !== undefined && session !== undefined && isStore(reader)) {
    return readStored({ reader, file, session }, after);
  }
  const all = Object.keys(TRANSCRIPT_READERS).filter(isReader);
  const readers = reader === undefined ? all : [reader];
  const [best] = readers
    .map((id) => readWith(id, file, after))
    .sort((a, b) => b.turns.length - a.turns.length);
  if (best === undefined) throw new TypeError('no readers');
  return best;
}

interface StoredConversation {
  readonly reader: SessionReaderId;
  /** The database. */
  readonly file: string;
  readonly session: string;
}

/** A conversation in a database. Those of sub-agents, which hooks name as well, have no turns of a person. */
function readStored({ reader, file, session }: StoredConversation, after: number): Conversation {
  if (!existsSync(file)) throw unreadable(file, 'it does not exist');
  const place = { reader, root: file, label: '', heldIn: undefined };
  const onSkip = ({ reason, detail }: SkippedFile): never => {
    throw unreadable(file, detail ?? reason);
  };
  const { conversations } = TRANSCRIPT_READERS[reader];
  const found = [...(conversations?.(place, { onSkip }) ?? [])];
  const stored = found.find(({ path }) => path === `/${session}`);
  const turns = [...(stored?.turns?.() ?? [])];
  const lines = Math.max(after, turns.at(-1)?.line ?? 0);
  return { reader, turns: turns.filter(({ line }) => line > after), lines };
}

function isReader(id: string): id is SessionReaderId {
  return id in TRANSCRIPT_READERS;
}

function readWith(reader: SessionReaderId, file: string, after: number): Conversation {
  const place = { reader, root: file, label: '', heldIn: undefined };
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ_NO_LINK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unreadable(file, 'it is not a regular file');
    let state = initialState(place);
    let lines = 0;
    const turns: Turn[] = [];
    for (const line of jsonlLines(descriptor, { offset: 0, line: 1 }, stats.size)) {
      // A line without its end is still being written.
      if (!line.isEnded && line.number > 1) break;
      const read = readTurn(line, state, place);
      state = read.state;
      lines = line.number;
      if (read.turn !== undefined && line.number > after) turns.push(read.turn);
    }
    return { reader, turns, lines };
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw unreadable(file, messageOf(cause), USUAL_HINT, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const USUAL_HINT = 'pass the file of a conversation, such as ~/.claude/projects/NAME/SESSION.jsonl';

function unreadable(file: string, why: string, hint = USUAL_HINT, cause?: unknown): SvcError {
  return new SvcError('CAPTURE_UNREADABLE', `cannot read ${file}: ${why}`, { hint, cause });
}
