import { lstatSync, realpathSync, statSync } from 'node:fs';
import { SvcError } from '../../errors/index.js';
import { speaker } from '../../support/format.js';
import { realOrGiven } from '../../support/paths.js';
import { iso } from '../../support/time.js';
import type { ExtractedTexts } from '../extract/index.js';
import type { Forgotten } from '../forgotten/index.js';
import { linesOfChunks, type OtherHosts, turnsOfChunks } from '../home/index.js';
import { isLeftOut, type MemoryIndex, type OtherDocument } from '../index/index.js';
import { documentName } from '../search/index.js';
import { skipWords } from '../skip-words.js';
import {
  absoluteFromDisplay,
  fingerprintOf,
  type MemorySources,
  type ReadOutcome,
  readDocument,
  resolveWorkspace,
} from '../sources/index.js';
import type { Chunk, DocumentKey, LineRange } from '../types.js';
import {
  type FoundDocument,
  lookUpIndexed,
  lookUpOther,
  notIndexed,
  ownTarget,
} from './named-document.js';
import {
  citedLines,
  describeMedia,
  type GetRequest,
  type GetResponse,
  linesWithinLimit,
  requestedLines,
  unreadable,
  withinCharacters,
} from './requested-lines.js';

/**
 * Reads lines of an indexed document and of no other file: the path must be in the index, and must not be a
 * symbolic link now.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function readDocumentLines(
  request: GetRequest,
  { index, sources, forgotten, texts, others, signal }: ReadContext,
): Promise<GetResponse> {
  const { memory, transcripts } = sources;
  const target = ownTarget(request.target, others);
  // A host may have no workspace of its own.
  const own = await lookUpIndexed(index, realOrGiven(memory.workspaceDir), target);
  if (others !== undefined && own === undefined) {
    const theirs = await lookUpOther(others, target);
    if (theirs !== undefined) return readShared(others, theirs, request);
  }
  const workspaceDir = resolveWorkspace(memory.workspaceDir);
  if (own === undefined || isLeftOut(own.document)) {
    const listed = (await index.documents()).filter((document) => !isLeftOut(document));
    throw notIndexed(listed, target);
  }
  const { document } = own;
  if (document.source === 'sessions') {
    const { readTurns } = await import('./get-turns.js');
    return readTurns(own, request, { transcripts, forgotten });
  }
  const absolutePath = absoluteFromDisplay(workspaceDir, document.path);
  refuseLinks(absolutePath, document.path);
  const { path, source, kind, mimeType } = document;
  if (mimeType !== undefined) {
    const { size, mtimeMs } = fingerprintOf(statSync(absolutePath));
    const refusals = await index.refusedMedia();
    const refused = refusals.find((one) => one.path === path)?.why ?? null;
    const media = { mimeType, bytes: size, modified: iso(mtimeMs), refused };
    return describeMedia({ path, absolutePath, source, kind }, media);
  }
  const outcome = await texts.read({ absolutePath, path }, { signal });
  return linesOf(outcome, own, request, { absolutePath, forgotten });
}

/** What reading documents needs. */
export interface ReadContext {
  readonly index: MemoryIndex;
  readonly sources: MemorySources;
  readonly forgotten: Forgotten;
  readonly texts: ExtractedTexts;
  readonly others?: OtherHosts | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lines of a text file as it is now. @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID */
export function readFileLines(
  found: FoundDocument<DocumentKey & Pick<GetResponse, 'kind'>>,
  request: GetRequest,
  file: FileToRead,
): GetResponse {
  const outcome = readDocument(file.absolutePath, found.document.path);
  return linesOf(outcome, found, request, file);
}

interface FileToRead {
  readonly absolutePath: string;
  readonly forgotten: Forgotten;
}

/** @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID */
function linesOf(
  outcome: ReadOutcome,
  found: FoundDocument<DocumentKey & Pick<GetResponse, 'kind'>>,
  request: GetRequest,
  { absolutePath, forgotten }: FileToRead,
): GetResponse {
  const { path, source, kind } = found.document;
  if (!outcome.ok) throw unreadable(`cannot read ${path}: ${skipWords(outcome.skip)}`);
  const { hash } = outcome.document;
  const cited = citedLines(found, outcome.document.lines);
  const { lines } = forgotten.cover(outcome.document.lines, hash);
  const part = requestedPart(request, cited, path, lines.count, (range) =>
    linesWithinLimit(lines, range),
  );
  return { path, absolutePath, source, kind, ...part };
}

/** The requested part of a document. @param show the lines of a range, as many as one read can return */
function requestedPart<Shown extends { readonly endLine: number; readonly isCut: boolean }>(
  request: GetRequest,
  cited: LineRange | undefined,
  name: string,
  totalLines: number,
  show: (range: LineRange) => Shown,
) {
  const range = requestedLines(request, cited, name, totalLines);
  const { isCut, ...shown } = show(range);
  const hasNoEnd = request.lines === undefined && cited === undefined;
  const truncated = isCut || (hasNoEnd && shown.endLine < totalLines);
  return { startLine: range.startLine, ...shown, totalLines, truncated };
}

function refuseLinks(absolutePath: string, path: string): void {
  const stats = lstatSync(absolutePath, { throwIfNoEntry: false });
  if (stats === undefined) throw unreadable(`${path} is gone`);
  if (!stats.isFile() || realpathSync(absolutePath) !== absolutePath) {
    throw new SvcError('DOCUMENT_NOT_INDEXED', `${path} is behind a symbolic link`, {
      hint: 'pass the file it leads to; symbolic links are not followed',
    });
  }
}

/**
 * Lines of another host's document, put together from its chunks: blank lines between them, and what is kept out of
 * memory, are empty.
 *
 * @throws SvcError RANGE_INVALID
 */
export async function readShared(
  others: Pick<OtherHosts, 'chunksOf'>,
  found: FoundDocument<OtherDocument>,
  request: GetRequest,
): Promise<GetResponse> {
  const { document } = found;
  const chunks = await others.chunksOf(document);
  const { origin, path, source, kind, mimeType, fingerprint } = document;
  const described = { path, origin, source, kind, absolutePath: undefined };
  if (mimeType !== undefined) {
    const modified = iso(fingerprint.mtimeMs);
    return describeMedia(described, {
      mimeType,
      bytes: fingerprint.size,
      modified,
      refused: null,
    });
  }
  const lines = linesOfChunks(chunks);
  const cited = citedLines(found, lines);
  const totalLines = Math.max(0, ...chunks.map(({ endLine }) => endLine));
  const part = requestedPart(request, cited, documentName(document), totalLines, (range) =>
    kind === 'transcript' ? turnsIn(chunks, range) : linesWithinLimit(lines, range),
  );
  return { ...described, ...part };
}

function turnsIn(chunks: readonly Chunk[], { startLine, endLine }: LineRange) {
  const all = turnsOfChunks(chunks).filter(({ line }) => line >= startLine && line <= endLine);
  const { texts, isCut } = withinCharacters(all.map((turn) => turn.text));
  const turns = all
    .slice(0, texts.length)
    .map((turn, at) => ({ ...turn, at: null, text: texts[at] ?? '', asked: true }));
  const lines = turns.map((turn) => `${speaker(turn.role)}: ${turn.text}`);
  const last = turns.at(-1)?.line ?? endLine;
  return { endLine: isCut ? last : endLine, text: lines.join('\n'), turns, isCut };
}
