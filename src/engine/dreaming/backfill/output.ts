import { claimKeyOf } from '../claims/claim-words.js';
import type { DreamTarget } from '../dream-targets.js';
import { placeOutput } from '../output.js';
import type { DreamBackfillOutput } from './output-schemas.js';
import type { BackfillSummary } from './run-backfill.js';

/** What a backfill took for worth remembering. */
export function backfillOutput(
  target: DreamTarget,
  { id, staged, ...summary }: BackfillSummary,
): DreamBackfillOutput {
  const { dryRun, notes, notesLeft, leans, skipped } = summary;
  const claims = staged.map(({ claim, path, lean }) => {
    const { text, startLine, endLine } = claim;
    return { key: claimKeyOf(text), text, path, startLine, endLine, lean };
  });
  // Nothing is kept of a look, so there is nothing to name.
  const name = dryRun || claims.length === 0 ? null : id;
  const backfilled = { dryRun, notes, notesLeft, leans, claims, skipped };
  return { ...placeOutput(target), id: name, backfilled };
}

/** @param claims how many it concerned */
export function rollbackOutput(
  target: DreamTarget,
  id: string,
  claims: number,
): DreamBackfillOutput {
  return { ...placeOutput(target), id, rolledBack: { claims } };
}
