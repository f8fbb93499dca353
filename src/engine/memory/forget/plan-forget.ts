import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { redactSecrets } from '../../masking/index.js';
import type { ExtractedTexts } from '../extract/index.js';
import { Forgotten, hashesOf, rangesOf, TELLING_BYTES, wordsOf } from '../forgotten/index.js';
import {
  type FoundDocument,
  findDocument,
  lookUpDocument,
  lookUpOther,
  ownTarget,
  pageLines,
} from '../get/index.js';
import { linesOfChunks, type OtherHosts } from '../home/index.js';
import type { MemoryIndex, OtherDocument, StoredDocument } from '../index/index.js';
import { parseCitation, type Reading, type SearchResult } from '../search/index.js';
import {
  absoluteFromDisplay,
  type DocumentText,
  DREAM_REPORTS,
  displayPath,
  lineAt,
  linesWithoutOwnWriting,
  type MemorySources,
  readDocument,
  resolveWorkspace,
  type TextLines,
  textLines,
  walkFolder,
} from '../sources/index.js';
import { isSameDocument, type LineRange } from '../types.js';
import { answeringLines } from './answering-lines.js';
import {
  type ForgetPassage,
  type ForgetPlace,
  readOtherPassages,
  readPassages,
} from './read-passages.js';

export interface ForgetRequest {
  /** A path, a citation, or a search query. */
  readonly target: string;
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

export interface PlanContext {
  readonly index: MemoryIndex;
  readonly sources: MemorySources;
  readonly texts: ExtractedTexts;
  /** Everything that is forgotten already. */
  readonly forgotten: Forgotten;
  /** The other hosts of a shared memory. */
  readonly others?: OtherHosts | undefined;
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
  const { index, sources, others } = context;
  const workspaceDir = resolveWorkspace(sources.memory.workspaceDir);
  const documents = await index.documents();
  const named = await documentNamed(target, documents, workspaceDir, others);
  const wanted: Wanted =
    named === undefined
      ? await matchesOf({ target, maxResults, fromFile }, documents, context)
      : new Map([[named.document, await rangesIn(named, context)]]);
  const passages: ForgetPassage[] = [];
  for (const [document, ranges] of wanted) {
    passages.push(
      ...(isOther(document)
        ? await readOtherPassages(document, ranges, others)
        : await readPassages(document, ranges, context)),
    );
  }
  if (passages.length === 0) {
    throw new SvcError('FORGET_NOTHING', `nothing in memory matches ${JSON.stringify(target)}`, {
      hint: 'pass a file, or a citation from "svc memory search"',
    });
  }
  return { passages, alsoIn: sameLines(passages, documents, workspaceDir, fromFile) };
}

function isOther(document: OtherDocument | StoredDocument): document is OtherDocument {
  return document.origin !== undefined;
}

/** What is to be forgotten of each document. */
type Wanted = Map<OtherDocument | StoredDocument, readonly LineRange[] | 'whole'>;

/** What a query means: lines of the documents that it finds, and media whose names it matches. */
async function matchesOf(
  { target, maxResults, fromFile }: ForgetRequest,
  documents: readonly StoredDocument[],
  context: PlanContext,
): Promise<Wanted> {
  const theirs = (await context.others?.documents()) ?? [];
  const reading = await readingOf(context.index);
  const wanted: Wanted = new Map();
  for (const result of await context.search(target, maxResults)) {
    const document = [...documents, ...theirs].find((one) => isSameDocument(one, result));
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

/** How the words of a query are read in an index. */
async function readingOf(index: MemoryIndex): Promise<Reading> {
  const { tokenizer } = await index.identity();
  return { tokenizer, languages: tokenizer === 'trigram' ? [] : await index.languages() };
}

/** The current lines of a note; what is kept out of the index is empty. */
async function indexedLines(
  document: OtherDocument | StoredDocument,
  { sources, others, forgotten }: PlanContext,
): Promise<TextLines> {
  if (isOther(document)) return linesOfChunks((await others?.chunksOf(document)) ?? []);
  const { path, kind } = document;
  const workspaceDir = resolveWorkspace(sources.memory.workspaceDir);
  const outcome =
    kind === 'markdown' ? readDocument(absoluteFromDisplay(workspaceDir, path), path) : undefined;
  // What cannot be read is reported when its passages are read.
  if (outcome?.ok !== true) return textLines('');
  const { lines, hash } = outcome.document;
  return linesWithoutOwnWriting(forgotten.cover(lines, hash).lines);
}

type NamedDocument = FoundDocument<OtherDocument | StoredDocument>;

/** What a path or a citation means. @throws SvcError RANGE_INVALID */
async function rangesIn(
  named: NamedDocument,
  context: PlanContext,
): Promise<readonly LineRange[] | 'whole'> {
  const range = named.range ?? (await citedLines(named, context));
  return range === undefined ? 'whole' : [range];
}

/** The lines of cited pages. @throws SvcError RANGE_INVALID */
async function citedLines(
  { document, pages }: NamedDocument,
  { texts, sources, others }: PlanContext,
): Promise<LineRange | undefined> {
  if (pages === undefined) return undefined;
  const { path } = document;
  if (isOther(document)) {
    return pageLines(linesOfChunks((await others?.chunksOf(document)) ?? []), path, pages);
  }
  const workspaceDir = resolveWorkspace(sources.memory.workspaceDir);
  const absolutePath = absoluteFromDisplay(workspaceDir, path);
  const outcome = await texts.read({ absolutePath, path });
  return pageLines(outcome.ok ? outcome.document.lines : textLines(''), path, pages);
}

/** The document that a path or a citation means; undefined for a query. @throws SvcError DOCUMENT_NOT_INDEXED */
async function documentNamed(
  given: string,
  documents: readonly StoredDocument[],
  workspaceDir: string,
  others: OtherHosts | undefined,
): Promise<NamedDocument | undefined> {
  const target = ownTarget(given, others);
  const own = lookUpDocument(documents, workspaceDir, target);
  if (own !== undefined || !looksLikePath(target)) return own;
  const other = others === undefined ? undefined : await lookUpOther(others, target);
  return other ?? findDocument(documents, workspaceDir, target);
}

/** Anything that does not end like a document is a query. */
function looksLikePath(target: string): boolean {
  const { path, range } = parseCitation(target);
  return (
    range !== undefined ||
    /^\S+\.(?:docx|html?|jsonl|markdown|md|org|pdf|rst|txt|xhtml)$/iu.test(path)
  );
}

function sameLines(
  passages: readonly ForgetPassage[],
  documents: readonly StoredDocument[],
  workspaceDir: string,
  fromFile: boolean,
): ForgetPlan['alsoIn'] {
  const parts = passages.flatMap((passage) => passage.parts);
  const lines = parts.map((text) => hashesOf('', text));
  const forgotten = new Forgotten('', [{ documents: [], lines }]);
  const traces = tracesIn(parts);
  return placesIn(documents, workspaceDir, ({ path, isOwnWriting, document }) => {
    // Reports outside memory go only with the files; their entries are matched by their own words.
    if (isOwnWriting && !fromFile) return [];
    const found = isOwnWriting
      ? linesWithTraces(document, traces)
      : forgotten.linesIn(document.lines);
    const own = passages.filter((passage) => passage.path === path && passage.origin === undefined);
    return [...found].filter(
      (at) => !own.some(({ startLine, endLine }) => at + 1 >= startLine && at < endLine),
    );
  });
}

/** Where the current files still contain forgotten text: within other words, or written since. */
export async function remainsOf(
  { passages }: ForgetPlan,
  { index, sources }: Pick<PlanContext, 'index' | 'sources'>,
): Promise<readonly ForgetPlace[]> {
  const workspaceDir = resolveWorkspace(sources.memory.workspaceDir);
  const traces = tracesIn(passages.flatMap((passage) => passage.parts));
  return placesIn(await index.documents(), workspaceDir, ({ document }) =>
    linesWithTraces(document, traces),
  );
}

function placesIn(
  documents: readonly StoredDocument[],
  workspaceDir: string,
  linesOf: (file: LookedAtFile) => Iterable<number>,
): readonly ForgetPlace[] {
  const places: ForgetPlace[] = [];
  for (const file of filesToLookAt(documents, workspaceDir)) {
    const { path, absolutePath, document } = file;
    const place = { path, absolutePath, fileHash: document.hash };
    for (const range of rangesOf(linesOf(file))) places.push({ ...place, ...range });
  }
  return places;
}

/** A file that may contain text to be forgotten. */
interface LookedAtFile {
  readonly path: string;
  readonly absolutePath: string;
  /** Written by dreaming and not memory: its content comes from elsewhere. */
  readonly isOwnWriting: boolean;
  readonly document: DocumentText;
}

const DIARIES = ['DREAMS.md', 'dreams.md'];

/** The readable notes of a memory, and the diary and reports of dreaming. */
function* filesToLookAt(
  documents: readonly StoredDocument[],
  workspaceDir: string,
): Generator<LookedAtFile> {
  const notes = documents
    .filter(({ kind }) => kind === 'markdown' || kind === 'text')
    .map(({ path }) => absoluteFromDisplay(workspaceDir, path));
  const seen = new Set(notes);
  const reports = walkFolder(join(workspaceDir, DREAM_REPORTS), { onSkip: () => undefined });
  const own = [
    ...DIARIES.map((name) => join(workspaceDir, name)),
    ...[...reports].map(({ absolutePath }) => absolutePath),
  ].filter((file) => !seen.has(file));
  for (const absolutePath of [...notes, ...own]) {
    const path = displayPath(workspaceDir, absolutePath);
    const outcome = readDocument(absolutePath, path);
    if (!outcome.ok) continue;
    const isOwnWriting = !seen.has(absolutePath);
    yield { path, absolutePath, isOwnWriting, document: outcome.document };
  }
}

/** What of a text is recognised within other words: longer lines, and anything that looks like a secret. */
export function tracesIn(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.split('\n')).map(wordsOf);
  const telling = lines.filter((words) => Buffer.byteLength(words) >= TELLING_BYTES);
  const secrets: string[] = [];
  for (const text of texts) {
    redactSecrets(text, (secret) => {
      secrets.push(secret);
      return '';
    });
  }
  return [...new Set([...telling, ...secrets])].filter((trace) => trace !== '');
}

/** The lines of a document that contain one of these traces, counted from 0. */
function linesWithTraces({ lines }: DocumentText, traces: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  if (traces.length === 0) return found;
  for (let at = 0; at < lines.count; at++) {
    const words = wordsOf(lineAt(lines, at));
    if (words !== '' && traces.some((trace) => words.includes(trace))) found.add(at);
  }
  return found;
}
