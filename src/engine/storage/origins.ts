import { type LoadedConfig, resolveAgent } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { forgetOrigin, listOrigins, type Origin } from '../memory/index/postgres/index.js';
import { openCurrentServer } from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import type { StorageOriginsOutput } from './output-schemas.js';

interface OriginsOptions {
  /** Only this agent's; default: all. */
  readonly agent: string | undefined;
  /** Removes the origin of this name. */
  readonly forget: string | undefined;
}

/**
 * The hosts that index into shared memories, after removing one if asked to.
 *
 * @throws SvcError AGENT_UNKNOWN, ORIGIN_UNKNOWN, STORAGE_*; USAGE without `storage.url`
 */
export async function storageOrigins(
  context: EngineContext,
  loaded: LoadedConfig,
  { agent, forget }: OriginsOptions,
): Promise<StorageOriginsOutput> {
  const server = await openCurrentServer(context, loaded.resolved);
  const known = await listOrigins(server, agent);
  // Hosts can share memories of agents that this one does not have.
  if (agent !== undefined && known.length === 0) resolveAgent(loaded, agent, context);
  if (forget === undefined) return { origins: known.map(originOutput), forgotten: [] };
  const gone = known.filter(({ name }) => name === forget);
  if (gone.length === 0) {
    throw new SvcError('ORIGIN_UNKNOWN', `no host named ${forget} indexes into a shared memory`, {
      hint: '"svc storage origins" lists them',
    });
  }
  for (const one of gone) await forgetOrigin(server, { agent: one.agent, origin: forget });
  const left = await listOrigins(server, agent);
  return { origins: left.map(originOutput), forgotten: gone.map(originOutput) };
}

export function originOutput({ agent, name, documents, chunks, syncedMs, seenMsAgo }: Origin) {
  return {
    agent,
    origin: name,
    documents,
    chunks,
    lastSync: syncedMs === null ? null : new Date(syncedMs).toISOString(),
    seenSecondsAgo: Math.max(0, Math.round(seenMsAgo / 1000)),
  };
}
