import type { WriteOrigin } from '../dreaming/store/write-records.js';
import { SvcError, type Warning } from '../errors/index.js';
import { hasSecret } from '../masking/index.js';
import type { Forgotten } from '../memory/forgotten/index.js';
import type { OpenedMemory } from '../memory/index.js';
import { formatCitation } from '../memory/search/index.js';
import { isTag, textLines } from '../memory/sources/index.js';
import {
  MEMORY_FILE,
  MOST_FILE_BYTES,
  MOST_TRIES,
  writeGuarded,
} from '../memory-files/guarded-file.js';
import { isSqliteError } from '../sqlite/database.js';
import { dayFormatter } from '../support/day.js';
import { formatCount } from '../support/format.js';
import {
  asNoteChange,
  changeNotes,
  type NoteChanger,
  type NoteOptions,
  noteBusy,
  noteFile,
  readNote,
  TODAY,
} from './change-notes.js';
import {
  findEntryLine,
  type NoteEntry,
  noteEntry,
  placeEntry,
  tagEqualLine,
} from './note-entry.js';
import type { MemoryAddOutput } from './output-schemas.js';

/** Text to add to a note. */
export interface NoteRequest {
  readonly text: string;
  /** `today`, or a path in the workspace. */
  readonly file?: string | undefined;
  readonly heading?: string | undefined;
  /** With or without `#`. */
  readonly tags?: readonly string[] | undefined;
  /** Add it even if it looks like a secret. */
  readonly allowSecret?: boolean | undefined;
  readonly origin: WriteOrigin;
}

/** What became of it. */
export type NoteOutcome = Omit<MemoryAddOutput, 'agent' | 'workspace'>;

/** Longer texts are documents: save them as a file. */
export const MOST_NOTE_BYTES = 64 * 1024;
const MOST_TAGS = 20;
const LONGEST_TAG = 100;
const LONGEST_HEADING = 200;

/**
 * Adds text to a note, completely or not at all. A line that the file already has is not added again; new tags go to
 * that line.
 *
 * @throws SvcError NOTE_INVALID, NOTE_SECRET, NOTE_FORGOTTEN, NOTE_FILE_REFUSED, NOTE_BUSY, FORGET_LIST_INVALID,
 * NOTE_OVER_BUDGET, WORKSPACE_*, DREAM_STORE_*; the system's error if the disk is full
 */
export async function addNote(
  memory: Pick<OpenedMemory, 'agent' | 'agentId' | 'backend' | 'sources'>,
  request: NoteRequest,
  options: NoteOptions,
): Promise<NoteOutcome & { readonly warnings: readonly Warning[] }> {
  const entry = checkedEntry(request);
  const forgetting = await memory.backend.forgetting();
  refuseForgotten(entry, request, await forgetting.forgotten());
  const { memoryBudget } = memory.agent;
  const warnings: Warning[] = [];
  const checkSize = (path: string, text: string): void => {
    if (path !== MEMORY_FILE || text.length <= memoryBudget) return;
    const over = overBudget(text.length, memoryBudget);
    // What a person asks for is written; the next sweep makes room where it can.
    if (request.origin !== 'command') throw over;
    const { message, hint } = over;
    const warning = { code: 'MEMORY_OVER_BUDGET', message, hint } as const;
    // Once, however often the write is planned.
    warnings.splice(0, warnings.length, warning);
  };
  const outcome = await changeNotes(memory, options, (changer) =>
    writeEntry(changer, entry, request, checkSize),
  );
  return { ...outcome, warnings };
}

function overBudget(characters: number, budget: number): SvcError {
  return new SvcError(
    'NOTE_OVER_BUDGET',
    `${MEMORY_FILE} has ${formatCount(characters)} characters with this, over its budget of ${formatCount(budget)}: agents load it whole`,
    {
      hint: "add to the day's note instead, move lines to notes in memory/, or raise plugins.entries.memory-core.config.dreaming.phases.deep.maxMemoryChars",
    },
  );
}

/**
 * Adds an entry to a note whose workspace is locked.
 *
 * @param checkSize called with the whole text before it is written; what it throws prevents that
 * @throws SvcError as addNote
 */
export function writeEntry(
  { dir, files, nowMs, timeZone, writes }: NoteChanger,
  entry: NoteEntry,
  { file = TODAY, heading, origin }: Pick<NoteRequest, 'file' | 'heading' | 'origin'>,
  checkSize: (path: string, text: string) => void = () => undefined,
): NoteOutcome {
  const day = dayFormatter(timeZone)(nowMs);
  const { path, title } = noteFile(file, day, dir, files);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = readNote(dir, path);
    const equal = findEntryLine(before.text, entry);
    if (equal !== undefined) {
      const lines = { startLine: equal, endLine: equal + entry.length - 1 };
      return { outcome: 'known', id: null, ...placeOf(path, lines, entry) };
    }
    const { text, frames, inserted, replaced, ...lines } =
      tagEqualLine(before.text, entry) ??
      placeEntry(before.text, entry, {
        heading: heading === undefined ? undefined : plainHeading(heading),
        title,
        created: createdHeadings(writes, path),
      });
    if (Buffer.byteLength(text) > MOST_FILE_BYTES) {
      const message = `cannot write ${path}: it would be larger than 4 MB`;
      throw new SvcError('NOTE_FILE_REFUSED', message, { hint: 'add to another file' });
    }
    checkSize(path, text);
    // The plan is first, so that a write that was killed can be undone as well.
    const plan = { atMs: nowMs, path, origin, created: !before.exists, inserted, replaced, frames };
    const id = writes.plan(plan);
    let isWritten = false;
    try {
      isWritten = asNoteChange(() => writeGuarded(before, text));
    } finally {
      if (!isWritten) writes.remove(id);
    }
    if (!isWritten) continue;
    try {
      writes.setState(id, 'applied');
    } catch (error) {
      // The text is in the note: the next change of notes records that.
      if (!isSqliteError(error)) throw error;
    }
    const whole: NoteEntry = replaced === '' ? entry : [inserted.trimEnd()];
    return { outcome: 'added', id: writeId(id), ...placeOf(path, lines, whole) };
  }
  throw noteBusy(path);
}

/** The headings in a note that writes added. */
function createdHeadings(writes: NoteChanger['writes'], path: string): readonly string[] {
  return writes
    .list()
    .filter((write) => write.path === path && write.state !== 'undone')
    .flatMap(({ frames }) => frames.map((frame) => frame.trim()))
    .filter((frame) => frame.startsWith('## '));
}

/** The id of a write for people: `w12`. */
export function writeId(id: number): string {
  return `w${id}`;
}

function placeOf(
  path: string,
  lines: { readonly startLine: number; readonly endLine: number },
  entry: NoteEntry,
): Pick<NoteOutcome, 'citation' | 'endLine' | 'path' | 'startLine' | 'text'> {
  return { path, ...lines, citation: formatCitation({ path, ...lines }), text: entry.join('\n') };
}

/** The lines of a request that may be written. @throws SvcError NOTE_INVALID, NOTE_SECRET */
function checkedEntry({ text, heading, tags = [], allowSecret, origin }: NoteRequest): NoteEntry {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_NOTE_BYTES) {
    const message = `the text is ${bytes} bytes long; the limit is ${MOST_NOTE_BYTES}`;
    throw invalid(message, 'save it as a file in memory/ instead');
  }
  // Tabs and line ends are the only ones that a note needs.
  const parts = [text, heading ?? ''];
  if (parts.some((part) => /[^\P{Cc}\t\r\n]/u.test(part))) {
    throw invalid('the text contains control characters', 'remove them');
  }
  if (parts.some((part) => part.includes('<!-- svc:'))) {
    const message = 'the text contains a mark that svc uses for itself ("<!-- svc:")';
    throw invalid(message, 'remove the comment');
  }
  if (heading !== undefined) plainHeading(heading);
  const entry = noteEntry(text, plainTags(tags));
  if (entry === undefined) {
    const hint = origin === 'mcp' ? 'pass the text' : 'pass the text, or pipe it in';
    throw invalid('there is no text to add', hint);
  }
  const whole = [...entry, heading ?? ''].join('\n');
  if (allowSecret !== true && hasSecret(whole)) {
    throw new SvcError(
      'NOTE_SECRET',
      'the text looks like it contains a secret; nothing was added',
      {
        // Only a person can decide that it is none.
        hint: `remove it${origin === 'mcp' ? '' : ', or pass --allow-secret if it is not a secret'}: notes are sent to embedding providers and models`,
      },
    );
  }
  return entry;
}

function plainHeading(heading: string): string {
  const plain = heading.replace(/^\s*#{1,6}\s+/u, '').trim();
  if (plain === '' || /[\r\n]/u.test(plain) || plain.length > LONGEST_HEADING) {
    const message = 'the heading must be one line of at most 200 characters';
    throw invalid(message, 'for example: --heading Decisions');
  }
  return plain;
}

function plainTags(tags: readonly string[]): readonly string[] {
  const plain = [...new Set(tags.map((tag) => tag.replace(/^#/u, '')))];
  const wrong = plain.find((tag) => !isTag(tag) || tag.length > LONGEST_TAG);
  if (wrong === undefined && plain.length <= MOST_TAGS) return plain;
  throw invalid(
    wrong === undefined
      ? `more than ${MOST_TAGS} tags`
      : `${JSON.stringify(wrong)} is not a valid tag`,
    'a tag is letters, digits, _, - and /, and not only digits',
  );
}

/** @throws SvcError NOTE_FORGOTTEN */
function refuseForgotten(
  entry: NoteEntry,
  { text, heading = '' }: NoteRequest,
  forgotten: Forgotten,
): void {
  if (!isForgotten(entry, forgotten) && !isForgotten([text, heading], forgotten)) return;
  throw new SvcError('NOTE_FORGOTTEN', 'the text was forgotten; nothing was added', {
    hint: '"svc memory forget --list" shows what was forgotten, and --undo allows it again',
  });
}

/** Whether a text has a line that was forgotten. */
export function isForgotten(lines: readonly string[], forgotten: Forgotten): boolean {
  return !forgotten.isEmpty && forgotten.linesIn(textLines(lines.join('\n'))).size > 0;
}

function invalid(message: string, hint: string): SvcError {
  return new SvcError('NOTE_INVALID', message, { hint });
}
