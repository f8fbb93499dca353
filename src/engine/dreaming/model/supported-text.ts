import { lossFraction, stemsOf } from '../claims/claim-words.js';
import { junkReason } from '../claims/junk.js';

/** Connecting words may be new, in this part of a condensed text at most. */
const MOST_NEW = 0.15;
/** A text that drops more than this part of its source says something else. */
const MOST_LOST = 0.6;
const FIGURE = /\p{N}/u;
/** Words that turn a statement around, in languages that the memory often holds. */
const NEGATIONS =
  /\b(?:not|no|never|none|without|cannot|n't|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin|non|mai|senza)\b|n't\b/giu;

/**
 * Whether a condensed text says nothing that its source does not: hardly any new words, the same figures, the
 * same negations, and still most of what it said.
 */
export function isSupported(text: string, source: string): boolean {
  if (junkReason(text) !== undefined) return false;
  const said = stemsOf(text);
  const known = stemsOf(source);
  if (lossFraction(said, known) > MOST_NEW || lossFraction(known, said) > MOST_LOST) return false;
  const figures = (stems: ReadonlySet<string>) =>
    [...stems].filter((stem) => FIGURE.test(stem)).sort();
  if (figures(said).join(' ') !== figures(known).join(' ')) return false;
  return countNegations(text) === countNegations(source);
}

function countNegations(text: string): number {
  return text.match(NEGATIONS)?.length ?? 0;
}
