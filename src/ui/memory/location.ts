import type { LineRange } from '../../engine/memory/index.js';
import { safeLine } from '../safe-text.js';

/** A range as an anchor: `#L5` or `#L3-L5`. */
export function lineAnchor({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `#L${startLine}` : `#L${startLine}-L${endLine}`;
}

/** The heading path of a passage on one line, outermost first. */
export function headingTrail(headingPath: readonly string[]): string {
  return headingPath.map(safeLine).join(' › ');
}
