import type { SyncSummary } from '../../../src/engine/memory/sync/events.js';

/** A summary around what a test is about. */
export function aSummary(fields: Partial<SyncSummary> = {}): SyncSummary {
  return {
    outcome: 'updated',
    added: 12,
    changed: 3,
    removed: 0,
    renamed: 0,
    unchanged: 1268,
    skipped: [],
    chunks: 13115,
    bytes: 16_100_000,
    durationMs: 640,
    ...fields,
  };
}
