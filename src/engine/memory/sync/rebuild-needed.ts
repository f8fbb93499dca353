import {
  currentIdentity,
  type IndexIdentity,
  type IndexSettings,
  identityDifferences,
} from '../index/identity.js';
import type { OpenedIndex } from '../index/open-index.js';
import type { RebuildReason } from './events.js';

/** A full build, and what asks for it. */
export interface Rebuild {
  readonly reason: RebuildReason;
  /** For people: the difference, or what is wrong with the old index. */
  readonly detail: string;
}

/** The build of an index where there is none that can be used. */
export function rebuildOf(opened: Exclude<OpenedIndex, { state: 'ready' }>): Rebuild {
  return opened.state === 'missing'
    ? { reason: 'first', detail: 'there is no index yet' }
    : { reason: 'damaged', detail: opened.why };
}

/** Why an index of this identity cannot be brought up to date but must be built anew, if so. */
export function rebuildNeeded(
  identity: IndexIdentity,
  settings: IndexSettings,
  force: boolean,
): Rebuild | undefined {
  if (force) return { reason: 'forced', detail: 'asked for' };
  const differences = identityDifferences(identity, currentIdentity(settings));
  if (differences.length === 0) return undefined;
  return { reason: 'settings', detail: differences.join(', ') };
}
