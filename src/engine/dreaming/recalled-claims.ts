import type { RecallEntry } from './scoring/recall-entry.js';
import type { RecallEntries } from './store/recall-entries.js';

/**
 * The claims that answered a search, the latest signal first.
 *
 * @param all also those that only notes spoke of
 */
export function recalledClaims(
  entries: Pick<RecallEntries, 'since'>,
  all: boolean,
): readonly RecallEntry[] {
  return entries
    .since(0)
    .filter(({ recallCount }) => all || recallCount > 0)
    .sort((a, b) => b.lastSignalMs - a.lastSignalMs || (a.key < b.key ? -1 : 1));
}
