import type { AdapterId } from '../config/index.js';
import { connectTo } from '../embeddings/diagnosis/connect.js';
import { type ListedProvider, listProviders } from '../embeddings/list-providers.js';
import type { AgentProviders } from '../embeddings/provider-world.js';

/** A provider that can be chosen here without more ado. */
export interface ProviderOffer {
  readonly provider: string;
  /** The sign that it is here, for people. */
  readonly sign: string;
  /** Used when nothing else is said; null where the vendor's list decides. */
  readonly model: string | null;
}

/** What is on offer, and what a person who says nothing gets. */
export interface ProviderOffers {
  readonly offers: readonly ProviderOffer[];
  /** Undefined means words alone. */
  readonly preferred: string | undefined;
}

/** Whether something answers at an address. */
export type IsReachable = (url: URL, signal: AbortSignal) => Promise<boolean>;

/** A server on this machine answers at once, or is not there. */
const PROBE_MS = 300;

const LOCAL_SERVERS: ReadonlySet<AdapterId> = new Set(['lmstudio', 'ollama']);

/**
 * What could embed here: what the settings lead to, what auto-detection would take, entries of
 * `models.providers`, and servers of models that run on this machine. A server that happens to run
 * is never preferred: it says nothing about its purpose.
 *
 * @throws SvcError PROVIDER_UNKNOWN when the settings name one that does not exist; the signal's reason
 */
export async function offeredProviders(
  { settings, world }: Pick<AgentProviders, 'settings' | 'world'>,
  signal: AbortSignal,
  isReachable: IsReachable = answers,
): Promise<ProviderOffers> {
  const listed = listProviders(settings, world);
  const found = await Promise.all(
    listed.map(async (provider) => offerOf(provider, await runs(provider, signal, isReachable))),
  );
  signal.throwIfAborted();
  const primary = listed.find(({ role }) => role === 'primary');
  return { offers: found.flat(), preferred: primary?.provider };
}

function offerOf(listed: ListedProvider, isRunning: boolean): readonly ProviderOffer[] {
  const { provider, model, credential, endpoint, role, available, configured, why } = listed;
  const offer = (sign: string): readonly ProviderOffer[] => [{ provider, sign, model }];
  if (isRunning) return offer(`runs at ${endpoint ?? ''}`);
  if (role === 'primary') return offer(why);
  if (available) return offer(credential.source ?? 'on this machine');
  return configured && credential.state !== 'missing' ? offer('of the configuration') : [];
}

async function runs(
  { provider, adapter, endpoint }: ListedProvider,
  signal: AbortSignal,
  isReachable: IsReachable,
): Promise<boolean> {
  const isServer = provider === adapter && LOCAL_SERVERS.has(adapter);
  if (!isServer || endpoint === null || !URL.canParse(endpoint)) return false;
  return isReachable(new URL(endpoint), AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]));
}

async function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  try {
    await connectTo(url, signal);
    return true;
  } catch {
    return false;
  }
}
