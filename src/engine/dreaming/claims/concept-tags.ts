import { STOP_WORDS } from '../../memory/search/stop-words.js';
import { foldWord } from '../../memory/search/words.js';

/** How many concepts of a claim are kept (facts §7.3). */
const MOST_TAGS = 8;

const LEAST = 3;
const LEAST_CJK = 2;
const MOST = 32;

// Names that are one thing though they have marks inside: paths, ids, kebab-case, snake_case, versions.
const COMPOUND = /[\p{L}\p{N}]+(?:[-_./:@][\p{L}\p{N}]+)+/gu;
const CJK = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}/u;
const UNSPACED =
  /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Thai}|\p{sc=Lao}|\p{sc=Khmer}|\p{sc=Myanmar}/u;
// With the apostrophe of "don't", as the segmenter has it.
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const LETTER = /\p{L}/u;
/** Longer texts are no claims; and the segmenter's time grows with the square of a text without spaces. */
const MOST_READ = 1000;

/**
 * What a claim is about, in lower case: compound names first, then words, each once, at most 8.
 * Scripts without spaces are cut by the platform's own segmenter (ICU).
 */
export function conceptTagsOf(text: string): string[] {
  const normal = text.slice(0, MOST_READ).normalize('NFKC');
  const tags = new Set<string>();
  for (const [compound] of normal.matchAll(COMPOUND)) addTag(tags, compound);
  const rest = normal.replaceAll(COMPOUND, ' ');
  for (const word of wordsIn(rest)) addTag(tags, word);
  return [...tags].slice(0, MOST_TAGS);
}

/** The segmenter is asked only where there are no spaces: it takes several times as long as a pattern. */
function wordsIn(text: string): readonly string[] {
  if (!UNSPACED.test(text)) return text.match(WORD) ?? [];
  return [...segmenter().segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment);
}

function addTag(tags: Set<string>, word: string): void {
  const tag = foldWord(word);
  const length = [...tag].length;
  if (length < (CJK.test(tag) ? LEAST_CJK : LEAST) || length > MOST) return;
  if (LETTER.test(tag) && !STOP_WORDS.has(tag)) tags.add(tag);
}

function segmenter(): Intl.Segmenter {
  return new Intl.Segmenter('en', { granularity: 'word' });
}
