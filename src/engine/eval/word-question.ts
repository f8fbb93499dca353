import { STOP_WORDS } from '../memory/search/stop-words.js';

/** Titles that say where they stand and not what they are about. */
const EMPTY_TITLE = /^(?:notes?|misc|other|todo|summary|overview|introduction|usage|examples?)$/iu;
const ONLY_DATE = /^[\d\s.,/:-]*(?:\p{L}+)?[\d\s.,/:-]*$/u;
const MOST_SUBJECT_WORDS = 7;
const KEYWORDS = 5;

/** A question that the passage under a heading answers; undefined for a title that says nothing. */
export function questionOfHeading(heading: readonly string[]): string | undefined {
  const title = heading.at(-1)?.replace(/[\s:.]+$/u, '');
  if (title === undefined || title.length < 3 || EMPTY_TITLE.test(title)) return undefined;
  if (/\d/u.test(title) && ONLY_DATE.test(title)) return undefined;
  if (title.endsWith('?')) return title;
  const howTo = /^how to (?<what>.+)$/iu.exec(title)?.groups?.['what'];
  if (howTo !== undefined) return `How do I ${howTo}?`;
  if (/^(?:who|what|when|where|why|which|how)\b/iu.test(title)) return `${title}?`;
  if (/^\p{L}+ing\b/u.test(title)) return `How does ${lowered(title)} work?`;
  return `What do the notes say about ${lowered(title)}?`;
}

/**
 * A question that a sentence answers: of what it says about something, or why something is so; else
 * its rarest words, as people type them.
 */
export function questionOfSentence(sentence: string, rarity: (word: string) => number): string {
  const text = sentence.replace(/[\s.!…]+$/u, '');
  if (text.endsWith('?')) return text;
  const because = /^(?<what>.{12,}?),? because\b/iu.exec(text)?.groups?.['what'];
  if (because !== undefined) return `Why: ${lowered(because)}?`;
  const is = /^(?<subject>.+?) (?<verb>is|are|was|were) /u.exec(text)?.groups;
  const subject = is?.['subject'] ?? '';
  const verb = is?.['verb'];
  if (verb !== undefined && isSubject(subject)) return `What ${verb} ${lowered(subject)}?`;
  return keywords(text, rarity);
}

function isSubject(text: string): boolean {
  const words = text.split(' ');
  const [first = ''] = words;
  const points = /^(?:it|this|that|there|they|he|she|we|i|you|which|what|here|if|when)$/iu;
  return words.length <= MOST_SUBJECT_WORDS && !points.test(first) && !/[,;:()]/u.test(text);
}

/** The rarest words in the order of the text. */
function keywords(text: string, rarity: (word: string) => number): string {
  const words = text.match(/[\p{L}\p{N}]+(?:[-.:/_][\p{L}\p{N}]+)*/gu) ?? [];
  const telling = [...new Set(words)].filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const rarest = telling.toSorted((a, b) => rarity(b) - rarity(a)).slice(0, KEYWORDS);
  return telling.filter((word) => rarest.includes(word)).join(' ');
}

/** A title's first letter small, unless the word is a name or an abbreviation by its look. */
function lowered(text: string): string {
  const [first = ''] = text.split(' ');
  const isPlain = /^\p{Lu}\p{Ll}*$/u.test(first) && STOP_WORDS.has(first.toLowerCase());
  const isTitle = /^\p{Lu}\p{Ll}+$/u.test(first) && text.includes(' ');
  return isPlain || isTitle ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
