import { SvcError } from '../../errors/index.js';
import { splitBlocks } from '../chunking/blocks.js';
import {
  type FoundDocument,
  lookUpDocument,
  lookUpOther,
  notIndexed,
  ownTarget,
  pageLines,
  type ReadContext,
} from '../get/index.js';
import type { OtherHosts } from '../home/index.js';
import type { StoredDocument } from '../index/index.js';
import {
  documentName,
  highlightMatcher,
  parseCitation,
  type QueryReading,
  readingOf,
  type SearchResult,
} from '../search/index.js';
import {
  joinedLines,
  linesWithoutOwnWriting,
  resolveWorkspace,
  type TextLines,
  textLines,
} from '../sources/index.js';
import { isSameDocument, type LineRange } from '../types.js';
import {
  conversationPassage,
  type ForgetPassage,
  type ForgetPlace,
  hasContent,
  isOther,
  type ReadConversation,
  readLines,
  readPassages,
} from './read-passages.js';
import { type SameLines, sameLines, sameTurns } from './same-lines.js';

export interface ForgetRequest {
  /** A path, a citation, or a search query; or a conversation, or a part of one, that need not be in the index. */
  readonly target: string | ReadConversation;
  /** How many passages a query may match; `query.maxResults` by default. */
  readonly maxResults?: number | undefined;
  /** Files are changed too, so reports written by dreaming are included. */
  readonly fromFile?: boolean | undefined;
}

/** What would be forgotten. */
export interface ForgetPlan {
  /** In file order, without overlaps. */
  readonly passages: readonly ForgetPassage[];
  /** Copies of the same lines elsewhere, which are removed too. */
  readonly alsoIn: readonly ForgetPlace[];
}

export interface PlanContext extends ReadContext {
  readonly search: (
    query: string,
    maxResults: number | undefined,
  ) => Promise<readonly SearchResult[]>;
}

/**
 * Finds what a path, a citation or a query means, and reads it. Changes nothing.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID, FORGET_NOTHING
 */
export async function planForget(
  { target, maxResults, fromFile = false }: ForgetRequest,
  context: PlanContext,
): Promise<ForgetPlan> {
  const workspaceDir = resolveWorkspace(context.sources.memory.workspaceDir);
  const documents = await context.index.documents();
  const passages =
    typeof target === 'string'
      ? await passagesOf({ target, maxResults, fromFile }, documents, workspaceDir, context)
      : [conversationPassage(target)].filter(hasContent);
  if (passages.length === 0) {
    const named = JSON.stringify(typeof target === 'string' ? target : target.path);
    throw new SvcError('FORGET_NOTHING', `nothing in memory matches ${named}`, {
      hint: 'pass a file, or a citation from "svc memory search", or of what is forgotten already from "svc memory forget --list"',
    });
  }
  const search = { documents, workspaceDir, fromFile, signal: context.signal };
  const inNotes = await sameLines(passages, search);
  const some = withStatements(passages, inNotes);
  const inTurns = await sameTurns(some, context);
  const planned = withStatements(some, inTurns);
  // Others may have such a statement on one line; reading all of them again takes long.
  const { places } = planned === passages ? inNotes : await sameLines(planned, search);
  const turns = planned === some ? inTurns : await sameTurns(planned, context);
  return { passages: planned, alsoIn: [...places, ...turns.places] };
}

/** Statements elsewhere that have a planned line in them are forgotten, too. */
function withStatements(
  passages: readonly ForgetPassage[],
  { statements }: SameLines,
): readonly ForgetPassage[] {
  const [first, ...others] = passages;
  if (first === undefined || statements.length === 0) return passages;
  return [{ ...first, parts: [...first.parts, ...new Set(statements)] }, ...others];
}

type NamedRequest = ForgetRequest & { readonly target: string };

/** @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID */
async function passagesOf(
  request: NamedRequest,
  documents: readonly StoredDocument[],
  workspaceDir: string,
  context: PlanContext,
): Promise<readonly ForgetPassage[]> {
  const { target } = request;
  const named = await documentNamed(target, documents, workspaceDir, context.others);
  const wanted: WantedRanges =
    named === undefined
      ? await matchesOf(request, documents, context)
      : new Map([[named.document, await rangesIn(named, context)]]);
  const passages: ForgetPassage[] = [];
  for (const [document, ranges] of wanted) {
    passages.push(...(await readPassages(document, ranges, context)));
  }
  return passages;
}

/** What is to be forgotten of each document. */
type WantedRanges = Map<StoredDocument, readonly LineRange[] | 'whole'>;

/** What a query means: lines of the documents that it finds, and media whose names it matches. */
async function matchesOf(
  { target, maxResults, fromFile }: NamedRequest,
  documents: readonly StoredDocument[],
  context: PlanContext,
): Promise<WantedRanges> {
  const results = await context.search(target, maxResults);
  const otherDocuments = (await context.others?.documents(results.map(documentName))) ?? [];
  const reading = await readingOf(context.index);
  const wanted: WantedRanges = new Map();
  for (const result of results) {
    const document = [...documents, ...otherDocuments].find((one) => isSameDocument(one, result));
    const ranges = document === undefined ? undefined : (wanted.get(document) ?? []);
    if (document === undefined || ranges === undefined || ranges === 'whole') continue;
    if (document.kind === 'media') {
      // Media have no lines, and a file is only deleted if it is passed.
      if (result.highlights.length > 0 && fromFile !== true) wanted.set(document, 'whole');
      continue;
    }
    const lines = await indexedLines(document, context);
    wanted.set(document, [...ranges, ...answeringLines(result, lines, reading)]);
  }
  return wanted;
}

/**
 * The lines of a result that a query means: of the list items and paragraphs in its passage those with the
 * most query words. The whole passage when none matches, or when it is not a note.
 *
 * @param lines of its document: a snippet leaves out lines
 */
export function answeringLines(
  result: SearchResult,
  lines: TextLines,
  reading: QueryReading,
): readonly LineRange[] {
  const { startLine, endLine } = result;
  if (result.kind !== 'markdown') return [{ startLine, endLine }];
  const matcher = highlightMatcher(result, reading);
  const found = splitBlocks(lines)
    .filter(({ kind, start, end }) => kind !== 'heading' && start < endLine && end >= startLine)
    .map(({ start, end }) => {
      const range = { startLine: Math.max(startLine, start + 1), endLine: Math.min(endLine, end) };
      const { hits } = matcher(joinedLines(lines, range.startLine - 1, range.endLine));
      return { range, words: new Set(hits.map(({ term }) => term)).size };
    });
  const most = Math.max(0, ...found.map(({ words }) => words));
  if (most === 0) return [{ startLine, endLine }];
  return found.filter(({ words }) => words === most).map(({ range }) => range);
}

/** The lines of a note; what is kept out of the index is empty. @throws SvcError DOCUMENT_UNREADABLE */
async function indexedLines(document: StoredDocument, context: PlanContext): Promise<TextLines> {
  if (document.kind !== 'markdown') return textLines('');
  const { lines, fileHash } = await readLines(document, context);
  return isOther(document)
    ? lines
    : linesWithoutOwnWriting(context.forgotten.cover(lines, fileHash).lines);
}

type NamedDocument = FoundDocument<StoredDocument>;

/** What a path or a citation means. @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID */
async function rangesIn(
  { document, range, pages }: NamedDocument,
  context: PlanContext,
): Promise<readonly LineRange[] | 'whole'> {
  if (range !== undefined) return [range];
  if (pages === undefined) return 'whole';
  const { lines } = await readLines(document, context);
  return [pageLines(lines, document.path, pages)];
}

/** The document that a path or a citation means; undefined for a query. @throws SvcError DOCUMENT_NOT_INDEXED */
async function documentNamed(
  text: string,
  documents: readonly StoredDocument[],
  workspaceDir: string,
  others: OtherHosts | undefined,
): Promise<NamedDocument | undefined> {
  const target = ownTarget(text, others);
  const own = lookUpDocument(documents, workspaceDir, target);
  if (own !== undefined || !looksLikePath(target)) return own;
  const other = others === undefined ? undefined : await lookUpOther(others, target);
  if (other === undefined) throw notIndexed(documents, target);
  return other;
}

/**
 * Anything that does not end like a document is a query, and so are several words before any slash. Paths of
 * conversations may have no ending.
 */
function looksLikePath(target: string): boolean {
  const { path, range } = parseCitation(target);
  return (
    range !== undefined ||
    /^sessions\/\S+$/u.test(path) ||
    /^[^\s/]*(?:\/.*)?\.(?:docx|html?|jsonl|markdown|md|org|pdf|rst|txt|xhtml)$/isu.test(path)
  );
}
