import type { LineRange } from '../memory/types.js';
import { type Relocation, relocateClaim } from './promotion/relocate.js';
import type { RecallEntry } from './scoring/recall-entry.js';
import type { DreamSources } from './sweep/dream-sources.js';

/** Where a claim stands in its note now, with the lines around it. */
export interface ClaimPassage {
  readonly state: Relocation['state'];
  /** Number of the first line given, 1-based. */
  readonly startLine: number;
  /** Empty when the note is gone. */
  readonly lines: readonly string[];
  /** The claim's own lines, or those that say something alike now; undefined when nothing does. */
  readonly claim: LineRange | undefined;
}

/**
 * Reads a claim's note anew.
 *
 * @param margin lines given before and after the claim
 */
export function claimPassage(
  entry: RecallEntry,
  sources: Pick<DreamSources, 'read'>,
  margin: number,
): ClaimPassage {
  const note = sources.read(entry.place);
  if (note === undefined) return { state: 'missing', startLine: 1, lines: [], claim: undefined };
  const relocation = relocateClaim(note, entry);
  const claim = rangeOf(relocation);
  const { startLine, endLine } = claim ?? entry.place;
  const first = Math.max(note.startLine, startLine - margin);
  const lines = note.lines.slice(first - note.startLine, endLine + margin + 1 - note.startLine);
  return { state: relocation.state, startLine: first, lines, claim };
}

function rangeOf(relocation: Relocation): LineRange | undefined {
  switch (relocation.state) {
    case 'found':
      return relocation.claim;
    case 'changed':
      return relocation.closest;
    case 'missing':
      return undefined;
  }
}
