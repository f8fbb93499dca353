import type { ResolvedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { resolveSecret } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import { requireCurrent } from './migrate.js';
import { Server, type ShowConnecting } from './server.js';

/** What opening a server needs. */
export interface ServerContext extends Pick<EngineContext, 'env' | 'onSecret'> {
  /** The servers that this process uses, by their settings. */
  readonly servers?: Map<string, Server> | undefined;
  readonly showConnecting?: ShowConnecting | undefined;
}

/**
 * The server of `storage.url`. All callers of a process share its connections, so nobody closes it: idle ones do
 * not keep the process alive.
 *
 * @throws SvcError STORAGE_URL_INVALID, SECRET_UNRESOLVED; USAGE without `storage.url`
 */
export async function openServer(
  { env, onSecret, servers, showConnecting }: ServerContext,
  { storage, secrets }: Pick<ResolvedConfig, 'secrets' | 'storage'>,
): Promise<Server> {
  if (storage.url === undefined) {
    throw new SvcError('USAGE', 'no PostgreSQL server is configured', {
      hint: 'set one with "svc config set storage.url env:SVC_DATABASE_URL"',
    });
  }
  const url = await resolveSecret(storage.url, { env, settings: secrets, onSecret });
  const settings = {
    url,
    poolSize: storage.poolSize,
    connectTimeoutMs: storage.connectTimeoutSeconds * 1000,
    statementTimeoutMs: storage.statementTimeoutSeconds * 1000,
  };
  const key = JSON.stringify(settings);
  const server = servers?.get(key) ?? new Server(settings, showConnecting);
  servers?.set(key, server);
  return server;
}

/**
 * The same, checked: its tables are those of this svc.
 *
 * @throws SvcError STORAGE_*
 */
export async function openCurrentServer(
  context: ServerContext,
  config: Pick<ResolvedConfig, 'secrets' | 'storage'>,
): Promise<Server> {
  const server = await openServer(context, config);
  await requireCurrent(server);
  return server;
}
