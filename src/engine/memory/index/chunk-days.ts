import { type DayRange, dayNumber, oneDay } from '../../support/day.js';
import type { Chunk, DocumentKey, Source } from '../types.js';

/** With `_`, as in the journals of Logseq. */
const ISO_DAY = /(?<!\d)(\d{4})([-_])(\d\d)\2(\d\d)(?!\d)/;
const HEADING = /^#{1,6} .*$/gmu;

/** The day in a dated note's name (`memory/2026-02-03.md`), if any. */
export function dayOfPath(path: string): number | undefined {
  return dayIn(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * The days that a chunk is about: the day in the note's name, else those in its headings. Nobody chose the name of a
 * transcript, and a conversation may take days, so there only headings count: they have the day of the first turn.
 */
export function daysOfChunk(
  { source, path }: DocumentKey,
  { headingPath, text }: Pick<Chunk, 'headingPath' | 'text'>,
): DayRange | undefined {
  const named = source === 'sessions' ? undefined : dayOfPath(path);
  return named === undefined ? daysOfHeadings(source, { headingPath, text }) : oneDay(named);
}

/** The days in the headings of a chunk or a line. */
export function daysOfHeadings(
  source: Source,
  { headingPath, text }: Pick<Chunk, 'headingPath' | 'text'>,
): DayRange | undefined {
  const inText = source !== 'sessions' && ISO_DAY.test(text) ? (text.match(HEADING) ?? []) : [];
  const innermost = headingPath.findLast((heading) => dayIn(heading) !== undefined) ?? '';
  const days = [innermost, ...inText].flatMap((heading) => dayIn(heading) ?? []);
  return days.length === 0 ? undefined : { first: Math.min(...days), last: Math.max(...days) };
}

function dayIn(text: string): number | undefined {
  const match = ISO_DAY.exec(text);
  return match === null
    ? undefined
    : dayNumber(Number(match[1]), Number(match[3]), Number(match[4]));
}
