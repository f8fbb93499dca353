import {
  asksOnlyForDate,
  formatCitation,
  type SearchResponse,
  type SearchResult,
  STOP_WORDS,
  type TextSpan,
  withoutDate,
} from '../memory/search/index.js';
import { uniqueBy } from '../support/lists.js';
import { clipWords, harmlessLine } from './block.js';
import type { RecalledNotes } from './outcome.js';
import type { StyleRules } from './prompt-style.js';

interface SelectOptions {
  readonly rules: StyleRules;
  /** Length of the summary, in UTF-16 units. */
  readonly maxChars: number;
  readonly cites: boolean;
}

/** Share of the room for the first note, which is most often the answer. */
const FIRST_SHARE = 0.7;
/** A shorter part of a note is useless. */
const MIN_TEXT = 24;

/**
 * The results that meet a style's rules, one per file, best first; not media, which have no text.
 *
 * @param dates how the search understood the date that the query asks about
 */
export function eligibleResults(
  results: readonly SearchResult[],
  query: string,
  rules: StyleRules,
  dates: SearchResponse['dates'] = null,
): readonly SearchResult[] {
  const topics = topicsOf(query, dates);
  const relevant = results
    .filter(({ kind }) => kind !== 'media')
    .filter((result) => isRelevant(result, topics, rules));
  // With decay, an old answer can score below a newer note about something else, which sets no bar.
  const best = relevant[0]?.score ?? 0;
  const near = relevant.filter(({ score }) => score >= rules.minShare * best);
  return uniqueBy(near, ({ source, path }) => `${source}:${path}`).slice(0, rules.maxNotes);
}

/**
 * Condenses results without a model: of each note, the sentence with most of the question's words, plus its
 * neighbours if there is room. Deterministic.
 *
 * @param results from {@link eligibleResults}
 * @returns lines of `- text (citation)`; empty if nothing is good enough
 */
export function selectNotes(results: readonly SearchResult[], options: SelectOptions) {
  const chosen = candidatesOf(results, options.rules);
  const lines: string[] = [];
  const sources: RecalledNotes['sources'][number][] = [];
  const texts: string[] = [];
  let left = options.maxChars;
  for (const [position, { result, pieces, best }] of chosen.entries()) {
    const isFirstOfSome = position === 0 && chosen.length > 1;
    const room = isFirstOfSome ? Math.max(Math.floor(left * FIRST_SHARE), MIN_ROOM) : left;
    const tail = citationTail(result, options, room);
    const textRoom = room - MARK.length - tail.length;
    if (textRoom < MIN_TEXT) break;
    const heading = pieces[best]?.above.at(-1) ?? result.headingPath.at(-1);
    const title = titleFor(pieces[best]?.text ?? '', heading, textRoom);
    const around = withNeighbours(pieces, best, textRoom - title.length);
    const text = clipWords(`${title}${around}`, textRoom);
    // The heading of a conversation is its date: a fork, or one that was resumed, says the same on another day.
    const said = result.source === 'sessions' ? around : text;
    if (texts.some((other) => isRepeated(said, other))) continue;
    const line = `${MARK}${text}${tail}`;
    texts.push(said);
    lines.push(line);
    sources.push(sourceOf(result));
    left -= line.length + 1;
  }
  return { summary: lines.join('\n'), sources };
}

/** A passage that a recall is based on. */
export function sourceOf({
  path,
  source,
  startLine,
  endLine,
  score,
}: SearchResult): RecalledNotes['sources'][0] {
  return { path, source, startLine, endLine, score };
}

interface Candidate {
  readonly result: SearchResult;
  readonly pieces: readonly Piece[];
  /** Index of the piece with most of the question's words. */
  readonly best: number;
  readonly weight: number;
}

/** Notes whose best sentence weighs less than this share of the best one are dropped. */
const MIN_WEIGHT_SHARE = 0.6;

function candidatesOf(
  results: readonly SearchResult[],
  { preferencesOnly }: StyleRules,
): readonly Candidate[] {
  const found = results.map((result) => {
    const pieces = piecesOf(result.snippet, result.highlights);
    const kept = preferencesOnly ? pieces.filter(({ text }) => PREFERENCE.test(text)) : pieces;
    return { result, pieces: kept };
  });
  const weightOf = pieceWeights(found.flatMap(({ pieces }) => pieces));
  const candidates = found.flatMap(({ result, pieces }): Candidate[] => {
    const weights = pieces.map(weightOf);
    const weight = Math.max(...weights);
    return pieces.length === 0
      ? []
      : [{ result, pieces, best: answerIndex(pieces, weights), weight }];
  });
  const most = Math.max(...candidates.map(({ weight }) => weight));
  return candidates.filter(({ weight }) => weight >= MIN_WEIGHT_SHARE * most);
}

/**
 * Index of the piece with the most weight. A heading only introduces an answer: then the best piece below it. So does a
 * question, which the person asks again: then what follows it.
 */
function answerIndex(pieces: readonly Piece[], weights: readonly number[]): number {
  const byWeight = pieces
    .map((piece, at) => ({ ...piece, at, weight: weights[at] ?? 0 }))
    .sort((a, b) => b.weight - a.weight);
  const [best] = byWeight;
  if (best === undefined) return 0;
  const text = byWeight.filter(({ isHeading }) => !isHeading);
  const answer =
    text.find(({ weight }) => weight === best.weight) ??
    text.find(({ above }) => above.includes(best.text)) ??
    best;
  const after = pieces.findIndex(({ text }, at) => at >= answer.at && !QUESTION.test(text));
  return pieces[after]?.paragraph === answer.paragraph ? after : answer.at;
}

const MARK = '- ';
/** The smallest `maxSummaryChars`. */
const MIN_ROOM = 40;

/** The citation at the end of a line; empty if it would leave too little room for the text. */
function citationTail(result: SearchResult, { cites }: SelectOptions, room: number): string {
  const tail = cites ? ` (${harmlessLine(formatCitation(result))})` : '';
  const left = room - MARK.length - tail.length;
  return left < Math.max(MIN_TEXT, tail.length) ? '' : tail;
}

function isRepeated(text: string, other: string): boolean {
  const [a, b] = [text.toLowerCase(), other.toLowerCase()];
  return a.includes(b) || b.includes(a);
}

/** Words for likes, habits and lasting facts in English notes. */
const PREFERENCE =
  /\b(?:prefer\w*|favou?rit\w*|lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|hat(?:e|es|ed)|dislik\w*|always|never|usual\w*|every|habit\w*|routine\w*|allergi\w*|birthday|vegan|vegetarian|tastes?|wants?|avoids?)\b/iu;

/** A sentence with as much around it as fits. Adds following sentences first: they explain more often than preceding ones. */
function withNeighbours(pieces: readonly Piece[], at: number, room: number): string {
  let [from, to] = [at, at];
  const join = (first: number, last: number): string =>
    pieces.slice(first, last + 1).reduce((joined, { text, isItem }) => {
      if (joined === '') return text;
      return `${joined}${isItem && !/\p{P}$/u.test(joined) ? ';' : ''} ${text}`;
    }, '');
  const belongs = (position: number): boolean =>
    pieces[position] !== undefined && pieces[position]?.paragraph === pieces[at]?.paragraph;
  for (;;) {
    if (belongs(to + 1) && join(from, to + 1).length <= room) to += 1;
    else if (belongs(from - 1) && join(from - 1, to).length <= room) from -= 1;
    else return join(from, to);
  }
}

/** The heading as a title, with its colon, where it fits: a list item often means nothing without it. */
function titleFor(text: string, heading: string | undefined, room: number): string {
  const title = harmlessLine(heading ?? '');
  if (title === '' || text.toLowerCase().includes(title.toLowerCase())) return '';
  return title.length + 2 + text.length <= room ? `${title}: ` : '';
}

const WORD = /[\p{L}\p{N}]{2,}/gu;
/** With this many topics, a single shared word is coincidence. */
const MANY_TOPICS = 3;
/** Prefix that two forms of a word have in common. */
const COMMON_BEGINNING = 5;

/** What a question asks about: its words without stop words and without its date, in lower case. */
function topicsOf(query: string, dates: SearchResponse['dates']) {
  // A date without notes is not searched for, so its words are like any others.
  const isDated = dates !== null && dates.passages > 0;
  const rest = isDated ? withoutDate(query, dates.text) : query;
  const onlyDate = isDated && asksOnlyForDate(rest);
  const words = onlyDate ? [] : (rest.toLowerCase().match(WORD) ?? []);
  return { topics: [...new Set(words)].filter((word) => !STOP_WORDS.has(word)), onlyDate };
}

/** A passage that is from the days of a question about nothing else scores more, even without its words. */
const MIN_DATED_SCORE = 0.6;

/**
 * Whether a note is relevant: by its vector score, or because it contains enough of the topics and of the query's weight
 * in rare words. In a small memory all words are rare, and in a large one some note has any two common ones.
 */
function isRelevant(
  { snippet, highlights, score, textScore, vectorScore }: SearchResult,
  { topics, onlyDate }: ReturnType<typeof topicsOf>,
  { minScore, minTopics }: StyleRules,
): boolean {
  if (onlyDate) return score >= MIN_DATED_SCORE;
  if (vectorScore !== undefined && vectorScore >= minScore) return true;
  if (textScore !== undefined && textScore < minScore) return false;
  const found = new Set(
    highlights.map(({ start, end }) => snippet.slice(start, end).toLowerCase()),
  );
  const foundTopics = topics.filter((topic) =>
    [...found].some((word) => isFormOf(word, topic)),
  ).length;
  if (foundTopics < Math.min(2, topics.length) && topics.length >= MANY_TOPICS) return false;
  return topics.length === 0 ? found.size > 0 : foundTopics / topics.length >= minTopics;
}

function isFormOf(word: string, topic: string): boolean {
  const length = Math.min(COMMON_BEGINNING, word.length, topic.length);
  return word.slice(0, length) === topic.slice(0, length);
}

/** A sentence or line of a note. */
interface Piece {
  /** One line without Markdown marks. */
  readonly text: string;
  /** Stems of the question's words in it. */
  readonly words: ReadonlySet<string>;
  /** Number of its paragraph in the snippet. */
  readonly paragraph: number;
  /** The headings above it that are in the snippet, outermost first. */
  readonly above: readonly string[];
  readonly isHeading: boolean;
  /** Whether it starts an item of a list. */
  readonly isItem: boolean;
}

/** Prefix length that identifies a word in most of its forms. */
const STEM = 6;

const SENTENCE = /[^.!?؟。！？\n]+(?:[.!?؟](?!\s|$)[^.!?؟。！？\n]*)*[.!?؟。！？]*/gu;
const HEADING = /^\s{0,3}(#{1,6})\s/u;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/u;
const QUESTION = /[?؟？]$/u;
const HAS_WORDS = /[\p{L}\p{N}]/u;
/** Markdown marks at the start of a line. */
const LINE_MARKS = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+|\[[ xX]\]\s+|\|)+/u;
const EMPHASIS = /(\*\*|__|`)(?=\S)(.{0,300}?\S)\1/gu;
const LINK = /!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)/gu;

/**
 * The sentences of a snippet, in order.
 *
 * @param highlights positions of the question's words in the snippet, ascending
 */
function piecesOf(snippet: string, highlights: readonly TextSpan[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let next = 0;
  let paragraph = 0;
  let before = 0;
  let headings: readonly { readonly text: string; readonly level: number }[] = [];
  for (const { 0: raw, index } of snippet.matchAll(SENTENCE)) {
    const end = index + raw.length;
    const level = HEADING.exec(raw)?.[1]?.length;
    const isHeading = level !== undefined;
    if (isHeading || /\n\s*\n/u.test(snippet.slice(before, index))) paragraph += 1;
    before = end;
    const words = new Set<string>();
    for (; next < highlights.length; next++) {
      const span = highlights[next];
      if (span === undefined || span.start >= end) break;
      words.add(snippet.slice(span.start, span.end).toLowerCase().slice(0, STEM));
    }
    const text = withoutMarks(raw);
    if (level !== undefined) headings = headings.filter((heading) => heading.level < level);
    // Headings are added later unless they match the question themselves.
    if (HAS_WORDS.test(text) && (!isHeading || words.size > 0)) {
      const above = headings.map((heading) => heading.text);
      pieces.push({ text, words, paragraph, above, isHeading, isItem: ITEM.test(raw) });
    }
    if (level !== undefined) {
      headings = [...headings, { text, level }];
      paragraph += 1;
    }
  }
  return pieces;
}

/**
 * Weighs how much of the question a piece contains: words that are in every other sentence, such as names of
 * speakers, count less than rare ones.
 *
 * @param all the pieces of all results
 */
function pieceWeights(all: readonly Piece[]): (piece: Piece) => number {
  const frequencies = new Map<string, number>();
  for (const { words } of all) {
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const weightOf = (word: string): number =>
    Math.log(1 + all.length / (frequencies.get(word) ?? all.length));
  return ({ words }) => [...words].reduce((sum, word) => sum + weightOf(word), 0);
}

function withoutMarks(line: string): string {
  return harmlessLine(
    line.replace(LINE_MARKS, '').replaceAll(LINK, '$1').replaceAll(EMPHASIS, '$2'),
  );
}
