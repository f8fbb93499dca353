import type { LoadedConfig, ResolvedConfig } from '../../config/index.js';
import type { EngineContext } from '../../support/context.js';

/** A memory that several hosts share, and this host's name in it. */
export interface SharedPlace {
  /** The agent's id, by which hosts share it. */
  readonly agent: string;
  readonly origin: string;
  /** Where the server is. */
  readonly config: Pick<ResolvedConfig, 'secrets' | 'storage'>;
}

/** Where an agent's memory is shared; undefined without `storage.url`. */
export function sharedPlace(
  agent: string,
  { resolved: { secrets, storage } }: Pick<LoadedConfig, 'resolved'>,
  { hostName }: Pick<EngineContext, 'hostName'>,
): SharedPlace | undefined {
  if (storage.url === undefined) return undefined;
  return { agent, origin: storage.origin ?? originOf(hostName), config: { secrets, storage } };
}

const LONGEST = 63;

/** A host name in the form that `storage.origin` must have. */
function originOf(hostName = ''): string {
  const fitting = hostName.replaceAll(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[._-]+/u, '');
  return fitting.slice(0, LONGEST) || 'host';
}
