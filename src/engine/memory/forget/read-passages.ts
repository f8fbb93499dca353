import { splitClaims, statementsOfTurn } from '../chunking/split-claims.js';
import {
  DISTINCTIVE_BYTES,
  Forgotten,
  hashesOf,
  hasWords,
  NOTHING_FORGOTTEN,
} from '../forgotten/index.js';
import { type ReadContext, readDocumentLines, requireAllLines, unreadable } from '../get/index.js';
import { linesOfChunks, turnsOfChunks } from '../home/index.js';
import type { OtherDocument, StoredDocument } from '../index/index.js';
import { skipWords } from '../skip-words.js';
import {
  absoluteFromDisplay,
  joinedLines,
  type NumberedTurn,
  resolveWorkspace,
  scanTranscripts,
} from '../sources/index.js';
import { turnsOf } from '../sources/transcripts/read-conversation.js';
import { type DocumentKey, type DocumentKind, type LineRange, mergedRanges } from '../types.js';

/** Lines of a note, of a dreaming report, or of a transcript, as they were read. */
export interface ForgetPlace extends LineRange {
  readonly path: string;
  readonly absolutePath: string;
  /** SHA-256 of the file's bytes, hexadecimal; undefined for a transcript, which grows. */
  readonly fileHash: string | undefined;
}

/** Lines that would be forgotten; the absolute path is empty for a file of another host. */
export interface ForgetPassage extends DocumentKey, ForgetPlace {
  readonly kind: DocumentKind;
  readonly text: string;
  /** The text in units whose lines are neighbours: a whole note, or one turn of a conversation; see {@link partsOf}. */
  readonly parts: readonly string[];
  readonly whole: boolean;
}

/** What documents are read with; what is already forgotten does not matter. */
type PassageContext = Omit<ReadContext, 'forgotten' | 'signal'>;

export function isOther(document: StoredDocument): document is OtherDocument {
  return document.origin !== undefined;
}

/**
 * Reads what is to be forgotten of a document. Adjacent ranges are merged; ranges without words are dropped.
 *
 * @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function readPassages(
  document: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  context: PassageContext,
): Promise<readonly ForgetPassage[]> {
  const wanted = ranges === 'whole' ? ranges : mergedRanges(ranges);
  const passages =
    document.kind === 'transcript'
      ? await turnPassages(document, wanted, context)
      : await linePassages(document, wanted, context);
  return passages.filter(hasContent);
}

/** A whole file is forgotten even if it has no words. */
export function hasContent({ text, whole }: ForgetPassage): boolean {
  return whole || hasWords(text);
}

async function linePassages(
  document: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  context: PassageContext,
): Promise<readonly ForgetPassage[]> {
  const { path, origin, source, kind } = document;
  const { lines, ...file } = await readLines(document, context);
  const whole = ranges === 'whole';
  // Media have no text.
  const claims = kind === 'media' ? [] : splitClaims(lines.text);
  return (whole ? [{ startLine: 1, endLine: lines.count }] : ranges).map((range) => {
    const { startLine, endLine } = range;
    requireAllLines(range, path, lines.count);
    const text = kind === 'media' ? '' : joinedLines(lines, startLine - 1, endLine);
    // Also those that begin or end outside it.
    const own = claims.filter((claim) => claim.startLine <= endLine && claim.endLine >= startLine);
    const parts = partsOf(
      text,
      own.map((claim) => claim.text),
    );
    return { path, origin, source, kind, ...range, ...file, text, parts, whole };
  });
}

/**
 * A text, and the statements in it that dreaming records on one line each: a wrapped paragraph, a sentence of a long
 * line. They would not be recognized by the lines of the text.
 */
function partsOf(text: string, claims: readonly string[]): readonly string[] {
  const byLines = new Forgotten('', [{ documents: [], lines: [hashesOf('', text)] }]);
  const others = [...new Set(claims)].filter(
    (claim) => Buffer.byteLength(claim) >= DISTINCTIVE_BYTES && byLines.removeFrom(claim) === claim,
  );
  return [text, ...others];
}

/** The same for turns of a conversation, as they are in its transcript or in the index. */
function partsOfTurns(turns: readonly string[]): readonly string[] {
  return turns.flatMap((text) => partsOf(text, statementsOfTurn(text)));
}

/** A conversation to forget, or a part of it. */
export interface ReadConversation extends Pick<ForgetPassage, 'absolutePath' | 'path'> {
  readonly turns: readonly Pick<NumberedTurn, 'line' | 'text'>[];
  /** The lines of the part; undefined for all of it. */
  readonly range?: LineRange | undefined;
}

export function conversationPassage({
  path,
  absolutePath,
  turns,
  range,
}: ReadConversation): ForgetPassage {
  const texts = turns.map(({ text }) => text);
  const lines = range ?? { startLine: 1, endLine: Math.max(1, turns.at(-1)?.line ?? 1) };
  const place = { path, absolutePath, source: 'sessions', kind: 'transcript', ...lines } as const;
  const [text, parts] = [texts.join('\n'), partsOfTurns(texts)];
  return { ...place, text, parts, fileHash: undefined, whole: range === undefined };
}

/** The lines of a document: of its current file; of another host's, as they are in the index. @throws SvcError DOCUMENT_UNREADABLE */
export async function readLines(
  document: StoredDocument,
  { sources, texts, others }: PassageContext,
) {
  const { path, hash } = document;
  if (isOther(document)) {
    const lines = linesOfChunks((await others?.chunksOf(document)) ?? []);
    // The hash may have a mark of what was left out.
    return { lines, absolutePath: '', fileHash: hash.split('.')[0] ?? '' };
  }
  const absolutePath = absoluteFromDisplay(resolveWorkspace(sources.memory.workspaceDir), path);
  const outcome = await texts.read({ absolutePath, path });
  if (!outcome.ok) throw unreadable(`cannot read ${path}: ${skipWords(outcome.skip)}`);
  return { lines: outcome.document.lines, absolutePath, fileHash: outcome.document.hash };
}

/** The turns in lines of a transcript, each on its own. */
async function turnPassages(
  document: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  context: PassageContext,
): Promise<readonly ForgetPassage[]> {
  const { path, origin, source, kind } = document;
  const whole = ranges === 'whole';
  const wanted = whole ? [EVERYTHING] : ranges;
  const read = isOther(document)
    ? await otherTurns(document, wanted, context)
    : await ownTurns(document, wanted, context);
  return read.map(({ turns, ...place }) => {
    const text = turns.join('\n');
    const parts = partsOfTurns(turns);
    return { path, origin, source, kind, ...place, text, parts, fileHash: undefined, whole };
  });
}

interface ReadTurns extends Pick<ForgetPassage, 'absolutePath' | 'endLine' | 'startLine'> {
  readonly turns: readonly string[];
}

async function ownTurns(
  { path }: StoredDocument,
  ranges: readonly LineRange[],
  { index, sources, texts }: PassageContext,
): Promise<readonly ReadTurns[]> {
  const { transcripts } = sources;
  const context = { index, sources, texts, forgotten: NOTHING_FORGOTTEN };
  const files = transcripts === undefined ? [] : scanTranscripts(transcripts).files;
  const file = files.find((one) => one.path === path);
  const read: ReadTurns[] = [];
  for (const { startLine, endLine } of ranges) {
    const request = { target: path, from: startLine, lines: endLine - startLine + 1 };
    // Checks the range; of a long one, it reads only the beginning.
    const { totalLines, absolutePath = '' } = await readDocumentLines(request, context);
    const lastLine = Math.min(endLine, totalLines);
    const isWanted = (line: number): boolean => line >= startLine;
    const found = file === undefined ? [] : turnsOf(file, { isWanted, lastLine });
    const turns = Array.from(found, ({ text }) => text);
    read.push({ absolutePath, startLine, endLine: lastLine, turns });
  }
  return read;
}

async function otherTurns(
  document: OtherDocument,
  ranges: readonly LineRange[],
  { others }: PassageContext,
): Promise<readonly ReadTurns[]> {
  const chunks = (await others?.chunksOf(document)) ?? [];
  const last = Math.max(1, ...chunks.map((chunk) => chunk.endLine));
  const all = turnsOfChunks(chunks);
  return ranges.map(({ startLine, endLine }) => {
    const inside = all.filter(({ line }) => line >= startLine && line <= endLine);
    const turns = inside.map(({ text }) => text);
    return { absolutePath: '', startLine, endLine: Math.min(endLine, last), turns };
  });
}

const EVERYTHING: LineRange = { startLine: 1, endLine: Number.MAX_SAFE_INTEGER };
