/** Search by words as SQLite's FTS5 does it with `porter unicode61` and bm25(). */
import { stemmer } from 'stemmer';

const K1 = 1.2;
const B = 0.75;
/** The weight of a word that most documents have. */
const MIN_IDF = 1e-6;

/** The stems of a text, in its order. */
export function stemsOf(text) {
  const plain = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []).map((word) => stemmer(word));
}

/**
 * The phrases of a question: those that a document must have, and those that it must not.
 *
 * @param syntax which syntax the release knows
 * @returns undefined when it requires no phrase
 */
function readQuestion(question, syntax) {
  const all =
    syntax === 'words' ? question.split(/\s+/).map((word) => ({ word })) : partsOf(question);
  const phrases = all.flatMap(({ word, quoted = false, negated = false }) =>
    phrasesOf(word, quoted, syntax).map((phrase) => ({ ...phrase, negated })),
  );
  const required = phrases.filter((phrase) => !phrase.negated);
  const excluded = phrases.filter((phrase) => phrase.negated);
  return required.length === 0 ? undefined : { required, excluded };
}

function partsOf(question) {
  return [...question.matchAll(/(-)?(?:"([^"]*)"?|([^\s"]+))/g)].map(
    ([, minus, quoted, word = '']) => ({
      word: quoted ?? word,
      quoted: quoted !== undefined,
      negated: minus !== undefined,
    }),
  );
}

function phrasesOf(word, quoted, syntax) {
  const exact = (text) => ({ stems: stemsOf(text), prefix: false });
  const prefixOf = (text) => ({ stems: stemsOf(text), prefix: true });
  const clean = (text) => text.replace(/[^\p{L}\p{N}'_]/gu, '');
  const allPhrases = () => {
    if (quoted) return [exact(word.split(/\s+/).map(clean).join(' '))];
    if (syntax !== 'dashes and dots') return [prefixOf(clean(word))];
    if (/^[\p{L}\p{N}][^\s-]*(?:-[\p{L}\p{N}][^\s-]*)+$/u.test(word)) {
      return [exact(word.replaceAll('-', ' '))];
    }
    if (/^[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)+$/u.test(word)) return word.split('.').map(prefixOf);
    return [prefixOf(clean(word))];
  };
  return allPhrases().filter(({ stems }) => stems.length > 0);
}

/**
 * The documents that answer, best first.
 *
 * @param documents with `columns`: path, title and text
 * @returns each with a `score` from 0 up to 1
 */
export function searchWords(documents, question, { syntax, weights }) {
  const query = readQuestion(question, syntax);
  if (query === undefined) return [];
  const rows = documents.map((document) => ({ document, columns: document.columns.map(stemsOf) }));
  const lengths = rows.map(({ columns }) => columns.reduce((sum, stems) => sum + stems.length, 0));
  const average = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  const hits = query.required.map((phrase) =>
    rows.map(({ columns }) =>
      columns.reduce((sum, stems, at) => sum + countOf(phrase, stems) * weights[at], 0),
    ),
  );
  const found = rows.flatMap(({ document, columns }, row) => {
    const matches =
      hits.every((weightOf) => weightOf[row] > 0) && !containsAny(query.excluded, columns);
    if (!matches) return [];
    const rank = hits.reduce((sum, weightOf) => {
      const rest = K1 * (1 - B + (B * lengths[row]) / average);
      return sum + (idf(weightOf) * weightOf[row] * (K1 + 1)) / (weightOf[row] + rest);
    }, 0);
    return [{ ...document, score: rank / (1 + rank) }];
  });
  return found.sort((a, b) => b.score - a.score);
}

function containsAny(phrases, columns) {
  return phrases.some((phrase) => columns.some((stems) => countOf(phrase, stems) > 0));
}

function idf(hits) {
  const matching = hits.filter((weight) => weight > 0).length;
  const value = Math.log((hits.length - matching + 0.5) / (matching + 0.5));
  return value > 0 ? value : MIN_IDF;
}

function countOf({ stems: phrase, prefix }, stems) {
  const last = phrase.length - 1;
  const matches = (at) =>
    phrase.every((stem, step) => {
      const actual = stems[at + step];
      return prefix && step === last ? actual?.startsWith(stem) : actual === stem;
    });
  return stems.filter((_, at) => matches(at)).length;
}
