import {
  type DocumentKey,
  documentKeyText,
  isSameDocument,
  overlaps,
  type PromotedLine,
} from '../types.js';
import type { FusedChunk } from './fuse.js';
import { isHeading, type NumberedLine, type Passage } from './passages.js';
import { termsWeight } from './rank.js';
import { foldWord } from './words.js';

/** An item, and the items after it that say the same. */
export interface RepeatGroup<Item> {
  readonly item: Item;
  readonly similar: readonly Item[];
}

/**
 * Keeps the first of the passages that say the same, with the others.
 *
 * @param keyOf what a passage says: {@link statementOf} or {@link answerOf}
 */
export function collapse<Item extends { readonly passage: Passage }>(
  items: readonly Item[],
  keyOf: (passage: Passage) => string,
): readonly RepeatGroup<Item>[] {
  const sketches = items.map(({ passage }) => sketchOf(passage));
  const counts = new Map<string, number>();
  for (const sketch of sketches) counts.set(sketch, (counts.get(sketch) ?? 0) + 1);
  const kept: { readonly item: Item; readonly similar: Item[] }[] = [];
  const byKey = new Map<string, Item[]>();
  for (const [at, item] of items.entries()) {
    const sketch = sketches[at] ?? '';
    const isAlone = sketch === '' || counts.get(sketch) === 1;
    const key = isAlone ? undefined : keyOf(item.passage);
    const others = key === undefined ? undefined : byKey.get(key);
    if (others !== undefined) {
      others.push(item);
      continue;
    }
    const similar: Item[] = [];
    if (key !== undefined) byKey.set(key, similar);
    kept.push({ item, similar });
  }
  return kept;
}

/** Long-term memory and what was retired from it: their entries are copies of statements in notes. */
const COPIES = /^(?:MEMORY\.md|memory\/archive\/.+\.md)$/u;
/** Shorter lines may be in any note. */
const LEAST_COPIED = 12;

/** The lines of long-term memory that dreaming wrote, by their documents; see documentKeyText. */
export type PromotedLines = ReadonlyMap<string, readonly PromotedLine[]>;

/**
 * Joins a passage of long-term memory with the note that makes the same statement about the query, at the place of
 * the note: it has the context, and search stays as good as it was before the statement was copied. A reworded
 * statement is joined with the note it was made from. A passage with statements of several notes stays a result, right
 * after the best of these. With decay, long-term memory stays above a note that has aged, or it would age with it
 * (spec/memory-search §2.5).
 *
 * @param groups best first
 * @param lineWeights for each query term: its weight among the lines of the candidates
 */
export function withOrigins<
  Item extends { readonly passage: Passage; readonly chunk: Pick<FusedChunk, 'decay'> },
>(
  groups: readonly RepeatGroup<Item>[],
  lineWeights: readonly number[],
  promoted: PromotedLines,
): readonly RepeatGroup<Item>[] {
  const copies = groups.filter(({ item }) => isCopy(item.passage));
  if (copies.length === 0) return groups;
  const notes = groups.filter(({ item }) => !isCopy(item.passage));
  // All lines as one: a statement may take several lines in its note.
  const texts = notes.map(({ item: { passage } }) =>
    passage.lines.map(({ text }) => plainText(text)).join(' '),
  );
  /** For each of the best lines of a copy: the position of the note with the same statement; -1 for none. */
  const originsOf = (passage: Passage): number[] =>
    bestLines(passage, lineWeights).map(({ text, number }) => {
      const same = texts.findIndex((note) => note.includes(text));
      if (same !== -1) return same;
      const lines = promoted.get(documentKeyText(passage));
      const from = lines?.find(({ line }) => line === number)?.from;
      return notes.findIndex(
        ({ item }) => from !== undefined && hasLinesFrom(item.passage, passage, from),
      );
    });
  const placed = [...groups];
  for (const copy of copies) {
    const origins = originsOf(copy.item.passage);
    const best = notes[Math.min(...origins.filter((at) => at !== -1))];
    const originAt = placed.findIndex(({ item }) => item === best?.item);
    const origin = placed[originAt];
    if (origin === undefined) continue;
    const copyAt = placed.indexOf(copy);
    if (copyAt < originAt && origin.item.chunk.decay < 1) continue;
    const saysMore = new Set(origins).size > 1;
    if (!saysMore) {
      placed[originAt] = { ...origin, similar: [...origin.similar, copy.item, ...copy.similar] };
      placed.splice(copyAt, 1);
    } else if (copyAt < originAt) {
      placed.splice(originAt + 1, 0, copy);
      placed.splice(copyAt, 1);
    }
  }
  return placed;
}

/** Whether a passage has the lines of a note that a copy was made from. */
function hasLinesFrom(
  passage: Passage,
  { source, origin }: Passage,
  from: PromotedLine['from'],
): boolean {
  return isSameDocument(passage, { source, origin, path: from.path }) && overlaps(passage, from);
}

/** Whether a document has copies of statements in notes. */
export function isCopy({ source, path }: DocumentKey): boolean {
  return source === 'memory' && COPIES.test(path);
}

/** The lines with the most of the query, in comparable form. */
function bestLines({ lines }: Passage, lineWeights: readonly number[]) {
  const weights = lines
    .filter(({ text }) => !isHeading(text))
    .map(({ text, terms, number }) => {
      return { text: plainText(text), number, weight: termsWeight(terms, lineWeights) };
    })
    .filter(({ text }) => text.length >= LEAST_COPIED);
  const most = Math.max(0, ...weights.map(({ weight }) => weight));
  return weights.filter(({ weight }) => weight > 0 && weight === most);
}

function plainText(line: string): string {
  return foldWord(line.replace(MARKER, '').trim()).replaceAll(/\s+/gu, ' ');
}

/** One line of a passage: cheap, and the same for passages that say the same. */
function sketchOf(passage: Passage): string {
  const text = passage.lines.filter((line) => line.hasWords && !isHeading(line.text));
  const line = text.find(({ terms }) => terms.length > 0) ?? text[0];
  return line === undefined ? '' : lineText(line.text, dayOf(passage));
}

/**
 * What a passage says, in comparable form. Case, accents, list markers, headings that are only a date, and a
 * note's own date are ignored. Every other difference may be the fact that is asked for.
 */
export function statementOf(passage: Passage): string {
  return comparable(passage, passage.lines);
}

/**
 * What a passage says about the query, in comparable form: the lines with its words, and what follows if these are a
 * heading, a label or a question. All of a conversation, because its answers rarely repeat the words of the question.
 */
export function answerOf(passage: Passage): string {
  if (passage.source === 'sessions') return statementOf(passage);
  const lines: NumberedLine[] = [];
  let including: 'block' | 'nothing' | 'section' = 'nothing';
  for (const line of passage.lines) {
    const isMatch = line.terms.length > 0;
    if (isHeading(line.text)) including = isMatch ? 'section' : 'nothing';
    else if (line.text.trim() === '' && including === 'block') including = 'nothing';
    if (isMatch || including !== 'nothing') lines.push(line);
    if (isMatch && including === 'nothing' && LABEL.test(line.text)) including = 'block';
  }
  return lines.length === 0 ? statementOf(passage) : comparable(passage, lines);
}

const LABEL = /[:?]\W{0,4}$/u;
const MARKER = /^[\s>]*(?:[-*+•]\s+)?/u;
const FINAL = /[.!;,]{1,3}$/u;

function comparable(passage: Passage, lines: readonly NumberedLine[]): string {
  const day = dayOf(passage);
  const above = passage.headingPath.map((heading) => headingText(heading, day));
  const texts = lines.map(({ text }) => {
    return isHeading(text) ? headingText(text.replace(/[#\s]+/u, ''), day) : lineText(text, day);
  });
  return [...above, ...texts].filter((text) => text !== '').join('\n');
}

function lineText(text: string, day: string | undefined): string {
  const dateless = day === undefined ? text : text.replaceAll(day, '');
  const bare = dateless.replace(MARKER, '').trimEnd().replace(FINAL, '');
  return foldWord(bare).replaceAll(/\s+/gu, ' ');
}

/** The day in a note's name, as written. */
function dayOf({ source, path }: Passage): string | undefined {
  return source === 'memory' && path.endsWith('.md') ? DAY.exec(path)?.[0] : undefined;
}

const DAY = /(?:19|20)\d\d-\d\d-\d\d(?=[^/]*$)/u;
const DATES = new RegExp(
  [
    String.raw`(?:19|20)\d\d-\d\d(?:-\d\d)?`,
    String.raw`(?:19|20)\d\d[./]\d\d?[./]\d\d?`,
    String.raw`\d\d?[./]\d\d?[./](?:19|20)\d\d`,
    String.raw`\d\d?:\d\d(?::\d\d)?`,
    `(?:mon|tues|wednes|thurs|fri|satur|sun)day`,
    String.raw`(?:\d\d?(?:st|nd|rd|th)? (?:of )?)?(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d\d?(?:st|nd|rd|th)?)?(?:,? (?:19|20)\d\d)?`,
  ]
    .map((form) => String.raw`\b${form}\b`)
    .join('|'),
  'gi',
);
/** What all of them have one of, but few other headings: {@link DATES} takes milliseconds to compile. */
const MAYBE_DATE =
  /(?:19|20)\d\d[-./]\d|\d[./](?:19|20)\d\d|\d:\d\d|[insr]day|uary|march|april|\bmay\b|june|july|august|(?:tem|to|vem|cem)ber/i;
/** Words of a date besides the year and the day: weekday and month, in any language. */
const DATE_WORDS = 2;
const EDGES = /^[\s,–—-]{1,3}|[\s,–—-]{1,3}$/gu;

/** A heading without its note's own day; empty if it is only a date, which dates the text below it. */
function headingText(heading: string, day: string | undefined): string {
  const hasDate = MAYBE_DATE.test(heading);
  if (!hasDate && (day === undefined || !heading.includes(day.slice(0, 4)))) {
    return lineText(heading, day);
  }
  const rest = hasDate ? heading.replaceAll(DATES, ' ') : heading;
  const dateless = lineText(rest, undefined).replaceAll(EDGES, '');
  const others = day === undefined ? undefined : wordsBesides(day, heading);
  if (dateless === '' || (others !== undefined && others <= DATE_WORDS)) return '';
  return others === undefined ? lineText(heading, day) : dateless;
}

/** How many words a heading has besides the year and the day; undefined if it does not name both. */
function wordsBesides(isoDay: string, heading: string): number | undefined {
  const words = new Set(heading.match(/[\p{L}\p{N}]+/gu));
  const [year = '', , day = ''] = isoDay.split('-');
  const isNamed = words.delete(year) && (words.delete(day) || words.delete(String(Number(day))));
  return isNamed ? words.size : undefined;
}
