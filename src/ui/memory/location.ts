import type { DocumentKey, LineRange } from '../../engine/memory/index.js';
import { safeLine } from '../safe-text.js';

/** The path of a result, after the name of the host if another one has the file. */
export function shownDocument({ origin, path }: Pick<DocumentKey, 'origin' | 'path'>): string {
  return safeLine(origin === undefined ? path : `${origin}:${path}`);
}

/** A range as an anchor: `#L5` or `#L3-L5`. */
export function lineAnchor({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `#L${startLine}` : `#L${startLine}-L${endLine}`;
}

/** The heading path of a passage on one line, outermost first. */
export function headingTrail(headingPath: readonly string[]): string {
  return headingPath.map(safeLine).join(' › ');
}
