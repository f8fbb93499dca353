import type { Source } from '../types.js';
import { dayOfPath } from './query-dates.js';

/** What the age of a document is told from. */
export interface DatedDocument {
  readonly source: Source;
  readonly path: string;
  /** When the file was changed, in milliseconds since the epoch. */
  readonly modifiedMs: number | undefined;
}

const MS_PER_DAY = 86_400_000;
const EVERGREEN = /^(?:MEMORY\.md|memory\/)/u;

/**
 * A document's age in days, never below 0: that of a dated note from its name, that of a transcript or
 * a file outside the memory folder from its last change. Undefined for what never ages: `MEMORY.md`,
 * undated files in `memory/`, and where no time is known.
 */
export function ageInDays(document: DatedDocument, nowMs: number): number | undefined {
  const day = document.source === 'memory' ? dayOfPath(document.path) : undefined;
  if (day !== undefined && !Number.isNaN(day)) return Math.max(0, nowMs / MS_PER_DAY - day);
  if (isEvergreen(document) || document.modifiedMs === undefined) return undefined;
  return Math.max(0, (nowMs - document.modifiedMs) / MS_PER_DAY);
}

/** Whether an undated document never ages. */
export function isEvergreen({ source, path }: Pick<DatedDocument, 'path' | 'source'>): boolean {
  return source === 'memory' && EVERGREEN.test(path);
}

/** What a score is multiplied with at an age: 1 for new or ageless, ½ at the half-life. */
export function decayFactor(ageDays: number | undefined, halfLifeDays: number): number {
  return ageDays === undefined ? 1 : 2 ** (-ageDays / halfLifeDays);
}
