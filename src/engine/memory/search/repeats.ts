import type { NumberedLine, Passage } from './passages.js';
import { foldWord } from './words.js';

/** An item, and the items after it that say the same. */
export interface Distinct<Item> {
  readonly item: Item;
  readonly similar: readonly Item[];
}

/** Keeps the first of the passages that say the same, with the others. */
export function collapse<Item extends { readonly passage: Passage }>(
  items: readonly Item[],
  sayingOf: (passage: Passage) => string,
): readonly Distinct<Item>[] {
  const sketches = items.map(({ passage }) => sketchOf(passage));
  const counts = new Map<string, number>();
  for (const sketch of sketches) counts.set(sketch, (counts.get(sketch) ?? 0) + 1);
  const kept: { readonly item: Item; readonly similar: Item[] }[] = [];
  const bySaying = new Map<string, Item[]>();
  for (const [at, item] of items.entries()) {
    const sketch = sketches[at] ?? '';
    const isAlone = sketch === '' || counts.get(sketch) === 1;
    const saying = isAlone ? undefined : sayingOf(item.passage);
    const others = saying === undefined ? undefined : bySaying.get(saying);
    if (others !== undefined) {
      others.push(item);
      continue;
    }
    const similar: Item[] = [];
    if (saying !== undefined) bySaying.set(saying, similar);
    kept.push({ item, similar });
  }
  return kept;
}

/** One line of a passage: cheap, and the same for passages that say the same. */
function sketchOf(passage: Passage): string {
  const text = passage.lines.filter((line) => line.hasWords && !HEADING.test(line.text));
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
 * What a passage says about the query, in comparable form: the lines with its words. What follows a heading,
 * a label or a question belongs to it. Of a conversation, everything: its answers rarely repeat the words.
 */
export function answerOf(passage: Passage): string {
  if (passage.source === 'sessions') return statementOf(passage);
  const lines: NumberedLine[] = [];
  let including: 'block' | 'nothing' | 'section' = 'nothing';
  for (const line of passage.lines) {
    const isMatch = line.terms.length > 0;
    if (HEADING.test(line.text)) including = isMatch ? 'section' : 'nothing';
    else if (line.text.trim() === '' && including === 'block') including = 'nothing';
    if (isMatch || including !== 'nothing') lines.push(line);
    if (isMatch && including === 'nothing' && LABEL.test(line.text)) including = 'block';
  }
  return lines.length === 0 ? statementOf(passage) : comparable(passage, lines);
}

const HEADING = /^ {0,3}#{1,6}\s/u;
const LABEL = /[:?]\W{0,4}$/u;
const MARKER = /^[\s>]*(?:[-*+•]\s+)?/u;
const FINAL = /[.!;,]{1,3}$/u;

function comparable(passage: Passage, lines: readonly NumberedLine[]): string {
  const day = dayOf(passage);
  const above = passage.headingPath.map((heading) => headingText(heading, day));
  const texts = lines.map(({ text }) => {
    return HEADING.test(text) ? headingText(text.replace(/[#\s]+/u, ''), day) : lineText(text, day);
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
/** What all of them have one of; most headings are no date. */
const MAYBE_DATE = /\d|day|ary|march|april|may|june|july|august|ber/i;
/** Words of a date besides the year and the day: weekday and month, in any language. */
const DATE_WORDS = 2;
const WORD = /[\p{L}\p{N}]+/gu;
const EDGES = /^[\s,–—-]{1,3}|[\s,–—-]{1,3}$/gu;

/** A heading without its note's own day; empty if it is only a date, which dates the text below it. */
function headingText(heading: string, day: string | undefined): string {
  if (!MAYBE_DATE.test(heading)) return lineText(heading, day);
  const dateless = lineText(heading.replaceAll(DATES, ' '), undefined).replaceAll(EDGES, '');
  const others = day === undefined ? undefined : wordsBesides(day, heading);
  if (dateless === '' || (others !== undefined && others <= DATE_WORDS)) return '';
  return others === undefined ? lineText(heading, day) : dateless;
}

/** How many words a heading has besides the year and the day; undefined if it does not name both. */
function wordsBesides(isoDay: string, heading: string): number | undefined {
  const words = new Set(heading.match(WORD));
  const [year = '', , day = ''] = isoDay.split('-');
  const isNamed = words.delete(year) && (words.delete(day) || words.delete(String(Number(day))));
  return isNamed ? words.size : undefined;
}
