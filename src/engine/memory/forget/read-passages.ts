import { SvcError } from '../../errors/index.js';
import { formatCountOf } from '../../support/format.js';
import type { ExtractedTexts } from '../extract/index.js';
import { hasWords, NOTHING_FORGOTTEN } from '../forgotten/index.js';
import { linesHint, readDocumentLines, unreadable } from '../get/index.js';
import { linesOfChunks, type OtherHosts, turnsOfChunks } from '../home/index.js';
import type { MemoryIndex, OtherDocument, StoredDocument } from '../index/index.js';
import { skipWords } from '../skip-words.js';
import {
  absoluteFromDisplay,
  joinedLines,
  type MemorySources,
  resolveWorkspace,
  scanTranscripts,
} from '../sources/index.js';
import { turnsOf } from '../sources/transcripts/read-conversation.js';
import { type DocumentKey, type DocumentKind, type LineRange, mergedRanges } from '../types.js';

/** Lines of a note, or of a dreaming report, as they were read. */
export interface ForgetPlace extends LineRange {
  readonly path: string;
  readonly absolutePath: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
}

/** Lines that would be forgotten. */
export interface ForgetPassage extends DocumentKey, LineRange {
  readonly absolutePath: string;
  readonly kind: DocumentKind;
  readonly text: string;
  /** The text in units whose lines are neighbours: a whole note, or one turn of a conversation. */
  readonly parts: readonly string[];
  /** SHA-256 of the file's bytes, hexadecimal; undefined for a transcript, which grows. */
  readonly fileHash: string | undefined;
  readonly whole: boolean;
}

export interface PassageContext {
  readonly index: MemoryIndex;
  readonly sources: MemorySources;
  readonly texts: ExtractedTexts;
}

/**
 * Reads what is to be forgotten of a document from its current file. Adjacent ranges are merged; ranges
 * without words are dropped.
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
  return passages.filter(({ text, whole }) => whole || hasWords(text));
}

async function linePassages(
  { path, source, kind }: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  { sources, texts }: PassageContext,
): Promise<readonly ForgetPassage[]> {
  const absolutePath = absoluteFromDisplay(resolveWorkspace(sources.memory.workspaceDir), path);
  const outcome = await texts.read({ absolutePath, path });
  if (!outcome.ok) throw unreadable(`cannot read ${path}: ${skipWords(outcome.skip)}`);
  const { lines, hash: fileHash } = outcome.document;
  const whole = ranges === 'whole';
  return (whole ? [{ startLine: 1, endLine: lines.count }] : ranges).map((range) => {
    const { startLine, endLine } = range;
    if (startLine < 1 || endLine > lines.count || endLine < startLine) {
      throw new SvcError('RANGE_INVALID', `${path} has ${formatCountOf(lines.count, 'line')}`, {
        hint: linesHint(lines.count),
      });
    }
    // Media have no text.
    const text = kind === 'media' ? '' : joinedLines(lines, startLine - 1, endLine);
    const place = { path, absolutePath, source, kind, startLine, endLine };
    return { ...place, text, parts: [text], fileHash, whole };
  });
}

/** The same of another host's document, as it is in the index. */
export async function readOtherPassages(
  document: OtherDocument,
  ranges: readonly LineRange[] | 'whole',
  others: OtherHosts | undefined,
): Promise<readonly ForgetPassage[]> {
  const { path, origin, source, kind, hash } = document;
  const chunks = (await others?.chunksOf(document)) ?? [];
  const last = Math.max(1, ...chunks.map(({ endLine }) => endLine));
  const whole = ranges === 'whole';
  const wanted = whole ? [{ startLine: 1, endLine: last }] : mergedRanges(ranges);
  const lines = linesOfChunks(chunks);
  const turns = kind === 'transcript' ? turnsOfChunks(chunks) : [];
  const partsIn = ({ startLine, endLine }: LineRange): readonly string[] => {
    if (kind === 'media') return [];
    if (kind !== 'transcript') {
      return [joinedLines(lines, startLine - 1, Math.min(endLine, lines.count))];
    }
    const inside = turns.filter(({ line }) => line >= startLine && line <= endLine);
    return inside.map(({ text }) => text);
  };
  // The hash may have a mark of what was left out; that of a conversation is of its beginning.
  const fileHash = kind === 'transcript' ? undefined : hash.split('.')[0];
  const passages = wanted.map((range) => {
    const parts = partsIn(range);
    const place = { path, origin, absolutePath: '', source, kind, ...range };
    return { ...place, text: parts.join('\n'), parts, fileHash, whole };
  });
  return passages.filter(({ text }) => whole || hasWords(text));
}

/** The turns in lines of a transcript, each on its own. */
async function turnPassages(
  { path, source, kind }: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  { index, sources, texts }: PassageContext,
): Promise<readonly ForgetPassage[]> {
  const whole = ranges === 'whole';
  const { transcripts } = sources;
  const context = { index, sources, texts, forgotten: NOTHING_FORGOTTEN };
  const files = transcripts === undefined ? [] : scanTranscripts(transcripts).files;
  const file = files.find((one) => one.path === path);
  const passages: ForgetPassage[] = [];
  for (const { startLine, endLine } of whole ? [EVERYTHING] : ranges) {
    const request = { target: path, from: startLine, lines: endLine - startLine + 1 };
    // Checks the range; of a long one, it reads only the beginning.
    const read = await readDocumentLines(request, context);
    const lastLine = Math.min(endLine, read.totalLines);
    const isWanted = (line: number): boolean => line >= startLine;
    const turns = file === undefined ? [] : turnsOf(file, { isWanted, lastLine });
    const parts = Array.from(turns, ({ text }) => text);
    const absolutePath = read.absolutePath ?? '';
    const place = { path, absolutePath, source, kind, startLine, endLine: lastLine };
    passages.push({ ...place, text: parts.join('\n'), parts, fileHash: undefined, whole });
  }
  return passages;
}

const EVERYTHING: LineRange = { startLine: 1, endLine: Number.MAX_SAFE_INTEGER };
