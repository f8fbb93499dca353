import type { ResolvedConfig } from '../../config/index.js';
import type { Connection } from '../../sqlite/database.js';
import type { RecallEntries } from '../store/recall-entries.js';
import type { DreamSources } from './dream-sources.js';

/** The effective `plugins.entries.memory-core.config.dreaming`. */
export type DreamSettings =
  ResolvedConfig['plugins']['entries']['memory-core']['config']['dreaming'];

/** What the phases of a sweep share. */
export interface PhaseContext {
  readonly database: Connection;
  readonly entries: RecallEntries;
  readonly sources: DreamSources;
  readonly phases: DreamSettings['phases'];
  readonly nowMs: number;
  /** The sweep's day, and the day of any moment. */
  readonly day: string;
  readonly dayOf: (ms: number) => string;
  /** Start of the day's first sweep; claims promoted since then still count as open. */
  readonly dayStartMs: number;
  readonly signal: AbortSignal;
}
