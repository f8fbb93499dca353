import type {
  DreamPromoteOutput,
  DreamRejectOutput,
  DreamUndoOutput,
} from '../../engine/dreaming/output-schemas.js';
import { formatCountOf } from '../format.js';
import { safeLine } from '../safe-text.js';
import { decisionWords, placeWords, shortKey } from './words.js';

/** The answer of `svc dream promote`. */
export function renderPromotion(promotion: DreamPromoteOutput): string {
  const { text, sweep } = promotion;
  const lines = [safeLine(text), `  ${placeWords(promotion)}: ${decisionWords(promotion)}`];
  const isWritten = promotion.decision === 'promote' || promotion.decision === 'renew';
  if (isWritten && sweep !== null) lines.push(`  svc dream undo ${safeLine(sweep)} takes it back`);
  return `${lines.join('\n')}\n`;
}

/** The answer of `svc dream reject`. */
export function renderRejection(claim: DreamRejectOutput): string {
  return `${safeLine(claim.text)}\n  ${placeWords(claim)}: rejected, no sweep takes it from now on\n`;
}

/** The answer of `svc dream undo`: what went, and what stays because a person changed it. */
export function renderUndo({ sweep, undone, kept }: DreamUndoOutput): string {
  const head = `sweep ${safeLine(sweep)}: ${formatCountOf(undone, 'change')} of MEMORY.md taken back`;
  const lines = kept.map(({ key, why }) =>
    why === 'edited'
      ? `  kept ${shortKey(key)}: somebody edited it since, so it is theirs`
      : `  nothing to do for ${shortKey(key)}: it is not there any more`,
  );
  return `${[head, ...lines].join('\n')}\n`;
}
