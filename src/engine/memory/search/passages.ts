import { groupBy } from '../../support/lists.js';
import { type Section, sectionsOf } from '../chunking/chunk-document.js';
import { textLines } from '../sources/index.js';
import { type DocumentKey, isSameDocument, type LineRange } from '../types.js';
import type { RankedChunk, RankedLine } from './rank.js';

/** A line with its number in the document. */
export interface NumberedLine extends RankedLine {
  /** 1-based. */
  readonly number: number;
}

/** Adjacent chunks of one document, as one result. */
export interface Passage extends DocumentKey, LineRange {
  /** Of its best chunk, which starts below these headings. */
  readonly headingPath: readonly string[];
  /** Its best chunk. */
  readonly chunkId: number;
  /** Where its chunks start, in document order. */
  readonly starts: readonly Pick<RankedChunk['chunk'], 'headingPath' | 'startLine'>[];
  /** In document order, each line number once. */
  readonly lines: readonly NumberedLine[];
}

/** Maximum number of adjacent chunks in a result; more would be the whole file. */
const MAX_PARTS = 3;

/** Turns ranked chunks into results: a chunk adjacent to a better one joins its result, however low it ranks. */
export function passagesOf(chunks: readonly RankedChunk[], maxPassages: number): Passage[] {
  const groups: [RankedChunk, ...RankedChunk[]][] = [];
  for (const ranked of chunks) {
    const host = groups.find((group) => group.length < MAX_PARTS && touches(group, ranked));
    if (host !== undefined) host.push(ranked);
    else if (groups.length < maxPassages) groups.push([ranked]);
  }
  return groups.map(toPassage);
}

function touches(group: readonly RankedChunk[], { chunk }: RankedChunk): boolean {
  const first = group[0]?.chunk;
  if (first === undefined || !isSameDocument(first, chunk)) return false;
  const { startLine, endLine } = rangeOf(group);
  return chunk.startLine <= endLine + 1 && chunk.endLine >= startLine - 1;
}

function rangeOf(group: readonly RankedChunk[]): LineRange {
  return {
    startLine: Math.min(...group.map(({ chunk }) => chunk.startLine)),
    endLine: Math.max(...group.map(({ chunk }) => chunk.endLine)),
  };
}

function toPassage(group: readonly [RankedChunk, ...RankedChunk[]]): Passage {
  const [best] = group;
  const lines = new Map<number, readonly NumberedLine[]>();
  // Best first: of the pieces of one long line, which share its number, the best one is kept. A
  // conversation's chunk may have several lines with one number, which stay together.
  for (const { chunk, lines: ranked } of group) {
    const numbered = ranked.map((line, at): NumberedLine => {
      return { ...line, number: chunk.lineNumbers?.[at] ?? chunk.startLine + at };
    });
    const byNumber = groupBy(numbered, ({ number }) => number);
    for (const [number, parts] of byNumber) if (!lines.has(number)) lines.set(number, parts);
  }
  return {
    source: best.chunk.source,
    path: best.chunk.path,
    ...(best.chunk.origin === undefined ? {} : { origin: best.chunk.origin }),
    ...rangeOf(group),
    headingPath: best.chunk.headingPath,
    chunkId: best.chunk.chunkId,
    starts: group.map(({ chunk }) => chunk).sort((a, b) => a.startLine - b.startLine),
    lines: [...lines.entries()].sort(([a], [b]) => a - b).flatMap(([, parts]) => parts),
  };
}

const HEADING = /^ {0,3}#{1,6}\s/u;

/** Whether a line is a heading in Markdown. */
export function isHeading(line: string): boolean {
  return HEADING.test(line);
}

/** A line with its section; with `headingAt` as an index of the passage's lines. */
export type PassageLine = NumberedLine & Section;

/** The lines of a passage with their sections. Conversations have no headings of their own. */
export function linesInSections({
  source,
  path,
  headingPath,
  lines,
  starts,
}: Passage): PassageLine[] {
  if (source === 'sessions')
    return lines.map((line) => ({ ...line, headingPath, headingAt: undefined }));
  let next = 0;
  return starts.flatMap((start, at) => {
    const end = starts[at + 1]?.startLine ?? Number.POSITIVE_INFINITY;
    const ownLines = lines.filter(({ number }) => number >= start.startLine && number < end);
    const text = textLines(ownLines.map((line) => `${line.text}\n`).join(''));
    const sections = sectionsOf(path, text, start);
    const first = next;
    next += ownLines.length;
    return ownLines.map((line, within): PassageLine => {
      const section = sections[within];
      return {
        ...line,
        headingPath: section?.headingPath ?? headingPath,
        headingAt: section?.headingAt === undefined ? undefined : first + section.headingAt,
      };
    });
  });
}
