import { SvcError } from '../../errors/index.js';
import { oneLine, withEllipsis } from '../../support/text.js';
import type { Forgotten } from '../forgotten/index.js';
import { skipWords } from '../skip-words.js';
import {
  scanTranscripts,
  skipOf,
  type TranscriptFile,
  type TranscriptSources,
} from '../sources/index.js';
import { linesOf } from '../sources/transcripts/read-conversation.js';
import type { DocumentKey, LineRange } from '../types.js';
import {
  askedRange,
  type GetRequest,
  type GivenLines,
  type GivenTurn,
  MAX_CHARACTERS,
  noSuchLine,
  unreadable,
} from './asked-lines.js';

/** Turns per read, unless a number of lines is requested. */
const DEFAULT_TURNS = 120;
/** How many turns are shown around a citation, and how many lines before it are searched for them. */
const TURNS_AROUND = 2;
const LINES_AROUND = 200;

/**
 * Turns of an indexed transcript; a citation includes a few turns around it. Turns are cleaned exactly as for
 * the index.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export function readTurns(
  document: DocumentKey,
  transcripts: TranscriptSources | undefined,
  request: GetRequest,
  cited: LineRange | undefined,
  forgotten: Forgotten,
): GivenLines {
  const file = fileOf(document, transcripts);
  const asked = askedRange(request, cited, Number.POSITIVE_INFINITY);
  const around = request.from === undefined && request.lines === undefined ? cited : undefined;
  const { turns, totalLines, isShortened } = ifReadable(file, () =>
    turnsIn(file, asked, around !== undefined, forgotten),
  );
  if (asked.startLine > totalLines || asked.endLine < asked.startLine) {
    throw noSuchLine(document.path, asked.startLine, totalLines);
  }
  const chosen = around === undefined ? turns : nearest(turns);
  const given = within(chosen, request.lines === undefined);
  const isCut = isShortened || chosen.slice(given.length).some((turn) => turn.asked);
  const last = given.at(-1)?.line ?? asked.startLine;
  return {
    path: document.path,
    // A database has more than one conversation, and no lines.
    absolutePath: file.turns === undefined ? file.absolutePath : undefined,
    source: 'sessions',
    kind: 'transcript',
    startLine: Math.min(asked.startLine, given[0]?.line ?? asked.startLine),
    endLine: isCut ? last : Math.max(last, Math.min(asked.endLine, totalLines)),
    text: given.map(lineOf).join('\n'),
    totalLines,
    truncated: isCut,
    turns: given,
  };
}

function fileOf({ path }: DocumentKey, transcripts: TranscriptSources | undefined): TranscriptFile {
  const files = transcripts === undefined ? [] : scanTranscripts(transcripts).files;
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw unreadable(`${path} is gone`);
  return file;
}

/** @throws SvcError DOCUMENT_UNREADABLE instead of the system's error */
function ifReadable<T>({ absolutePath, path }: TranscriptFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const why = skipWords(skipOf(absolutePath, error));
    throw unreadable(`cannot read ${path}: ${why}`, error);
  }
}

/** The requested turns, and context around them on request. */
function turnsIn(
  file: TranscriptFile,
  asked: LineRange,
  withAround: boolean,
  forgotten: Forgotten,
) {
  const { startLine, endLine } = asked;
  const margin = withAround ? LINES_AROUND : 0;
  const [first, last] = [startLine - margin, endLine + margin];
  const turns: GivenTurn[] = [];
  let totalLines = 0;
  let characters = 0;
  let isShortened = false;
  const isWanted = (line: number): boolean =>
    line >= first && line <= last && characters <= MAX_CHARACTERS;
  for (const [line, turn] of linesOf(file, isWanted)) {
    totalLines = line;
    const isAsked = line >= startLine && line <= endLine;
    isShortened ||= isAsked && characters > MAX_CHARACTERS;
    const text = turn === undefined ? '' : forgotten.leftOf(turn.text);
    if (turn === undefined || text === '') continue;
    // Only the nearest turns before a citation are shown, so the others must not use up the limit.
    if (line < startLine && turns.length === TURNS_AROUND) turns.shift();
    if (line >= startLine) characters += text.length;
    const { role, at = null } = turn;
    turns.push({ line, role, at, text, asked: isAsked });
  }
  return { turns, totalLines, isShortened };
}

/** The requested turns, and the nearest few on either side. */
function nearest(turns: readonly GivenTurn[]): readonly GivenTurn[] {
  const first = turns.findIndex((turn) => turn.asked);
  const last = turns.findLastIndex((turn) => turn.asked);
  if (first === -1) return turns;
  return turns.slice(Math.max(0, first - TURNS_AROUND), last + 1 + TURNS_AROUND);
}

function within(turns: readonly GivenTurn[], countsTurns: boolean): readonly GivenTurn[] {
  let characters = 0;
  const end = turns.findIndex((turn, at) => {
    characters += turn.text.length;
    return at > 0 && (characters > MAX_CHARACTERS || (countsTurns && at >= DEFAULT_TURNS));
  });
  return end === -1 ? turns : turns.slice(0, end);
}

/** A turn as one line: `[2026-02-03T04:05:06.000Z] User: …`. */
function lineOf({ role, at, text }: GivenTurn): string {
  const who = role === 'user' ? 'User' : 'Assistant';
  const said = withEllipsis(oneLine(text), MAX_CHARACTERS);
  return `${at === null ? '' : `[${at}] `}${who}: ${said}`;
}
