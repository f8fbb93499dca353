import { isRecord } from '../../config/index.js';
import { parsedJson } from '../../parse-json.js';
import type { ReadingState } from '../sources/transcripts/turn-reader.js';

/** Where the reading of a transcript goes on, and what is known there. */
export interface ResumePoint {
  /** Where the line begins that is read first, in bytes: the first of the last chunk that may grow. */
  readonly offset: number;
  /** Its number, 1-based. */
  readonly line: number;
  readonly reading: ReadingState;
  /** Up to here, in bytes, all lines were read; the document's hash is of this beginning. */
  readonly end: number;
  /** How many chunks at the document's end are made anew from what is read again. */
  readonly openChunks: number;
  /** Of all lines read. */
  readonly brokenLines: number;
  readonly isExcluded: boolean;
}

/** As it is kept with a document. */
export function resumeText(point: ResumePoint): string {
  return JSON.stringify(point);
}

/** Undefined for a text that is none of ours: then the file is read from its beginning. */
export function parseResumePoint(text: string): ResumePoint | undefined {
  const point = parsedJson(text);
  const reading = isRecord(point) ? point['reading'] : undefined;
  if (!isRecord(point) || !isRecord(reading)) return undefined;
  const { offset, line, end, openChunks, brokenLines, isExcluded } = point;
  if (!isCount(offset) || !isCount(line) || !isCount(end) || !isCount(openChunks)) return undefined;
  if (!isCount(brokenLines) || typeof isExcluded !== 'boolean') return undefined;
  const state = readingState(reading);
  if (state === undefined) return undefined;
  return { offset, line, reading: state, end, openChunks, brokenLines, isExcluded };
}

function readingState(value: Readonly<Record<string, unknown>>): ReadingState | undefined {
  const { belongs, isExcluded, hasBegun, brokenLines, lastTurn } = value;
  if (belongs !== undefined && typeof belongs !== 'boolean') return undefined;
  if (lastTurn !== undefined && typeof lastTurn !== 'string') return undefined;
  if (typeof isExcluded !== 'boolean' || typeof hasBegun !== 'boolean') return undefined;
  return isCount(brokenLines)
    ? { belongs, isExcluded, hasBegun, brokenLines, lastTurn }
    : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
