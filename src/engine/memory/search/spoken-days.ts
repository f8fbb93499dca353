import type { DayRange } from '../../support/day.js';
import { daysOfChunk, type LexicalCandidate } from '../index/index.js';
import { hasDateInWords } from './date-span.js';
import { datesInWords } from './dates-in-words.js';

/** A passage that is read for dates is shorter; of a longer one, its beginning is enough. */
const MAX_CHARACTERS = 8000;
/** How many lines with dates are parsed per search, each in less than a tenth of a millisecond. */
const MAX_LINES = 400;
/** "last month" says little about one of its days. */
const VAGUER_BY_DAYS = 7;

/**
 * Whether a dated passage speaks of some days in words that are relative to its own: "yesterday" in a
 * conversation of 6 May is 5 May. The answers of one search are remembered, and their number is bounded.
 */
export function speaksOf(asked: DayRange): (chunk: LexicalCandidate) => boolean {
  const known = new Map<number, boolean>();
  let lines = 0;
  const isMeant = (line: string, said: number): boolean =>
    hasDateInWords(line) &&
    lines++ < MAX_LINES &&
    datesInWords(line, said).some(({ meanings: [days] }) => {
      const tooVague = days.last - days.first > asked.last - asked.first + VAGUER_BY_DAYS;
      return !tooVague && days.first <= asked.last && asked.first <= days.last;
    });
  return (chunk) => {
    const earlier = known.get(chunk.chunkId);
    if (earlier !== undefined) return earlier;
    const said = daysOfChunk(chunk, chunk)?.first;
    const text = chunk.text.slice(0, MAX_CHARACTERS);
    const speaks = said !== undefined && text.split('\n').some((line) => isMeant(line, said));
    known.set(chunk.chunkId, speaks);
    return speaks;
  };
}
