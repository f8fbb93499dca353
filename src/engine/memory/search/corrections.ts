/*
 * Replaces the words of a query that the index does not have by words that it has. Loaded only for such
 * queries.
 */
import { backwards, forwards, type Language, type MemoryIndex } from '../index/index.js';
import type { DatedNotes } from './dates.js';
import { editDistance, editsOf } from './edit-distance.js';
import type { LexicalQuery } from './query.js';
import type { TermStatistics } from './rank.js';
import { phraseTerm, prefixTerm, type QueryTerm, wordTerm } from './terms.js';
import type { Correction } from './types.js';
import { foldedWordsOf, foldWord, STOP_WORDS, wordsOf } from './words.js';

/** Shorter words are one edit away from too many others. */
const SHORTEST_WORD = 4;
/**
 * Short everyday words that are one edit away from names and other words: "lend" is not a misspelling of "Lena", nor
 * "many" of "may".
 */
const SPELLED_RIGHT: ReadonlySet<string> = new Set(
  `about after again also always away back been before both bought bring came come cost down each else
  even ever every felt find first found gave gets give given gives goes gone have heard held help here
  into just keep kept knew know last late lead least leave left lend lent less like lose lost lots made
  make makes many maybe mean meet more most move much must near need never next none often once only
  other over paid plan play read rent rest ride said same seen sell send sent show sold some soon
  spend spent still stop such sure take taken takes talk tell than think third though told took turn
  under until upon used uses very visit wait walk want well went were while whole wish with word wore
  work worn would write wrote year`.split(/\s+/u),
);
/** Nobody types a longer word, and the number of its edits grows with its length. */
const LONGEST_WORD = 40;
/** From this length on, two edits are still a likely misspelling. */
const TWO_EDITS_FROM = 8;
/** Shorter parts of a word are often only endings, unless the index has them next to each other. */
const SHORTEST_PART = 4;
const SHORTEST_PART_TOGETHER = 2;
/** A pasted text has too many unknown words to correct them all. */
const MOST_CORRECTED = 8;
/** How many index terms are compared with the words of the text, and in how many passages. */
const COMPARED_TERMS = 12;
const COMPARED_PASSAGES = 8;

interface CorrectionOptions {
  readonly languages: readonly Language[];
  readonly dates: DatedNotes | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Replacement {
  readonly terms: readonly QueryTerm[];
  readonly instead: readonly string[];
  readonly kind: Correction['kind'];
}

/**
 * Replaces words without a match, except those of a date, by the first of these that the index has: its parts as short
 * words next to each other; a word one edit away; compounds that end with it; from eight letters on, a word two edits
 * away; its two parts; the words that begin with it.
 */
export async function correctQuery(
  index: MemoryIndex,
  query: LexicalQuery,
  { frequencies }: TermStatistics,
  { languages, dates, signal }: CorrectionOptions,
) {
  const dateWords = new Set(foldedWordsOf(dates?.text ?? ''));
  const unknown = query.terms
    .filter((term, at) => frequencies[at] === 0 && isWord(term, languages))
    .filter(({ word = '' }) => !dateWords.has(foldWord(word)))
    .slice(0, MOST_CORRECTED);
  const knownTerms = query.terms.filter((_, at) => (frequencies[at] ?? 0) > 0);
  const context = { index, languages, knownTerms };
  const corrections: Correction[] = [];
  const terms: QueryTerm[] = [];
  for (const term of query.terms) {
    const word = unknown.includes(term) ? term.word : undefined;
    signal?.throwIfAborted();
    const replacement = word === undefined ? undefined : await replacementFor(word, context);
    if (word === undefined || replacement === undefined) {
      terms.push(term);
      continue;
    }
    terms.push(...replacement.terms);
    corrections.push({
      word,
      instead: await asWritten(index, replacement),
      kind: replacement.kind,
    });
  }
  return { query: { ...query, terms }, corrections };
}

const LETTERS = /^\p{L}+$/u;

/** Numbers and codes are never a misspelling of others. */
function isWord({ word }: QueryTerm, languages: readonly Language[]): boolean {
  return (
    word !== undefined &&
    word.length >= SHORTEST_WORD &&
    word.length <= LONGEST_WORD &&
    LETTERS.test(word) &&
    !isStopWord(word.toLowerCase(), languages)
  );
}

function isStopWord(word: string, languages: readonly Language[]): boolean {
  return STOP_WORDS.has(word) || languages.some(({ stopWords }) => stopWords.has(word));
}

interface CorrectionContext {
  readonly index: MemoryIndex;
  readonly languages: readonly Language[];
  /** The terms of the query that the index has: they decide between several words that may be meant. */
  readonly knownTerms: readonly QueryTerm[];
}

async function replacementFor(
  typed: string,
  context: CorrectionContext,
): Promise<Replacement | undefined> {
  const { index, languages } = context;
  const word = foldWord(typed);
  const asWords = (words: readonly string[]): Pick<Replacement, 'instead' | 'terms'> => {
    return { terms: words.map((one) => wordTerm(one, languages)), instead: words };
  };
  const together = await partsTogether(word, context);
  if (together !== undefined) {
    return { terms: [together], instead: [together.phrase ?? ''], kind: 'compound' };
  }
  const near = SPELLED_RIGHT.has(word) ? undefined : await wordOneEditAway(word, context);
  if (near !== undefined) return { ...asWords([near]), kind: 'spelling' };
  const compounds = await compoundsOf(typed.toLowerCase(), context);
  if (compounds.length > 0) {
    return { terms: [anyTerm(asWords(compounds).terms)], instead: compounds, kind: 'compound' };
  }
  const further = word.length < TWO_EDITS_FROM ? undefined : await wordTwoEditsAway(word, context);
  if (further !== undefined) return { ...asWords([further]), kind: 'spelling' };
  const [parts] = await splitsOf(word, SHORTEST_PART, context);
  if (parts !== undefined) return { ...asWords(parts), kind: 'compound' };
  const beginning = prefixTerm(word, languages);
  const { frequencies } = await index.termStatistics([beginning.match]);
  if ((frequencies[0] ?? 0) === 0) return undefined;
  return { terms: [beginning], instead: [`${lowerCase(typed)}*`], kind: 'prefix' };
}

/** The words with their accents, in lower case: `wäschetrockner`. Those that no passage shows at once stay folded. */
async function asWritten(index: MemoryIndex, { terms, instead }: Replacement) {
  const [texts = []] = await index.someTexts([anyTerm(terms).match], COMPARED_PASSAGES);
  const written = new Map(
    texts.flatMap((text) => {
      return wordsOf(text).map(({ folded, start, end }) => {
        return [folded, text.slice(start, end)] as const;
      });
    }),
  );
  return instead.map((words) =>
    lowerCase(
      words
        .split(' ')
        .map((word) => written.get(word) ?? word)
        .join(' '),
    ),
  );
}

/** `İ` becomes `i` with a dot above, which is one dot too many. */
function lowerCase(word: string): string {
  return word.toLowerCase().replaceAll('i\u0307', 'i');
}

/** One term that any of some terms matches. */
function anyTerm(terms: readonly QueryTerm[]): QueryTerm {
  return {
    match: `(${terms.map(({ match }) => match).join(' OR ')})`,
    forms: terms.flatMap(({ forms }) => forms),
  };
}

/** The word of the index one edit away that is most likely meant. */
async function wordOneEditAway(
  word: string,
  context: CorrectionContext,
): Promise<string | undefined> {
  const edits = [...editsOf(word)]
    .filter((edit) => edit.length >= SHORTEST_WORD - 1)
    .map((edit) => wordTerm(edit, context.languages).match);
  const { frequencies } = await context.index.termStatistics(edits);
  const near = edits.filter((_, at) => (frequencies[at] ?? 0) > 0);
  return mostLikely(word, near, 1, context);
}

async function wordTwoEditsAway(
  word: string,
  context: CorrectionContext,
): Promise<string | undefined> {
  // As prefixes, because SQLite would stem a stem again.
  const near = (await similarTerms(context.index, word)).map((term) => `"${term}" *`);
  return mostLikely(word, near, 2, context);
}

/** Terms with the same first letter that a word two edits away may have been stemmed to; the most common. */
async function similarTerms(index: MemoryIndex, word: string): Promise<readonly string[]> {
  const first = word.charAt(0);
  const end = String.fromCharCode(first.charCodeAt(0) + 1);
  const terms = await index.termsBetween(first, end);
  return terms
    .filter(({ term }) => {
      if (term.length < SHORTEST_WORD || term.length > word.length + 2) return false;
      return editDistance(word, term, { most: 2, ofPrefix: true }) <= 2;
    })
    .sort((a, b) => b.chunks - a.chunks)
    .slice(0, COMPARED_TERMS)
    .map(({ term }) => term);
}

interface SpellingCandidate {
  readonly word: string;
  readonly distance: number;
  readonly sameStart: boolean;
  readonly withContext: boolean;
  readonly count: number;
}

/**
 * Stems are not words: `deploy` is far from `deploymnet`. So the words themselves are looked up in some of the
 * passages. A word that occurs together with other words of the query is preferred.
 *
 * @param similar full-text expressions for passages with similar words
 */
async function mostLikely(
  word: string,
  similar: readonly string[],
  distance: number,
  { index, languages, knownTerms }: CorrectionContext,
): Promise<string | undefined> {
  const candidates = new Map<string, SpellingCandidate>();
  const others = knownTerms.map(({ match }) => match).join(' OR ');
  const terms = similar.slice(0, COMPARED_TERMS);
  const withOthers = others === '' ? [] : terms.map((term) => `${term} AND (${others})`);
  // At once: each question would be a round trip to a server.
  const texts = await index.someTexts([...terms, ...withOthers], COMPARED_PASSAGES);
  for (const [place] of terms.entries()) {
    const together = texts[terms.length + place] ?? [];
    for (const [at, text] of [...together, ...(texts[place] ?? [])].entries()) {
      for (const candidate of wordsNear(text, word, distance)) {
        if (isStopWord(candidate, languages)) continue;
        const known = candidates.get(candidate);
        candidates.set(candidate, {
          word: candidate,
          distance: known?.distance ?? editDistance(word, candidate),
          sameStart: candidate[0] === word[0],
          withContext: at < together.length || known?.withContext === true,
          count: (known?.count ?? 0) + 1,
        });
      }
    }
  }
  return [...candidates.values()].sort(byLikelihood)[0]?.word;
}

/** The words of a text, folded, within a distance of a word. */
function wordsNear(text: string, word: string, distance: number): string[] {
  return foldedWordsOf(text).filter((other) => {
    if (Math.abs(other.length - word.length) > distance) return false;
    // "date" is hardly a misspelling of "mate".
    if (word.length === SHORTEST_WORD && other[0] !== word[0]) return false;
    return editDistance(word, other, { most: distance }) <= distance;
  });
}

function byLikelihood(a: SpellingCandidate, b: SpellingCandidate): number {
  if (a.distance !== b.distance) return a.distance - b.distance;
  if (a.withContext !== b.withContext) return a.withContext ? -1 : 1;
  if (a.sameStart !== b.sameStart) return a.sameStart ? -1 : 1;
  return b.count - a.count || (a.word < b.word ? -1 : 1);
}

/** Endings that a word may have as the last part of a compound. */
const ENDINGS = ['', 'e', 'en', 'er', 'ern', 'es', 'n', 's'];
/** The first letters of a compound that has a word as its last part. */
const SHORTEST_FIRST_PART = 2;
/** Rarer ones are hardly meant. */
const MOST_COMPOUNDS = 24;

/** The words of the index, as they are written there, that end with a word: `Stromrechnung` for `Rechnung`. */
async function compoundsOf(
  word: string,
  { index, languages }: CorrectionContext,
): Promise<readonly string[]> {
  const composing = languages.filter(({ compounds }) => compounds);
  if (composing.length === 0) return [];
  const compounds = new Map<string, number>();
  const stems = composing.map(({ stemText }) => stemText(word));
  const lasts = [word, ...stems].flatMap((last) => ENDINGS.map((ending) => last + ending));
  for (const last of new Set(lasts)) {
    const first = backwards(foldWord(last));
    for (const { term, chunks } of await index.termsBetween(first, `${first}\uFFFF`)) {
      const compound = forwards(term);
      if (compound.length >= last.length + SHORTEST_FIRST_PART) compounds.set(compound, chunks);
    }
  }
  return [...compounds]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, MOST_COMPOUNDS)
    .map(([compound]) => compound);
}

/** The ways to split a word into two that the index has, the most common first. */
async function splitsOf(
  word: string,
  shortest: number,
  { index, languages }: CorrectionContext,
): Promise<readonly (readonly [string, string])[]> {
  const splits: (readonly [string, string])[] = [];
  for (let at = shortest; at <= word.length - shortest; at++) {
    splits.push([word.slice(0, at), word.slice(at)]);
  }
  const { frequencies } = await index.termStatistics(
    splits.flat().map((part) => wordTerm(part, languages).match),
  );
  return splits
    .map((parts, at) => {
      return { parts, chunks: Math.min(frequencies[2 * at] ?? 0, frequencies[2 * at + 1] ?? 0) };
    })
    .filter(({ chunks }) => chunks > 0)
    .sort((a, b) => b.chunks - a.chunks)
    .map(({ parts }) => parts);
}

/** Two words, at least one of them short, that the index has next to each other: `on-call` for `oncall`. */
async function partsTogether(
  word: string,
  context: CorrectionContext,
): Promise<QueryTerm | undefined> {
  const { index, languages } = context;
  const splits = await splitsOf(word, SHORTEST_PART_TOGETHER, context);
  const phrases = splits
    .filter((parts) => parts.some((part) => part.length < SHORTEST_PART))
    .filter((parts) => !parts.every((part) => isStopWord(part, languages)))
    .slice(0, COMPARED_TERMS)
    .flatMap((parts) => phraseTerm(parts.join(' '), { tokenizer: 'unicode61', languages }) ?? []);
  const { frequencies } = await index.termStatistics(phrases.map(({ match }) => match));
  const most = Math.max(0, ...frequencies);
  return most === 0 ? undefined : phrases[frequencies.indexOf(most)];
}
