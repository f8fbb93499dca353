import type { DayRange } from '../../support/day.js';
import type { NoteFacts } from '../types.js';
import type { CandidateFilter, FilteredChunk, FilteredDocument } from './candidates.js';
import { headingPathOf } from './lexical-text.js';

/** A document as an index has it, for a filter. */
export interface DocumentRow extends Omit<FilteredDocument, 'facts'> {
  readonly id: number;
  /** JSON. */
  readonly facts: string | null;
}

/** A chunk as an index has it, for a filter. */
export interface ChunkRow {
  readonly id: number;
  readonly document: number;
  readonly headings: string;
  readonly text: string;
  readonly first: number | null;
  readonly last: number | null;
}

/** The documents that a filter keeps, and whether it depends on their chunks. */
export function keptRows<Row extends DocumentRow>(
  rows: readonly Row[],
  { sources, kinds, path, document, chunkDecides = false }: CandidateFilter,
): { readonly rows: readonly Row[]; readonly byChunk: boolean } {
  let byChunk = chunkDecides;
  const kept = rows.filter((row) => {
    if (kinds !== undefined && !kinds.includes(row.kind)) return false;
    if (sources !== undefined && !sources.includes(row.source)) return false;
    if (path !== undefined && !path(row.path)) return false;
    const decision = document === undefined ? true : document(filteredDocument(row));
    if (decision === 'by-chunk') byChunk = true;
    return decision !== false;
  });
  return { rows: kept, byChunk };
}

/** Whether a filter keeps a chunk of a kept document. */
export function keepsRow(
  row: ChunkRow,
  document: DocumentRow,
  { chunk }: CandidateFilter,
): boolean {
  return chunk === undefined || chunk(filteredChunk(row), filteredDocument(document));
}

function filteredDocument({
  source,
  path,
  kind,
  modifiedMs,
  facts,
}: DocumentRow): FilteredDocument {
  const parsed: NoteFacts | undefined = facts === null ? undefined : JSON.parse(facts);
  return { source, path, kind, modifiedMs, facts: parsed };
}

function filteredChunk({ headings, text, first, last }: ChunkRow): FilteredChunk {
  const days: DayRange | undefined = first === null || last === null ? undefined : { first, last };
  return { headingPath: headingPathOf(headings), text, days };
}

/** For LIKE with the escape `\\`: finds a text in any case, and may find more. */
export function likePattern(text = ''): string {
  const escaped = text.replaceAll(/[\\%_]/gu, '\\$&');
  // LIKE ignores the case of ASCII letters only.
  return `%${escaped.replaceAll(/[^\x20-\x7e]+/gu, '%')}%`;
}
