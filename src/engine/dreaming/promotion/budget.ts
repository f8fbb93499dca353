import type { ClaimKey } from '../claims/claim-words.js';
import {
  editMemory,
  handWritten,
  type MemoryEdit,
  type PromotedEntry,
  promotedEntries,
} from './memory-file.js';

/** How large `MEMORY.md` may become, and what leaves it first: agents read it in every conversation. */
export interface Budget {
  readonly maxChars: number;
  /** `YYYY-MM-DD`, for headings. */
  readonly day: string;
  /** Entries that a person edited are never retired. */
  readonly mayRetire: (entry: PromotedEntry) => boolean;
  readonly strengthOf: (entry: PromotedEntry) => number;
}

/**
 * Retires the weakest entries to make room for new ones. What a person wrote is never removed: if that alone is
 * over the budget, nothing is retired and nothing is added.
 *
 * @returns the edits, and the new entries that have no room even so
 */
export function withinBudget(
  text: string,
  edits: readonly MemoryEdit[],
  { maxChars, day, mayRetire, strengthOf }: Budget,
) {
  const overBy = (before: string, changes: readonly MemoryEdit[]): number =>
    editMemory(before, changes, day).text.length - maxChars;
  if (overBy(text, edits) <= 0) return { edits, refused: new Set<ClaimKey>() };
  const touched = new Set(edits.flatMap((edit) => (edit.kind === 'add' ? [] : [edit.prior])));
  const weakest =
    handWritten(text).length > maxChars
      ? []
      : promotedEntries(text)
          .filter((entry) => !touched.has(entry.key) && mayRetire(entry))
          .map((entry) => ({ entry, strength: strengthOf(entry) }))
          .sort((a, b) => a.strength - b.strength || a.entry.recalls - b.entry.recalls)
          .map(({ entry }) => entry);
  /** Without everything that may leave. */
  const least = editMemory(text, weakest.map(retirementOf), day).text;
  let keptEdits = edits;
  const refused = new Set<ClaimKey>();
  // The best are first; no room is made for what does not fit even then.
  for (const edit of edits.toReversed()) {
    if (edit.kind !== 'add' || overBy(least, keptEdits) <= 0) continue;
    refused.add(edit.entry.key);
    keptEdits = keptEdits.filter((one) => one !== edit);
  }
  let over = overBy(text, keptEdits);
  const retired: MemoryEdit[] = [];
  for (const entry of weakest) {
    if (over <= 0) break;
    over -= entry.block.length;
    retired.push(retirementOf(entry));
  }
  return { edits: [...retired, ...keptEdits], refused };
}

function retirementOf({ key }: PromotedEntry): MemoryEdit {
  return { kind: 'retire', prior: key, because: { why: 'space' } };
}
