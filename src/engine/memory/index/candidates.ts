import type { DayRange } from '../../support/day.js';
import type { Chunk, DocumentKey, DocumentKind, NoteFacts, Source } from '../types.js';
import { type ChunkColumns, chunkOf, type IndexedDocument } from './documents.js';
import { headingPathOf } from './lexical-text.js';

/** Restricts a search; an absent field restricts nothing. */
export interface CandidateFilter {
  readonly sources?: readonly Source[] | undefined;
  readonly kinds?: readonly DocumentKind[] | undefined;
  /** Keeps documents by their displayed path, alone or after their host. */
  readonly path?: ((...names: readonly string[]) => boolean) | undefined;
  /** Keeps documents; `by-chunk` where it depends on their chunks. */
  readonly document?: ((document: FilteredDocument) => boolean | 'by-chunk') | undefined;
  /** Keeps chunks of the documents that are kept. */
  readonly chunk?: ((chunk: FilteredChunk, document: FilteredDocument) => boolean) | undefined;
  /** What every kept chunk contains in lower case, in its headings or, maybe with marks of Markdown, in its text. */
  readonly contains?: string | undefined;
}

/** What a filter can know of a document. */
export interface FilteredDocument {
  readonly source: Source;
  readonly path: string;
  readonly kind: DocumentKind;
  readonly modifiedMs: number;
  readonly facts: NoteFacts | undefined;
}

/** What a filter can know of a chunk. */
export interface FilteredChunk extends Pick<Chunk, 'headingPath' | 'startLine' | 'text'> {
  /** What its headings date it to. */
  readonly days: DayRange | undefined;
}

/** A chunk that was found, with what is known of its document. */
interface FoundChunk extends Chunk, DocumentKey, Pick<IndexedDocument, 'kind' | 'mimeType'> {
  readonly chunkId: number;
  readonly modifiedMs: number;
  /** The language its words are stemmed in; absent for English. */
  readonly language?: string | null;
}

/** A chunk that a query matched. */
export interface LexicalCandidate extends FoundChunk {
  /** SQLite's BM25 with its sign flipped: larger is better, not comparable between queries. */
  readonly bm25: number;
}

/** Terms of a query that the best chunks are likely to have, so that only chunks with one of them need a score. */
export interface EssentialTerms {
  /** A full-text expression for chunks with one of them. */
  readonly match: string;
  /** All other chunks score less. */
  readonly scoreWithout: number;
}

/** Which chunks of some days are wanted. */
export interface DatedQuestion {
  readonly days: DayRange;
  /** A full-text expression that orders them; undefined without words. */
  readonly match: string | undefined;
  /** Whether a chunk must match {@link match}. */
  readonly mustMatch: boolean;
  /** A full-text expression that a chunk must not match. */
  readonly except: string | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
}

/** A word as it is in the full-text index: folded and stemmed. */
export interface IndexTerm {
  readonly term: string;
  /** How many chunks contain it. */
  readonly chunks: number;
}

/** A chunk of which a piece is near a query. */
export interface VectorCandidate extends FoundChunk {
  /** Cosine of the nearest piece, -1 to 1. */
  readonly similarity: number;
}

/** The columns of a found chunk that are not stored as they are used. */
export interface FoundColumns extends ChunkColumns {
  readonly mimeType: string | null;
}

/** A row with its stored columns decoded. */
export function foundChunk<Row extends FoundColumns>({
  mimeType,
  headings,
  lineNumbers,
  ...row
}: Row) {
  const chunk = chunkOf({ headings, lineNumbers });
  return { ...row, ...chunk, ...(mimeType === null ? {} : { mimeType }) };
}

/** Cosines between a query and passages sampled evenly from the index. */
export interface SimilaritySample {
  readonly texts: readonly number[];
  readonly media: readonly number[];
  /** The chunks of all media. */
  readonly mediaChunks: ReadonlySet<number>;
}

/** Up to `count` items, evenly spaced. */
export function evenSample<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  const places = new Set(Array.from({ length: count }, (_, at) => Math.floor(at * step)));
  return items.filter((_, at) => places.has(at));
}

/** The most similar, best first: `count` of them and ties with the last. */
export function mostSimilar<T extends { readonly similarity: number }>(
  found: readonly T[],
  count: number,
): readonly T[] {
  const sorted = found.toSorted((a, b) => b.similarity - a.similarity);
  const last = sorted[count - 1]?.similarity;
  return last === undefined ? sorted : sorted.filter(({ similarity }) => similarity >= last);
}

/** Ranks instead of scores, the best first: equal ones share a rank, and a database converts none of them to text. */
export function ranksOf(scores: ArrayLike<number>) {
  const distinct = [...new Set(Array.from(scores))].sort((a, b) => b - a);
  const rankOf = new Map(distinct.map((score, rank) => [score, rank]));
  return {
    ranks: Array.from(scores, (score) => rankOf.get(score) ?? 0),
    scoreOf: (rank: number): number => distinct[rank] ?? 0,
  };
}

/** At least so many contents are compared exactly. */
const COMPARED = 1024;
/** Share of the codes, because many codes have more near ties. */
const COMPARED_SHARE = 1 / 40;
const COMPARED_PER_RESULT = 4;

/** Codes of fewer bits are useless: all contents are compared. */
export const FEWEST_CODED_DIMENSIONS = 64;

/** How many of the contents with the nearest codes are compared exactly. @param codes how many there are */
export function comparedExactly(results: number, codes: number): number {
  return Math.max(COMPARED, codes * COMPARED_SHARE, results * COMPARED_PER_RESULT);
}

/** A document as an index has it, for a filter. */
export interface DocumentRow extends Omit<FilteredDocument, 'facts'> {
  readonly id: number;
  /** JSON. */
  readonly facts: string | null;
  /** `host:path` in a shared memory, as searches of other hosts cite it. */
  readonly pathWithHost?: string | null;
}

/** A chunk as an index has it, for a filter. */
export interface ChunkRow {
  readonly id: number;
  readonly document: number;
  readonly startLine: number;
  readonly headings: string;
  readonly text: string;
  readonly first: number | null;
  readonly last: number | null;
}

/** The documents that a filter keeps, and whether it depends on their chunks. */
export function filterRows<Row extends DocumentRow>(
  rows: readonly Row[],
  { sources, kinds, path, document }: CandidateFilter,
): { readonly rows: readonly Row[]; readonly byChunk: boolean } {
  let byChunk = false;
  const kept = rows.filter((row) => {
    if (kinds !== undefined && !kinds.includes(row.kind)) return false;
    if (sources !== undefined && !sources.includes(row.source)) return false;
    const names = row.pathWithHost ? [row.path, row.pathWithHost] : [row.path];
    if (path !== undefined && !path(...names)) return false;
    const decision = document === undefined ? true : document(filteredDocument(row));
    if (decision === 'by-chunk') byChunk = true;
    return decision !== false;
  });
  return { rows: kept, byChunk };
}

/** The ids of the chunks of kept documents that a filter keeps. */
export function filterChunkIds(
  chunks: Iterable<ChunkRow>,
  documents: readonly DocumentRow[],
  { chunk: keeps = () => true }: CandidateFilter,
): readonly number[] {
  const byId = new Map(documents.map((document) => [document.id, filteredDocument(document)]));
  const kept: number[] = [];
  for (const { id, document, startLine, headings, text, first, last } of chunks) {
    const days = first === null || last === null ? undefined : { first, last };
    const owner = byId.get(document);
    const headingPath = headingPathOf(headings);
    if (owner !== undefined && keeps({ startLine, headingPath, text, days }, owner)) kept.push(id);
  }
  return kept;
}

function filteredDocument({ facts, ...document }: DocumentRow): FilteredDocument {
  return { ...document, facts: facts === null ? undefined : JSON.parse(facts) };
}

/** A pattern for LIKE, with `\\` as the escape character: contains a text, ASCII case ignored. */
export function literalPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/gu, '\\$&')}%`;
}

/** A pattern for LIKE: the letters and digits of a text in any case, with anything between them. May match more. */
export function likePattern(text = ''): string {
  // A heading can have marks of Markdown. LIKE ignores the case of ASCII letters only; the lower case of İ begins with one.
  return `%${text.replaceAll(/(?:i(?=\u0307))?[^a-z0-9]+/gu, '%')}%`;
}
