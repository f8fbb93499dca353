import type { Turn } from '../../memory/sources/index.js';
import { MASK } from '../../secrets/index.js';

/** What a person asks to be kept. */
const ASKED =
  /\b(?:remember that|please remember|from now on|note to self|keep in mind|we (?:have )?(?:decided|agreed|settled)|i(?:'ve| have)? decided|the decision is|let's (?:go with|stick with|settle on)|we(?:'ll| will) (?:go with|stick with|settle on)|decision:)/iu;
/** What an agent reports as decided; it proposes more than that. */
const REPORTED =
  /\b(?:decision:|decided (?:to|on|that|against)|we (?:agreed|settled) (?:to|on|that)|agreed (?:to|on|that)|chosen approach:)/iu;

const LIST_MARK = /^\s{0,12}(?:[-*+>]|\d{1,9}[.)])\s+/u;
const SHORTEST = 15;
const LONGEST = 400;
/** A conversation that decides more is summed up better by a person. */
export const MOST_DECISIONS = 20;
/** A longer turn is a pasted file. */
export const LONGEST_TURN = 20_000;

/**
 * The sentences of a conversation in which something was decided or asked to be remembered, in order and each once.
 * Questions, code and what had a secret in it are left out.
 */
export function decisionsIn(turns: Iterable<Turn>): readonly string[] {
  const found = new Map<string, string>();
  for (const { role, text } of turns) {
    if (text.length > LONGEST_TURN) continue;
    for (const sentence of sentencesOf(text)) {
      if (!(role === 'user' ? ASKED : REPORTED).test(sentence)) continue;
      const key = sentence.toLowerCase();
      if (isKept(sentence) && !found.has(key)) found.set(key, sentence);
    }
  }
  return [...found.values()].slice(0, MOST_DECISIONS);
}

/** Whether a sentence can be added to a note. */
export function isKept(sentence: string): boolean {
  return (
    sentence.length >= SHORTEST &&
    sentence.length <= LONGEST &&
    !sentence.endsWith('?') &&
    !sentence.includes(MASK) &&
    !sentence.includes('<!--') &&
    !/[^\P{Cc}\t]/u.test(sentence)
  );
}

/** The sentences of a turn, without code. */
export function sentencesOf(text: string): readonly string[] {
  let isCode = false;
  return text.split(/\r?\n/u).flatMap((line) => {
    if (/^\s{0,12}(?:```|~~~)/u.test(line)) isCode = !isCode;
    else if (!isCode) {
      const plain = line.replace(LIST_MARK, '').trim();
      return plain.split(/(?<=[.!?])\s+(?=\p{Lu})/u).map((sentence) => sentence.trim());
    }
    return [];
  });
}
