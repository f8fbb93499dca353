import { currentIdentity, type IndexSettings, identityDifferences } from '../index/identity.js';
import type { OpenedIndex } from '../index/open-index.js';
import type { RebuildReason } from './events.js';

/** A full build, and what asks for it. */
export interface Rebuild {
  readonly reason: RebuildReason;
  /** For people: the difference, or what is wrong with the old index. */
  readonly detail: string;
}

/** Why the index at hand cannot be brought up to date but must be built anew, if so. */
export function rebuildNeeded(
  opened: OpenedIndex,
  settings: IndexSettings,
  force: boolean,
): Rebuild | undefined {
  if (opened.state === 'missing') return { reason: 'first', detail: 'there is no index yet' };
  if (opened.state === 'unusable') return { reason: 'damaged', detail: opened.why };
  if (force) return { reason: 'forced', detail: 'asked for' };
  const differences = identityDifferences(opened.identity, currentIdentity(settings));
  if (differences.length === 0) return undefined;
  return { reason: 'settings', detail: differences.join(', ') };
}
