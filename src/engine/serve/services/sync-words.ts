import type { SyncSummary } from '../../memory/sync/events.js';

/** What a sync did, in a few words: `2 added, 1 changed`. */
export function syncWords({ added, changed, removed, renamed, rebuild }: SyncSummary): string {
  const parts = [
    rebuild === undefined ? undefined : 'built anew',
    ...[
      [added, 'added'],
      [changed, 'changed'],
      [removed, 'removed'],
      [renamed, 'renamed'],
    ].map(([count, word]) => (count === 0 ? undefined : `${count} ${word}`)),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'up to date' : parts.join(', ');
}
