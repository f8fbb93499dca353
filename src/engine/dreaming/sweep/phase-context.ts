import type { ResolvedConfig } from '../../config/index.js';
import type { Connection } from '../../sqlite/database.js';
import type { RecallEntries } from '../store/recall-entries.js';
import type { DreamSources } from './dream-sources.js';

/** `plugins.entries.memory-core.config.dreaming`, filled. */
export type DreamSettings =
  ResolvedConfig['plugins']['entries']['memory-core']['config']['dreaming'];

/** What the phases of a sweep work with. */
export interface PhaseContext {
  readonly database: Connection;
  readonly entries: RecallEntries;
  readonly sources: DreamSources;
  readonly phases: DreamSettings['phases'];
  readonly nowMs: number;
  /** The sweep's day, and the day of any moment. */
  readonly day: string;
  readonly dayOf: (ms: number) => string;
  /** Of the day's first sweep: what that one promoted is seen as the first one saw it. */
  readonly dayStartMs: number;
  readonly signal: AbortSignal;
}

export const MS_PER_DAY = 86_400_000;
