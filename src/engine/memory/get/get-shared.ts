import { iso } from '../../support/time.js';
import { linesOfChunks, type OtherHosts, turnsOfChunks } from '../home/index.js';
import type { OtherDocument } from '../index/index.js';
import { documentName } from '../search/index.js';
import { joinedLines } from '../sources/index.js';
import type { Chunk, LineRange } from '../types.js';
import {
  citedLines,
  describeMedia,
  type FoundDocument,
  findByName,
  findNamed,
  type GetRequest,
  linesWithinLimit,
  type ReadLines,
  requestedLines,
  withinCharacters,
} from './requested-lines.js';

/** The document of another host with this name, path or citation; if hosts have the same path, that of the first host. */
export async function lookUpOther(
  others: OtherHosts,
  target: string,
): Promise<FoundDocument<OtherDocument> | undefined> {
  const documents = await others.documents();
  return findNamed(
    target,
    (path) =>
      findByName(documents, documentName, path) ??
      findByName(documents, (candidate) => candidate.path, path),
  );
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
): Promise<ReadLines> {
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
  const range = citedLines(found, lines);
  const totalLines = Math.max(0, ...chunks.map(({ endLine }) => endLine));
  const requested = requestedLines(request, range, documentName(document), totalLines);
  const hasNoEnd = request.lines === undefined && range === undefined;
  const { isCut, ...shown } =
    kind === 'transcript' ? turnsIn(chunks, requested) : linesWithinLimit(lines, requested);
  const truncated = isCut || (hasNoEnd && shown.endLine < totalLines);
  return { ...described, startLine: requested.startLine, ...shown, totalLines, truncated };
}

/** The text of lines of a note. */
export function textIn(chunks: readonly Chunk[], { startLine, endLine }: LineRange): string {
  const lines = linesOfChunks(chunks);
  return joinedLines(lines, startLine - 1, Math.min(endLine, lines.count));
}

function turnsIn(chunks: readonly Chunk[], { startLine, endLine }: LineRange) {
  const all = turnsOfChunks(chunks).filter(({ line }) => line >= startLine && line <= endLine);
  const { texts, isCut } = withinCharacters(all.map((turn) => turn.text));
  const turns = all
    .slice(0, texts.length)
    .map((turn, at) => ({ ...turn, at: null, text: texts[at] ?? '', asked: true }));
  const lines = turns.map((turn) => `${turn.role === 'user' ? 'User' : 'Assistant'}: ${turn.text}`);
  const last = turns.at(-1)?.line ?? endLine;
  return { endLine: isCut ? last : endLine, text: lines.join('\n'), turns, isCut };
}
