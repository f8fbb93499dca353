import { DREAM_REPORTS } from '../../memory/sources/own-writing.js';
import type { Source } from '../../memory/types.js';

const DATED = /^(?:memory\/(?:.+\/)?)?\d{4}-\d{2}-\d{2}\.md$/u;

/**
 * Whether a document holds short-term memory: daily notes (`memory/**\/YYYY-MM-DD.md` or the bare name)
 * and conversations. What dreaming itself wrote is none (facts §7.3).
 */
export function isShortTermPath(source: Source, path: string): boolean {
  return source === 'sessions' || (DATED.test(path) && !path.startsWith(`${DREAM_REPORTS}/`));
}
