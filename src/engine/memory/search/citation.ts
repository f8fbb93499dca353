import type { DocumentKey, LineRange } from '../types.js';

/** `memory.citations`, memory search §2.12. */
export type CitationMode = 'auto' | 'off' | 'on';

/** Names a document: its path, after the name of the host if another one has the file (`host-b:memory/a.md`). */
export function documentName({ origin, path }: Pick<DocumentKey, 'origin' | 'path'>): string {
  return origin === undefined ? path : `${origin}:${path}`;
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
}

const CITATION = /^(?<path>.+)#L(?<start>\d{1,9})(?:-L?(?<end>\d{1,9}))?$/s;

/** Parses {@link formatCitation}; anything else is a path. */
export function parseCitation(text: string): ParsedCitation {
  const groups = CITATION.exec(text)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return { path: text };
  const startLine = Number(groups?.['start']);
  const endLine = Number(groups?.['end'] ?? startLine);
  return { path, range: { startLine, endLine } };
}

/** A snippet with the footer that the specification requires. */
export function withSourceFooter(snippet: string, citation: string | undefined): string {
  return citation === undefined ? snippet : `${snippet}\n\nSource: ${citation}`;
}
