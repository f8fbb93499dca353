import type { LineRange } from '../types.js';

/** `memory.citations`, memory search §2.12. */
export type CitationMode = 'auto' | 'off' | 'on';

/** `path#L5` for one line, `path#L3-L5` for several. */
export function formatCitation(path: string, range: LineRange): string {
  const { startLine, endLine } = range;
  return startLine === endLine ? `${path}#L${startLine}` : `${path}#L${startLine}-L${endLine}`;
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
