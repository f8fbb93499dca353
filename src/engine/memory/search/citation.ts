import { safeLine } from '../../support/safe-line.js';
import type { DocumentKey, LineRange } from '../types.js';

/** `memory.citations`, memory search §2.12. */
export type CitationMode = 'auto' | 'off' | 'on';

/** Names a document: its path, after the name of the host if another one has the file (`host-b:memory/a.md`). */
export function documentName({ origin, path }: Pick<DocumentKey, 'origin' | 'path'>): string {
  return origin === undefined ? path : `${origin}:${path}`;
}

/** Pages of a PDF: 1-based, both ends included. */
export interface PageRange {
  readonly firstPage: number;
  readonly lastPage: number;
}

/** `path#p3` for one page, `path#p3-p4` for several. */
export function formatPages(
  key: Pick<DocumentKey, 'origin' | 'path'>,
  { firstPage, lastPage }: PageRange,
): string {
  const first = `${documentName(key)}#p${firstPage}`;
  return firstPage === lastPage ? first : `${first}-p${lastPage}`;
}

/** `path#L5` for one line, `path#L3-L5` for several, with the {@link documentName} as the path. */
export function formatCitation(place: Pick<DocumentKey, 'origin' | 'path'> & LineRange): string {
  const { startLine, endLine } = place;
  const name = documentName(place);
  return startLine === endLine ? `${name}#L${startLine}` : `${name}#L${startLine}-L${endLine}`;
}

export interface ParsedCitation {
  readonly path: string;
  readonly range?: LineRange;
  readonly pages?: PageRange;
}

const PAGES = /^(?<path>.+)#p(?<first>\d{1,99})(?:-p?(?<last>\d{1,99}))?$/s;
const CITATION =
  /^(?<path>.+)(?:#L|(?<=\.(?:jsonl|md)):)(?<start>\d{1,99})(?:-L?(?<end>\d{1,99}))?$/s;

/**
 * Parses {@link formatCitation}, {@link formatPages} and `path.md:3-5`, as grep and compilers write; anything else is a
 * path.
 */
export function parseCitation(text: string): ParsedCitation {
  const groups = CITATION.exec(text)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return parsePages(text);
  const startLine = numberOf(groups?.['start']);
  const endLine = numberOf(groups?.['end'] ?? groups?.['start']);
  return { path, range: { startLine, endLine } };
}

function parsePages(text: string): ParsedCitation {
  const groups = PAGES.exec(text)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return { path: text };
  const firstPage = numberOf(groups?.['first']);
  const lastPage = numberOf(groups?.['last'] ?? groups?.['first']);
  return { path, pages: { firstPage, lastPage } };
}

/** No document has so many lines or pages, so that a larger number means the same. */
const LARGEST = 999_999_999;

function numberOf(digits: string | undefined): number {
  return Math.min(Number(digits), LARGEST);
}

/** A snippet with the footer that the specification requires, on one line whatever the name. */
export function withSourceFooter(snippet: string, citation: string | undefined): string {
  return citation === undefined ? snippet : `${snippet}\n\nSource: ${safeLine(citation)}`;
}
