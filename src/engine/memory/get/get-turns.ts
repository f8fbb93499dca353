import { SvcError } from '../../errors/index.js';
import { speaker } from '../../support/format.js';
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
import type { FoundDocument } from './named-document.js';
import {
  type GetRequest,
  type GetResponse,
  MAX_CHARACTERS,
  type ReadTurn,
  requestedRange,
  requireLine,
  unreadable,
} from './requested-lines.js';

/** Turns per read, unless a number of lines is requested. */
const DEFAULT_TURNS = 120;
/** How many turns are shown before and after a citation, and how many lines are searched for them. */
const CONTEXT_TURNS = 2;
const CONTEXT_LINES = 200;

/**
 * Turns of an indexed transcript; a citation includes a few turns around it. Turns are cleaned exactly as for
 * the index.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export function readTurns(
  { document, range: cited }: FoundDocument<DocumentKey>,
  request: GetRequest,
  { transcripts, forgotten }: TurnContext,
): GetResponse {
  const file = fileOf(document, transcripts);
  const requested = requestedRange(request, cited, Number.POSITIVE_INFINITY);
  const withContext =
    cited !== undefined && request.from === undefined && request.lines === undefined;
  const { turns, totalLines, isShortened } = orUnreadable(file, () =>
    turnsIn(file, requested, withContext, forgotten),
  );
  requireLine(requested, document.path, totalLines);
  const chosen = withContext ? upToNearest(turns, requested.endLine) : turns;
  const shown = turnsWithinLimit(chosen, request.lines === undefined);
  const isCut = isShortened || chosen.slice(shown.length).some((turn) => turn.asked);
  const last = shown.at(-1)?.line ?? requested.startLine;
  return {
    path: document.path,
    // A database has more than one conversation, and no lines.
    absolutePath: file.turns === undefined ? file.absolutePath : undefined,
    source: 'sessions',
    kind: 'transcript',
    startLine: Math.min(requested.startLine, shown[0]?.line ?? requested.startLine),
    endLine: isCut ? last : Math.max(last, Math.min(requested.endLine, totalLines)),
    text: shown.map(lineOf).join('\n'),
    totalLines,
    truncated: isCut,
    turns: shown,
  };
}

interface TurnContext {
  readonly transcripts: TranscriptSources | undefined;
  readonly forgotten: Forgotten;
}

function fileOf({ path }: DocumentKey, transcripts: TranscriptSources | undefined): TranscriptFile {
  const files = transcripts === undefined ? [] : scanTranscripts(transcripts).files;
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw unreadable(`${path} is gone`);
  return file;
}

/** @throws SvcError DOCUMENT_UNREADABLE instead of the system's error */
function orUnreadable<T>({ absolutePath, path }: TranscriptFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const why = skipWords(skipOf(absolutePath, error));
    throw unreadable(`cannot read ${path}: ${why}`, error);
  }
}

/** The requested turns; with context, also the last few before and those in the lines after. */
function turnsIn(
  file: TranscriptFile,
  requested: LineRange,
  withContext: boolean,
  forgotten: Forgotten,
) {
  const { startLine, endLine } = requested;
  const margin = withContext ? CONTEXT_LINES : 0;
  const [first, last] = [startLine - margin, endLine + margin];
  const turns: ReadTurn[] = [];
  let totalLines = 0;
  let characters = 0;
  let isShortened = false;
  const isRead = (line: number): boolean =>
    line >= first && line <= last && characters <= MAX_CHARACTERS;
  for (const [line, turn] of linesOf(file, isRead)) {
    totalLines = line;
    const isRequested = line >= startLine && line <= endLine;
    isShortened ||= isRequested && characters > MAX_CHARACTERS;
    const text = turn === undefined ? '' : forgotten.removeFrom(turn.text);
    if (turn === undefined || text === '') continue;
    // Only the nearest turns before a citation are shown, so the others must not use up the limit.
    if (line < startLine && turns.length === CONTEXT_TURNS) turns.shift();
    if (line >= startLine) characters += text.length;
    const { role, at = null } = turn;
    turns.push({ line, role, at, text, asked: isRequested });
  }
  return { turns, totalLines, isShortened };
}

/** Turns up to the nearest few after a line. */
function upToNearest(turns: readonly ReadTurn[], endLine: number): readonly ReadTurn[] {
  const after = turns.findIndex(({ line }) => line > endLine);
  return after === -1 ? turns : turns.slice(0, after + CONTEXT_TURNS);
}

function turnsWithinLimit(turns: readonly ReadTurn[], countsTurns: boolean): readonly ReadTurn[] {
  let characters = 0;
  const end = turns.findIndex((turn, at) => {
    characters += turn.text.length;
    return at > 0 && (characters > MAX_CHARACTERS || (countsTurns && at >= DEFAULT_TURNS));
  });
  return end === -1 ? turns : turns.slice(0, end);
}

/** A turn as one line: `[2026-02-03T04:05:06.000Z] User: …`. */
function lineOf({ role, at, text }: ReadTurn): string {
  const line = withEllipsis(oneLine(text), MAX_CHARACTERS);
  return `${at === null ? '' : `[${at}] `}${speaker(role)}: ${line}`;
}
