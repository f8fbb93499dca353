import { STOP_WORDS } from '../memory/search/stop-words.js';
import type { SearchResult } from '../memory/search/types.js';
import type { StyleRules } from './prompt-style.js';

const WORD = /[\p{L}\p{N}]{2,}/gu;
/** From so many words on, one that a note shares with the message is chance. */
const MANY_TOPICS = 3;
/** So much of two words is the same when they are forms of one. */
const COMMON_BEGINNING = 5;

/** The words of a question that carry its topic, in small letters. */
export function topicsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(WORD) ?? [];
  return [...new Set(words)].filter((word) => !STOP_WORDS.has(word));
}

/**
 * Whether a note bears on what was asked: it means the same, or holds enough of the topics. A score of
 * words alone does not tell that: it weighs them by how rare they are, which in a small memory all are.
 */
export function bearsOn(
  { snippet, highlights, vectorScore }: SearchResult,
  topics: readonly string[],
  { minScore, minTopics }: StyleRules,
): boolean {
  if (vectorScore !== undefined && vectorScore >= minScore) return true;
  const found = new Set(
    highlights.map(({ start, end }) => snippet.slice(start, end).toLowerCase()),
  );
  const held = topics.filter((topic) => [...found].some((word) => isFormOf(word, topic))).length;
  if (held < Math.min(2, topics.length) && topics.length >= MANY_TOPICS) return false;
  return topics.length === 0 ? found.size > 0 : held / topics.length >= minTopics;
}

function isFormOf(word: string, topic: string): boolean {
  const length = Math.min(COMMON_BEGINNING, word.length, topic.length);
  return word.slice(0, length) === topic.slice(0, length);
}
