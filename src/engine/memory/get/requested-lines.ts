import { SvcError } from '../../errors/index.js';
import { pageOfLine } from '../../support/document-format.js';
import { formatCountOf } from '../../support/format.js';
import { shellWord, withEllipsis } from '../../support/text.js';
import type { PageRange } from '../search/index.js';
import { joinedLines, lineAt, mediaLabel, type TextLines } from '../sources/index.js';
import type { DocumentKey, LineRange } from '../types.js';
import type { FoundDocument } from './named-document.js';
import type { GetOutput } from './output-schemas.js';

/** The lines of a document to read. */
export interface GetRequest {
  /** A displayed path, an absolute path, or a citation `path#L3-L5`. */
  readonly target: string;
  /** 1-based first line; defaults to the citation's, else 1. */
  readonly from?: number | undefined;
  /** How many lines; defaults to the citation's, else up to the limit. */
  readonly lines?: number | undefined;
}

/** A turn of a conversation. */
export type ReadTurn = NonNullable<GetOutput['turns']>[number];

/** Current lines of an indexed document. For a transcript, its turns: `text` has one line per turn. */
export interface GetResponse extends GetOutput {
  /** Undefined for a file of another host, and a conversation in a database. */
  readonly absolutePath: string | undefined;
}

/** Lines per read, unless a number is requested. */
const DEFAULT_LINES = 120;

/**
 * The lines that a request means, even beyond the end of the document.
 *
 * @param defaultCount how many if neither the request nor the citation limits them
 */
export function requestedRange(
  { from, lines }: GetRequest,
  cited: LineRange | undefined,
  defaultCount: number,
): LineRange {
  const startLine = from ?? cited?.startLine ?? 1;
  const citedLines = cited === undefined ? defaultCount : cited.endLine - cited.startLine + 1;
  return { startLine, endLine: startLine - 1 + (lines ?? citedLines) };
}

/** The lines of a document that a request means. @throws SvcError RANGE_INVALID */
export function requestedLines(
  request: GetRequest,
  cited: LineRange | undefined,
  name: string,
  totalLines: number,
): LineRange {
  const range = requestedRange(request, cited, DEFAULT_LINES);
  requireLine(range, name, totalLines);
  return { ...range, endLine: Math.min(totalLines, range.endLine) };
}

/** @throws SvcError RANGE_INVALID if a document has none of these lines */
export function requireLine(
  { startLine, endLine }: LineRange,
  name: string,
  totalLines: number,
): void {
  if (startLine < 1 || startLine > totalLines || endLine < startLine) {
    throw noSuchLine(name, startLine, totalLines);
  }
}

/** @throws SvcError RANGE_INVALID unless a document has all lines of a range */
export function requireAllLines(
  { startLine, endLine }: LineRange,
  name: string,
  totalLines: number,
): void {
  const missing = [startLine, endLine].find((line) => line < 1 || line > totalLines);
  if (missing !== undefined) throw noSuchLine(name, missing, totalLines);
}

function noSuchLine(name: string, line: number, totalLines: number): SvcError {
  const has = `${name} has ${formatCountOf(totalLines, 'line')}`;
  return new SvcError('RANGE_INVALID', `${has}, so there is no line ${line}`, {
    hint: totalLines <= 1 ? 'use line 1' : `use lines 1 to ${totalLines}`,
  });
}

/** The lines of the pages of a PDF. @throws SvcError RANGE_INVALID */
export function pageLines(lines: TextLines, path: string, pages: PageRange): LineRange {
  let startLine: number | undefined;
  let endLine = lines.count;
  for (let at = 0; at < lines.count; at++) {
    const page = pageOfLine(lineAt(lines, at));
    if (page === pages.firstPage) startLine ??= at + 1;
    if (page === pages.lastPage + 1) endLine = at;
  }
  if (startLine === undefined || endLine < startLine) {
    throw new SvcError('RANGE_INVALID', `${path} has no page ${pages.firstPage}`, {
      hint: `run "svc memory get ${shellWord(path)}" to read it from its start`,
    });
  }
  return { startLine, endLine };
}

/** Most that one read returns, so that a response stays small. */
export const MAX_CHARACTERS = 200_000;

/** As many lines or turns as one read can return: at least one, which ends with an ellipsis if it is too long. */
export function withinCharacters(texts: readonly string[]) {
  let characters = 0;
  const end = texts.findIndex((text) => {
    characters += text.length + 1;
    return characters > MAX_CHARACTERS;
  });
  if (end === -1) return { texts, isCut: false };
  const kept = texts.slice(0, Math.max(1, end)).map((text) => withEllipsis(text, MAX_CHARACTERS));
  return { texts: kept, isCut: kept.length < texts.length || kept[0] !== texts[0] };
}

/** The lines that a citation names, by their numbers or as pages. @throws SvcError RANGE_INVALID */
export function citedLines(
  { document, range, pages }: FoundDocument<DocumentKey>,
  lines: TextLines,
): LineRange | undefined {
  return range ?? (pages && pageLines(lines, document.path, pages));
}

/** The first of the requested lines, as many as one read can return. */
export function linesWithinLimit(lines: TextLines, { startLine, endLine }: LineRange) {
  const requested = joinedLines(lines, startLine - 1, endLine).split('\n');
  const { texts, isCut } = withinCharacters(requested);
  return { endLine: startLine + texts.length - 1, text: texts.join('\n'), isCut };
}

/** A description of an image or a recording in place of its lines. */
export function describeMedia(
  document: Pick<GetResponse, 'absolutePath' | 'kind' | 'origin' | 'path' | 'source'>,
  media: NonNullable<GetOutput['media']>,
): GetResponse {
  const { mimeType, bytes, modified, refused } = media;
  const lines = [
    mediaLabel(mimeType, document.path),
    `type: ${mimeType}`,
    `size: ${bytes} bytes`,
    `modified: ${modified}`,
    ...(refused === null ? [] : [`found by its name only: ${refused}`]),
  ];
  return {
    ...document,
    media,
    startLine: 1,
    endLine: lines.length,
    text: lines.join('\n'),
    totalLines: lines.length,
    truncated: false,
  };
}

/** @param message such as `birds.md is gone` */
export function unreadable(message: string, cause?: unknown): SvcError {
  return new SvcError('DOCUMENT_UNREADABLE', message, {
    hint: 'run "svc memory index" to bring the index up to date',
    cause,
  });
}
