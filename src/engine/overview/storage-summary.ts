import type { LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';

/** The server that hosts share, for one line. */
export interface StorageSummary {
  /** `host:port/database`; undefined if the URL cannot be read. */
  readonly server: string | undefined;
  /** Of PostgreSQL; undefined while it cannot be used. */
  readonly version: string | undefined;
  /** Why it cannot be used. */
  readonly fault: StorageFault | undefined;
}

type StorageFault = Pick<SvcError, 'code' | 'hint' | 'message'>;

/** Asks the server of `storage.url`; null without one. */
export async function storageSummary(
  context: EngineContext,
  { resolved }: LoadedConfig,
): Promise<StorageSummary | null> {
  if (resolved.storage.url === undefined) return null;
  const { describeAddress, openServer, requireCurrent, serverState } = await import(
    '../postgres/index.js'
  );
  let server: string | undefined;
  try {
    const opened = await openServer(context, resolved);
    server = describeAddress(opened.address);
    await requireCurrent(opened);
    const { version } = await serverState(opened);
    return { server, version, fault: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint } = error;
    return { server, version: undefined, fault: { code, message, hint } };
  }
}
