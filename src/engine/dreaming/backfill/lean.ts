import type { Claim } from '../claims/split-claims.js';

/** How likely a statement of an old note is to hold for long. */
export type Lean = 'lasting' | 'durable' | 'unclear' | 'situational';

// Words of the day it was written on, and of what was done on it.
const SITUATIONAL =
  /\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week)|just now|earlier|later|currently|for now|so far|at the moment|in progress|spent|met|called|fixed|tried|finished|started|worked on|went|waiting|debugged|reviewed|deployed|merged|lunch|meeting)\b/iu;
// Words of rules, choices, habits and standing facts.
const DURABLE =
  /\b(?:always|never|every|each|must|should|prefers?|likes?|dislikes?|uses?|owns?|lives?|stands?|lies?|kept|keeps?|runs?|listens?|needs?|is|are|means|decided|decision|agreed|convention|policy|rule|default|limit|allergic|birthday|password hint|address|port|version)\b/iu;
const LASTING_HEADING =
  /\b(?:decisions?|lessons?|learned|preferences?|conventions?|rules?|polic(?:y|ies)|facts?|reference|set-?up|people|remember)\b/iu;

/** By its words and the headings above it; a guess, and meant as one. */
export function leanOf({ text, headingPath }: Pick<Claim, 'headingPath' | 'text'>): Lean {
  const situational = SITUATIONAL.test(text);
  if (headingPath.some((title) => LASTING_HEADING.test(title))) {
    return situational ? 'unclear' : 'lasting';
  }
  if (situational) return 'situational';
  return DURABLE.test(text) ? 'durable' : 'unclear';
}
